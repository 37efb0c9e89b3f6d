// sortedBy against Array.prototype.sort.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortedBy } from './sorted-by.ts'

test('sortedBy sorts by key and preserves the order of equal keys', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 20 }), { maxLength: 200 }), keys => {
      const order = sortedBy(Float64Array.from(keys))
      const expected = keys.map((_, i) => i).sort((a, b) => keys[a] - keys[b] || a - b)
      expect([...order]).toEqual(expected)
    }),
  )
})

test('sortedBy puts -Infinity first and accepts an empty list', () => {
  expect([...sortedBy(Float64Array.of(3, -Infinity, 1, -Infinity))]).toEqual([1, 3, 2, 0])
  expect([...sortedBy(new Float64Array(0))]).toEqual([])
})
