// Adds attributes to each profile, and ids to profiles without one, so that a receiver can later identify the profiles
// and the reason they were recorded.
import type { KeyValue } from '../columns/any-value.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { carryProfiles } from '../merge/carry-profiles.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn } from '../columns/profiles.ts'
import { sortSet } from '../columns/sorted-set.ts'

/** Existing attributes of a profile are not changed. `idFor` returns a 16-byte id for each profile without one. */
export function withProfileAttributes(
  profiles: Profiles,
  added: readonly KeyValue[],
  idFor?: (profile: number) => Uint8Array,
): Profiles {
  const builder = new ProfilesBuilder()
  const { dictionary, draft } = builder
  carryProfiles(profiles, new DictionaryTransfer(profiles.dictionary, dictionary), dictionary, draft)
  const rows = added.map(({ key, value }) => ({ key, row: builder.attribute(key, value) }))
  const { strings, attributes } = profiles.dictionary
  const table = profiles.profiles
  const pool = draft.profileAttributes
  const old = pool.view().slice()
  pool.length = 0
  let from = 0
  for (let i = 0; i < table.length; i++) {
    const at = i * PROFILE_STRIDE
    const to = draft.profiles.array[at + ProfileColumn.attributeEnd]
    const start = pool.length
    pool.pushAll(old, from, to)
    const own = new Set(table.attributesOf(i).map(row => strings.text(attributes.key(row))))
    for (const { key, row } of rows) if (!own.has(key)) pool.push(row)
    pool.length = sortSet(pool.array, start, pool.length)
    draft.profiles.array[at + ProfileColumn.attributeEnd] = pool.length
    from = to
    if (idFor === undefined || table.id(i).length > 0) continue
    const id = idFor(i)
    draft.profiles.array[at + ProfileColumn.idOffset] = dictionary.bytes.append(id, 0, id.length)
    draft.profiles.array[at + ProfileColumn.idLength] = id.length
  }
  return builder.build()
}
