import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clockTicks } from './clock-ticks.ts'
import { formatClock } from '../format-time.ts'

const NOON = new Date(2026, 10, 15, 12, 0, 0).getTime()

describe('clockTicks', () => {
  it('places ticks at round times of the local time zone', () => {
    const ticks = clockTicks(NOON + 40_000, NOON + 940_000, 8)
    expect(ticks.map(({ text }) => text)).toEqual(['12:02', '12:04', '12:06', '12:08', '12:10', '12:12', '12:14'])
    expect(ticks[0].at).toBeCloseTo(80 / 900)
  })

  it('adds seconds if ticks are closer than a minute', () => {
    const texts = clockTicks(NOON, NOON + 60_000, 4).map(({ text }) => text)
    expect(texts).toEqual(['12:00:00', '12:00:15', '12:00:30', '12:00:45', '12:01:00'])
  })

  it('labels midnight with the day', () => {
    const texts = clockTicks(NOON, NOON + 24 * 3_600_000, 4).map(({ text }) => text)
    expect(texts).toContain('Nov 16')
  })

  it('labels each tick with the time of its position', () => {
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

  it('returns no ticks for an empty range or a limit of zero', () => {
    expect(clockTicks(NOON, NOON, 5)).toEqual([])
    expect(clockTicks(NOON, NOON + 1000, 0)).toEqual([])
  })
})
