// Fields that a newer version of OTLP adds come back from the store with their messages.
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, difference, encodeOtlp, readOtlp } from '@hearth/profile'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MESSAGES, addUnknownFields } from '../../../../profile/src/formats/otlp/testing/add-unknown-fields.ts'
import { randomFrom } from '../../../../profile/src/formats/testing/random.ts'
import { arbitraryProfiles } from '../../../../profile/src/model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../../../profile/src/model/testing/rich-profiles.ts'
import { migrate, migrations } from '../schema/migrations.ts'
import { MemoryLedger } from '../symbols/ledger.ts'
import { readProfiles, readRequestProfiles } from './read-profiles.ts'
import type { ProfileStore } from './testing/profile-store.ts'
import { keepOne, newContext, openProfileStore } from './testing/profile-store.ts'

/** Messages inside attribute values are stored as text, without the fields that it has no place for. */
const VALUE_MESSAGES = ['KeyValue', 'AnyValue', 'ArrayValue', 'KeyValueList']
const messages = MESSAGES.filter(name => !VALUE_MESSAGES.includes(name))

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
        const sent = withUnknown(profiles, seed, name => messages.includes(name) && random() < 0.3)
        expect(difference(sent, await storedAndRead(sent))).toBeUndefined()
      }),
      { numRuns: 6 },
    )
  })

  test('keeps rows apart that differ in unknown fields alone', async () => {
    const [plain, first, second] = [() => false, () => true, () => true].map((isChosen, seed) =>
      withUnknown(richProfiles(), seed, name => messages.includes(name) && isChosen()),
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
