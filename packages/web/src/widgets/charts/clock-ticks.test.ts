// Ticks stand at round times and say which.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockTicks } from './clock-ticks.ts'
import { formatClock } from '../format-time.ts'

const NOON = new Date(2026, 10, 15, 12, 0, 0).getTime()

test('at round times of the viewer’s own zone', () => {
  const ticks = clockTicks(NOON + 40_000, NOON + 940_000, 8)
  expect(ticks.map(({ text }) => text)).toEqual(['12:02', '12:04', '12:06', '12:08', '12:10', '12:12', '12:14'])
  expect(ticks[0].at).toBeCloseTo(80 / 900)
})

test('with seconds where minutes would not tell them apart', () => {
  const texts = clockTicks(NOON, NOON + 60_000, 4).map(({ text }) => text)
  expect(texts).toEqual(['12:00:00', '12:00:15', '12:00:30', '12:00:45', '12:01:00'])
})

test('a midnight is named by its day', () => {
  const texts = clockTicks(NOON, NOON + 24 * 3_600_000, 4).map(({ text }) => text)
  expect(texts).toContain('Nov 16')
})

test('what a tick says is where it stands', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 1000, max: 10 ** 8 }), (start, length) => {
      const from = NOON + start
      for (const { at, text } of clockTicks(from, from + length, 10)) {
        const time = Math.round(from + at * length)
        if (text.length <= 8 && text.includes(':')) expect(text).toBe(formatClock(time, text.length === 8))
      }
    }),
  )
})

test('nothing of nothing', () => {
  expect(clockTicks(NOON, NOON, 5)).toEqual([])
  expect(clockTicks(NOON, NOON + 1000, 0)).toEqual([])
})
