import { callTree, concat, readProfile, writeProfile } from '@hearth/profile'
import type { Profiles } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { START } from './testing/plain-profiles.ts'
import type { QueryStore } from './testing/query-store.ts'
import { faultOf, openQueryStore } from './testing/query-store.ts'
import { createQueryContext } from './query-context.ts'
import * as run from './testing/queries.ts'

let at: QueryStore
beforeAll(async () => {
  at = await openQueryStore()
})
afterAll(async () => {
  await at.close()
})

const SECOND = 1_000_000_000n
const WHOLE = { from: START, to: START + 60n * SECOND }
const TRACE = 'ab'.repeat(16)
const [ONE, TWO] = ['01', '02'].map(byte => byte.repeat(8))

const kept = (list: readonly Partial<PlainProfile>[]): Promise<string> => at.keepApart(list)
const stackOf = (...names: string[]) => ({ frames: names.map(name => ({ name })) })
const sample = (name: string, value: bigint, more: Partial<PlainSample> = {}): PlainSample => ({
  ...stackOf('main', name),
  values: [value],
  ...more,
})

describe('observations of spans', () => {
  const timed = (name: string, ms: bigint, link?: readonly [string, string]): PlainSample => ({
    ...stackOf('main', name),
    values: [],
    timestamps: [START + ms * 1_000_000n, START + (ms + 10n) * 1_000_000n],
    attributes: { 'thread.id': ms < 100n ? 1n : 2n },
    ...(link === undefined ? {} : { link }),
  })
  let tenant = ''
  beforeAll(async () => {
    tenant = await kept([
      { samples: [timed('a', 20n, [TRACE, ONE]), timed('b', 40n), timed('c', 200n, [TRACE, TWO])] },
      { samples: [timed('d', 60n)] },
      { samples: [timed('e', 80n, ['cd'.repeat(16), ONE]), timed('f', 500n, [TRACE, TWO])], attributes: { k: 'v' } },
    ])
  })

  const samplesOf = async (query: object) => {
    const events = await run.events(at.queries, { tenant, ...WHOLE, ...query })
    return Array.from({ length: events.length }, (_, i) => {
      const thread = events.threads[events.thread[i]].id
      return [thread, (events.time[i] - START) / 1_000_000n, events.frames.name[events.frame[events.node[i]]]]
    })
  }
  const OF_A = [
    [1n, 20n, 'a'],
    [1n, 30n, 'a'],
  ]
  const OF_C = [
    [2n, 200n, 'c'],
    [2n, 210n, 'c'],
  ]
  const OF_F = [
    [2n, 500n, 'f'],
    [2n, 510n, 'f'],
  ]

  test('events select a trace, a span, and spans by selector', async () => {
    expect(await samplesOf({ span: { traceId: TRACE } })).toEqual([...OF_A, ...OF_C, ...OF_F])
    expect(await samplesOf({ span: { traceId: TRACE, spanId: TWO } })).toEqual([...OF_C, ...OF_F])
    expect(await samplesOf({ selector: `{span.id="${ONE}", trace.id="${TRACE}"}` })).toEqual(OF_A)
    expect(await samplesOf({ selector: '{trace.id, thread.id=2}' })).toEqual([...OF_C, ...OF_F])
    expect(await samplesOf({ span: { traceId: TRACE }, selector: '{profile:k="v"} | leaf "f"' })).toEqual(OF_F)
    expect(await samplesOf({ span: { traceId: 'ef'.repeat(16) } })).toEqual([])
  })

  test('a heat map selects a span', async () => {
    const map = await run.heatMap(at.queries, { tenant, ...WHOLE, span: { traceId: TRACE, spanId: TWO } }, { rows: 10 })
    const cells = Array.from({ length: map.length }, (_, i) => [map.columns[i], map.row[i], map.count[i]])
    expect(cells).toEqual([
      [0, 2, 2],
      [0, 5, 2],
    ])
  })
})

describe('exemplars', () => {
  test('exemplars name their profile, trace and span', async () => {
    const tenant = await kept([
      {
        id: Uint8Array.of(0xab, 0xcd),
        samples: [sample('a', 5n, { link: [TRACE, ONE] }), sample('b', 7n, { link: [TRACE, TWO] }), sample('c', 100n)],
      },
      { time: START + 10n * SECOND, samples: [sample('a', 1n)] },
    ])
    const exemplars = async (query: object) => {
      const choice = { step: 5n * SECOND, exemplars: 5 }
      const { groups } = await run.seriesTotals(at.queries, { tenant, ...WHOLE, ...query }, choice)
      return groups[0].exemplars.map(({ profileId, traceId, spanId, sum }) => [profileId, traceId, spanId, sum])
    }
    const none = ['', '', '', 1n]
    // The largest sample with a span, not the largest of all.
    expect(await exemplars({})).toEqual([['abcd', TRACE, TWO, 112n], none])
    // The largest of the selected samples.
    expect(await exemplars({ selector: '{} | frame "a"' })).toEqual([['abcd', TRACE, ONE, 5n], none])
    expect(await exemplars({ selector: '{} | frame "c"' })).toEqual([['abcd', '', '', 100n]])
    expect(await exemplars({ span: { traceId: TRACE, spanId: ONE } })).toEqual([['abcd', TRACE, ONE, 5n]])
  })
})

describe('missing symbols', () => {
  const samples = [sample('kept', 1n), sample('gone', 10n), sample('lost', 100n)]
  const command = (sql: string) => at.store.engine.command(`${sql} SETTINGS mutations_sync = 2`)
  const named = (tenant: string, name: string) =>
    `id IN (SELECT id FROM functions WHERE tenant = '${tenant}' AND name = '${name}')`

  test('are counted with the values of their stacks', async () => {
    const tenant = await kept([{ samples }])
    const query = { tenant, ...WHOLE }
    expect((await run.flameGraph(at.queries, query)).missing).toEqual({ stacks: 0, self: 0n, unresolved: [] })
    const locations = `SELECT id FROM locations WHERE tenant = '${tenant}' AND has(line_functions, (SELECT any(id) FROM functions WHERE tenant = '${tenant}' AND name = 'lost'))`
    await command(
      `ALTER TABLE stacks DELETE WHERE tenant = '${tenant}' AND hasAny(locations, (SELECT groupArray(id) FROM (${locations})))`,
    )
    await command(`ALTER TABLE functions DELETE WHERE tenant = '${tenant}' AND name = 'gone'`)
    // The resident symbols still have them.
    expect((await run.flameGraph(at.queries, query)).missing.stacks).toBe(0)
    const later = createQueryContext(at.store.engine)
    const tree = await run.flameGraph(later, query)
    expect(tree.missing).toEqual({ stacks: 2, self: 110n, unresolved: [] })
    expect(tree.sum).toBe(111n)
    expect(tree.frames.name).toContain('kept')
    expect(tree.frames.name).not.toContain('gone')
    expect((await run.top(later, query)).missing).toEqual({ stacks: 2, self: 110n, unresolved: [] })
    expect((await run.sandwich(later, query, { name: 'kept' })).missing.stacks).toBe(2)
    const kept1 = { ...query, selector: '{} | leaf "kept"' }
    const { before, after } = await run.diff(later, query, kept1)
    expect([before.missing.stacks, after.missing.stacks]).toEqual([2, 0])
  })

  test('are looked up again after a while', async () => {
    const tenant = await kept([{ samples }])
    const query = { tenant, ...WHOLE }
    const columns = 'tenant, id, check, last_seen, name, system_name, filename, start_line'
    await at.store.engine.command(
      `CREATE TABLE put_aside ENGINE = Memory AS SELECT ${columns} FROM functions WHERE tenant = '${tenant}'`,
    )
    await command(`ALTER TABLE functions DELETE WHERE tenant = '${tenant}' AND ${named(tenant, 'gone')}`)
    let now = 0
    const later = createQueryContext(at.store.engine, { now: () => now })
    expect((await run.flameGraph(later, query)).missing).toEqual({ stacks: 1, self: 10n, unresolved: [] })
    await at.store.engine.command(`INSERT INTO functions (${columns}) SELECT ${columns} FROM put_aside`)
    expect((await run.flameGraph(later, query)).missing.stacks).toBe(1)
    now += 61_000
    const tree = await run.flameGraph(later, query)
    expect(tree.missing.stacks).toBe(0)
    expect(tree.frames.name).toContain('gone')
  })
})

describe('symbols that are read by whole tables', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `f${i}`)
  const columns = 'tenant, id, check, last_seen, name, system_name, filename, start_line'
  const again = (sql: string) => at.store.engine.command(`INSERT INTO functions (${columns}) ${sql}`)
  const selves = async (query: { tenant: string; from: bigint; to: bigint }) => {
    const tree = await run.flameGraph(createQueryContext(at.store.engine), query)
    const byName = new Map<string, number>()
    for (let i = 0; i < tree.length; i++) {
      const name = tree.frames.name[tree.frame[i]]
      byName.set(name, (byName.get(name) ?? 0) + tree.self[i])
    }
    return { byName, missing: tree.missing }
  }

  test('are correct, also if rows occur twice or with two contents', async () => {
    const tenant = await kept([{ samples: names.map((name, i) => sample(name, BigInt(i + 1))) }])
    // Rows of another tenant with the same ids.
    await kept([{ samples: names.map(name => sample(name, 1n)) }])
    const query = { tenant, ...WHOLE }
    const whole = new Map([['main', 0], ...names.map((name, i) => [name, i + 1] as const)])
    expect(await selves(query)).toEqual({ byName: whole, missing: { stacks: 0, self: 0n, unresolved: [] } })
    const own = `FROM functions WHERE tenant = '${tenant}'`
    await again(`SELECT tenant, id, check, last_seen + 1, name, system_name, filename, start_line ${own}`)
    expect(await selves(query)).toEqual({ byName: whole, missing: { stacks: 0, self: 0n, unresolved: [] } })
    await again(
      `SELECT tenant, id, check + 1, last_seen, 'x', system_name, filename, start_line ${own} AND name = 'f7'`,
    )
    const { byName, missing } = await selves(query)
    expect(missing).toEqual({ stacks: 1, self: 8n, unresolved: [] })
    expect([byName.get('x'), byName.get('f7'), byName.get('f8')]).toEqual([undefined, undefined, 9])
  })
})

test('profiles without samples count if the query does not select samples', async () => {
  const tenant = await kept([{}, { samples: [sample('a', 3n, { attributes: { thread: 't' } })] }])
  const points = async (selector: string, groupBy: readonly string[]) => {
    const choice = { step: 60n * SECOND, groupBy }
    const { groups } = await run.seriesTotals(at.queries, { tenant, ...WHOLE, selector }, choice)
    return groups.map(({ labels, points: [{ sum, profiles }] }) => [...labels, sum, profiles])
  }
  expect(await points('', [])).toEqual([[3n, 2]])
  expect(await points('{} | frame "a"', [])).toEqual([[3n, 1]])
  expect(await points('', ['thread'])).toEqual([['t', 3n, 1]])
})

test('an export of several resources contains all of them in pprof', async () => {
  const tenant = await kept(
    ['checkout', 'cart'].map((service, i) => ({
      resource: { 'service.name': service },
      samples: [sample('a', BigInt(i + 1))],
    })),
  )
  const sets: Profiles[] = []
  for await (const set of run.exportProfiles(at.queries, { tenant, ...WHOLE })) sets.push(set)
  const { profiles } = readProfile(writeProfile(concat(sets), 'pprof').bytes)
  expect(callTree(profiles, 0).sum).toBe(3n)
  const { samples, dictionary } = profiles
  const labels = Array.from({ length: samples.length }, (_, i) =>
    Array.from({ length: samples.attributesTo(i) - samples.attributesFrom(i) }, (_, k) =>
      dictionary.attributes.value(samples.attributes.at(samples.attributesFrom(i) + k)),
    ),
  )
  expect(new Set(labels.flat())).toEqual(new Set(['cart', 'checkout']))
})

describe('limits', () => {
  test('cause clear errors', async () => {
    const tenant = await kept([{ samples: [sample('a', 1n)] }])
    const query = { tenant, ...WHOLE }
    const ages = { tenant, from: 0n, to: 2n ** 63n }
    expect(await faultOf(run.flameGraph(at.queries, query, { maxNodes: 1e9 }))).toBe('argument')
    expect(await faultOf(run.diff(at.queries, query, query, { maxNodes: 1e9 }))).toBe('argument')
    expect(await faultOf(run.sandwich(at.queries, query, { name: 'a' }, { maxNodes: 1e9 }))).toBe('argument')
    expect(await faultOf(run.top(at.queries, query, { maxFrames: 1e9 }))).toBe('argument')
    expect(await faultOf(run.seriesTotals(at.queries, ages, { step: SECOND }))).toBe('argument')
    expect(await faultOf(run.seriesTotals(at.queries, query, { step: 1n }))).toBe('argument')
    expect(await faultOf(run.heatMap(at.queries, ages, {}))).toBe('argument')
    expect(await faultOf(run.heatMap(at.queries, query, { rows: 1e6 }))).toBe('argument')
    expect(await faultOf(run.listProfiles(at.queries, query, { limit: 1e9 }))).toBe('argument')
    expect(await faultOf(run.flameGraph(at.queries, { ...query, limits: { maxRows: 1e12 } }))).toBe('argument')
    const matchers = Array.from({ length: 40 }, (_, i) => `k${i}!="v"`).join(', ')
    expect(await faultOf(run.flameGraph(at.queries, { ...query, selector: `{${matchers}}` }))).toBe('syntax')
    const predicates = ' | !frame "x"'.repeat(40)
    expect(await faultOf(run.flameGraph(at.queries, { ...query, selector: `{}${predicates}` }))).toBe('syntax')
    expect((await run.flameGraph(at.queries, ages)).sum).toBe(1n)
  })

  test('many conditions apply independently', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 'v']))
    const tenant = await kept([
      { resource: attributes, samples: [sample('a', 1n)] },
      { resource: { ...attributes, k29: 'other' }, samples: [sample('a', 10n)] },
    ])
    const matchers = Object.keys(attributes).map(key => `${key}="v"`)
    const selector = `{${matchers.join(', ')}}`
    expect((await run.flameGraph(at.queries, { tenant, ...WHOLE, selector })).sum).toBe(1n)
  })
})
