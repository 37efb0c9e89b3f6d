// Attribute values, resources and scopes: the parts of the data model that are trees. They are stored as protobuf bytes
// and decoded on demand, because most resources of a payload are never looked at. References into the string table
// (key_strindex, string_value_strindex) are resolved while reading, so the stored bytes stand alone.
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { FIXED64, LEN, ProtoReader, VARINT } from '../../wire/protobuf/proto-reader.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { highHalf, int64, lowHalf } from './int64.ts'
import { NESTED_PART, OWN_PART, VALUE_PART, encodeParts, joinBytes, partOf } from './unknown-fields.ts'

const NO_BYTES = new Uint8Array(0)

/** Ints are bigint, doubles are number. */
export type AnyValue = undefined | string | boolean | bigint | number | Uint8Array | readonly AnyValue[] | KeyValueList

export interface KeyValueList {
  readonly entries: readonly KeyValue[]
}

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
  /** Encoded parts (see unknown-fields.ts): of the KeyValue itself, of its AnyValue, and of the messages in that. */
  readonly unknown?: Uint8Array
}

export interface EntityRef {
  readonly schemaUrl: string
  readonly type: string
  readonly idKeys: readonly string[]
  readonly descriptionKeys: readonly string[]
  /** Fields that this version of the format does not define. */
  readonly unknown?: Uint8Array
}

export interface Resource {
  readonly attributes: readonly KeyValue[]
  readonly droppedAttributesCount: number
  readonly entityRefs: readonly EntityRef[]
  /** Fields that this version of the format does not define. */
  readonly unknown?: Uint8Array
}

export interface Scope {
  readonly name: string
  readonly version: string
  readonly attributes: readonly KeyValue[]
  readonly droppedAttributesCount: number
  /** Fields that this version of the format does not define. */
  readonly unknown?: Uint8Array
}

/** Decoders reject values nested deeper than this. Protobuf parsers stop at 100 messages, which is 50 values. */
export const MAX_VALUE_DEPTH = 50

/** Looks up a row of the string table. Available only while a payload is read. */
export type StringLookup = (index: number, at: number) => string

const noLookup: StringLookup = (_index, at) => {
  throw new WireError(at, 'string table reference in an attribute without a string table')
}

/** For messages outside of profiles: references are unknown fields, because there is no string table. */
export const NO_STRINGS: StringLookup = () => ''

export function isKeyValueList(value: AnyValue): value is KeyValueList {
  return typeof value === 'object' && 'entries' in value && typeof value.entries === 'object'
}

const doubleBits = new DataView(new ArrayBuffer(8))

export function doubleFromHalves(lo: number, hi: number): number {
  doubleBits.setInt32(0, lo, true)
  doubleBits.setInt32(4, hi, true)
  return doubleBits.getFloat64(0, true)
}

export function halvesOfDouble(value: number): readonly [lo: number, hi: number] {
  doubleBits.setFloat64(0, value, true)
  return [doubleBits.getInt32(0, true), doubleBits.getInt32(4, true)]
}

/** Decodes the value of a row of the attribute table. `kind` is AnyValue's field number. */
export function decodeAttributeValue(bytes: Uint8Array, kind: number, a: number, b: number): AnyValue {
  switch (kind) {
    case 1:
      return decodeUtf8(bytes, a, a + b)
    case 2:
      return a !== 0
    case 3:
      return int64(a, b)
    case 4:
      return doubleFromHalves(a, b)
    case 5:
      return readArray(new ProtoReader(bytes, a, a + b), noLookup, 1)
    case 6:
      return { entries: readKeyValues(new ProtoReader(bytes, a, a + b), noLookup, 1) }
    case 7:
      return bytes.subarray(a, a + b)
    default:
      return undefined
  }
}

export function decodeAnyValue(
  bytes: Uint8Array,
  from: number,
  to: number,
  strings: StringLookup = noLookup,
): AnyValue {
  return readAnyValue(new ProtoReader(bytes, from, to), strings, 1)
}

export function decodeKeyValue(
  bytes: Uint8Array,
  from: number,
  to: number,
  strings: StringLookup = noLookup,
): KeyValue {
  return readKeyValue(new ProtoReader(bytes, from, to), strings, 1)
}

export function decodeResource(
  bytes: Uint8Array,
  from: number,
  to: number,
  strings: StringLookup = noLookup,
): Resource {
  const reader = new ProtoReader(bytes, from, to)
  const attributes: KeyValue[] = []
  const entityRefs: EntityRef[] = []
  let droppedAttributesCount = 0
  const unknown = new SkippedFields()
  for (let at = from; reader.tag(); at = reader.pos) {
    if (reader.field === 1 && reader.wireType === LEN)
      attributes.push(submessage(reader, r => readKeyValue(r, strings, 1)))
    else if (reader.field === 2 && reader.wireType === VARINT) droppedAttributesCount = reader.int32() >>> 0
    else if (reader.field === 3 && reader.wireType === LEN) entityRefs.push(submessage(reader, readEntityRef))
    else unknown.skip(reader, at)
  }
  return { attributes, droppedAttributesCount, entityRefs, ...unknown.found() }
}

export function decodeScope(bytes: Uint8Array, from: number, to: number, strings: StringLookup = noLookup): Scope {
  const reader = new ProtoReader(bytes, from, to)
  const attributes: KeyValue[] = []
  let name = ''
  let version = ''
  let droppedAttributesCount = 0
  const unknown = new SkippedFields()
  for (let at = from; reader.tag(); at = reader.pos) {
    if (reader.field === 1 && reader.wireType === LEN) name = readText(reader)
    else if (reader.field === 2 && reader.wireType === LEN) version = readText(reader)
    else if (reader.field === 3 && reader.wireType === LEN)
      attributes.push(submessage(reader, r => readKeyValue(r, strings, 1)))
    else if (reader.field === 4 && reader.wireType === VARINT) droppedAttributesCount = reader.int32() >>> 0
    else unknown.skip(reader, at)
  }
  return { name, version, attributes, droppedAttributesCount, ...unknown.found() }
}

/** Collects the fields that a decoder does not know. */
class SkippedFields {
  #fields: Uint8Array[] | undefined

  /** Skips a field whose tag is at `at`. */
  skip(reader: ProtoReader, at: number): void {
    reader.skip()
    const field = reader.bytes.subarray(at, reader.pos)
    if (this.#fields === undefined) this.#fields = [field]
    else this.#fields.push(field)
  }

  get bytes(): Uint8Array | undefined {
    return this.#fields === undefined ? undefined : joinBytes(this.#fields)
  }

  found(): { readonly unknown?: Uint8Array } {
    const { bytes } = this
    return bytes === undefined ? {} : { unknown: bytes }
  }
}

function submessage<T>(reader: ProtoReader, read: (inner: ProtoReader) => T): T {
  const length = reader.length()
  const inner = new ProtoReader(reader.bytes, reader.pos, reader.pos + length)
  const result = read(inner)
  reader.pos += length
  return result
}

function readText(reader: ProtoReader): string {
  const length = reader.length()
  reader.pos += length
  return decodeUtf8(reader.bytes, reader.pos - length, reader.pos)
}

function readEntityRef(reader: ProtoReader): EntityRef {
  let schemaUrl = ''
  let type = ''
  const idKeys: string[] = []
  const descriptionKeys: string[] = []
  const unknown = new SkippedFields()
  for (let at = reader.pos; reader.tag(); at = reader.pos) {
    if (reader.wireType !== LEN) unknown.skip(reader, at)
    else if (reader.field === 1) schemaUrl = readText(reader)
    else if (reader.field === 2) type = readText(reader)
    else if (reader.field === 3) idKeys.push(readText(reader))
    else if (reader.field === 4) descriptionKeys.push(readText(reader))
    else unknown.skip(reader, at)
  }
  return { schemaUrl, type, idKeys, descriptionKeys, ...unknown.found() }
}

/** The number of unknown fields inside of nested values that were read so far. Reading is one synchronous call. */
let nestedUnknown = 0

/** Whether messages in the body of an ArrayValue or KeyValueList have unknown fields. `kind` is AnyValue's field number. */
export function hasNestedUnknown(bytes: Uint8Array, kind: number, a: number, b: number): boolean {
  const before = nestedUnknown
  decodeAttributeValue(bytes, kind, a, b)
  return nestedUnknown > before
}

/** The parts of an AnyValue outside of profiles: its own unknown fields, and its body if messages in that have some. */
export function unknownOfValue(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const before = nestedUnknown
  const own = new SkippedFields()
  readAnyValue(new ProtoReader(bytes, from, to), NO_STRINGS, 1, own)
  return encodeParts([
    [VALUE_PART, own.bytes ?? NO_BYTES],
    [NESTED_PART, nestedUnknown > before ? nestedBody(bytes, from, to) : NO_BYTES],
  ])
}

/** The body of the ArrayValue or KeyValueList in an AnyValue. */
function nestedBody(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const reader = new ProtoReader(bytes, from, to)
  let body: Uint8Array = NO_BYTES
  while (reader.tag()) {
    if ((reader.field === 5 || reader.field === 6) && reader.wireType === LEN) body = reader.view()
    else reader.skip()
  }
  return body
}

function readKeyValue(reader: ProtoReader, strings: StringLookup, depth: number): KeyValue {
  const before = nestedUnknown
  let key = ''
  let value: AnyValue
  let valueFrom = 0
  let valueTo = 0
  const unknown = new SkippedFields()
  const unknownOfValue = new SkippedFields()
  for (let at = reader.pos; reader.tag(); at = reader.pos) {
    if (reader.field === 1 && reader.wireType === LEN) key = readText(reader)
    else if (reader.field === 2 && reader.wireType === LEN)
      value = submessage(reader, r => {
        valueFrom = r.pos
        const read = readAnyValue(r, strings, depth, unknownOfValue)
        valueTo = r.pos
        return read
      })
    else if (reader.field === 3 && reader.wireType === VARINT && strings !== NO_STRINGS) {
      const place = reader.pos
      const index = reader.int32()
      if (index !== 0) key = strings(index, place)
    } else unknown.skip(reader, at)
  }
  const [own, ofValue] = [unknown.bytes, unknownOfValue.bytes]
  // The bytes of a value that refers to the string table have no meaning elsewhere.
  const standsAlone = strings === noLookup || strings === NO_STRINGS
  const nested = nestedUnknown > before && standsAlone ? nestedBody(reader.bytes, valueFrom, valueTo) : undefined
  if (own === undefined && ofValue === undefined && nested === undefined) return { key, value }
  if (depth > 1) nestedUnknown++
  const parts = [own, ofValue, nested].map(part => part ?? NO_BYTES).entries()
  return { key, value, unknown: encodeParts(parts) }
}

function readKeyValues(reader: ProtoReader, strings: StringLookup, depth: number): KeyValue[] {
  const entries: KeyValue[] = []
  while (reader.tag()) {
    if (reader.field === 1 && reader.wireType === LEN)
      entries.push(submessage(reader, r => readKeyValue(r, strings, depth + 1)))
    else skipNested(reader)
  }
  return entries
}

function readArray(reader: ProtoReader, strings: StringLookup, depth: number): AnyValue[] {
  const values: AnyValue[] = []
  while (reader.tag()) {
    if (reader.field === 1 && reader.wireType === LEN)
      values.push(submessage(reader, r => readAnyValue(r, strings, depth + 1)))
    else skipNested(reader)
  }
  return values
}

function readAnyValue(reader: ProtoReader, strings: StringLookup, depth: number, unknown?: SkippedFields): AnyValue {
  if (depth > MAX_VALUE_DEPTH)
    throw new WireError(reader.pos, `attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
  let value: AnyValue
  for (let start = reader.pos; reader.tag(); start = reader.pos) {
    const { field, wireType } = reader
    if (field === 1 && wireType === LEN) value = readText(reader)
    else if (field === 2 && wireType === VARINT) value = reader.int64() !== 0n
    else if (field === 3 && wireType === VARINT) value = reader.int64()
    else if (field === 4 && wireType === FIXED64) {
      reader.fixed64()
      value = doubleFromHalves(reader.lo, reader.hi)
    } else if (field === 5 && wireType === LEN) value = submessage(reader, r => readArray(r, strings, depth))
    else if (field === 6 && wireType === LEN)
      value = { entries: submessage(reader, r => readKeyValues(r, strings, depth)) }
    else if (field === 7 && wireType === LEN) value = reader.view()
    else if (field === 8 && wireType === VARINT && strings !== NO_STRINGS) {
      const at = reader.pos
      value = strings(reader.int32(), at)
    } else if (unknown === undefined) skipNested(reader)
    else unknown.skip(reader, start)
  }
  return value
}

function skipNested(reader: ProtoReader): void {
  reader.skip()
  nestedUnknown++
}

const tagOf = (field: number, wireType: number): number => (field << 3) | wireType

/** Writes the one field of a value, without a header. */
function writeAnyValue(writer: BackwardWriter, value: AnyValue): void {
  if (value === undefined) return
  // Fields of a oneof are written even if zero, because their presence is the kind.
  if (typeof value === 'string') {
    const bytes = encodeUtf8(value)
    writer.bytesField(tagOf(1, LEN), bytes, 0, bytes.length)
  } else if (typeof value === 'boolean') {
    writer.reserve(4)
    writer.rawVarint32(value ? 1 : 0)
    writer.rawVarint32(tagOf(2, VARINT))
  } else if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`attribute value ${value} does not fit in int64`)
    writer.reserve(16)
    writer.rawVarint64(lowHalf(value), highHalf(value))
    writer.rawVarint32(tagOf(3, VARINT))
  } else if (typeof value === 'number') {
    const [lo, hi] = halvesOfDouble(value)
    writer.reserve(16)
    writer.rawFixed64(lo, hi)
    writer.rawVarint32(tagOf(4, FIXED64))
  } else if (value instanceof Uint8Array) writer.bytesField(tagOf(7, LEN), value, 0, value.length)
  else {
    const mark = writer.written
    if (isKeyValueList(value)) writeKeyValues(writer, 1, value.entries)
    else writeArray(writer, value)
    writer.messageHeader(tagOf(isKeyValueList(value) ? 6 : 5, LEN), mark)
  }
}

function writeArray(writer: BackwardWriter, values: readonly AnyValue[]): void {
  for (let i = values.length - 1; i >= 0; i--) {
    const mark = writer.written
    writeAnyValue(writer, values[i])
    writer.messageHeader(tagOf(1, LEN), mark)
  }
}

export function writeKeyValues(writer: BackwardWriter, field: number, entries: readonly KeyValue[]): void {
  for (let i = entries.length - 1; i >= 0; i--) {
    const mark = writer.written
    writeKeyValue(writer, entries[i])
    writer.messageHeader(tagOf(field, LEN), mark)
  }
}

/** Without a header. */
export function writeKeyValue(writer: BackwardWriter, { key, value, unknown }: KeyValue): void {
  writeBytes(writer, partOf(unknown, OWN_PART))
  if (value !== undefined || partOf(unknown, VALUE_PART).length > 0) {
    const mark = writer.written
    writeValueWithUnknown(writer, value, unknown)
    writer.messageHeader(tagOf(2, LEN), mark)
  }
  writeText(writer, 1, key)
}

/** Writes an AnyValue with its unknown fields, which are parts of `unknown`. Without a header. */
export function writeValueWithUnknown(writer: BackwardWriter, value: AnyValue, unknown: Uint8Array | undefined): void {
  writeBytes(writer, partOf(unknown, VALUE_PART))
  const nested = partOf(unknown, NESTED_PART)
  if (nested.length === 0) writeAnyValue(writer, value)
  else writer.bytesField(tagOf(isKeyValueList(value) ? 6 : 5, LEN), nested, 0, nested.length)
}

function writeBytes(writer: BackwardWriter, bytes: Uint8Array | undefined): void {
  if (bytes !== undefined) writer.raw(bytes, 0, bytes.length)
}

function writeText(writer: BackwardWriter, field: number, text: string): void {
  if (text === '') return
  const bytes = encodeUtf8(text)
  writer.bytesField(tagOf(field, LEN), bytes, 0, bytes.length)
}

/** Encodes the body of an ArrayValue or KeyValueList message, as stored in attribute tables. */
export function encodeNested(value: readonly AnyValue[] | KeyValueList): Uint8Array {
  const writer = new BackwardWriter(64)
  if (isKeyValueList(value)) writeKeyValues(writer, 1, value.entries)
  else writeArray(writer, value)
  return writer.finish()
}

export function encodeResource(resource: Resource): Uint8Array {
  const writer = new BackwardWriter(256)
  writeBytes(writer, resource.unknown)
  for (let i = resource.entityRefs.length - 1; i >= 0; i--) {
    const ref = resource.entityRefs[i]
    const mark = writer.written
    writeBytes(writer, ref.unknown)
    writeTexts(writer, 4, ref.descriptionKeys)
    writeTexts(writer, 3, ref.idKeys)
    writeText(writer, 2, ref.type)
    writeText(writer, 1, ref.schemaUrl)
    writer.messageHeader(tagOf(3, LEN), mark)
  }
  writer.varint64Field(tagOf(2, VARINT), resource.droppedAttributesCount | 0, 0)
  writeKeyValues(writer, 1, resource.attributes)
  return writer.finish()
}

export function encodeScope(scope: Scope): Uint8Array {
  const writer = new BackwardWriter(256)
  writeBytes(writer, scope.unknown)
  writer.varint64Field(tagOf(4, VARINT), scope.droppedAttributesCount | 0, 0)
  writeKeyValues(writer, 3, scope.attributes)
  writeText(writer, 2, scope.version)
  writeText(writer, 1, scope.name)
  return writer.finish()
}

function writeTexts(writer: BackwardWriter, field: number, texts: readonly string[]): void {
  for (let i = texts.length - 1; i >= 0; i--) {
    const bytes = encodeUtf8(texts[i])
    writer.bytesField(tagOf(field, LEN), bytes, 0, bytes.length)
  }
}
