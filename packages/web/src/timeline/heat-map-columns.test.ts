import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COLUMN_LENGTHS, MAX_COLUMNS, limitedColumn } from './heat-map-columns.ts'

const HOUR = 3_600_000_000_000n

test('limitedColumn returns the requested length if it fits', () => {
  expect(limitedColumn(1_000_000_000n, HOUR)).toBe(1_000_000_000n)
  expect(limitedColumn(100_000_000n, HOUR)).toBe(1_000_000_000n)
  expect(limitedColumn(1_000_000_000n, 24n * HOUR)).toBe(10_000_000_000n)
})

test('limitedColumn never exceeds the limit of the server', () => {
  fc.assert(
    fc.property(fc.constantFrom(...COLUMN_LENGTHS), fc.bigInt({ min: 0n, max: 2n ** 64n }), (wanted, span) => {
      const column = limitedColumn(wanted, span)
      expect(column).toBeGreaterThanOrEqual(wanted)
      expect(span / column + 2n).toBeLessThanOrEqual(BigInt(MAX_COLUMNS))
    }),
  )
})
