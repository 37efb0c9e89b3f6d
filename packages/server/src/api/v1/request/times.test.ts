import { describe, expect, test } from 'vitest'
import { TimeError, parseDuration, parseTime } from './times.ts'

const NOW = 1_790_000_000_123_000_000n

describe('moments', () => {
  test.each([
    ['now', NOW],
    ['now-1h', NOW - 3_600_000_000_000n],
    ['now-1d12h', NOW - 36n * 3_600_000_000_000n],
    ['now+1ns', NOW + 1n],
    ['0', 0n],
    ['1790000000', 1_790_000_000_000_000_000n],
    ['1790000000123', 1_790_000_000_123_000_000n],
    ['1790000000123456', 1_790_000_000_123_456_000n],
    ['1790000000123456789', 1_790_000_000_123_456_789n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T01:00:00+01:00', 0n],
    ['1969-12-31T22:30:00.000000001-01:30', 1n],
    ['2024-02-29T12:00:00.5z', 1_709_208_000_500_000_000n],
  ])('%s', (text, time) => {
    expect(parseTime(text, NOW)).toBe(time)
  })

  test.each([
    '',
    'yesterday',
    'now-',
    'now-1',
    'now1h',
    'now*1h',
    '-1',
    '1e9',
    '9223372036854775808',
    '99999999999999999999',
    '2023-02-29T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00',
    '2024-01-01',
    '1960-01-01T00:00:00Z',
    '2300-01-01T00:00:00Z',
    'now-9999999999999999999w',
    'x'.repeat(100_000),
  ])('rejects %s', text => {
    expect(() => parseTime(text, NOW)).toThrow(TimeError)
  })
})

test('parseDuration reads numbers with units and rejects other texts', () => {
  expect(parseDuration('15s')).toBe(15_000_000_000n)
  expect(parseDuration('1h30m')).toBe(5_400_000_000_000n)
  expect(parseDuration('500ms')).toBe(500_000_000n)
  expect(parseDuration('1w')).toBe(7n * parseDuration('1d'))
  expect(parseDuration('1.5s')).toBe(1_500_000_000n)
  for (const text of ['', '5', 's', '-1s', '1s ', '9999999999999999999d']) {
    expect(() => parseDuration(text)).toThrow(TimeError)
  }
})
