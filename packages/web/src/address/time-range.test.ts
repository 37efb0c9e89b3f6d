import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  absolute,
  clockAhead,
  durationText,
  isRelative,
  lengthOf,
  parseDuration,
  resolveTime,
  shifted,
  spanning,
  profileStepFor,
  stepFor,
  timeText,
  widened,
} from './time-range.ts'

const NOW = Date.UTC(2026, 10, 15, 14, 0, 0)
const DAY = 86_400_000

test('resolveTime reads relative and absolute times', () => {
  expect(resolveTime('now', NOW)).toBe(NOW)
  expect(resolveTime('now-1h30m', NOW)).toBe(NOW - 5_400_000)
  expect(resolveTime('2026-11-15T13:00:00Z', NOW)).toBe(NOW - 3_600_000)
  expect(resolveTime('1790000000000', NOW)).toBe(1_790_000_000_000)
  expect([resolveTime('', NOW), resolveTime('yesterday', NOW), resolveTime('now-', NOW)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('shifted keeps relative times relative for a whole day', () => {
  expect(shifted({ from: 'now-1h', to: 'now' }, DAY, NOW)).toEqual({ from: 'now-25h', to: 'now-1d' })
  expect(shifted({ from: 'now-25h', to: 'now-1d' }, -DAY, NOW)).toEqual({ from: 'now-1h', to: 'now' })
  const day = { from: '2026-11-15T00:00:00.000Z', to: '2026-11-15T12:00:00.000Z' }
  expect(shifted(day, DAY, NOW)).toEqual({ from: '2026-11-14T00:00:00.000Z', to: '2026-11-14T12:00:00.000Z' })
})

test('shifted keeps the length', () => {
  const offset = fc.integer({ min: 0, max: 10 ** 9 })
  fc.assert(
    fc.property(offset, offset, fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.boolean(), (a, b, by, relative) => {
      const text = (ms: number): string => (relative ? (ms === 0 ? 'now' : `now-${ms}ms`) : timeText(NOW - ms))
      const range = { from: text(a + b), to: text(a) }
      const moved = shifted(range, by, NOW)
      expect(lengthOf(moved, NOW)).toBe(lengthOf(range, NOW))
      expect(resolveTime(moved.to, NOW)).toBe(NOW - a - by)
      expect(isRelative(moved.from)).toBe(relative)
    }),
  )
})

test('stepFor returns round steps', () => {
  expect([stepFor(3_600_000, 60), stepFor(900_000, 60), stepFor(DAY, 60), stepFor(10, 60)]).toEqual([
    '60s',
    '15s',
    '1800s',
    '1s',
  ])
  expect(stepFor(3650 * DAY, 60)).toBe('5256000s')
})

test('profileStepFor has no step shorter than 15 s, except in short ranges', () => {
  expect([3_600_000, 360_000, 60_000, 20_000, 1000].map(length => profileStepFor(length, 60))).toEqual([
    '60s',
    '15s',
    '15s',
    '5s',
    '1s',
  ])
})

test('durationText uses the two largest units', () => {
  expect([durationText(5_400_000), durationText(90_061_000), durationText(0)]).toEqual(['1h30m', '1d1h', '0s'])
})

test('parseDuration reads numbers with units and plain seconds', () => {
  expect(['10', '0.5', '1m30s', ' 500ms ', '', '10 s', 's', '-1s', '1y'].map(parseDuration)).toEqual([
    10_000,
    500,
    90_000,
    500,
    undefined,
    10_000,
    ...Array.from({ length: 3 }, () => undefined),
  ])
})

test('spanning covers two ranges', () => {
  const day = { from: 'now-1d', to: 'now-1h' }
  const hour = { from: 'now-1h', to: 'now' }
  expect(spanning(day, hour, NOW)).toEqual({ from: 'now-1d', to: 'now' })
  expect(spanning(hour, day, NOW)).toEqual({ from: 'now-1d', to: 'now' })
  const exact = { from: timeText(NOW - 7 * DAY), to: timeText(NOW - 6 * DAY) }
  expect(spanning(exact, hour, NOW)).toEqual({ from: exact.from, to: 'now' })
})

test('absolute resolves relative times once and keeps everything else', () => {
  const range = { from: 'now-1h', to: 'now', service: 'shop' }
  const resolved = absolute(range, NOW)
  const receivedBefore = timeText(NOW)
  expect(resolved).toEqual({ from: timeText(NOW - 3_600_000), to: timeText(NOW), service: 'shop', receivedBefore })
  expect(absolute(resolved, NOW + DAY)).toEqual({ ...resolved, receivedBefore: timeText(NOW + DAY) })
  expect(absolute({ from: 'yesterday', to: '2026-11-15T14:00:00.000000001Z' }, NOW)).toEqual({
    receivedBefore,
    from: 'yesterday',
    to: '2026-11-15T14:00:00.000000001Z',
  })
})

test('clockAhead compares a server with the time between a request and its response', () => {
  expect([clockAhead(NOW, NOW - 5000, NOW + 100), clockAhead(NOW, NOW + 900, NOW + 950)]).toEqual([0, 0])
  expect(clockAhead(NOW + 60_000, NOW - 50, NOW)).toBe(60_000)
  expect(clockAhead(NOW - 60_000, NOW, NOW + 50)).toBe(-60_000)
  expect(clockAhead(Number.NaN, NOW, NOW)).toBe(0)
})

test('widened doubles a range around its middle, and ends at the latest now', () => {
  const now = Date.UTC(2026, 0, 1, 12)
  const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString()
  expect(widened({ from: at(-60), to: at(-40) }, now)).toEqual({ from: at(-70), to: at(-30) })
  expect(widened({ from: at(-20), to: 'now' }, now)).toEqual({ from: at(-40), to: at(0) })
  expect(widened({ from: 'x', to: 'now' }, now)).toBeUndefined()
})
