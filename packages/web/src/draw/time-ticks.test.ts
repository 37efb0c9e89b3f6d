import { describe, expect, it } from 'vitest'
import { timeTicks } from './time-ticks.ts'

const texts = (ticks: ReturnType<typeof timeTicks>): string[] => ticks.map(({ text }) => text)

describe('timeTicks', () => {
  it('places ticks at round times since the start', () => {
    expect(texts(timeTicks(0, 1e9, 4))).toEqual(['0.0 s', '0.5 s', '1.0 s'])
  })

  it('places ticks at round times of day', () => {
    const clock = {
      origin: BigInt(Date.UTC(2026, 0, 1, 14, 5, 9)) * 1_000_000n,
      format: (ms: number) => new Date(ms).toISOString().slice(11, 19),
    }
    expect(texts(timeTicks(0, 60e9, 4, clock))).toEqual(['14:05:15', '14:05:30', '14:05:45', '14:06:00'])
    const ticks = timeTicks(0.1e9, 0.5e9, 4, clock)
    expect(texts(ticks)).toEqual(['14:05:09.1', '14:05:09.2', '14:05:09.3', '14:05:09.4', '14:05:09.5'])
    expect(ticks[1].at).toBeCloseTo(0.25)
  })

  it('returns no ticks for an empty window', () => {
    expect(timeTicks(5, 5, 4)).toEqual([])
  })
})
