import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdTable } from './id-table.ts'

test('IdTable returns the row of each id, and none after clear', () => {
  const id = fc.oneof(fc.nat(5_000), fc.nat(2 ** 21), fc.maxSafeNat(), fc.constant(2 ** 64))
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.nat(2 ** 30))), entries => {
      const table = new IdTable()
      const expected = new Map(entries)
      for (const [key, row] of entries) table.set(key, row)
      for (const [key, row] of expected) expect(table.get(key)).toBe(row)
      for (const key of [0, 1_023, 1_024, 2 ** 20, 2 ** 53]) expect(table.get(key)).toBe(expected.get(key) ?? -1)
      table.clear()
      for (const [key] of entries) expect(table.get(key)).toBe(-1)
    }),
    { numRuns: 30 },
  )
})
