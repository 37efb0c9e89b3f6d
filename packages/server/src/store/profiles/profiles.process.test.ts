import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, concat, difference, formats } from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixturesOf } from '../../../../profile/src/formats/testing/fixtures-of.ts'
import { arbitraryProfiles } from '../../../../profile/src/model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../../../profile/src/model/testing/rich-profiles.ts'
import { scatter } from '../../../../profile/src/model/testing/scatter.ts'
import { GroupRows } from '../group-rows.ts'
import { MemoryLedger } from '../symbols/ledger.ts'
import type { SymbolError } from '../symbols/symbol-table.ts'
import { UnknownRequestError, readRequestProfiles } from '../testing/read-request.ts'
import { readProfiles } from './read-profiles.ts'
import type { ProfileStore } from './testing/profile-store.ts'
import { RECEIVED, keepOne, keepProfiles, newContext, openProfileStore } from './testing/profile-store.ts'

const GENERATIONS = ['otlp', 'otlp-json', 'otep239', 'arrays-draft', 'events', 'events-text', 'pprof']
let store: ProfileStore
const ledger = new MemoryLedger()

beforeAll(async () => {
  store = await openProfileStore()
})
afterAll(async () => {
  await store.close()
})

async function number(sql: string, parameters: Record<string, string | Uint8Array>): Promise<number> {
  return (await store.engine.select(sql, { parameters })).column('n').number(0)
}

async function expectBack(tenant: string, request: Uint8Array, profiles: Profiles): Promise<void> {
  const back = await readRequestProfiles(store.engine, tenant, request)
  expect(difference(profiles, back)).toBeUndefined()
}

describe('stored profiles', () => {
  test('come back equal for any profiles, requests and tenants in a group', async () => {
    const requests = fc.array(
      fc.record({
        tenant: fc.constantFrom('one', 'two', 'drei ß'),
        profiles: arbitraryProfiles({ repeats: true }),
        seed: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
      }),
      { minLength: 4, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(requests, async list => {
        const rows = new GroupRows()
        const kept = list.map(({ tenant, profiles, seed }) => {
          const context = newContext(tenant)
          const sent = seed === undefined ? profiles : scatter(profiles, seed)
          keepProfiles(rows, context, sent, ledger)
          return { context, sent }
        })
        await store.commit(rows)
        for (const { context, sent } of kept) await expectBack(context.tenant, context.request, sent)
      }),
    )
  })

  test('come back equal for the rich example, also in scattered order', async () => {
    for (const profiles of [richProfiles(), scatter(richProfiles(), 7)]) {
      const context = newContext('rich')
      await keepOne(store, context, profiles, ledger)
      await expectBack('rich', context.request, profiles)
    }
  })

  test('come back equal for fixtures of every OTLP generation and of pprof', async () => {
    const rows = new GroupRows()
    const kept: { context: ReturnType<typeof newContext>; profiles: Profiles; name: string }[] = []
    for (const format of formats) {
      if (format.read === undefined || !GENERATIONS.includes(format.name)) continue
      for (const { name, bytes } of fixturesOf(format)) {
        const { profiles } = format.read(bytes, {})
        const context = newContext('fixtures')
        keepProfiles(rows, context, profiles, ledger)
        kept.push({ context, profiles, name: `${format.name} ${name}` })
      }
    }
    await store.commit(rows)
    expect(new Set(kept.map(({ name }) => name.split(' ')[0])).size).toBe(GENERATIONS.length)
    for (const { context, profiles, name } of kept) {
      const back = await readRequestProfiles(store.engine, 'fixtures', context.request)
      expect([name, difference(profiles, back)]).toEqual([name, undefined])
    }
  })

  test('come back equal for captured payloads', async context => {
    const folder = join(import.meta.dirname, '../../../../../../shared/corpora/otlp')
    if (!existsSync(folder)) {
      process.stderr.write('SKIPPED: captured payloads, as there are none on this machine\n')
      return context.skip()
    }
    const otlp = formats.find(format => format.name === 'otlp')
    for (const name of readdirSync(folder)) {
      const read = otlp?.read?.(readFileSync(join(folder, name)), {})
      if (read === undefined) throw new Error('otlp cannot be read')
      const request = newContext('corpora')
      await keepOne(store, request, read.profiles, ledger)
      await expectBack('corpora', request.request, read.profiles)
    }
  })

  test('come back when the same content is received again later', async () => {
    const profiles = richProfiles()
    const context = newContext('again')
    await keepOne(store, context, profiles, ledger)
    await keepOne(store, { ...context, received: RECEIVED + 5n }, profiles, ledger)
    await expectBack('again', context.request, profiles)
    const found: Profiles[] = []
    for await (const some of readProfiles(store.engine, 'again', { where: '1', batch: 1 })) found.push(some)
    expect(concat(found).samples.length).toBe(2 * profiles.samples.length)
  })

  test('come back with more symbols than one query fetches', async () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'count' })
    for (let k = 0; k < 17_000; k++) {
      const stack = builder.stack([builder.location({ address: k }), builder.location({ address: k + 1 })])
      builder.sample({ stack, values: [BigInt(k)] })
    }
    const profiles = builder.build()
    const context = newContext('much')
    await keepOne(store, context, profiles, ledger)
    await expectBack('much', context.request, profiles)
  })

  test('keep empty resources and scopes', async () => {
    const builder = new ProfilesBuilder()
    builder.resource()
    builder.resource({ attributes: [{ key: 'service.name', value: 'idle' }] }, 'https://example.com/1')
    builder.scope()
    builder.scope({ name: 'agent', version: '1' })
    builder.resource()
    const profiles = builder.build()
    const context = newContext('empty')
    await keepOne(store, context, profiles, ledger)
    await expectBack('empty', context.request, profiles)
    const nothing = newContext('empty')
    await keepOne(store, nothing, new ProfilesBuilder().build(), ledger)
    await expectBack('empty', nothing.request, new ProfilesBuilder().build())
  })
})

describe('query columns', () => {
  test('have exact totals, clamped to 64 bits', async () => {
    const builder = new ProfilesBuilder()
    const max = 2n ** 63n - 1n
    const stack = builder.stack([builder.location({ address: 1 })])
    const add = (type: string, ...samples: { values?: bigint[]; timestamps?: bigint[] }[]): void => {
      builder.profile({ type, unit: 'count' })
      for (const sample of samples) builder.sample({ stack, ...sample })
    }
    add('a', { values: [max] }, { values: [-max] }, { values: [-5n] })
    add('b', { values: [max] }, { values: [1n] })
    add('c', { values: [-max, -max], timestamps: [1n, 2n] }, { values: [7n], timestamps: [3n] })
    add('d', { timestamps: [1n, 2n] }, { timestamps: [5n] })
    add('e')
    const context = newContext('totals')
    await keepOne(store, context, builder.build(), ledger)
    const block = await store.engine.select(
      "SELECT type, total, overflowed, observations, totals, value_counts, timestamp_counts FROM profiles WHERE tenant = 'totals' ORDER BY type",
    )
    const column = (name: string) => Array.from({ length: block.rows }, (_, row) => block.column(name).bigint(row))
    expect(column('total')).toEqual([-5n, max, -(2n ** 63n) + 7n, 3n, 0n])
    expect(column('overflowed')).toEqual([0n, 1n, 1n, 0n, 0n])
    expect(column('observations')).toEqual([3n, 2n, 3n, 3n, 0n])
    const list = (name: string, row: number): bigint[] => {
      const of = block.column(name)
      return Array.from({ length: of.to(row) - of.from(row) }, (_, k) => of.values.bigint(of.from(row) + k))
    }
    expect(list('totals', 2)).toEqual([-(2n ** 63n), 7n])
    expect(list('totals', 3)).toEqual([2n, 1n])
    expect([list('value_counts', 0), list('value_counts', 2), list('value_counts', 3)]).toEqual([
      [],
      [2n, 1n],
      [0n, 0n],
    ])
    expect([list('timestamp_counts', 0), list('timestamp_counts', 3)]).toEqual([[], [2n, 1n]])
  })

  test('are found at the time of their first sample if they have none', async () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 't', unit: 'count' })
    builder.sample({ stack: builder.stack([]), timestamps: [RECEIVED - 5n, RECEIVED - 9n] })
    const profiles = builder.build()
    const context = newContext('sampled times')
    await keepOne(store, context, profiles, ledger)
    const block = await store.engine.select("SELECT time FROM profiles WHERE tenant = 'sampled times'")
    expect(block.column('time').bigint(0)).toBe(RECEIVED - 9n)
    await expectBack('sampled times', context.request, profiles)
  })

  test('replace an impossible time for queries only', async () => {
    const builder = new ProfilesBuilder()
    for (const timeUnixNano of [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      builder.profile({ type: 't', unit: 'count', timeUnixNano })
    }
    const context = newContext('times')
    await keepOne(store, context, builder.build(), ledger)
    const block = await store.engine.select("SELECT time FROM profiles WHERE tenant = 'times' ORDER BY item_index")
    const times = Array.from({ length: block.rows }, (_, row) => block.column('time').bigint(row))
    expect(times).toEqual([RECEIVED, 1n, 2n ** 63n - 1n, RECEIVED, RECEIVED])
    await expectBack('times', context.request, builderOfTimes())
  })

  function builderOfTimes(): Profiles {
    const builder = new ProfilesBuilder()
    for (const timeUnixNano of [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      builder.profile({ type: 't', unit: 'count', timeUnixNano })
    }
    return builder.build()
  }

  test('have linked samples by trace and span, without empty links', async () => {
    const builder = new ProfilesBuilder()
    const id = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill)
    const stack = builder.stack([builder.location({ address: 1 })])
    builder.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
    builder.profile({ type: 'cpu', unit: 'count', timeUnixNano: 1000n })
    builder.sample({ stack, values: [1n] })
    builder.sample({ stack, values: [2n], link: builder.link(id(16, 1), id(8, 2)) })
    builder.sample({ stack, values: [3n, 4n], timestamps: [2000n, 3000n], link: builder.link(id(16, 1), id(8, 3)) })
    builder.sample({ stack, values: [5n], link: builder.link(id(16, 0), id(8, 0)) })
    builder.sample({ stack, values: [6n], link: builder.link(id(3, 9), id(8, 9)) })
    const profiles = builder.build()
    const context = newContext('links')
    await keepOne(store, context, profiles, ledger)
    await expectBack('links', context.request, profiles)
    const block = await store.engine.select(
      "SELECT hex(trace_id) AS trace, hex(span_id) AS span, time, sample_index, total FROM span_samples WHERE tenant = 'links' ORDER BY sample_index",
    )
    const rows = Array.from({ length: block.rows }, (_, row) => [
      block.column('trace').text(row),
      block.column('span').text(row),
      block.column('time').bigint(row),
      block.column('sample_index').number(row),
      block.column('total').bigint(row),
    ])
    expect(rows).toEqual([
      ['01'.repeat(16), '02'.repeat(8), 1000n, 1, 2n],
      ['01'.repeat(16), '03'.repeat(8), 2000n, 2, 7n],
    ])
    const types = await store.engine.select(
      "SELECT service, type FROM series WHERE tenant = 'links' AND id IN (SELECT series FROM span_samples WHERE tenant = 'links')",
    )
    expect([types.column('service').text(0), types.column('type').text(0)]).toEqual(['shop', 'cpu'])
  })
})

describe('symbols', () => {
  test('each is written once a day and tenant', async () => {
    const own = new MemoryLedger()
    const profiles = richProfiles()
    const rows = new GroupRows()
    keepProfiles(rows, newContext('once'), profiles, own)
    const symbols = (group: GroupRows): Record<string, number> =>
      Object.fromEntries(group.batches().map(({ table, rows: count }) => [table.name, count]))
    const first = symbols(rows)
    expect(first['stacks']).toBeGreaterThan(0)
    keepProfiles(rows, newContext('once'), scatter(profiles, 3), own)
    const both = symbols(rows)
    for (const table of [
      'functions',
      'mappings',
      'locations',
      'stacks',
      'attribute_sets',
      'resources',
      'scopes',
      'series',
    ])
      expect([table, both[table]]).toEqual([table, first[table]])
    expect(both['profiles']).toBe(2 * first['profiles'])
    const other = new GroupRows()
    keepProfiles(other, newContext('twice'), profiles, own)
    expect(symbols(other)).toEqual(first)
  })

  test('reports a missing symbol, and can skip it', async () => {
    const context = newContext('gone')
    await keepOne(store, context, richProfiles(), ledger)
    await store.engine.command("ALTER TABLE functions DELETE WHERE tenant = 'gone' SETTINGS mutations_sync = 1")
    await expect(readRequestProfiles(store.engine, 'gone', context.request)).rejects.toMatchObject({
      name: 'SymbolError',
      table: 'functions',
      fault: 'missing',
    })
    const faults: SymbolError[] = []
    const back = await readRequestProfiles(store.engine, 'gone', context.request, { onFault: e => faults.push(e) })
    expect(faults.length).toBeGreaterThan(0)
    expect(back.samples.length).toBe(richProfiles().samples.length)
  })

  test('reports a row that does not match its hash, and two contents with one id', async () => {
    const context = newContext('damaged')
    await keepOne(store, context, richProfiles(), ledger)
    await store.engine.command(
      "ALTER TABLE functions UPDATE name = concat(name, '?') WHERE tenant = 'damaged' SETTINGS mutations_sync = 1",
    )
    await expect(readRequestProfiles(store.engine, 'damaged', context.request)).rejects.toMatchObject({
      fault: 'damaged',
    })
    const other = newContext('ambiguous')
    await keepOne(store, other, richProfiles(), ledger)
    await store.engine.command(
      "INSERT INTO stacks SELECT tenant, id, check + 1 AS check, last_seen, locations, unknown_fields FROM stacks WHERE tenant = 'ambiguous'",
    )
    await expect(readRequestProfiles(store.engine, 'ambiguous', other.request)).rejects.toMatchObject({
      table: 'stacks',
      fault: 'ambiguous',
    })
  })

  test('gives contents with equal hashes different ids', async () => {
    // Every id collides once, as if all hashes were equal by chance.
    const own = new MemoryLedger()
    const taken = new Set<string>()
    const colliding = {
      isNew(...[tenant, table, ...words]: Parameters<MemoryLedger['isNew']>): boolean {
        const key = `${table} ${words[0]} ${words[1]}`
        if (!taken.has(key) && taken.size % 2 === 0) {
          taken.add(key)
          // Another content came first.
          own.isNew(tenant, table, words[0], words[1], words[2] ^ 1, words[3])
        }
        taken.add(key)
        return own.isNew(tenant, table, ...words)
      },
      startDay: () => undefined,
      epoch: 0,
      use: () => undefined,
      forgetAll: () => own.forgetAll(),
    }
    const context = newContext('colliding')
    const rows = new GroupRows()
    keepProfiles(rows, context, richProfiles(), colliding)
    await store.commit(rows)
    expect(own.collisions).toBeGreaterThan(3)
    await expectBack('colliding', context.request, richProfiles())
  })
})

describe('reading by a condition', () => {
  test('returns each profile once, in batches', async () => {
    const own = new MemoryLedger()
    const rows = new GroupRows()
    const sent: Profiles[] = []
    for (let k = 0; k < 12; k++) {
      const builder = new ProfilesBuilder()
      builder.resource({ attributes: [{ key: 'service.name', value: `s${k % 3}` }] })
      builder.profile({ type: 'cpu', unit: 'count', timeUnixNano: BigInt(1000 + k) })
      const stack = builder.stack([builder.location({ address: k % 4 })])
      for (let i = 0; i < k; i++) builder.sample({ stack, values: [BigInt(i)] })
      sent.push(builder.build())
      keepProfiles(rows, newContext('many'), sent[k], own)
    }
    await store.commit(rows)
    for (const [batch, page] of [
      [1, 3],
      [10, 4],
      [1000, 8],
      [1000, 1000],
    ]) {
      const found: Profiles[] = []
      const where = 'service IN {services:Array(String)}'
      const query = { where, parameters: { services: ['s0', 's2'] }, batch, page }
      for await (const profiles of readProfiles(store.engine, 'many', query)) found.push(profiles)
      const all = concat(found)
      const times = Array.from({ length: all.profiles.length }, (_, i) => Number(all.profiles.time(i)))
      expect(times.toSorted((a, b) => a - b)).toEqual([1000, 1002, 1003, 1005, 1006, 1008, 1009, 1011])
      expect(all.samples.length).toBe(0 + 2 + 3 + 5 + 6 + 8 + 9 + 11)
      for (const { profiles, samples } of found) expect(profiles.length === 1 || samples.length <= batch).toBe(true)
      if (batch === 1000) expect(found.length).toBe(1)
      for (let i = 0; i < all.profiles.length; i++) {
        const k = Number(all.profiles.time(i)) - 1000
        expect(all.profiles.samplesTo(i) - all.profiles.samplesFrom(i)).toBe(k)
      }
    }
  })

  test('returns no profiles of other tenants', async () => {
    const context = newContext('mine')
    await keepOne(store, context, richProfiles(), ledger)
    await expect(readRequestProfiles(store.engine, 'yours', context.request)).rejects.toThrow(UnknownRequestError)
    const found: Profiles[] = []
    for await (const profiles of readProfiles(store.engine, 'yours', { where: '1' })) found.push(profiles)
    expect(found).toEqual([])
    expect(await number('SELECT count() AS n FROM profiles WHERE tenant = {tenant:String}', { tenant: 'mine' })).toBe(
      richProfiles().profiles.length,
    )
  })
})
