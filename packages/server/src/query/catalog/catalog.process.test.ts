// Compares every response from the catalog in memory with the response of the store, while random profiles are committed and
// deleted.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogDelta } from '../../store/catalog-delta.ts'
import type { ReadEngine } from '../../store/engine.ts'
import { GroupRows } from '../../store/group-rows.ts'
import { RECEIVED, keepProfiles, newContext, openProfileStore } from '../../store/profiles/testing/profile-store.ts'
import type { ProfileStore } from '../../store/profiles/testing/profile-store.ts'
import { MemoryLedger } from '../../store/symbols/ledger.ts'
import { attributeKeys, attributeValues, profileTypes, services } from '../profiles/catalog.ts'
import type { QueryContext } from '../query-context.ts'
import { createQueryContext } from '../query-context.ts'
import type { Query } from '../query.ts'
import { readTrace } from '../signals/trace.ts'
import { seriesTotals } from '../series/series-totals.ts'
import type { PlainProfile } from '../testing/plain-profiles.ts'
import { START, profilesOf } from '../testing/plain-profiles.ts'
import { flameGraph } from '../trees/flame-graph.ts'
import type { CatalogOptions } from './catalog.ts'

const SECOND = 1_000_000_000n
const DAY = 86_400n * SECOND

let store: ProfileStore
let tenants = 0

beforeAll(async () => {
  store = await openProfileStore()
})
afterAll(async () => {
  await store.close()
})

/** An engine of its own over the store, which counts statements. Queries over it do not share a catalog. */
function countingEngine(): ReadEngine & { statements: number } {
  const { engine } = store
  const counting = {
    statements: 0,
    select: ((sql, options) => {
      counting.statements++
      return engine.select(sql, options)
    }) as ReadEngine['select'],
    selectBlocks: ((sql, options) => {
      counting.statements++
      return engine.selectBlocks(sql, options)
    }) as ReadEngine['selectBlocks'],
  }
  return counting
}

/** Commits profiles for a catalog. */
class Commits {
  readonly engine = countingEngine()
  readonly queries: QueryContext
  readonly stored = createQueryContext(countingEngine())
  readonly #ledger = new MemoryLedger()
  #received = RECEIVED

  constructor(options: CatalogOptions = {}) {
    this.queries = createQueryContext(this.engine, { catalog: options })
  }

  /** One group with a request for each tenant. */
  async keep(requests: Readonly<Record<string, readonly PlainProfile[]>>, days = 0n): Promise<void> {
    const rows = new GroupRows()
    for (const [tenant, profiles] of Object.entries(requests))
      keepProfiles(rows, newContext(tenant, (this.#received += 1n) + days * DAY), profilesOf(profiles), this.#ledger)
    const delta = catalogDelta(rows.batches())
    await store.commit(rows)
    this.queries.catalog?.apply(structuredClone(delta))
  }

  async deleteDay(tenant: string, days: bigint): Promise<void> {
    const day = Number((RECEIVED + days * DAY) / DAY)
    this.queries.catalog?.forget(tenant)
    await store.engine.command(`ALTER TABLE profiles DROP PARTITION ('${tenant}', toDate(${day}))`)
    this.queries.catalog?.forget(tenant)
  }
}

const plainProfile: fc.Arbitrary<PlainProfile> = fc.record({
  resource: fc.record(
    { 'service.name': fc.constantFrom('a', 'b', 'c'), region: fc.constantFrom('eu', 'us'), port: fc.bigInt(0n, 3n) },
    { requiredKeys: ['service.name'] },
  ),
  scope: fc.constantFrom(
    { name: '', version: '', attributes: {} },
    { name: 'agent', version: '1', attributes: { region: 'scope' } },
  ),
  type: fc.constantFrom('cpu', 'samples', 'inuse_space'),
  unit: fc.constantFrom('ns', 'count'),
  period: fc.bigInt(0n, 2n),
  time: fc.bigInt(0n, 20n).map(seconds => START + seconds * SECOND),
  attributes: fc.constantFrom(
    {},
    { stage: 'test', port: 2n },
    { 'hearth.profile.aggregation_temporality': 'delta', load: 0.5 },
    { 'pyroscope.name': 'process_cpu', list: ['x'] },
  ),
  samples: fc.array(
    fc.record({
      frames: fc.constantFrom([{ name: 'main' }], [{ name: 'main' }, { name: 'run' }]),
      values: fc.bigInt(1n, 5n).map(value => [value]),
      attributes: fc.constantFrom({}, { 'thread.name': 'main' }, { 'thread.name': 'gc', on: true }),
    }),
    { maxLength: 3 },
  ),
})

const selector = fc.constantFrom(
  '',
  'cpu{}',
  '{service.name="a"}',
  '{service.name=~"a|b", region!="eu"}',
  '{region=~"e.*"}',
  '{region}',
  '{!region}',
  '{port>1}',
  '{resource:port=1}',
  '{load=0.5}',
  '{profile:stage="test"}',
  '{profile:stage!~"t.*"}',
  '{stage!="test"}',
  '{thread.name="gc"}',
  '{on=true}',
  '{scope.name=~"ag.*"}',
  '{scope.version!="1"}',
)

const range = fc.record({
  from: fc.bigInt(0n, 20n).map(seconds => START + seconds * SECOND),
  to: fc.bigInt(20n, 30n).map(seconds => START + seconds * SECOND + 1n),
})

/** Everything that a user sees of a tenant. Errors are responses, too. */
async function responses(queries: QueryContext, query: Query): Promise<unknown[]> {
  const pending = [
    profileTypes(queries, query),
    services(queries, query),
    attributeKeys(queries, query),
    attributeKeys(queries, query, { scalar: true, prefix: 's', limit: 1 }),
    attributeValues(queries, query, 'region'),
    attributeValues(queries, query, 'port', { limit: 2 }),
    attributeValues(queries, query, 'thread.name', { prefix: 'g' }),
    attributeValues(queries, query, 'scope.name'),
    flameGraph(queries, query).then(({ profiles, temporality, type, notes, total }) => ({
      profiles,
      temporality,
      type,
      notes,
      total: total[0],
    })),
    seriesTotals(queries, query, { step: 5n * SECOND, groupBy: ['region'] }),
  ]
  const settled = await Promise.allSettled(pending)
  return settled.map(each => (each.status === 'fulfilled' ? each.value : String(each.reason)))
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ keep: fc.array(plainProfile, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ ask: fc.tuple(selector, range, fc.option(fc.bigInt(-2n, 4n), { nil: undefined })) }),
  },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
)

describe('Catalog', () => {
  it('gives the responses of the store after any commits and deletions of several tenants', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), fc.boolean(), async (steps, isSmall) => {
        // A small limit merges runs, drops tenants, and leaves queries to the store.
        const commits = new Commits(isSmall ? { maxSize: 12 } : {})
        const [tenant, other] = [`random ${++tenants}`, `other ${tenants}`]
        let kept = 0n
        for (const each of steps) {
          if (each === 'delete') await commits.deleteDay(tenant, kept % 2n)
          else if ('keep' in each) await commits.keep({ [tenant]: each.keep, [other]: each.keep.slice(1) }, kept++ % 2n)
          else {
            const [text, times, received] = each.ask
            const query: Query = {
              tenant,
              ...times,
              selector: text,
              ...(received === undefined ? {} : { receivedBefore: RECEIVED + received }),
            }
            expect(await responses(commits.queries, query)).toEqual(await responses(commits.stored, query))
            const ofOther = { ...query, tenant: other }
            expect(await profileTypes(commits.queries, ofOther)).toEqual(await profileTypes(commits.stored, ofOther))
          }
        }
      }),
    )
  })

  const [profile] = fc.sample(plainProfile, { numRuns: 1, seed: 3 })
  const everything = (tenant: string): Query => ({ tenant, from: 0n, to: START + DAY })

  it('lists types, services, attributes and values without a statement', async () => {
    const commits = new Commits()
    const tenant = `listed ${++tenants}`
    await commits.keep({ [tenant]: [profile] })
    await services(commits.queries, everything(tenant))
    await commits.keep({ [tenant]: [{ ...profile, resource: { 'service.name': 'new', region: 'eu' } }] })
    commits.engine.statements = 0
    const found = await services(commits.queries, everything(tenant))
    expect(found.map(({ service }) => service)).toContain('new')
    await profileTypes(commits.queries, { ...everything(tenant), selector: '{service.name="new"}' })
    await attributeKeys(commits.queries, everything(tenant))
    expect((await attributeValues(commits.queries, everything(tenant), 'region')).rows).toContainEqual({
      value: 'eu',
      text: 'eu',
    })
    expect(commits.engine.statements).toBe(0)
  })

  it('leaves a flame graph of known series one statement, and a series none', async () => {
    const commits = new Commits()
    const tenant = `known ${++tenants}`
    await commits.keep({ [tenant]: [{ ...profile, type: 'cpu', resource: { 'service.name': 'a' } }] })
    const query = { ...everything(tenant), from: START - DAY, selector: 'cpu{service.name="a"}' }
    await flameGraph(commits.queries, query)
    commits.engine.statements = 0
    await flameGraph(commits.queries, query)
    expect(commits.engine.statements).toBe(1)
    await seriesTotals(commits.queries, query, { step: DAY, groupBy: ['service.name'] })
    expect(commits.engine.statements).toBe(1)
  })

  it('contains each profile once that is committed while the catalog is read', async () => {
    const commits = new Commits()
    const tenant = `racing ${++tenants}`
    await commits.keep({ [tenant]: [profile] })
    const reading = services(commits.queries, everything(tenant))
    await Promise.all([1, 2, 3, 4].map(() => commits.keep({ [tenant]: [profile] })))
    await reading
    const [{ profiles }] = await services(commits.queries, everything(tenant))
    expect(profiles).toBe(5)
  })

  it('drops catalogs when its limit is lowered, and gives the responses of the store', async () => {
    const commits = new Commits()
    const names = [`lowered ${++tenants}`, `lowered ${++tenants}`]
    for (const tenant of names) {
      await commits.keep({ [tenant]: [profile] })
      await services(commits.queries, everything(tenant))
    }
    const { catalog } = commits.queries
    const before = catalog?.size ?? 0
    catalog?.limitTo(before - 1)
    expect(catalog?.size).toBeLessThan(before)
    for (const tenant of names)
      expect(await services(commits.queries, everything(tenant))).toEqual(
        await services(commits.stored, everything(tenant)),
      )
  })

  it('counts profiles once that were committed before the catalog was read', async () => {
    const commits = new Commits()
    const tenant = `before ${++tenants}`
    for (let i = 0; i < 3; i++) await commits.keep({ [tenant]: [profile] })
    expect((await services(commits.queries, everything(tenant)))[0].profiles).toBe(3)
  })

  it('hides samples of a trace while their series are not in the catalog', async () => {
    const commits = new Commits()
    const tenant = `traced ${++tenants}`
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const linked = (type: string): PlainProfile => ({
      ...profile,
      type,
      samples: [{ frames: [{ name: 'main' }], values: [5n], link: [traceId, spanId] }],
    })
    await commits.keep({ [tenant]: [linked('cpu')] })
    await services(commits.queries, everything(tenant))
    // Its changes arrive a moment after its rows are visible.
    const rows = new GroupRows()
    keepProfiles(rows, newContext(tenant), profilesOf([linked('wall')]), new MemoryLedger())
    await store.commit(rows)
    const typesFor = async (queries: QueryContext): Promise<readonly string[]> =>
      (await readTrace(queries, { tenant }, traceId)).types.map(({ type }) => type)
    expect(await typesFor(commits.queries)).toEqual(['cpu'])
    expect(await typesFor(commits.stored)).toEqual(['cpu', 'wall'])
  })

  it('reads the store again when changes are not known', async () => {
    const commits = new Commits()
    const tenant = `unknown ${++tenants}`
    await commits.keep({ [tenant]: [profile] })
    await services(commits.queries, everything(tenant))
    const rows = new GroupRows()
    keepProfiles(rows, newContext(tenant), profilesOf([profile]), new MemoryLedger())
    await store.commit(rows)
    commits.queries.catalog?.apply(undefined)
    expect((await services(commits.queries, everything(tenant)))[0].profiles).toBe(2)
  })
})
