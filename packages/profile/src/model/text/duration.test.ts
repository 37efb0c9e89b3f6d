import { describe, expect, it } from 'vitest'
import { parseDuration, parseDurationMs } from './duration.ts'

describe('parseDuration', () => {
  it('reads every unit, fractions, parts and a blank before the unit', () => {
    expect(['1ns', '2us', '3ms', '4s', '5m', '6h', '7d', '8w'].map(text => parseDuration(text))).toEqual([
      1n,
      2_000n,
      3_000_000n,
      4_000_000_000n,
      300_000_000_000n,
      21_600_000_000_000n,
      604_800_000_000_000n,
      4_838_400_000_000_000n,
    ])
    expect(parseDuration('1h30m')).toBe(5_400_000_000_000n)
    expect(parseDuration('1.5s')).toBe(1_500_000_000n)
    expect(parseDuration('20 ms')).toBe(20_000_000n)
    expect(parseDuration('9223372036854775807ns')).toBe(2n ** 63n - 1n)
  })

  it('accepts a number without a unit only with a default unit', () => {
    expect(parseDuration('5')).toBeUndefined()
    expect(parseDuration('5', 's')).toBe(5_000_000_000n)
    expect(parseDuration('5ms', 's')).toBe(5_000_000n)
  })

  it.each(['', 's', '-1s', '1x', '1s ', ' 1s', '1.s', '.5s', '1e3s', '1h-2m', '99999999999999999999s'])(
    'returns undefined for "%s"',
    text => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )
})

describe('parseDurationMs', () => {
  it('returns milliseconds', () => {
    expect([parseDurationMs('1.5s'), parseDurationMs('250us'), parseDurationMs('2', 'm')]).toEqual([
      1500, 0.25, 120_000,
    ])
    expect(parseDurationMs('soon')).toBeUndefined()
  })
})
