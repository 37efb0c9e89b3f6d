import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { normalisedUnit } from './normalised-unit.ts'
import { formatBytes, formatDuration, formatExact, formatShare, formatTime, formatValue } from './format-value.ts'
import { conversion } from './units.ts'

describe('formatValue with a normalised unit', () => {
  it.each([
    [6_624_000_000_000n, normalisedUnit('ns', 3600, 'second'), '1.84 cores'],
    [6_624_000_000n, normalisedUnit('us', 3600, 'second'), '1.84 cores'],
    [3_600_000_000n, normalisedUnit('ns', 3600, 'second'), '0.001 cores'],
    [6_624_000_000_000n, normalisedUnit('ns', 3600 * 4, 'core'), '46.0% of a core'],
    [1_536_000n, normalisedUnit('bytes', 1000, 'second'), '1.50 KiB/s'],
    [1_536_000n, normalisedUnit('bytes', 1000, 'core'), '1.50 KiB/s/core'],
    [13_000_000_000n, normalisedUnit('ns', 100, 'request'), '130 ms/request'],
    [612n, normalisedUnit('ns', 1000, 'share'), '61.2%'],
  ])('writes %s as %s', (value, unit, text) => expect(formatValue(value, unit)).toBe(text))

  it('keeps the unit if there is nothing to divide by', () => {
    expect(formatValue(1500n, normalisedUnit('ns', 0, 'request'))).toBe('1.50 \u00b5s')
  })

  it('writes exact values in the unit of the sums', () => {
    expect(formatExact(1500n, normalisedUnit('ns', 7, 'second'))).toBe('1,500 ns')
  })
})

describe('formatValue', () => {
  test.each<[bigint | number, string, string]>([
    [1_530_000_000n, 'ns', '1.53 s'],
    [1_530_000_000, 'nanoseconds', '1.53 s'],
    [0n, 'ns', '0 s'],
    [-0, 'ms', '0 s'],
    [1n, 'ns', '1 ns'],
    [999n, 'ns', '999 ns'],
    [1000n, 'ns', '1.00 \u00b5s'],
    [12_345n, 'ns', '12.3 \u00b5s'],
    [123_456n, 'ns', '123 \u00b5s'],
    [999_499n, 'ns', '999 \u00b5s'],
    [999_500n, 'ns', '1.00 ms'],
    [9_996n, 'ns', '10.0 \u00b5s'],
    [9_994n, 'ns', '9.99 \u00b5s'],
    [99_960n, 'ns', '100 \u00b5s'],
    [59_940n, 'ms', '59.9 s'],
    [59_950n, 'ms', '1.00 min'],
    [90n, 's', '1.50 min'],
    [3599n, 's', '1.00 h'],
    [36n, 'h', '1.50 d'],
    [1_000_000n, 'd', '1,000,000 d'],
    [-1_530_000_000n, 'ns', '-1.53 s'],
    [-999_999n, 'ns', '-1.00 ms'],
    [1.5, 'ns', '1.5 ns'],
    [0.25, 'ns', '0.25 ns'],
    [1n, 'ps', '0.001 ns'],
    [1e-6, 'ns', '<0.001 ns'],
    [-1e-6, 'ns', '>-0.001 ns'],
    [999.7, 'ns', '1.00 \u00b5s'],
    [2n ** 63n - 1n, 'ns', '106,752 d'],
    [512n, 'bytes', '512 B'],
    [1023n, 'By', '1,023 B'],
    [1536n, 'bytes', '1.50 KiB'],
    [1024n * 1024n - 1n, 'By', '1.00 MiB'],
    [1023n * 1024n, 'By', '1,023 KiB'],
    [2n ** 63n - 1n, 'By', '8.00 EiB'],
    [-(2n ** 63n), 'By', '-8.00 EiB'],
    [0n, 'bytes', '0 B'],
    [4n, 'bit', '0.5 B'],
    [3n, 'MB', '3.00 MiB'],
    [1000n, 'kBy', '977 KiB'],
    [1_234_567n, 'count', '1.23 M'],
    [1_234_567n, '1', '1.23 M'],
    [1_234_567n, 'samples', '1.23 M samples'],
    [999n, 'count', '999'],
    [999_999n, 'count', '1.00 M'],
    [2n ** 64n - 1n, 'count', '18.4 E'],
    [1n, 'samples', '1 sample'],
    [-1n, '{sample}', '-1 sample'],
    [2n, 'samples', '2 samples'],
    [0n, 'samples', '0 samples'],
    [1.5, 'samples', '1.5 samples'],
    [1n, '{zebras}', '1 zebras'],
    [1n, '{}', '1'],
    [2500n, 'GCU', '2.50 k GCU'],
    [1n, 'furlongs', '1 furlongs'],
    [7n, '', '7'],
    [12.345, '%', '12.3%'],
    [0.5, 'ratio', '50%'],
    [99n, 'Hz', '99 Hz'],
    [3_200_000_000, 'Hz', '3.20 GHz'],
    [Number.NaN, 'ns', 'NaN ns'],
    [Number.NEGATIVE_INFINITY, 'bytes', '-Infinity B'],
    [Number.POSITIVE_INFINITY, '%', 'Infinity%'],
    [Number.MIN_VALUE, 'count', '<0.001'],
  ])('formats %s %s as %s', (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text)
  })

  test('differs from the value by at most half of its last digit, in any unit', () => {
    const unit = fc.constantFrom('ns', 'us', 's', 'd', 'By', 'kBy', 'Hz', '1')
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 64n), 2n ** 64n), fc.integer({ min: 0, max: 64 }), unit, (large, shift, from) => {
        const value = large >> BigInt(shift)
        const text = formatValue(value, from)
        const [number, symbol] = text.replaceAll(',', '').split(' ')
        const { numerator, denominator } = conversion(symbol ?? '', from) ?? { numerator: 0n, denominator: 1n }
        const factor = from === '1' ? SI[symbol ?? ''] : Number(numerator) / Number(denominator)
        const shown = Number(number) * factor
        expect(Math.abs(shown - Number(value))).toBeLessThanOrEqual(Math.abs(Number(value)) * 0.005 + 1e-9)
        expect(Math.sign(shown)).toBe(Number(value) === 0 ? 0 : Math.sign(Number(value)))
        expect(text.replace(/^-/, '')).toMatch(/^(?:\d{1,3}|\d\.\d{2}|\d{2}\.\d|[\d,]{5,})(?: |$)/)
      }),
      { numRuns: 1000 },
    )
  })

  test('gives the same text for a double and a bigint of the same value', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom('ns', 'By', 'samples', '%', 'x'), (value, unit) => {
        expect(formatValue(value, unit)).toBe(formatValue(BigInt(value), unit))
      }),
    )
  })

  test('formats any double without an exponent', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom('ns', 'By', '%', 'x'),
        (value, unit) => {
          expect(formatValue(value, unit)).toMatch(/^[<>]?-?[\d,]+(?:\.\d{1,3})?(?: \S+){0,2}%?$/)
        },
      ),
    )
  })
})

const SI: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 }

test.each<[bigint, string, string]>([
  [1_530_000_000n, 'nanoseconds', '1,530,000,000 ns'],
  [-1000n, 'us', '-1,000 \u00b5s'],
  [999n, 'samples', '999 samples'],
  [1n, 'objects', '1 object'],
  [1536n, 'bytes', '1,536 B'],
  [3n, 'kilobytes', '3 KiB'],
  [3n, 'kBy', '3 kB'],
  [8n, 'bits', '8 bit'],
  [12n, '%', '12%'],
  [2n, 'ratio', '2 ratio'],
  [100n, 'hertz', '100 Hz'],
  [1_000_000n, 'count', '1,000,000'],
  [5n, 'GCU', '5 GCU'],
  [-(2n ** 63n), 'ns', '-9,223,372,036,854,775,808 ns'],
  [2n ** 64n - 1n, '1', '18,446,744,073,709,551,615'],
])('formatExact(%s, %s) returns %s', (value, unit, text) => {
  expect(formatExact(value, unit)).toBe(text)
})

test('formatExact keeps every digit', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 64n), 2n ** 64n), value => {
      const text = formatExact(value, '1')
      expect(BigInt(text.replaceAll(',', ''))).toBe(value)
      expect(text).toMatch(/^-?\d{1,3}(?:,\d{3})*$/)
    }),
  )
})

test('formatBytes and formatDuration imply the unit', () => {
  expect(formatBytes(1536)).toBe('1.50 KiB')
  expect(formatBytes(512n)).toBe('512 B')
  expect(formatDuration(1_530_000_000n)).toBe('1.53 s')
  expect(formatDuration(-5)).toBe('-5 ns')
})

describe('formatShare', () => {
  test.each<[bigint | number, bigint | number, string]>([
    [123n, 1000n, '12.3%'],
    [1n, 8n, '12.5%'],
    [0.5, 2, '25.0%'],
    [0n, 7n, '0%'],
    [7n, 7n, '100%'],
    [-7n, -7n, '100%'],
    [-7n, 7n, '-100%'],
    [1n, 1000n, '0.1%'],
    [999n, 1_000_000n, '<0.1%'],
    [-1n, 1_000_000n, '>-0.1%'],
    [1n, 2n ** 64n, '<0.1%'],
    [2n ** 64n - 1n, 2n ** 64n, '>99.9%'],
    [-(2n ** 64n - 1n), 2n ** 64n, '<-99.9%'],
    [2n ** 64n + 1n, 2n ** 64n, '100.0%'],
    [99_949n, 100_000n, '99.9%'],
    [-123n, 1000n, '-12.3%'],
    [25n, 10n, '250.0%'],
    [12_345n, 1n, '1,234,500.0%'],
    [0n, 0n, 'n/a'],
    [1, 0, 'n/a'],
    [Number.NaN, 1, 'n/a'],
    [1, Number.POSITIVE_INFINITY, 'n/a'],
  ])('formats %s of %s as %s', (part, whole, text) => {
    expect(formatShare(part, whole)).toBe(text)
  })

  test('is 0% only for nothing and 100% only for all', () => {
    const amount = fc.bigInt(0n, 2n ** 64n)
    fc.assert(
      fc.property(amount, fc.bigInt(1n, 2n ** 64n), (part, whole) => {
        const text = formatShare(part, whole)
        expect(text === '0%').toBe(part === 0n)
        expect(text === '100%').toBe(part === whole)
      }),
    )
  })
})

describe('formatTime', () => {
  test.each([
    [0n, '1970-01-01T00:00:00Z'],
    [1_700_000_000_000_000_000n, '2023-11-14T22:13:20Z'],
    [1_700_000_000_123_000_000n, '2023-11-14T22:13:20.123Z'],
    [1_700_000_000_120_000_000n, '2023-11-14T22:13:20.120Z'],
    [1_700_000_000_123_456_000n, '2023-11-14T22:13:20.123456Z'],
    [1_700_000_000_123_456_789n, '2023-11-14T22:13:20.123456789Z'],
    [1_700_000_000_000_000_001n, '2023-11-14T22:13:20.000000001Z'],
    [1_700_000_000_000_001_000n, '2023-11-14T22:13:20.000001Z'],
    [-1n, '1969-12-31T23:59:59.999999999Z'],
    [-1_000_000_000n, '1969-12-31T23:59:59Z'],
    [2n ** 63n - 1n, '2262-04-11T23:47:16.854775807Z'],
    [-(2n ** 63n), '1677-09-21T00:12:43.145224192Z'],
    [2n ** 64n - 1n, '2554-07-21T23:34:33.709551615Z'],
    [8_640_000_000_001n * 1_000_000_000n, '8,640,000,000,001,000,000,000 ns'],
  ])('formats %s as %s', (unixNano, text) => {
    expect(formatTime(unixNano)).toBe(text)
  })

  test('keeps every nanosecond', () => {
    const instant = fc.bigInt(0n, 2n ** 64n - 1n)
    fc.assert(
      fc.property(instant, unixNano => {
        const [, second, fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(formatTime(unixNano)) ?? []
        const seconds = BigInt(Date.parse(`${second}Z`)) / 1000n
        expect(seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))).toBe(unixNano)
      }),
    )
  })
})
