// Compares exact ranges and threads with the library in memory: flame graphs, tables, heat maps and exports.
import type { Profiles } from '@hearth/profile'
import {
  callTree,
  exactSelf,
  exactTotal,
  heatMap,
  pickObservations,
  readProfile,
  topTable,
  writeProfile,
} from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseSelector } from './selector/parse-selector.ts'
import { fits } from './testing/fits.ts'
import type { Query } from './query.ts'
import type { PlainProfile, PlainSample } from './testing/plain-profiles.ts'
import { NO_SCOPE, START, oneProfile, plainProfile } from './testing/plain-profiles.ts'
import type { QueryStore } from './testing/query-store.ts'
import { linesOf, openQueryStore } from './testing/query-store.ts'
import * as run from './testing/queries.ts'

let at: QueryStore
beforeAll(async () => {
  at = await openQueryStore()
})
afterAll(async () => {
  await at.close()
})

const MS = 1_000_000n
const SECOND = 1000n * MS
let tenants = 0
const newTenant = () => `exact ${++tenants}`

const SELECTORS = [
  '',
  '{service.name="checkout"}',
  '{thread.id=1}',
  '{sample:region!="eu-1"}',
  '{} | !frame "gc"',
  '{trace.id="01010101010101010101010101010101"}',
  '{trace.id, profile:region!="eu-1"} | frame =~"m.*"',
]

interface Range {
  readonly from: bigint
  readonly to: bigint
}

/** Random profiles begin up to a minute after their samples. */
const range: fc.Arbitrary<Range> = fc
  .tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 999 }))
  .map(([a, b]) => ({ from: START + BigInt(Math.min(a, b)) * MS, to: START + BigInt(Math.max(a, b)) * MS }))

/** Profiles whose sums are exact as doubles and are never zero in any order. Some have a duration. */
function plain(profiles: readonly PlainProfile[]): PlainProfile[] {
  const small = (value: bigint): bigint => (value < 1n || value > 100n ? 7n : value % 3n === 0n ? value * MS : value)
  return profiles.map(profile => ({
    ...profile,
    samples: profile.samples.map(sample => ({ ...sample, values: sample.values.map(small) })),
  }))
}

function chosen(profiles: readonly PlainProfile[], selector: string): PlainSample[] {
  const parsed = parseSelector(selector)
  return profiles.flatMap(profile => profile.samples.filter(sample => fits(profile, sample, parsed)))
}

function within(samples: readonly PlainSample[], { from, to }: Range, unit = 'ns'): Profiles {
  return pickObservations(oneProfile(samples, 'cpu', unit), { within: { from, until: to } })
}

const stored = fc.array(plainProfile, { minLength: 1, maxLength: 8 }).map(plain)
const RUNS = { endOnFailure: true }

describe('exact ranges', () => {
  test('give the flame graphs and tables of the library', async () => {
    await fc.assert(
      fc.asyncProperty(stored, fc.constantFrom(...SELECTORS), range, async (profiles, selector, span) => {
        const tenant = newTenant()
        await at.keep(tenant, profiles)
        const expected = within(chosen(profiles, selector), span)
        const tree = callTree(expected, 0)
        const label = (f: number): string => `${tree.frames.name[f]} ${tree.frames.file[f]}`
        const response = await run.flameGraph(at.queries, { tenant, ...span, selector, exact: true })
        expect(
          linesOf({
            ...response,
            label: i => `${response.frames.name[response.frame[i]]} ${response.frames.file[response.frame[i]]}`,
            self: i => exactSelf(response, i),
            total: i => exactTotal(response, i),
          }),
        ).toEqual(
          linesOf({
            ...tree,
            label: i => label(tree.frame[i]),
            self: i => exactSelf(tree, i),
            total: i => exactTotal(tree, i),
          }),
        )
        const top = await run.top(at.queries, { tenant, ...span, selector, exact: true })
        const table = topTable(expected, 0)
        expect([top.sum, top.allFrames]).toEqual([table.sum, table.length])
      }),
      RUNS,
    )
  })

  test('give the heat maps of the library', async () => {
    const shape = fc.record({
      column: fc.constantFrom(100n * MS, 250n * MS, SECOND),
      rows: fc.constantFrom(1, 10, 49, 50, 99),
    })
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.constantFrom(...SELECTORS),
        range,
        shape,
        async (profiles, selector, span, { column, rows }) => {
          const tenant = newTenant()
          await at.keep(tenant, profiles)
          // Cells contain whole intervals by their start.
          const expected = heatMap(within(chosen(profiles, selector), span, 'By'), 0, { column, rows })
          const map = await run.heatMap(at.queries, { tenant, ...span, selector }, { column, rows })
          expect(map.origin % column).toBe(0n)
          const shift = Number((expected.origin - map.origin) / column)
          const cells: number[][] = []
          for (let cell = 0; cell < expected.count.length; cell++) {
            if (expected.count[cell] === 0) continue
            cells.push([shift + Math.floor(cell / rows), cell % rows, expected.count[cell], expected.value[cell]])
          }
          const found = Array.from(map.columns, (x, i) => [x, map.row[i], map.count[i], map.value[i]])
          expect(found).toEqual(cells)
        },
      ),
      RUNS,
    )
  })

  test('exports contain exactly the observations of the range', async () => {
    await fc.assert(
      fc.asyncProperty(stored, fc.constantFrom(...SELECTORS), range, async (profiles, selector, span) => {
        const tenant = newTenant()
        await at.keep(tenant, profiles)
        let sum = 0n
        let observations = 0
        for await (const set of run.exportProfiles(at.queries, { tenant, ...span, selector, exact: true })) {
          const { samples } = readProfile(writeProfile(set, 'otlp').bytes).profiles
          for (let i = 0; i < samples.length; i++) sum += samples.total(i)
          observations += samples.timestamps.length
        }
        const { samples } = within(chosen(profiles, selector), span)
        expect(observations).toBe(samples.timestamps.length)
        expect(sum).toBe(Array.from({ length: samples.length }, (_, i) => samples.total(i)).reduce((a, b) => a + b, 0n))
      }),
      RUNS,
    )
  })
})

describe('threads', () => {
  const HOUR = 3600n * SECOND
  const sample = (name: string, seconds: bigint, thread: Readonly<Record<string, string | bigint>>): PlainSample => ({
    frames: [{ name }],
    values: [10n],
    timestamps: [START + seconds * SECOND],
    attributes: thread,
  })
  const profile = (host: string, samples: readonly PlainSample[], begun = 0n): PlainProfile => ({
    resource: { 'service.name': 'checkout', 'host.name': host },
    scope: NO_SCOPE,
    type: 'cpu',
    unit: 'ns',
    time: START + begun,
    duration: HOUR,
    attributes: {},
    samples,
  })

  test('select threads by the names of events, including threads without a name', async () => {
    const tenant = newTenant()
    const names = (host: string): PlainSample[] => [
      sample(`${host} one`, 1n, { 'thread.id': 1n, 'thread.name': 'a/b' }),
      sample(`${host} two`, 2n, { 'thread.id': 2n }),
      sample(`${host} named`, 3n, { 'thread.name': '1' }),
      sample(`${host} none`, 4n, {}),
    ]
    await at.keep(tenant, [profile('x', names('x')), profile('y', names('y'))])
    const query = { tenant, from: START, to: START + 60n * SECOND }
    const { threads } = await run.events(at.queries, query)
    expect(threads).toHaveLength(8)
    const shown = async (keys: readonly string[]): Promise<string[]> => {
      const tree = await run.flameGraph(at.queries, { ...query, exact: true, threads: keys })
      return tree.frames.name.toSorted()
    }
    for (const { key } of threads) expect(await shown([key])).toHaveLength(1)
    const all = await shown(threads.map(({ key }) => key))
    expect(all).toHaveLength(8)
    expect(await shown(threads.slice(2, 5).map(({ key }) => key))).toHaveLength(3)
    expect(await shown([])).toEqual([])
    await expect(shown(['1/2'])).rejects.toMatchObject({ fault: 'argument' })
    const map = await run.heatMap(at.queries, { ...query, threads: [threads[0].key] })
    expect(map.count.reduce((sum, each) => sum + each, 0)).toBe(1)
  })

  test('include a profile that began long before the range, if its duration says so', async () => {
    const tenant = newTenant()
    const late = 50n * 60n
    await at.keep(tenant, [profile('x', [sample('late', late, {})])])
    const query = { tenant, from: START + late * SECOND, to: START + (late + 1n) * SECOND }
    expect((await run.flameGraph(at.queries, { ...query, exact: true })).sum).toBe(10n)
    expect((await run.flameGraph(at.queries, query)).sum).toBe(0n)
    expect((await run.heatMap(at.queries, query)).length).toBe(1)
    const without = { ...query, to: query.from }
    expect((await run.flameGraph(at.queries, { ...without, exact: true })).sum).toBe(0n)
  })

  test('apply to both sides of a diff', async () => {
    const tenant = newTenant()
    await at.keep(tenant, [profile('x', [sample('first', 1n, {}), sample('second', 2n, {}), sample('second', 3n, {})])])
    const query = (from: bigint, to: bigint) => ({
      tenant,
      from: START + from * SECOND,
      to: START + to * SECOND,
      exact: true,
    })
    const diff = await run.diff(at.queries, query(1n, 2n), query(2n, 4n))
    expect([diff.before.sum, diff.after.sum]).toEqual([10n, 20n])
  })
})

describe('intervals', () => {
  const wait = (name: string, ms: bigint, length: bigint): PlainSample => ({
    frames: [{ name }],
    values: [length],
    timestamps: [START + ms * MS],
    attributes: { 'thread.id': 1n },
  })
  const waits = (samples: readonly PlainSample[], more: Partial<PlainProfile> = {}): PlainProfile => ({
    resource: { 'service.name': 'checkout' },
    scope: NO_SCOPE,
    type: 'off_cpu',
    unit: 'ns',
    time: START,
    duration: 10n * SECOND,
    attributes: {},
    samples,
    ...more,
  })
  const ask = (tenant: string, fromMs: bigint, toMs: bigint) => ({
    tenant,
    from: START + fromMs * MS,
    to: START + toMs * MS,
    exact: true,
  })
  const sums = async (query: Query): Promise<Record<string, bigint>> => {
    const response = await run.flameGraph(at.queries, query)
    return Object.fromEntries(
      Array.from(response.frame, (frame, i) => [response.frames.name[frame], exactSelf(response, i)] as const),
    )
  }

  test('count the part in the range, and samples of a period by their time', async () => {
    const tenant = newTenant()
    await at.keep(tenant, [
      waits([wait('before', 100n, 50n * MS), wait('into', 100n, 500n * MS), wait('through', 50n, 5000n * MS)]),
      waits([wait('in', 300n, 10n * MS), wait('out', 390n, 60n * MS), wait('after', 400n, 60n * MS)]),
      // Each represents a period, and was taken before the range or in it.
      waits([wait('sampled', 195n, 10n * MS), wait('sampled', 395n, 10n * MS)], {
        periodType: 'off_cpu',
        periodUnit: 'us',
        period: 10_000n,
      }),
    ])
    const query = ask(tenant, 200n, 400n)
    expect(await sums(query)).toEqual({
      into: 200n * MS,
      through: 200n * MS,
      in: 10n * MS,
      out: 10n * MS,
      sampled: 10n * MS,
    })
    const top = await run.top(at.queries, query)
    expect([top.sum, top.profiles]).toEqual([430n * MS, 3])
    // A heat map shows the start of whole intervals.
    const map = await run.heatMap(at.queries, query)
    expect([map.count.reduce((sum, each) => sum + each), map.value.reduce((sum, each) => sum + each)]).toEqual([3, 8e7])
    let exported = 0n
    for await (const { samples } of run.exportProfiles(at.queries, query)) {
      for (let i = 0; i < samples.length; i++) exported += samples.total(i)
    }
    expect(exported).toBe(430n * MS)
  })

  test('convert units, and include profiles that ended before the range or begin after it', async () => {
    const tenant = newTenant()
    await at.keep(tenant, [
      waits([wait('slow', 0n, 30_000n)], { unit: 'ms' }),
      waits([wait('sleep', 1000n, 60n)], { unit: 's', time: START + 50n * SECOND }),
      // A count has no duration.
      waits([wait('counted', 0n, 2n ** 40n)], { unit: 'count', type: 'locks' }),
    ])
    const early = ask(tenant, 20_000n, 20_500n)
    const of = (type: string) => ({ ...early, selector: type })
    expect(await sums(of('off_cpu:ms'))).toEqual({ slow: 500n })
    expect(await sums(of('off_cpu'))).toEqual({ slow: 500n })
    expect(await sums({ ...of('off_cpu'), to: early.from + 2n * SECOND })).toEqual({ slow: 2000n, sleep: 2000n })
    expect(await sums(of('locks'))).toEqual({})
    expect(await sums({ ...of('off_cpu'), from: START + 70n * SECOND, to: START + 80n * SECOND })).toEqual({})
  })

  test('apply to spans and threads', async () => {
    const tenant = newTenant()
    const link = ['01'.repeat(16), 'aa'.repeat(8)] as const
    const other = { ...wait('other', 0n, 900n * MS), attributes: { 'thread.id': 2n } }
    await at.keep(tenant, [waits([{ ...wait('linked', 0n, 900n * MS), link }, other])])
    const query = ask(tenant, 500n, 700n)
    expect(await sums({ ...query, span: { traceId: link[0] } })).toEqual({ linked: 200n * MS })
    const { threads, time, value } = await run.events(at.queries, query, { reaching: true })
    expect(threads.map(({ id }) => id)).toEqual([1n, 2n])
    // Intervals are returned whole; the UI clips them.
    expect([...time, ...value]).toEqual([START, START, 900n * MS, 900n * MS])
    expect(await sums({ ...query, threads: [threads[1].key] })).toEqual({ other: 200n * MS })
    expect((await run.events(at.queries, query)).length).toBe(0)
  })
})
