import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partitionPoint } from './binary-search.ts'

test('partitionPoint finds the first index that is not before, in any part of a list', () => {
  const list = fc.array(fc.nat(20)).map(values => values.sort((a, b) => a - b))
  fc.assert(
    fc.property(list, fc.nat(20), fc.nat(5), (values, limit, from) => {
      fc.pre(from <= values.length)
      const linear = values.findIndex((value, i) => i >= from && value >= limit)
      expect(partitionPoint(from, values.length, i => values[i] < limit)).toBe(linear < 0 ? values.length : linear)
    }),
  )
})
