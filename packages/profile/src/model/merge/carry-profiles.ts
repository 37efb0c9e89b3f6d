// Copies the resources, scopes, profiles and samples of a payload into a draft, behind its existing content. The
// referenced dictionary rows go into a DictionaryBuilder. Used by `concat`.
import type { LinkIndex, StackIndex, StringIndex } from '../columns/brand.ts'
import type { Table } from '../columns/dictionary.ts'
import type { DictionaryBuilder } from '../build/dictionary-builder.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import type { LongPool, Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, RESOURCE_STRIDE, SAMPLE_STRIDE, SCOPE_STRIDE } from '../columns/profiles.ts'
import type { ProfilesDraft } from '../columns/profiles-draft.ts'
import type { UnknownTable } from '../columns/unknown-fields.ts'
import { entriesOf } from '../columns/unknown-fields.ts'

/** References in the draft are rows of `dictionary`, the target of `transfer`. Attribute lists are sorted sets. */
export function carryProfiles(
  profiles: Profiles,
  transfer: DictionaryTransfer,
  dictionary: DictionaryBuilder,
  draft: ProfilesDraft,
): void {
  const { bytes } = profiles.dictionary
  carryUnknown(profiles, draft)
  carryMessages(profiles.resources, bytes, dictionary, draft.resources, draft.scopes.length / SCOPE_STRIDE)
  carryMessages(profiles.scopes, bytes, dictionary, draft.scopes, draft.profiles.length / PROFILE_STRIDE)
  carryHeaders(profiles, transfer, dictionary, draft)
  carrySamples(profiles, transfer, draft)
}

/** Rows are appended to the draft in order, so their numbers shift by the rows that it has. */
function carryUnknown({ unknown }: Profiles, draft: ProfilesDraft): void {
  const shifts: Partial<Record<UnknownTable, number>> = {
    resources: draft.resources.length / RESOURCE_STRIDE,
    scopes: draft.scopes.length / SCOPE_STRIDE,
    profiles: draft.profiles.length / PROFILE_STRIDE,
    samples: draft.samples.length / SAMPLE_STRIDE,
  }
  for (const [table, rows] of entriesOf(unknown)) {
    for (const [row, encoded] of rows) draft.unknown.append(table, row + (shifts[table] ?? 0), encoded)
  }
}

/** Resources and scopes have the same columns. */
function carryMessages(
  table: Table,
  bytes: Uint8Array,
  dictionary: DictionaryBuilder,
  column: GrowingInts,
  firstChild: number,
): void {
  const { ints, base, length } = table
  for (let i = 0; i < length; i++) {
    const at = base + i * RESOURCE_STRIDE
    for (let range = at; range < at + 4; range += 2) pushBytes(column, dictionary, bytes, ints[range], ints[range + 1])
    column.push(firstChild + ints[at + 4])
  }
}

function pushBytes(
  column: GrowingInts,
  dictionary: DictionaryBuilder,
  bytes: Uint8Array,
  offset: number,
  length: number,
): void {
  column.push(dictionary.blobOffset(dictionary.blobs.intern(bytes, offset, offset + length)))
  column.push(length)
}

function carryHeaders(
  { profiles, dictionary: { bytes } }: Profiles,
  transfer: DictionaryTransfer,
  dictionary: DictionaryBuilder,
  draft: ProfilesDraft,
): void {
  const column = draft.profiles
  const firstSample = draft.samples.length / SAMPLE_STRIDE
  for (let i = 0; i < profiles.length; i++) {
    const at = profiles.base + i * PROFILE_STRIDE
    const { ints } = profiles
    for (let k = 0; k < ProfileColumn.time; k++) column.push(transfer.string(ints[at + k] as StringIndex))
    column.pushAll(ints, at + ProfileColumn.time, at + ProfileColumn.idOffset)
    pushBytes(column, dictionary, bytes, ints[at + ProfileColumn.idOffset], ints[at + ProfileColumn.idLength])
    pushBytes(column, dictionary, bytes, ints[at + ProfileColumn.formatOffset], ints[at + ProfileColumn.formatLength])
    // Not interned: payloads may be megabytes long, and no two are equal.
    const payload = ints[at + ProfileColumn.payloadOffset]
    const length = ints[at + ProfileColumn.payloadLength]
    column.push(dictionary.bytes.append(bytes, payload, payload + length))
    column.push(length)
    column.push(ints[at + ProfileColumn.droppedAttributes])
    column.push(firstSample + profiles.samplesTo(i))
    const from = profiles.attributesFrom(i)
    transfer.attributeSet(profiles.attributes, from, profiles.attributesTo(i), draft.profileAttributes)
    column.push(draft.profileAttributes.length)
  }
}

function carrySamples({ samples }: Profiles, transfer: DictionaryTransfer, draft: ProfilesDraft): void {
  const { ints, base, length } = samples
  const { sampleAttributes } = draft
  const firstValue = draft.values.length / 2
  const firstTimestamp = draft.timestamps.length / 2
  const target = draft.samples.reserve(length * SAMPLE_STRIDE)
  let to = draft.samples.length
  let attributesFrom = 0
  for (let i = 0, at = base; i < length; i++, at += SAMPLE_STRIDE, to += SAMPLE_STRIDE) {
    const attributesTo = ints[at + 2]
    target[to] = transfer.stack(ints[at] as StackIndex)
    target[to + 1] = ints[at + 1] === 0 ? 0 : transfer.link(ints[at + 1] as LinkIndex)
    transfer.attributeSet(samples.attributes, attributesFrom, attributesTo, sampleAttributes)
    target[to + 2] = sampleAttributes.length
    target[to + 3] = firstValue + ints[at + 3]
    target[to + 4] = firstTimestamp + ints[at + 4]
    attributesFrom = attributesTo
  }
  draft.samples.length = to
  carryLongs(samples.values, draft.values)
  carryLongs(samples.timestamps, draft.timestamps)
}

function carryLongs({ ints, base, length }: LongPool, column: GrowingInts): void {
  column.pushAll(ints, base, base + 2 * length)
}
