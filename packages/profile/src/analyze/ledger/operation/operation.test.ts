import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../../formats/testing/random.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import { averageLedger, percentileLedgers } from './average-ledger.ts'
import { commonAttributes } from './common-attributes.ts'
import { compareLedgers } from './compare-ledgers.ts'
import { ENTRY_BOUNDS, entryHistograms } from './entry-histograms.ts'
import { ledgersByValue, ledgersOverTime } from './over-time.ts'
import type { RequestLedgers } from './request-ledgers.ts'

const START = 1_790_000_000_000_000_000n

/** Requests one nanosecond apart, with the nanoseconds of their own CPU and of I/O. */
function requestsOf(rows: readonly (readonly [cpu: number, io: number])[]): RequestLedgers {
  const nanos = new Float64Array(ENTRY_KINDS.length * rows.length)
  for (const [i, [cpu, io]] of rows.entries()) {
    nanos[ENTRY_KINDS.length * i + ENTRY_KINDS.indexOf('own-cpu')] = cpu
    nanos[ENTRY_KINDS.length * i + ENTRY_KINDS.indexOf('io')] = io
  }
  return {
    length: rows.length,
    span: Int32Array.from(rows.keys()),
    start: BigInt64Array.from(rows, (_, i) => START + BigInt(i)),
    duration: Float64Array.from(rows, ([cpu, io]) => cpu + io),
    nanos,
  }
}

describe('averageLedger', () => {
  it('averages entries so that they add up to the average duration', () => {
    const { duration, entries, requests } = averageLedger(
      requestsOf([
        [1, 1],
        [1, 2],
        [2, 2],
      ]),
    )
    expect(requests).toBe(3)
    expect(duration).toBe(3n)
    expect(entries.map(({ kind, nanos }) => [kind, nanos])).toEqual([
      ['own-cpu', 1n],
      ['io', 2n],
    ])
  })

  it('adds up for random requests', () => {
    const time = fc.integer({ min: 0, max: 2 ** 40 })
    fc.assert(
      fc.property(fc.array(fc.tuple(time, time), { minLength: 1, maxLength: 50 }), rows => {
        const requests = requestsOf(rows)
        const average = averageLedger(requests)
        expect(average.entries.reduce((sum, { nanos }) => sum + nanos, 0n)).toBe(average.duration)
        const mean = requests.duration.reduce((sum, each) => sum + each, 0) / rows.length
        expect(Math.abs(Number(average.duration) - mean)).toBeLessThanOrEqual(0.51)
      }),
    )
  })

  it('states the spread of the requests as error', () => {
    const [entry] = averageLedger(
      requestsOf([
        [90, 0],
        [110, 0],
      ]),
    ).entries
    // The standard deviation is 14.14, and that of the mean of two is 10. With one degree of freedom, 95 % are within 12.7 of them.
    expect(entry).toMatchObject({ nanos: 100n, error: 127n })
  })
})

describe('percentileLedgers', () => {
  it('averages the requests around each percentile', () => {
    const ledgers = percentileLedgers(requestsOf(Array.from({ length: 1000 }, (_, i) => [i, 0] as const)))
    expect(ledgers.map(({ name, requests, duration }) => [name, requests, duration])).toEqual([
      ['p50', 100, 500n],
      ['p95', 20, 950n],
      ['p99', 10, 990n],
      ['slowest 1 %', 10, 995n],
    ])
  })

  it('uses the only request for every percentile', () => {
    expect(percentileLedgers(requestsOf([[5, 0]])).map(({ requests }) => requests)).toEqual([1, 1, 1, 1])
  })
})

describe('ledgersOverTime and ledgersByValue', () => {
  it('divide the requests by start and by value', () => {
    const requests = requestsOf([
      [1, 0],
      [3, 0],
      [9, 0],
    ])
    const intervals = ledgersOverTime(requests, START, START + 5n, 2n)
    expect(intervals.map(({ from, requests: n, duration }) => [from - START, n, duration])).toEqual([
      [0n, 2, 2n],
      [2n, 1, 9n],
      [4n, 0, 0n],
    ])
    const { values, hidden } = ledgersByValue(requests, i => (i === 2 ? undefined : `v${i}`), 1)
    expect(values.map(({ value, duration }) => [value, duration])).toEqual([['v0', 1n]])
    expect(hidden).toBe(1)
  })
})

describe('compareLedgers', () => {
  it('reports which entries make requests slow, with their significance', () => {
    const rows = Array.from({ length: 100 }, (_, i) => [i < 90 ? 10 + (i % 3) : 200 + i, 30 + (i % 2)] as const)
    const comparison = compareLedgers(requestsOf(rows), { quantile: 0.9 })!
    expect([comparison.slow.requests, comparison.fast.requests]).toEqual([10, 90])
    const [first, second] = comparison.differences
    expect(first.kind).toBe('own-cpu')
    expect(first.nanos).toBe(283n)
    expect(first.deviations).toBeGreaterThan(3)
    expect(second.kind).toBe('io')
    expect(Math.abs(second.deviations)).toBeLessThan(2)
  })

  it('does not judge by few requests', () => {
    // One of ten requests is slow, and only this one had I/O: chance picks it in one of ten cases.
    const alone = Array.from({ length: 10 }, (_, i) => [i === 9 ? 900 : 100 + i, i === 9 ? 50 : 0] as const)
    for (const { deviations } of compareLedgers(requestsOf(alone), { quantile: 0.9 })!.differences)
      expect(deviations).toBeLessThan(2)
    const two = compareLedgers(
      requestsOf([
        [5, 0],
        [9, 0],
      ]),
      { threshold: 6 },
    )!
    expect(two.differences.map(({ deviations }) => deviations)).toEqual([expect.closeTo(0, 6)])
    // Two slow requests that differ much.
    const few = Array.from({ length: 20 }, (_, i) => [i < 18 ? 100 + i : 100 * i, 0] as const)
    const [difference] = compareLedgers(requestsOf(few), { quantile: 0.9 })!.differences
    expect(Number(difference.error)).toBeGreaterThan(600)
  })

  it('finds as many differences as stated where there are none', () => {
    // I/O has nothing to do with the duration, which only CPU time decides.
    const random = randomFrom(7)
    const [trials, found] = [400, { clear: 0, likely: 0 }]
    for (let i = 0; i < trials; i++) {
      const rows = Array.from(
        { length: 40 },
        (_, n) => [1_000_000 * (n + 1), Math.round(-1000 * Math.log(1 - random()))] as const,
      )
      const io = compareLedgers(requestsOf(rows), { quantile: 0.9 })!.differences.find(({ kind }) => kind === 'io')!
      if (Math.abs(io.deviations) >= 2) found.likely++
      if (Math.abs(io.deviations) >= 3) found.clear++
    }
    // One in 22 and one in 370 are expected. The bounds are three standard deviations above.
    expect(found.likely).toBeLessThan(trials / 22 + 3 * Math.sqrt(trials / 22))
    expect(found.clear).toBeLessThan(trials / 370 + 3 * Math.sqrt(trials / 370) + 1)
  })

  it('needs requests on both sides', () => {
    expect(
      compareLedgers(
        requestsOf([
          [5, 0],
          [5, 0],
        ]),
        { quantile: 0.9 },
      ),
    ).toBeUndefined()
    expect(
      compareLedgers(
        requestsOf([
          [5, 0],
          [6, 0],
        ]),
        { threshold: 7 },
      ),
    ).toBeUndefined()
  })
})

describe('commonAttributes', () => {
  const slow = Array.from({ length: 50 }, (_, i) => i)
  const fast = Array.from({ length: 450 }, (_, i) => 50 + i)
  const found = commonAttributes(slow, fast, i => [
    { key: 'query.length', value: String(i < 46 ? 19 + i : 1 + (i % 18)), isNumber: true },
    { key: 'tier', value: i < 30 || i % 3 === 0 ? 'free' : 'paid', isNumber: false },
    { key: 'zone', value: `z${i % 7}`, isNumber: false },
    { key: 'order.id', value: `o${i}`, isNumber: false },
  ])

  it('ranks conditions by the difference of their shares', () => {
    expect(found.map(({ key, comparison, value }) => `${key} ${comparison} ${value}`)).toEqual([
      'query.length > 18',
      'tier = free',
    ])
    expect(found[0]).toMatchObject({ slow: 0.92, fast: 0, difference: 0.92 })
  })

  it('skips attributes that differ by chance, and identifiers', () => {
    expect(found.some(({ key }) => key === 'zone' || key === 'order.id')).toBe(false)
  })
})

describe('commonAttributes without a cause', () => {
  /** The share of comparisons with a condition, if all attributes are chance. */
  function falseShare(slow: number, fast: number, seed: number): number {
    const random = randomFrom(seed)
    const indexes = Array.from({ length: slow + fast }, (_, i) => i)
    const trials = 200
    let found = 0
    for (let trial = 0; trial < trials; trial++) {
      const values = indexes.map(() => [String(Math.floor(1000 * random())), String(Math.floor(8 * random()))] as const)
      const conditions = commonAttributes(indexes.slice(0, slow), indexes.slice(slow), i => [
        { key: 'size', value: values[i][0], isNumber: true },
        { key: 'zone', value: values[i][1], isNumber: false },
      ])
      if (conditions.length > 0) found++
    }
    return found / trials
  }

  it('keeps the stated false discovery rate, also for few slow requests', () => {
    // 5 % is stated. The bound is three standard deviations above.
    const bound = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 200)
    expect(falseShare(100, 900, 1)).toBeLessThan(bound)
    expect(falseShare(3, 27, 2)).toBeLessThan(bound)
    expect(falseShare(1, 20, 3)).toBeLessThan(bound)
  })
})

describe('entryHistograms', () => {
  const SECOND = 1e9

  it('counts every request in every entry, so that the sums add up to the durations', () => {
    const all = entryHistograms(
      requestsOf([
        [2 * SECOND, 0],
        [SECOND / 100, SECOND],
        [0, 20 * SECOND],
      ]),
      { from: START - 60n, step: 62n, scale: 2, labelsOf: request => ({ version: request === 0 ? '1' : '2' }) },
    )
    // Two requests begin in the first interval, in different groups, and one in the second.
    expect(all.map(({ from, labels, count }) => `${from - START} ${labels['version']} ${count}`)).toEqual([
      ...ENTRY_KINDS.map(() => '-60 1 2'),
      ...ENTRY_KINDS.map(() => '-60 2 2'),
      ...ENTRY_KINDS.map(() => '2 2 2'),
    ])
    const of = (kind: string) => all.filter(each => each.kind === kind)
    expect(of('own-cpu').map(({ sum }) => sum)).toEqual([4, 0.02, 0])
    expect(of('io').map(({ sum }) => sum)).toEqual([0, 2, 40])
    expect(all.reduce((sum, each) => sum + each.sum, 0)).toBeCloseTo(2 * 23.01, 9)
    const bucketOf = ({ buckets }: { readonly buckets: readonly number[] }) => ENTRY_BOUNDS[buckets.indexOf(2)]
    expect(of('own-cpu').map(bucketOf)).toEqual([2.5, 0.01, 0.001])
    expect(of('io').map(bucketOf)).toEqual([0.001, 1, undefined])
  })
})
