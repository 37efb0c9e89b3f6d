// How profiles combine over time: cumulative profiles, snapshots of gauges, and counts at different periods.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { START } from './testing/plain-profiles.ts'
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
    [10n, 4n, 6n],
    [6n, 10n, 4n],
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

  it('cannot be mixed with delta profiles', async () => {
    const tenant = await at.keepApart([cumulative(0n, 10n, 4n), { samples: [sample(1n)] }])
    expect(await faultOf(run.flameGraph(at.queries, { tenant, ...WHOLE }))).toBe('mixed-temporality')
  })
})

describe('snapshots', () => {
  /** Two instances: a with 10, 30 and 20, b with 5 and 6. */
  async function heap(): Promise<string> {
    const snapshot = (host: string, seconds: bigint, value: bigint, name = 'main'): Partial<PlainProfile> => ({
      type: 'inuse_space',
      unit: 'bytes',
      resource: { 'host.name': host },
      time: START + seconds * SECOND,
      samples: [sample(value, name)],
    })
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
