import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../formats/testing/random.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import type { RunsComparison, RunsSide } from './compare-runs.ts'
import { compareRuns, profilesAsRuns } from './compare-runs.ts'
import { normalTail } from './distributions.ts'

const FUNCTIONS = 200
const SAMPLES = 20_000
const PERIOD = 10_000_000
/** Few functions have most of the samples, as in real programs. */
const rates = Array.from({ length: FUNCTIONS }, (_, i) => 1 / (i + 3))

/** Draws a run: the number of samples of each function. */
function drawn(rate: readonly number[], samples: number, random: () => number): number[] {
  const ends: number[] = []
  let sum = 0
  for (const one of rate) ends.push((sum += one))
  const counts = rate.map(() => 0)
  for (let i = 0; i < samples; i++) {
    const at = random() * sum
    let [low, high] = [0, ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle] <= at) low = middle + 1
      else high = middle
    }
    counts[low]++
  }
  return counts
}

/** One profile per run. */
function side(runs: readonly (readonly number[])[], { period, weight } = { period: PERIOD, weight: PERIOD }): RunsSide {
  const builder = new ProfilesBuilder()
  for (const counts of runs) {
    builder.profile({ type: 'cpu', unit: 'ns', periodType: 'cpu', periodUnit: 'ns', period: BigInt(period) })
    for (const [i, count] of counts.entries()) {
      if (count === 0) continue
      const location = builder.location({ lines: [{ function: builder.function({ name: `f${i}` }) }] })
      builder.sample({ stack: builder.stack([location]), values: [BigInt(count * weight)] })
    }
  }
  return { profiles: builder.build(), runs: runs.map((_, i) => [i]) }
}

function rowOf({ frame, frames }: RunsComparison, name: string): number {
  return frame.findIndex(f => frames.name[f] === name)
}

const hasFinding = ({ self }: RunsComparison): boolean => self.q.some(q => q <= 0.05)

describe('compareRuns', () => {
  it('keeps the false discovery rate for profiles of one distribution', () => {
    const random = randomFrom(1)
    const trials = 100
    let findings = 0
    for (let i = 0; i < trials; i++) {
      const [before, after] = [drawn(rates, SAMPLES, random), drawn(rates, SAMPLES, random)]
      if (hasFinding(compareRuns(side([before]), side([after])))) findings++
    }
    // 5 are expected. The bound is three standard deviations above.
    expect(findings).toBeLessThanOrEqual(11)
  })

  it('finds an injected change as often as theory predicts', () => {
    const random = randomFrom(2)
    const trials = 200
    const changed = rates.with(10, rates[10] * 1.2)
    const share = (all: readonly number[]): number => all[10] / all.reduce((a, b) => a + b)
    const [p1, p2] = [share(rates), share(changed)]
    const spread = Math.sqrt((p1 * (1 - p1) + p2 * (1 - p2)) / SAMPLES)
    // A two-sided test at p = 0.01 needs 2.576 standard deviations.
    const power = normalTail(2.576 - (p2 - p1) / spread)
    let found = 0
    for (let i = 0; i < trials; i++) {
      const result = compareRuns(side([drawn(rates, SAMPLES, random)]), side([drawn(changed, SAMPLES, random)]))
      if (result.self.p[rowOf(result, 'f10')] <= 0.01) found++
    }
    expect(power).toBeGreaterThan(0.3)
    expect(power).toBeLessThan(0.95)
    expect(Math.abs(found / trials - power)).toBeLessThan(3 * Math.sqrt((power * (1 - power)) / trials))
  })

  it('does not take differences between runs for changes', () => {
    const random = randomFrom(3)
    // Each run has its own rates, 20 % higher or lower.
    const run = (): number[] =>
      drawn(
        rates.map(rate => rate * (random() < 0.5 ? 0.8 : 1.2)),
        SAMPLES,
        random,
      )
    const trials = 40
    let [apart, together] = [0, 0]
    for (let i = 0; i < trials; i++) {
      const [before, after] = [
        [run(), run(), run()],
        [run(), run(), run()],
      ]
      const result = compareRuns(side(before), side(after))
      expect(result.runs).toEqual([3, 3])
      expect(result.variation).toBeGreaterThan(0.15)
      expect(result.variation).toBeLessThan(0.25)
      if (hasFinding(result)) apart++
      const [a, b] = [side(before), side(after)]
      const all = { ...a, runs: [a.runs.flat()] }
      if (hasFinding(compareRuns(all, { ...b, runs: [b.runs.flat()] }))) together++
    }
    expect(apart).toBeLessThanOrEqual(6)
    // The test can fail: without the runs, nearly every comparison reports a change.
    expect(together).toBeGreaterThan(trials * 0.8)
  })

  it('counts observations by the period, not by the value', () => {
    const [before, after] = [
      [100, 900],
      [140, 860],
    ]
    const p = (options?: { period: number; weight: number }): number => {
      const result = compareRuns(side([before], options), side([after], options))
      return result.self.p[rowOf(result, 'f0')]
    }
    expect(p()).toBeCloseTo(2 * normalTail(0.04 / Math.sqrt(0.12 * 0.88 * (2 / 1000))), 6)
    expect(p({ period: 1000, weight: 1000 })).toBeCloseTo(p(), 9)
    // A period of one is that of measured times: then each sample is one observation, and not each nanosecond.
    expect(p({ period: 1, weight: 1 })).toBeGreaterThan(0.9)
    // A tenth of the observations with ten times the value each.
    expect(p({ period: 10, weight: 1 })).toBeGreaterThan(10 * p())
  })

  it('compares few observations by the exact test', () => {
    const result = compareRuns(side([[0, 1000]]), side([[8, 992]]))
    // Eight of eight on one side, of two sides.
    expect(result.self.p[rowOf(result, 'f0')]).toBeCloseTo(2 * 0.5 ** 8, 3)
    const [few, many] = [side([[3, 97]]), side([[10, 9990]])]
    expect(compareRuns(many, few).self.p[rowOf(compareRuns(many, few), 'f0')]).toBeGreaterThan(1e-5)
  })

  it('tests against a tolerated increase', () => {
    const [before, after] = [side([[1000, 9000]]), side([[1150, 8850]])]
    const p = (tolerance: number): number => {
      const result = compareRuns(before, after, { tolerance })
      return result.self.p[rowOf(result, 'f0')]
    }
    expect(p(0)).toBeLessThan(0.01)
    expect(p(0.1)).toBeGreaterThan(0.05)
    expect(p(0.5)).toBeGreaterThan(0.95)
    // A decrease is never an increase.
    const fewer = compareRuns(after, before, { tolerance: 0.01 })
    expect(fewer.self.p[rowOf(fewer, 'f0')]).toBeGreaterThan(0.9)
  })

  it('compares values per run', () => {
    const runs = (base: number): number[][] => [-4, 0, 4].map(noise => [base + noise, 1000])
    const options = { compare: 'value' } as const
    const same = compareRuns(side(runs(500)), side(runs(500)), options)
    expect(same.self.p[rowOf(same, 'f0')]).toBeCloseTo(1, 6)
    const more = compareRuns(side(runs(500)), side(runs(800)), options)
    const row = rowOf(more, 'f0')
    expect([more.self.before[row], more.self.after[row]]).toEqual([500 * PERIOD, 800 * PERIOD])
    expect(more.self.q[row]).toBeLessThan(0.001)
    expect(more.self.margin[row]).toBeLessThan(100 * PERIOD)
  })

  it('scales sides by the typical function, so that one increase decreases no other function', () => {
    const counts = Array.from({ length: 20 }, (_, i) => 1000 + 10 * i)
    // Twice the load, and one function that costs four times as much.
    const more = counts.map(count => 2 * count).with(3, 8 * counts[3])
    const decreased = (reference: 'sum' | 'typical'): number => {
      const { self } = compareRuns(side([counts]), side([more]), { reference })
      return self.q.filter((q, i) => q <= 0.05 && self.after[i] < self.before[i]).length
    }
    expect(decreased('sum')).toBeGreaterThan(10)
    expect(decreased('typical')).toBe(0)
    const result = compareRuns(side([counts]), side([more]), { reference: 'typical' })
    const row = rowOf(result, 'f3')
    expect(result.self.after[row] / result.self.before[row]).toBeCloseTo(4, 1)
    expect(result.self.q[row]).toBeLessThan(1e-6)
  })

  it('does not apply the variation of long runs to short ones', () => {
    const random = randomFrom(5)
    const runs = (samples: number, change: number): number[][] =>
      [1, 2, 3, 4].map(() =>
        drawn(
          rates.map((rate, i) => rate * (random() < 0.5 ? 0.95 : 1.05) * (i === 20 ? change : 1)),
          samples,
          random,
        ),
      )
    // Instances explain nearly all variation of the long runs, and nearly none of the short ones.
    const result = compareRuns(side(runs(200_000, 1)), side(runs(SAMPLES, 1.3)))
    expect(result.self.q[rowOf(result, 'f20')]).toBeLessThan(0.01)
  })

  it('has no changes if a side is empty', () => {
    const result = compareRuns(side([[5, 5]]), side([]))
    expect(result.runs).toEqual([1, 0])
    expect([...result.self.p, ...result.total.q].every(value => value === 1)).toBe(true)
  })
})

it('profilesAsRuns takes the overlapping profiles of a process as one run', () => {
  const builder = new ProfilesBuilder()
  const add = (from: bigint, name: string): void => {
    builder.profile({
      type: 'cpu',
      unit: 'ns',
      periodType: 'cpu',
      periodUnit: 'ns',
      period: 10n,
      timeUnixNano: from,
      durationNano: 50n,
    })
    const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
    builder.sample({ stack: builder.stack([location]), values: [100n] })
  }
  builder.resource({ attributes: [{ key: 'process.pid', value: 1n }] })
  builder.scope({ name: 'test' })
  for (const from of [1000n, 1050n, 1100n]) add(from, 'main')
  for (const from of [1020n, 1070n, 1120n]) add(from, 'worker')
  builder.resource({ attributes: [{ key: 'process.pid', value: 2n }] })
  builder.scope({ name: 'test' })
  add(1000n, 'main')
  const profiles = builder.build()
  expect(profilesAsRuns(profiles, [0, 1, 2, 3, 4, 5, 6])).toEqual([[0, 3], [1, 4], [2, 5], [6]])
})
