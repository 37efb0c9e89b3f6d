// Fields that a newer version of OTLP adds come back from the store with their messages.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, difference, encodeOtlp, readOtlp } from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUnknownFields } from '../../../../profile/src/formats/otlp/testing/add-unknown-fields.ts'
import { randomFrom } from '../../../../profile/src/formats/testing/random.ts'
import { arbitraryProfiles } from '../../../../profile/src/model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../../../profile/src/model/testing/rich-profiles.ts'
import { migrate, migrations } from '../schema/migrations.ts'
import { MemoryLedger } from '../symbols/ledger.ts'
import { readRequestProfiles } from '../testing/read-request.ts'
import { readProfiles } from './read-profiles.ts'
import type { ProfileStore } from './testing/profile-store.ts'
import { keepOne, newContext, openProfileStore } from './testing/profile-store.ts'

let store: ProfileStore
const ledger = new MemoryLedger()

beforeAll(async () => {
  store = await openProfileStore()
})
afterAll(async () => {
  await store.close()
})

function withUnknown(profiles: Profiles, seed: number, isChosen: (message: string) => boolean): Profiles {
  const bytes = addUnknownFields(encodeOtlp(profiles), randomFrom(seed), isChosen)
  return readOtlp(bytes, { generation: 'v1.11' }).profiles
}

async function storedAndRead(profiles: Profiles): Promise<Profiles> {
  const context = newContext('unknown')
  await keepOne(store, context, profiles, ledger)
  return await readRequestProfiles(store.engine, context.tenant, context.request)
}

describe('the store', () => {
  test('keeps unknown fields of any messages', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryProfiles(), fc.integer(), async (profiles, seed) => {
        const random = randomFrom(seed)
        const sent = withUnknown(profiles, seed, () => random() < 0.3)
        expect(difference(sent, await storedAndRead(sent))).toBeUndefined()
      }),
    )
  })

  test('keeps rows apart that differ in unknown fields alone', async () => {
    const [plain, first, second] = [() => false, () => true, () => true].map((isChosen, seed) =>
      withUnknown(richProfiles(), seed, isChosen),
    )
    for (const sent of [plain, first, second, plain, first]) {
      expect(difference(sent, await storedAndRead(sent))).toBeUndefined()
    }
  })

  test('keeps unknown fields of attributes and their values', async () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
    builder.scope({ name: 'scope', attributes: [{ key: 'n', value: 1n }] })
    builder.profile({ type: 'cpu', unit: 'ns', attributes: [builder.attribute('rate', 2n)] })
    builder.sample({ stack: builder.stack([]), attributes: [builder.attribute('thread', 'main')], values: [1] })
    const sent = withUnknown(builder.build(), 1, () => true)
    expect(difference(sent, await storedAndRead(sent))).toBeUndefined()
  })

  /** The number of unknown fields, those in nested values included. */
  const countOf = (profiles: Profiles): number =>
    readOtlp(encodeOtlp(profiles), { generation: 'v1.11' }).notes.reduce((sum, { count }) => sum + count, 0)

  function nestedProfiles(): Profiles {
    const builder = new ProfilesBuilder()
    const list = { entries: [{ key: 'a', value: ['x', { entries: [{ key: 'b', value: 1n }] }] }] }
    builder.resource({ attributes: [{ key: 'list', value: list }] })
    builder.scope({ name: 'scope', attributes: [{ key: 'array', value: [1n, list] }] })
    const attributes = [builder.attribute('list', list), builder.attribute('array', ['x', [2n]])]
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: 1n, attributes })
    builder.sample({ stack: builder.stack([]), attributes: attributes.slice(1), values: [1] })
    return builder.build()
  }

  test.each(['KeyValue', 'AnyValue', 'ArrayValue', 'KeyValueList'])(
    'keeps unknown fields of %s inside nested values, for requests and for queries',
    async message => {
      const plain = nestedProfiles()
      const sent = withUnknown(plain, 5, name => name === message)
      const other = withUnknown(plain, 6, name => name === message)
      expect(countOf(sent)).toBeGreaterThan(3)
      for (const [i, each] of [plain, sent, other].entries()) {
        const context = newContext(`nested ${message} ${i}`)
        await keepOne(store, context, each, ledger)
        const found = await readRequestProfiles(store.engine, context.tenant, context.request)
        expect([countOf(found), difference(each, found)]).toEqual([countOf(each), undefined])
        for await (const queried of readProfiles(store.engine, context.tenant, { where: '1' }))
          expect(countOf(queried)).toBe(countOf(each))
      }
    },
  )

  test('returns unknown fields of the payload, the dictionary and its zero rows to queries', async () => {
    const named = ['ProfilesData', 'ProfilesDictionary', 'Function', 'Stack']
    const sent = withUnknown(richProfiles(), 7, name => named.includes(name))
    const context = newContext('zero rows')
    await keepOne(store, context, sent, ledger)
    for await (const found of readProfiles(store.engine, context.tenant, { where: '1' })) {
      expect(found.unknown?.self).toEqual(sent.unknown?.self)
      for (const table of ['self', 'functions', 'stacks'] as const)
        expect(found.dictionary.unknown?.[table]?.get(0)).toEqual(sent.dictionary.unknown?.[table]?.get(0))
    }
    for await (const found of readProfiles(store.engine, 'another tenant', { where: '1' }))
      expect(found.unknown).toBeUndefined()
  })

  test('returns unknown fields of profiles, samples and symbols to queries', async () => {
    const sent = withUnknown(richProfiles(), 3, name => ['Profile', 'Sample', 'Function', 'Link'].includes(name))
    const context = newContext('queried')
    await keepOne(store, context, sent, ledger)
    let [profiles, samples, functions] = [0, 0, 0]
    for await (const found of readProfiles(store.engine, 'queried', { where: '1' })) {
      profiles += found.unknown?.profiles?.size ?? 0
      samples += found.unknown?.samples?.size ?? 0
      functions += found.dictionary.unknown?.functions?.size ?? 0
    }
    expect([profiles, samples]).toEqual([sent.profiles.length, sent.samples.length])
    expect(functions).toBeGreaterThan(0)
  })

  test('gets the columns when it was made by an earlier version', async () => {
    const { engine } = store
    await engine.command('ALTER TABLE functions DROP COLUMN unknown_fields')
    await engine.command('ALTER TABLE schema_versions DELETE WHERE version > 1 SETTINGS mutations_sync = 1')
    expect(await migrate(engine)).toEqual(migrations.slice(1).map(({ version }) => version))
    const context = newContext('old')
    const sent = withUnknown(richProfiles(), 4, name => name === 'Function')
    await keepOne(store, context, sent, ledger)
    expect(difference(sent, await readRequestProfiles(engine, 'old', context.request))).toBeUndefined()
  })
})
