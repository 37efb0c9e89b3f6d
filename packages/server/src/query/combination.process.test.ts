// How profiles combine over time: cumulative profiles, snapshots of gauges, and counts at different periods.
import type { Profiles } from '@hearth/profile'
import { readProfile, topTable, writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { START } from './testing/plain-profiles.ts'
import { mergeProfiles } from './profiles/merge-profiles.ts'
import { readTrace } from './signals/trace.ts'
import * as run from './testing/queries.ts'
import type { QueryStore } from './testing/query-store.ts'
import { faultOf, openQueryStore } from './testing/query-store.ts'

const SECOND = 1_000_000_000n
const WHOLE = { from: START, to: START + 3600n * SECOND }
const TEMPORALITY = 'hearth.profile.aggregation_temporality'

let at: QueryStore
beforeAll(async () => {
  at = await openQueryStore()
})
afterAll(() => at.close())

function sample(value: bigint, name = 'main'): PlainSample {
  return { frames: [{ name }], values: [value] }
}

function cumulative(start: bigint, end: bigint, total: bigint): Partial<PlainProfile> {
  return {
    time: START + start * SECOND,
    duration: (end - start) * SECOND,
    attributes: { [TEMPORALITY]: 'cumulative' },
    samples: [sample(total)],
  }
}

async function pointsOf(tenant: string, step: bigint, query: object = {}): Promise<string[]> {
  const { groups } = await run.seriesTotals(at.queries, { tenant, ...WHOLE, ...query }, { step: step * SECOND })
  return (groups[0]?.points ?? []).map(point => `${(point.time - START) / SECOND}: ${point.sum}`)
}

describe('cumulative profiles', () => {
  const orders = [
    [4n, 6n, 10n],
    [4n, 10n, 6n],
    [6n, 4n, 10n],
    [6n, 10n, 4n],
    [10n, 4n, 6n],
    [10n, 6n, 4n],
  ]
  it.each(orders)('count the latest of one start, received as %s, %s, %s', async (...totals) => {
    const tenant = await at.keepApart(totals.map(total => cumulative(0n, 10n * total, total)))
    expect((await run.flameGraph(at.queries, { tenant, ...WHOLE })).sum).toBe(10n)
    expect((await run.top(at.queries, { tenant, ...WHOLE })).sum).toBe(10n)
  })

  it('add up after a reset', async () => {
    const tenant = await at.keepApart([cumulative(0n, 10n, 4n), cumulative(0n, 20n, 6n), cumulative(30n, 40n, 2n)])
    expect(await run.flameGraph(at.queries, { tenant, ...WHOLE })).toMatchObject({ sum: 8n, temporality: 'cumulative' })
    const first = { ...WHOLE, to: START + 25n * SECOND }
    const second = { ...WHOLE, from: START + 25n * SECOND }
    const diff = await run.diff(at.queries, { tenant, ...first }, { tenant, ...second })
    expect([diff.before.sum, diff.after.sum]).toEqual([6n, 2n])
  })

  it('appear as increments in series', async () => {
    const tenant = await at.keepApart([
      cumulative(0n, 10n, 4n),
      cumulative(0n, 20n, 6n),
      cumulative(0n, 25n, 7n),
      cumulative(0n, 50n, 10n),
      cumulative(50n, 60n, 2n),
    ])
    expect(await pointsOf(tenant, 10n)).toEqual(['10: 4', '20: 3', '50: 3', '60: 2'])
    expect(await pointsOf(tenant, 10n, { selector: '{} | frame "main"' })).toEqual(['10: 4', '20: 3', '50: 3', '60: 2'])
  })

  it('count only the increase in the range', async () => {
    const tenant = await at.keepApart([
      cumulative(0n, 100n, 40n),
      cumulative(0n, 200n, 60n),
      cumulative(0n, 300n, 100n),
    ])
    const late = { tenant, from: START + 150n * SECOND, to: START + 400n * SECOND }
    expect((await run.flameGraph(at.queries, late)).sum).toBe(60n)
    expect((await run.flameGraph(at.queries, { ...late, selector: '{} | frame "main"' })).sum).toBe(60n)
    const { groups } = await run.seriesTotals(at.queries, late, { step: 100n * SECOND })
    expect(groups[0].points.map(({ sum, profiles }) => [sum, profiles])).toEqual([
      [20n, 1],
      [40n, 1],
    ])
  })

  it('are separate for each set of attributes and each resource', async () => {
    const tenant = await at.keepApart([
      { ...cumulative(0n, 10n, 4n), resource: { 'service.name': 'a' } },
      { ...cumulative(0n, 20n, 6n), resource: { 'service.name': 'a' } },
      { ...cumulative(0n, 20n, 5n), resource: { 'service.name': 'b' } },
      { ...cumulative(0n, 20n, 3n), attributes: { [TEMPORALITY]: 'cumulative', pool: 'x' } },
    ])
    expect((await run.flameGraph(at.queries, { tenant, ...WHOLE })).sum).toBe(14n)
  })

  it('count the increase over a profile long before the range', async () => {
    const tenant = await at.keepApart([
      cumulative(0n, 100n, 40n),
      cumulative(0n, 3000n, 100n),
      { ...cumulative(0n, 3000n, 7n), resource: { 'service.name': 'b' } },
    ])
    const late = { tenant, from: START + 2900n * SECOND, to: START + 3100n * SECOND }
    expect((await run.flameGraph(at.queries, late)).sum).toBe(67n)
    const { groups } = await run.seriesTotals(at.queries, late, { step: 200n * SECOND })
    expect(groups[0].points.map(({ sum }) => sum)).toEqual([67n])
  })

  it('are exported as they were sent, or merged with the total of the flame graph', async () => {
    const tenant = await at.keepApart([4n, 6n, 10n].map(total => cumulative(0n, 10n * total, total)))
    const query = { tenant, from: START + 50n * SECOND, to: WHOLE.to }
    const sets: Profiles[] = []
    for await (const set of run.exportProfiles(at.queries, query)) sets.push(set)
    expect(sets.map(({ profiles }) => profiles.length)).toEqual([2])
    const merged = await mergeProfiles(at.queries, query)
    for (const format of ['pprof', 'folded', 'otlp']) {
      const { profiles } = readProfile(writeProfile(merged, format).bytes)
      expect(topTable(profiles, 0).sum).toBe((await run.flameGraph(at.queries, query)).sum)
    }
    expect(topTable(merged, 0).sum).toBe(6n)
    // Formats that add profiles up have the last one of each start.
    const { profiles } = readProfile(writeProfile(sets[0], 'pprof').bytes)
    expect(topTable(profiles, 0).sum).toBe(10n)
  })

  it('cannot be mixed with delta profiles of the same series', async () => {
    const tenant = await at.keepApart([cumulative(0n, 10n, 4n), { samples: [sample(1n)] }])
    const query = { tenant, ...WHOLE }
    expect(await faultOf(run.flameGraph(at.queries, query))).toBe('mixed-temporality')
    expect(await faultOf(run.seriesTotals(at.queries, query, { step: SECOND }))).toBe('mixed-temporality')
  })

  it('add up with delta profiles of another series, with a note', async () => {
    const delta = { samples: [sample(1n)], resource: { 'service.name': 'b' } }
    const tenant = await at.keepApart([cumulative(0n, 10n, 4n), cumulative(0n, 20n, 6n), delta, delta])
    const query = { tenant, ...WHOLE }
    const note = { code: 'mixed-temporality' }
    expect(await run.flameGraph(at.queries, query)).toMatchObject({ sum: 8n, temporality: 'delta', notes: [note] })
    expect(await pointsOf(tenant, 3600n)).toEqual(['0: 8'])
    expect(await pointsOf(tenant, 10n)).toEqual(['0: 2', '10: 4', '20: 2'])
  })

  describe('with samples of spans', () => {
    const [TRACE, SPAN, OTHER] = ['ab'.repeat(16), 'cd'.repeat(8), 'ef'.repeat(8)]
    const linked = (value: bigint, span = SPAN): PlainSample => ({ ...sample(value), link: [TRACE, span] })
    const ofSpan = (start: bigint, end: bigint, ...samples: PlainSample[]) => ({
      ...cumulative(start, end, 0n),
      samples,
    })
    async function spans(): Promise<string> {
      return await at.keepApart([
        ofSpan(0n, 20n, linked(6n), linked(1n, OTHER)),
        ofSpan(0n, 10n, linked(4n), sample(9n)),
        ofSpan(30n, 40n, linked(2n)),
        { samples: [linked(5n)], resource: { 'service.name': 'delta' }, time: START + 5n * SECOND },
      ])
    }

    it('count the latest of one start', async () => {
      const tenant = await spans()
      const span = { traceId: TRACE, spanId: SPAN }
      const sumOf = async (query: object) => (await run.flameGraph(at.queries, { tenant, ...WHOLE, ...query })).sum
      expect(await sumOf({ span })).toBe(13n)
      expect(await sumOf({ span: { traceId: TRACE } })).toBe(14n)
      expect(await sumOf({ span, from: START + 15n * SECOND })).toBe(4n)
    })

    it('count the latest of one start in the spans of a trace', async () => {
      const { types, unplaced } = await readTrace(at.queries, { tenant: await spans() }, TRACE)
      expect(types).toEqual([{ type: 'cpu', unit: 'ns' }])
      expect(unplaced.map(({ value }) => value)).toEqual([14n])
    })
  })

  describe('with timestamps', () => {
    const timed = (end: bigint, ...seconds: bigint[]): Partial<PlainProfile> => ({
      ...cumulative(0n, end, 0n),
      samples: [{ ...sample(0n), values: seconds.map(() => 3n), timestamps: seconds.map(at => START + at * SECOND) }],
    })

    it('count each observation of an exact range once', async () => {
      const tenant = await at.keepApart([timed(10n, 1n, 5n), timed(20n, 1n, 5n, 15n), timed(3000n, 1n, 5n, 15n, 2900n)])
      const exact = { tenant, from: START + 2n * SECOND, to: START + 18n * SECOND, exact: true }
      expect((await run.flameGraph(at.queries, exact)).sum).toBe(6n)
      expect((await run.flameGraph(at.queries, { ...exact, from: START + 12n * SECOND })).sum).toBe(3n)
      const { value, count } = await run.heatMap(at.queries, exact)
      expect([[...value], [...count]]).toEqual([
        [3, 3],
        [1, 1],
      ])
      expect((await run.events(at.queries, exact)).events).toBe(2)
    })
  })
})

describe('snapshots', () => {
  const snapshot = (host: string, seconds: bigint, value: bigint, name = 'main'): Partial<PlainProfile> => ({
    type: 'inuse_space',
    unit: 'bytes',
    resource: { 'host.name': host },
    time: START + seconds * SECOND,
    samples: [sample(value, name)],
  })

  /** Two instances: a with 10, 30 and 20, b with 5 and 6. */
  async function heap(): Promise<string> {
    return await at.keepApart([
      snapshot('a', 0n, 10n),
      snapshot('a', 10n, 30n),
      snapshot('a', 20n, 20n, 'other'),
      snapshot('b', 5n, 5n),
      snapshot('b', 15n, 6n),
    ])
  }

  it.each([
    [undefined, 26n],
    ['average', 26n],
    ['latest', 26n],
    ['maximum', 36n],
    ['sum', 71n],
  ] as const)('combine by %s', async (snapshots, sum) => {
    const tenant = await heap()
    const query = { tenant, ...WHOLE, ...(snapshots === undefined ? {} : { snapshots }) }
    const tree = await run.flameGraph(at.queries, query)
    expect([tree.sum, tree.snapshots]).toEqual([sum, snapshots ?? 'average'])
    const { groups } = await run.seriesTotals(at.queries, query, { step: 3600n * SECOND })
    expect(groups[0].points.map(point => point.sum)).toEqual([sum])
  })

  it('are averaged by stack, and the rounded averages add up', async () => {
    const tenant = await heap()
    const { rows } = await run.top(at.queries, { tenant, ...WHOLE }).then(top => ({
      rows: Array.from({ length: top.length }, (_, row) => [row, top.self[row]]),
    }))
    // 40 / 3 + 11 / 2 and 20 / 3.
    expect(new Set(rows.map(([, value]) => value))).toEqual(new Set([19, 7]))
  })

  it('combine in each step of a series', async () => {
    const tenant = await heap()
    expect(await pointsOf(tenant, 10n)).toEqual(['0: 15', '10: 36', '20: 20'])
    expect(await pointsOf(tenant, 20n, { snapshots: 'latest' })).toEqual(['0: 36', '20: 20'])
    expect(await pointsOf(tenant, 20n, { snapshots: 'maximum', selector: '{} | frame "main"' })).toEqual(['0: 36'])
  })

  it('count by the share of time in which their instance is present', async () => {
    const every = (host: string, seconds: readonly number[], value: bigint) =>
      seconds.map(second => snapshot(host, BigInt(second), value))
    const average = async (profiles: readonly Partial<PlainProfile>[], query: object = {}) => {
      const tenant = await at.keepApart(profiles)
      const { sum } = await run.flameGraph(at.queries, { tenant, ...WHOLE, ...query })
      expect(await pointsOf(tenant, 3600n, query)).toEqual([`0: ${sum}`])
      return sum
    }
    // The second replaces the first: 40 s of 70 s, and 30 s of 70 s.
    const replaced = [...every('a', [0, 10, 20, 30], 700n), ...every('b', [40, 50, 60, 70], 700n)]
    expect(await average(replaced)).toBe(700n)
    // A third runs from the start to the end, with other times and intervals.
    expect(await average([...replaced, ...every('c', [3, 23, 43, 63], 10n)])).toBe(710n)
    // The snapshots of a series count as its states even if each has attributes of its own.
    const numbered = every('a', [0, 10, 20, 30], 60n).map((each, n) => ({ ...each, attributes: { n: BigInt(n) } }))
    expect(await average(numbered)).toBe(60n)
    expect(await average(replaced, { snapshots: 'latest' })).toBe(1400n)
  })

  it('are exported combined', async () => {
    const tenant = await heap()
    for (const snapshots of ['average', 'latest', 'maximum', 'sum'] as const) {
      const query = { tenant, ...WHOLE, snapshots }
      const merged = await mergeProfiles(at.queries, query)
      expect(topTable(merged, 0).sum).toBe((await run.flameGraph(at.queries, query)).sum)
    }
  })

  it('combine for samples of spans', async () => {
    const link = ['ab'.repeat(16), 'cd'.repeat(8)] as const
    const linked = (seconds: bigint, ...values: (readonly [bigint, boolean])[]): Partial<PlainProfile> => ({
      ...snapshot('a', seconds, 0n),
      samples: values.map(([value, isLinked]) => ({ ...sample(value), ...(isLinked ? { link } : {}) })),
    })
    const tenant = await at.keepApart([
      linked(0n, [10n, true]),
      linked(10n, [30n, true], [7n, false]),
      linked(20n, [9n, false]),
    ])
    const query = { tenant, ...WHOLE, span: { traceId: link[0], spanId: link[1] } }
    const sumOf = async (snapshots: 'average' | 'maximum' | 'sum') => {
      const tree = await run.flameGraph(at.queries, { ...query, snapshots })
      return [tree.sum, tree.snapshots]
    }
    expect(await sumOf('average')).toEqual([20n, 'average'])
    expect(await sumOf('maximum')).toEqual([30n, 'maximum'])
    expect(await sumOf('sum')).toEqual([40n, 'sum'])
    const { unplaced } = await readTrace(at.queries, { tenant }, link[0])
    expect(unplaced.map(({ value }) => value)).toEqual([20n])
  })

  it('combine in exact ranges', async () => {
    const timed = (seconds: bigint, values: readonly bigint[]): Partial<PlainProfile> => ({
      ...snapshot('a', seconds, 0n),
      samples: [{ ...sample(0n), values, timestamps: values.map((_, n) => START + BigInt(n) * SECOND) }],
    })
    const tenant = await at.keepApart([timed(10n, [10n, 1n]), timed(20n, [20n, 1n, 100n])])
    const query = { tenant, from: START, to: START + 2n * SECOND, exact: true }
    const sumOf = async (snapshots: 'average' | 'latest' | 'sum') => {
      const tree = await run.flameGraph(at.queries, { ...query, snapshots })
      const { value } = await run.heatMap(at.queries, { ...query, snapshots })
      return [tree.sum, [...value]]
    }
    expect(await sumOf('average')).toEqual([16n, [15, 1]])
    expect(await sumOf('latest')).toEqual([21n, [20, 1]])
    expect(await sumOf('sum')).toEqual([32n, [30, 2]])
  })

  it('are not combined for other types', async () => {
    const tenant = await at.keepApart([{ samples: [sample(1n)] }, { samples: [sample(2n)], time: START + SECOND }])
    expect(await run.flameGraph(at.queries, { tenant, ...WHOLE })).toMatchObject({ sum: 3n, snapshots: undefined })
  })
})

describe('counts of samples', () => {
  it('add up at different periods, with a note', async () => {
    const counted = (period: bigint, value: bigint): Partial<PlainProfile> => ({
      type: 'samples',
      unit: 'count',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period,
      samples: [sample(value)],
    })
    const tenant = await at.keepApart([counted(10n, 3n), counted(20n, 4n)])
    const tree = await run.flameGraph(at.queries, { tenant, ...WHOLE })
    expect(tree).toMatchObject({ sum: 7n, notes: [{ code: 'mixed-periods' }] })
    expect(tree.notes[0].message).toContain('10 nanoseconds cpu, 20 nanoseconds cpu')
    expect(await pointsOf(tenant, 3600n)).toEqual(['0: 7'])
  })
})

describe('profiles without a time', () => {
  it('are stored and found at the times of their samples', async () => {
    const timed = { ...sample(2n), values: [1n, 1n], timestamps: [START + 5n * SECOND, START + 7n * SECOND] }
    const tenant = await at.keepApart([{ time: 0n, samples: [timed] }])
    expect((await run.flameGraph(at.queries, { tenant, ...WHOLE })).sum).toBe(2n)
    expect(await pointsOf(tenant, 1n)).toEqual(['5: 2'])
    const before = { tenant, from: START, to: START + 5n * SECOND }
    expect((await run.flameGraph(at.queries, before)).sum).toBe(0n)
  })
})
