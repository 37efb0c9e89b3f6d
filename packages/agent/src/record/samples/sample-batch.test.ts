import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameTable, IDLE } from './frame-table.ts'
import { BatchDraft, spreadCpu } from './sample-batch.ts'

const PERIOD = 10_000_000
const TIMES = { from: 1000, until: 90_000, lastSample: 1000, periodNanos: PERIOD }

function draftOf(samples: readonly (readonly [time: number, name: string, cpu: number])[]): BatchDraft {
  const frames = new FrameTable()
  const draft = new BatchDraft(frames)
  for (const [time, name, cpu] of samples) draft.addSample(time, draft.addNode(-1, frames.special(name)), 0, cpu)
  return draft
}

describe('BatchDraft', () => {
  test('sorts by time, and each sample covers the time since the one before', () => {
    const draft = draftOf([
      [30_000, 'b', 1],
      [11_000, 'a', 1],
      [41_000, 'a', 1],
    ])
    const { time, wall, from, until } = draft.finish(TIMES)
    expect([...time]).toEqual([11_000, 30_000, 41_000])
    expect([...wall]).toEqual([10_000_000, 19_000_000, 11_000_000])
    expect([from, until]).toEqual([1000, 90_000])
  })

  test('merges consecutive idle samples into one at their end', () => {
    const idle = Array.from({ length: 150 }, (_, i) => [2000 + 1000 * i, IDLE, 0] as const)
    const { time, wall, cpu } = draftOf([...idle, [152_000, 'a', 7]]).finish({ ...TIMES, until: 200_000 })
    // From 100 and 50 samples.
    expect([...time]).toEqual([101_000, 151_000, 152_000])
    expect([...wall]).toEqual([100_000_000, 50_000_000, 1_000_000])
    expect([...cpu]).toEqual([0, 0, 7])
  })

  test('extends to samples that are later than the clock', () => {
    expect(draftOf([[95_000, 'a', 1]]).finish(TIMES).until).toBe(95_000)
  })

  test('has no negative times if the clock was set back', () => {
    const { wall, from } = draftOf([
      [500, 'a', 1],
      [800, 'a', 1],
    ]).finish(TIMES)
    expect([...wall]).toEqual([0, 300_000])
    expect(from).toBe(500)
  })
})

describe('spreadCpu', () => {
  test('gives the CPU time of idle samples to running ones by their share', () => {
    const cpu = Float64Array.of(1_000_000, 3_000_000, 0)
    expect(spreadCpu(4_000_000, cpu, PERIOD)).toBe(0)
    expect([...cpu]).toEqual([2_000_000, 6_000_000, 0])
  })

  test('gives each at most a period and returns the rest', () => {
    const cpu = Float64Array.of(1_000_000, 12_000_000)
    expect(spreadCpu(20_000_000, cpu, PERIOD)).toBe(11_000_000)
    expect([...cpu]).toEqual([10_000_000, 12_000_000])
  })

  test('keeps the total', () => {
    const nanos = fc.integer({ min: 0, max: 30_000_000 })
    fc.assert(
      fc.property(nanos, fc.array(nanos), (idle, own) => {
        const cpu = Float64Array.from(own)
        const rest = spreadCpu(idle, cpu, PERIOD)
        const sum = (list: Iterable<number>): number => [...list].reduce((a, b) => a + b, 0)
        expect(rest + sum(cpu)).toBe(idle + sum(own))
        expect(rest).toBeGreaterThanOrEqual(0)
        for (const [i, value] of cpu.entries()) {
          expect(value).toBeGreaterThanOrEqual(own[i])
          expect(value).toBeLessThanOrEqual(Math.max(own[i], PERIOD))
        }
      }),
    )
  })
})
