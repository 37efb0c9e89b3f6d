// Queries events from the store: several types in one timeline, with threads, states, CPUs and spans, and with limits.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Events } from './events.ts'
import type { Attributes, PlainProfile, PlainSample } from '../testing/plain-profiles.ts'
import { NO_SCOPE, START } from '../testing/plain-profiles.ts'
import type { QueryStore } from '../testing/query-store.ts'
import { openQueryStore } from '../testing/query-store.ts'
import * as run from '../testing/queries.ts'

const MS = 1_000_000n
const SECOND = 1000n * MS
const RANGE = { from: START, to: START + 60n * SECOND }
const TRACE = '000102030405060708090a0b0c0d0e0f'
const SPAN = 'f1f2f3f4f5f6f7f8'

let at: QueryStore
beforeAll(async () => {
  at = await openQueryStore()
})
afterAll(async () => {
  await at.close()
})

const sampled = (name: string, ms: readonly bigint[], attributes: Attributes, values: bigint[] = []): PlainSample => ({
  frames: [{ name: 'main' }, { name }],
  values,
  timestamps: ms.map(each => START + each * MS),
  attributes,
})
const profile = (type: string, samples: readonly PlainSample[], more: Partial<PlainProfile> = {}): PlainProfile => ({
  resource: { 'service.name': 'shop', 'process.pid': 7n, 'host.name': 'a' },
  scope: NO_SCOPE,
  type,
  unit: 'ns',
  periodType: type,
  periodUnit: 'ns',
  period: type === 'cpu' ? 10n * MS : 0n,
  time: START,
  duration: 60n * SECOND,
  attributes: {},
  samples,
  ...more,
})
const lines = (events: Events): string[] =>
  Array.from({ length: events.length }, (_, i) => {
    const { id, name } = events.threads[events.thread[i]]
    const { type } = events.kinds[events.kind[i]]
    const thread = `${id as bigint} ${(name as string | undefined) ?? ''}`
    const leaf = events.frames.name[events.frame[events.node[i]]]
    const { spanId } = events.links[events.link[i]]
    const took = events.value[i] / MS
    const when = (events.time[i] - START) / MS
    return `${thread} | ${when} ${type} ${took} ${leaf} ${events.states[events.state[i]]} ${events.cpu[i]} ${spanId}`
  })

describe('events', () => {
  beforeAll(async () => {
    const main = { 'thread.id': 1n, 'thread.name': 'main' }
    await at.keep('line', [
      profile('cpu', [
        {
          ...sampled('run', [0n, 10n], { ...main, 'cpu.logical_number': 3n }, [10n * MS, 10n * MS]),
          link: [TRACE, SPAN],
        },
        sampled('work', [5n], { 'thread.id': 2n }, [10n * MS]),
      ]),
      profile('off_cpu', [sampled('lock', [20n], { ...main, 'thread.state': 'mutex' }, [50n * MS])]),
      profile('gc', [sampled('mark', [90n], main, [4n * MS])], { unit: 'ms', periodType: '', periodUnit: '' }),
      profile('heap', [{ frames: [{ name: 'new' }], values: [5n] }], { unit: 'By' }),
    ])
  })

  test('returns events of every type by thread and time', async () => {
    const events = await run.events(at.queries, { tenant: 'line', ...RANGE })
    expect(lines(events)).toEqual([
      `1 main | 0 cpu 10 run  3 ${SPAN}`,
      `1 main | 10 cpu 10 run  3 ${SPAN}`,
      '1 main | 20 off_cpu 50 lock mutex -1 ',
      '1 main | 90 gc 4 mark  -1 ',
      '2  | 5 cpu 10 work  -1 ',
    ])
    expect(events.links).toEqual([
      { traceId: '', spanId: '' },
      { traceId: TRACE, spanId: SPAN },
    ])
    expect(events.kinds.map(({ type, unit, period }) => `${type}:${unit} ${period}`).sort()).toEqual([
      'cpu:ns 10000000',
      'gc:ms 0',
      'off_cpu:ns 0',
    ])
    expect(events.resources.map(({ service, attributes }) => [service, ...attributes.map(({ text }) => text)])).toEqual(
      [['shop', 'a', '7']],
    )
    expect([events.events, events.every, events.hiddenThreads, events.profiles, events.untimed]).toEqual([
      5, 1, 0, 4, 1,
    ])
    expect(events.outside).toEqual({ given: 0, elsewhere: 0, first: 0n, last: 0n })
  })

  test('selects types, a thread and a span', async () => {
    const query = { tenant: 'line', ...RANGE, selector: 'heap{service.name="shop"}' }
    const waits = await run.events(at.queries, query, { types: ['off_cpu:ns', 'gc:ms'] })
    expect(lines(waits)).toHaveLength(2)
    expect(lines(await run.events(at.queries, query))).toEqual([])
    const all = await run.events(at.queries, { tenant: 'line', ...RANGE })
    const { key } = all.threads.find(({ id }) => id === 2n)!
    expect(lines(await run.events(at.queries, { tenant: 'line', ...RANGE, threads: [key] }))).toHaveLength(1)
    const ofSpan = await run.events(at.queries, { tenant: 'line', ...RANGE, span: { traceId: TRACE } })
    expect(lines(ofSpan).map(line => line.split(' ')[3])).toEqual(['0', '10'])
  })
})

test('has lanes by thread, goroutine or processor, and joins a thread that only some events name', async () => {
  const go = (goroutine: bigint, proc: bigint) => ({ 'go.goroutine.id': goroutine, 'go.proc.id': proc })
  await at.keep('go', [
    profile('cpu', [
      sampled('run', [0n], { 'thread.id': 1n, ...go(10n, 0n) }),
      sampled('run', [1n], { 'thread.id': 1n, 'thread.name': 'main', ...go(11n, 0n) }),
      sampled('run', [2n], { 'thread.id': 2n, 'thread.name': 'sweep', ...go(10n, 1n) }),
      sampled('run', [3n], { 'thread.id': 3n }),
    ]),
    // Two names of one id: the event without a name can belong to either.
    profile(
      'cpu',
      [
        sampled('run', [4n], { 'thread.id': 1n, 'thread.name': 'a' }),
        sampled('run', [5n], { 'thread.id': 1n, 'thread.name': 'b' }),
        sampled('run', [6n], { 'thread.id': 1n }),
      ],
      { resource: { 'service.name': 'other' } },
    ),
  ])
  const query = { tenant: 'go', ...RANGE }
  const shop = { ...query, selector: '{service.name="shop"}' }
  const lanesOf = async (of: typeof query, lanes?: 'goroutine' | 'processor') => {
    const found = await run.events(at.queries, of, lanes === undefined ? {} : { lanes })
    expect(found.lanes).toEqual(of === shop ? ['thread', 'goroutine', 'processor'] : ['thread'])
    for (const { key, events } of found.threads) {
      const part = await run.events(at.queries, { ...of, threads: [key] }, lanes === undefined ? {} : { lanes })
      expect([key, part.length]).toEqual([key, events])
    }
    return found.threads.map(({ key, events }) => `${key.replace(/\d{3,}/, 'R')}: ${events}`)
  }
  expect(await lanesOf(shop)).toEqual(['R/1/main?: 2', 'R/2/sweep: 1', 'R/3/: 1'])
  expect(await lanesOf(shop, 'goroutine')).toEqual(['goroutine:R/10/: 2', 'goroutine:R/11/: 1', 'goroutine:R//: 1'])
  expect(await lanesOf(shop, 'processor')).toEqual(['processor:R/0/: 2', 'processor:R/1/: 1', 'processor:R//: 1'])
  const other = { ...query, selector: '{service.name="other"}' }
  expect(await lanesOf(other)).toEqual(['R/1/a: 1', 'R/1/b: 1', 'R/1/: 1'])
})

test('samples events above the limit and keeps all long ones', async () => {
  const many = Array.from({ length: 2000 }, (_, i) => BigInt(i) * 25n)
  await at.keep('many', [
    profile('cpu', [
      sampled(
        'run',
        many,
        { 'thread.id': 1n },
        many.map(() => MS),
      ),
    ]),
    profile('off_cpu', [sampled('wait', [1n, 500n], { 'thread.id': 1n }, [SECOND, 2n * SECOND])]),
  ])
  const events = await run.events(at.queries, { tenant: 'many', ...RANGE }, { limit: 100 })
  expect([events.events, events.every, events.longest]).toEqual([2002, 21, 30n * MS])
  const given = lines(events)
  expect(given.filter(line => line.includes('off_cpu'))).toHaveLength(2)
  expect(given.length).toBeGreaterThan(60)
  expect(given.length).toBeLessThanOrEqual(125)
  expect(lines(await run.events(at.queries, { tenant: 'many', ...RANGE }, { limit: 100 }))).toEqual(given)
  const whole = await run.events(at.queries, { tenant: 'many', ...RANGE }, { limit: 2002 })
  expect([whole.length, whole.every]).toEqual([2002, 1])
})

test('returns and counts events outside the time of their profile', async () => {
  const odd = profile('cpu', [sampled('run', [100n, 5000n, 90_000n], { 'thread.id': 1n }, [1n, 1n, 1n])])
  await at.keep('odd', [{ ...odd, duration: SECOND }])
  const events = await run.events(at.queries, { tenant: 'odd', ...RANGE })
  expect(events.length).toBe(2)
  const away = START + 90n * SECOND
  expect(events.outside).toEqual({ given: 1, elsewhere: 1, first: away, last: away })
})

test('returns the same events from lists of profiles as one by one', async () => {
  const main = { 'thread.id': 1n, 'thread.name': 'main' }
  const other = 'e1e2e3e4e5e6e7e8'
  const large = Array.from({ length: 100_001 }, (_, i) => 1000n + BigInt(i) / 10n)
  await at.keep('lists', [
    profile('cpu', [
      sampled('alone', [0n, 40n], main, [10n * MS, 10n * MS]),
      { ...sampled('run', [10n, 20n, 30n], main, [10n * MS, 5n * MS, 10n * MS]), link: [TRACE, SPAN] },
      { ...sampled('work', [15n], { 'thread.id': 2n }, [10n * MS]), link: [TRACE, other] },
      sampled('last', [25n, 26n], { 'thread.id': 2n }, [MS, MS]),
    ]),
    profile('off_cpu', [sampled('lock', [2n, 12n], main, [50n * MS, MS])]),
    profile('cpu', [{ ...sampled('more', [16n, 50n], main, [MS, MS]), link: [TRACE, other] }], {
      resource: { 'service.name': 'shop', 'process.pid': 8n },
    }),
    profile('wall', [{ ...sampled('many', large, main), link: [TRACE, SPAN] }]),
  ])
  const ranges = [
    RANGE,
    { from: START + 11n * MS, to: START + 26n * MS },
    { from: START + 45n * MS, to: START + 1002n * MS },
  ]
  for (const range of ranges) {
    for (const reaching of [false, true]) {
      const query = { tenant: 'lists', ...range }
      const lists = await run.events(at.queries, query, { reaching })
      const rows = await run.events(at.queries, query, { reaching, limit: 1_000_000 })
      expect(lines(lists).sort()).toEqual(lines(rows).sort())
      expect(lists.outside).toEqual(rows.outside)
      expect(lists.kinds).toEqual(expect.arrayContaining([...rows.kinds]))
      expect(lists.length).toBeGreaterThan(3)
    }
  }
})

test('returns no events for an unknown tenant', async () => {
  const events = await run.events(at.queries, { tenant: 'nobody', ...RANGE }, { limit: 10 })
  expect([events.length, events.profiles, events.events, events.threads]).toEqual([0, 0, 0, []])
})

test('reports the clock of each kind, which is a wall clock for V8', async () => {
  const samples = [sampled('run', [1n], { 'thread.id': 1n }, [MS])]
  await at.keep('clocks', [
    profile('cpu', samples),
    profile('wall', samples),
    profile('cpu', samples, { scope: { ...NO_SCOPE, name: 'v8' } }),
  ])
  const events = await run.events(at.queries, { tenant: 'clocks', ...RANGE })
  expect(events.kinds.map(({ type, clock }) => `${type} ${clock}`).sort()).toEqual(['cpu cpu', 'cpu wall', 'wall wall'])
})
