import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortedDescending } from './sort-descending.ts'

it('sorts like a stable sort with a comparison', () => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.double({ noNaN: true }),
    fc.bigInt({ min: 0n, max: 2n ** 63n }),
  )
  fc.assert(
    fc.property(fc.array(value.map(Number), { maxLength: 60 }), fc.array(fc.nat(59)), (list, skipped) => {
      const values = Float64Array.from(list)
      const rows = list.map((_, row) => row).filter(row => !skipped.includes(row))
      const order = (a: number, b: number): number => (values[a] === values[b] ? 0 : values[a] > values[b] ? -1 : 1)
      expect([...sortedDescending(Uint32Array.from(rows), values)]).toEqual(rows.toSorted(order))
    }),
  )
})
