// The generation `next`: the announced change of original payloads. It is v1.11 with three more fields, which the reader of
// v1.11 keeps as unknown fields. Reading moves the payloads from these fields to the columns of the profiles, and writing
// moves them back.
//
//   dictionary.original_data_source_table[1] { payload, attribute_indices }
//   profile.original_payload_indices [1], profile.original_payload_format_strindices [7]
import type { StringIndex } from '../../../model/columns/brand.ts'
import { STRING_STRIDE, StringTable } from '../../../model/columns/dictionary.ts'
import { bytesWith, overBytes } from '../../../model/columns/over-bytes.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable } from '../../../model/columns/profiles.ts'
import type { UnknownFields } from '../../../model/columns/unknown-fields.ts'
import { OWN_PART, decodeParts, encodeParts, entriesOf, partOf } from '../../../model/columns/unknown-fields.ts'
import { BackwardWriter } from '../../../wire/protobuf/backward-writer.ts'
import { LEN, ProtoReader } from '../../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../../wire/wire-error.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { NoteList } from '../../format.ts'
import type { Message } from './schema-reader.ts'
import { SchemaReader } from './schema-reader.ts'
import { fewMessagesOf, bytesOf, numbersIn } from './message-fields.ts'
import { messageOf, schemaOf } from './schema.ts'

const schema = schemaOf('next')
const fieldOf = (message: string, name: string): number => messageOf(schema, message).byName.get(name)?.number ?? 0
const TABLE = fieldOf('ProfilesDictionary', 'original_data_source_table')
const FORMATS = fieldOf('Profile', 'original_payload_format_strindices')
const INDICES = fieldOf('Profile', 'original_payload_indices')
const PAYLOAD = fieldOf('OriginalDataSource', 'payload')

/** Moves payloads to the columns of the profiles. A profile has one, so others are dropped with a note. */
export function payloadsFromTable(profiles: Profiles, notes: NoteList): Profiles {
  const { dictionary, profiles: table, unknown } = profiles
  const own = partOf(dictionary.unknown?.self?.get(0), OWN_PART)
  const sources = messagesOf(own, 'ProfilesDictionary', 'original_data_source_table')
  const payloads = sources.map(source => bytesOf(source, 'payload'))
  notes.add(
    'payload-attributes',
    'attributes of original payloads were dropped',
    sources.reduce((count, source) => count + numbersIn(source, 'attribute_indices').length, 0),
  )
  const start = dictionary.bytes.length
  const offsets = runningEnds(payloads, start)
  const bytes = bytesWith(profiles, payloads)
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  for (let i = 0; i < table.length; i++) {
    const fields = new SchemaReader(partOf(unknown?.profiles?.get(i), OWN_PART), 'next').read('Profile')
    const indices = numbersIn(fields, 'original_payload_indices')
    const formats = numbersIn(fields, 'original_payload_format_strindices')
    if (indices.length === 0 && formats.length === 0) continue
    const at = i * PROFILE_STRIDE
    const format = rowIn(Number(formats[0] ?? 0), dictionary.strings.length, 'string_table') as StringIndex
    rows[at + ProfileColumn.formatOffset] = dictionary.strings.offset(format)
    rows[at + ProfileColumn.formatLength] = dictionary.strings.byteLength(format)
    if (indices.length === 0) continue
    notes.add('payloads', 'profiles had several original payloads, of which the first was kept', indices.length - 1)
    const index = rowIn(Number(indices[0]), payloads.length, 'original_data_source_table')
    rows[at + ProfileColumn.payloadOffset] = offsets[index]
    rows[at + ProfileColumn.payloadLength] = payloads[index].length
  }
  const moved = overBytes(profiles, bytes)
  const rest = {
    dictionary: { ...moved.dictionary, unknown: without(dictionary.unknown, 'self', [TABLE]) },
    unknown: without(unknown, 'profiles', [FORMATS, INDICES]),
  }
  return { ...moved, ...rest, profiles: new ProfileTable(rows, 0, table.length, bytes, table.attributes) }
}

/** Moves payloads to a table in the dictionary, in which equal ones are one row. Row 0 means "none". */
export function payloadsToTable(profiles: Profiles): Profiles {
  const { dictionary, profiles: table } = profiles
  const payloads: Uint8Array[] = [new Uint8Array(0)]
  const addedFormats: string[] = []
  const byProfile = new Map<number, Uint8Array>(profiles.unknown?.profiles)
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  for (let i = 0; i < table.length; i++) {
    const payload = table.originalPayload(i)
    const format = table.originalPayloadFormat(i)
    rows.fill(0, i * PROFILE_STRIDE + ProfileColumn.formatOffset, i * PROFILE_STRIDE + ProfileColumn.payloadLength + 1)
    if (payload.length === 0 && format === '') continue
    const fields = new BackwardWriter(32)
    packed(fields, INDICES, rowOf(payloads, payload))
    packed(fields, FORMATS, formatRow(profiles, format, addedFormats))
    byProfile.set(i, withField(byProfile.get(i), fields.finish()))
  }
  if (
    byProfile.size === (profiles.unknown?.profiles?.size ?? 0) &&
    addedFormats.length === 0 &&
    payloads.length === 1
  ) {
    return profiles
  }
  const tableFields = new BackwardWriter(1024)
  for (const payload of payloads.toReversed()) {
    const mark = tableFields.written
    if (payload.length > 0) tableFields.bytesField((PAYLOAD << 3) | LEN, payload, 0, payload.length)
    tableFields.messageHeader((TABLE << 3) | LEN, mark)
  }
  const self = new Map([[0, withField(dictionary.unknown?.self?.get(0), tableFields.finish())]])
  const moved = withStrings(profiles, addedFormats)
  return {
    ...moved,
    dictionary: { ...moved.dictionary, unknown: { ...dictionary.unknown, self } },
    profiles: new ProfileTable(rows, 0, table.length, moved.dictionary.bytes, table.attributes),
    unknown: { ...profiles.unknown, profiles: byProfile },
  }
}

function messagesOf(bytes: Uint8Array, message: string, field: string): Message[] {
  return [...fewMessagesOf(new SchemaReader(bytes, 'next').read(message), field)]
}

function runningEnds(parts: readonly Uint8Array[], start: number): number[] {
  let end = start
  return parts.map(({ length }) => (end += length) - length)
}

function rowIn(index: number, length: number, table: string): number {
  if (index < 0 || index >= length) throw new WireError(0, `index ${index} is outside ${table} (length ${length})`)
  return index
}

/** The unknown fields of a table without those of the given numbers, which are known in `next`. */
function without(
  unknown: UnknownFields | undefined,
  table: 'self' | 'profiles',
  numbers: readonly number[],
): UnknownFields | undefined {
  const rows = unknown?.[table]
  if (rows === undefined) return unknown
  const kept = new Map<number, Uint8Array>()
  for (const [row, encoded] of rows) {
    const parts = decodeParts(encoded)
    const own = parts.get(OWN_PART) ?? new Uint8Array(0)
    parts.set(OWN_PART, own.length === 0 ? own : withoutFields(own, numbers))
    const rest = encodeParts(parts)
    if (rest.length > 0) kept.set(row, rest)
  }
  const others = Object.fromEntries(entriesOf(unknown).filter(([name]) => name !== table))
  const fields: UnknownFields = kept.size === 0 ? others : { ...others, [table]: kept }
  return Object.keys(fields).length === 0 ? undefined : fields
}

function withoutFields(message: Uint8Array, numbers: readonly number[]): Uint8Array {
  const writer: number[] = []
  const reader = new ProtoReader(message, 0, message.length)
  for (let at = 0; reader.tag(); at = reader.pos) {
    const { field } = reader
    reader.skip()
    if (!numbers.includes(field)) writer.push(...message.subarray(at, reader.pos))
  }
  return Uint8Array.from(writer)
}

function withField(encoded: Uint8Array | undefined, field: Uint8Array): Uint8Array {
  return encodeParts([...(encoded === undefined ? [] : decodeParts(encoded)), [OWN_PART, field]])
}

function packed(writer: BackwardWriter, field: number, value: number): void {
  const mark = writer.written
  writer.reserve(8)
  writer.rawVarint32(value)
  writer.messageHeader((field << 3) | LEN, mark)
}

function rowOf(payloads: Uint8Array[], payload: Uint8Array): number {
  const row = payloads.findIndex(known => known.length === payload.length && known.every((b, i) => b === payload[i]))
  return row >= 0 ? row : payloads.push(payload) - 1
}

function formatRow({ dictionary: { strings } }: Profiles, format: string, added: string[]): number {
  for (let i = 0 as StringIndex; i < strings.length; i++) if (strings.text(i) === format) return i
  const known = added.indexOf(format)
  return strings.length + (known >= 0 ? known : added.push(format) - 1)
}

function withStrings(profiles: Profiles, added: readonly string[]): Profiles {
  const { strings, bytes: old } = profiles.dictionary
  const texts = added.map(text => encodeUtf8(text))
  const bytes = bytesWith(profiles, texts)
  const moved = overBytes(profiles, bytes)
  const offsets = runningEnds(texts, old.length)
  const rows = Int32Array.from([
    ...strings.ints.subarray(strings.base, strings.base + strings.length * STRING_STRIDE),
    ...texts.flatMap((text, i) => [offsets[i], text.length]),
  ])
  const table = new StringTable(rows, 0, rows.length / STRING_STRIDE, bytes)
  return { ...moved, dictionary: { ...moved.dictionary, strings: table } }
}
