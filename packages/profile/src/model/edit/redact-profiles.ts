// Removes or replaces attributes of profiles: of the dictionary, which profiles, samples, locations and mappings share, and of
// resources and scopes. Drops original payloads, because their content is unknown.
import type { KeyValue, Resource, Scope } from '../columns/any-value.ts'
import { encodeResource, encodeScope } from '../columns/any-value.ts'
import type { AttributeIndex } from '../columns/brand.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, RESOURCE_STRIDE, SCOPE_STRIDE } from '../columns/profiles.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import { carryProfiles } from '../merge/carry-profiles.ts'

/** Each function returns its argument if nothing is to be changed. */
export interface ProfileRedaction {
  /** Returns undefined to remove the attribute. `uses` is the number of lists that contain it. */
  attribute(attribute: KeyValue, uses: number): KeyValue | undefined
  resource(resource: Resource): Resource
  scope(scope: Scope): Scope
}

export function redactProfiles(profiles: Profiles, redaction: ProfileRedaction): Profiles {
  const { dictionary, resources, scopes } = profiles
  const { attributes, strings } = dictionary
  const uses = usesOf(profiles)
  const builder = new ProfilesBuilder()
  const transfer = new DictionaryTransfer(dictionary, builder.dictionary)
  let changed = hasPayload(profiles)
  for (let i = 1 as AttributeIndex; i < attributes.length; i++) {
    if (uses[i] === 0) continue
    const before = { key: strings.text(attributes.key(i)), value: attributes.value(i) }
    const after = redaction.attribute(before, uses[i])
    if (after === before) continue
    changed = true
    if (after === undefined) transfer.dropAttribute(i)
    else transfer.replaceAttribute(i, builder.attribute(after.key, after.value, strings.text(attributes.unit(i))))
  }
  const newResources = changedMessages(resources.length, i => {
    const before = resources.resource(i)
    const after = redaction.resource(before)
    return after === before ? undefined : encodeResource(after)
  })
  const newScopes = changedMessages(scopes.length, i => {
    const before = scopes.scope(i)
    const after = redaction.scope(before)
    return after === before ? undefined : encodeScope(after)
  })
  if (!changed && newResources.size + newScopes.size === 0) return profiles
  const { draft } = builder
  carryProfiles(profiles, transfer, builder.dictionary, draft)
  replaceMessages(draft.resources, RESOURCE_STRIDE, newResources, builder)
  replaceMessages(draft.scopes, SCOPE_STRIDE, newScopes, builder)
  for (let i = 0; i < profiles.profiles.length; i++) {
    const row = i * PROFILE_STRIDE
    draft.profiles.array.fill(0, row + ProfileColumn.formatOffset, row + ProfileColumn.payloadLength + 1)
  }
  // Without the bytes of carried messages and payloads, which nothing refers to any more.
  return builder.build()
}

/** The number of lists of profiles, samples, locations and mappings that contain each attribute. */
function usesOf({ profiles, samples, dictionary: { locations, mappings, attributes } }: Profiles): Uint32Array {
  const uses = new Uint32Array(attributes.length)
  for (const { attributes: pool } of [profiles, samples, locations, mappings]) {
    for (let k = 0; k < pool.length; k++) uses[pool.at(k)]++
  }
  return uses
}

function hasPayload({ profiles }: Profiles): boolean {
  for (let i = 0; i < profiles.length; i++) {
    if (profiles.ints[profiles.base + i * PROFILE_STRIDE + ProfileColumn.payloadLength] > 0) return true
  }
  return false
}

function changedMessages(length: number, encode: (i: number) => Uint8Array | undefined): Map<number, Uint8Array> {
  const changed = new Map<number, Uint8Array>()
  for (let i = 0; i < length; i++) {
    const message = encode(i)
    if (message !== undefined) changed.set(i, message)
  }
  return changed
}

function replaceMessages(
  column: GrowingInts,
  stride: number,
  messages: ReadonlyMap<number, Uint8Array>,
  { dictionary }: ProfilesBuilder,
): void {
  for (const [i, message] of messages) {
    column.array[i * stride] = dictionary.bytes.append(message, 0, message.length)
    column.array[i * stride + 1] = message.length
  }
}
