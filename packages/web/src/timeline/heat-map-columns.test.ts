import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COLUMN_LENGTHS, MOST_COLUMNS, fittingColumn } from './heat-map-columns.ts'

const HOUR = 3_600_000_000_000n

test('what was asked for where it fits', () => {
  expect(fittingColumn(1_000_000_000n, HOUR)).toBe(1_000_000_000n)
  expect(fittingColumn(100_000_000n, HOUR)).toBe(1_000_000_000n)
  expect(fittingColumn(1_000_000_000n, 24n * HOUR)).toBe(10_000_000_000n)
})

test('never more than the server answers, whatever the span', () => {
  fc.assert(
    fc.property(fc.constantFrom(...COLUMN_LENGTHS), fc.bigInt({ min: 0n, max: 2n ** 64n }), (wanted, span) => {
      const column = fittingColumn(wanted, span)
      expect(column).toBeGreaterThanOrEqual(wanted)
      expect(span / column + 2n).toBeLessThanOrEqual(BigInt(MOST_COLUMNS))
    }),
  )
})
