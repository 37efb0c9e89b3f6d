// Decodes any message of any generation into plain objects, using the field tables of schema.ts. It creates one object per
// message, so it is used for the rare generations. The current generation has its own reader (decode.ts).
//
//   Location of v1.7    { mapping_index: 0, address: 4096n, line: [{ function_index: 3, line: 12n }] }
//
// Keys are the fields on the wire: an absent key is an absent field.
import { doubleFromHalves } from '../../../model/columns/any-value.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { FIXED64, LEN, ProtoReader, VARINT, wireTypeName } from '../../../wire/protobuf/proto-reader.ts'
import { decodeUtf8, isUtf8 } from '../../../wire/utf8.ts'
import { WireError } from '../../../wire/wire-error.ts'
import type { FieldSchema, Generation, MessageSchema, Scalar, Schema } from './schema.ts'
import { messageOf, schemaOf } from './schema.ts'

/** 64-bit numbers are bigint, 32-bit numbers and doubles are number, bytes are views of the input. */
export type ScalarValue = number | bigint | boolean | string | Uint8Array

/** An array of messages, or a list that decodes them during iteration. */
export interface MessageSequence extends Iterable<Message> {
  readonly length: number
  /** Byte offset of the first message. Undefined if it was not read from bytes. */
  readonly offset?: number
}

/** Int32Array, BigInt64Array or BigUint64Array if read from bytes. */
export type NumberSequence = ArrayLike<number | bigint>

export type FieldValue = ScalarValue | Message | MessageSequence | NumberSequence | readonly string[] | LazyTexts

export interface Message {
  [field: string]: FieldValue | undefined
}

/** The limit of protobuf's own readers. */
const MAX_DEPTH = 100

export function wireTypeOf(scalar: Scalar | undefined): number {
  switch (scalar) {
    case 'fixed64':
    case 'double':
      return FIXED64
    case 'string':
    case 'bytes':
    case undefined:
      return LEN
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'uint64':
    case 'bool':
      return VARINT
  }
}

/** Whether a repeated field of this type can be packed. */
export function isPackable(field: FieldSchema): boolean {
  return field.repeated && wireTypeOf(field.scalar) !== LEN
}

export interface SchemaReaderOptions {
  /**
   * Keeps repeated messages as ranges of bytes and decodes them one at a time during iteration. An empty message takes 2 bytes
   * on the wire and about 60 as an object, so a payload could otherwise fill the memory.
   */
  readonly lazy?: boolean
}

export class SchemaReader {
  unknownFields = 0
  readonly bytes: Uint8Array
  readonly #schema: Schema
  readonly #lazy: boolean

  constructor(bytes: Uint8Array, schema: Generation | Schema, options: SchemaReaderOptions = {}) {
    this.bytes = bytes
    this.#schema = typeof schema === 'string' ? schemaOf(schema) : schema
    this.#lazy = options.lazy ?? false
  }

  /** Throws WireError. */
  read(message: string, from = 0, to = this.bytes.length): Message {
    return this.readAt(messageOf(this.#schema, message), [from, to], 1)
  }

  /**
   * `parts` are the starts and ends of the message's occurrences, which are merged. They are read in one pass, because merging
   * them one by one would copy the lists for each part.
   */
  readAt(schema: MessageSchema, parts: readonly number[], depth: number): Message {
    if (depth > MAX_DEPTH) throw new WireError(parts[0], `messages nested deeper than ${MAX_DEPTH} levels`)
    const message = new MessageInProgress(schema)
    for (let i = 0; i < parts.length; i += 2) this.#readPart(message, parts[i], parts[i + 1], depth)
    const { target } = message
    for (const [field, ints] of message.numbers) target[field.name] = numbersOf(field, ints)
    for (const [field, inner] of message.parts) {
      target[field.name] = this.readAt(messageOf(this.#schema, field.type), inner, depth + 1)
    }
    return target
  }

  #readPart(message: MessageInProgress, from: number, to: number, depth: number): void {
    const { schema } = message
    const reader = new ProtoReader(this.bytes, from, to)
    for (let at = from; reader.tag(); at = reader.pos) {
      const field = schema.byNumber.get(reader.field)
      if (field === undefined) {
        this.unknownFields++
        reader.skip()
        continue
      }
      const packed = reader.wireType === LEN && isPackable(field)
      if (!packed) checkWireType(reader, field, schema, at)
      if (field.oneOf) message.clearOneOf(field)
      if (packed) gatherPacked(reader, field, message)
      else if (isPackable(field)) pushNumber(reader, field, message.numbersOf(field))
      else if (this.#lazy && field.repeated && field.scalar === 'string') addText(reader, field, message.target)
      else if (field.scalar !== undefined) setScalar(reader, field, field.scalar, message.target)
      else this.#readSubmessage(reader, field, message, depth)
    }
  }

  #readSubmessage(reader: ProtoReader, field: FieldSchema, message: MessageInProgress, depth: number): void {
    const length = reader.length()
    const from = reader.pos
    const to = (reader.pos += length)
    if (!field.repeated) {
      const parts = message.parts.get(field)
      if (parts === undefined) message.parts.set(field, [from, to])
      else parts.push(from, to)
      return
    }
    const { target } = message
    const schema = messageOf(this.#schema, field.type)
    if (this.#lazy) {
      const list = (target[field.name] ??= new LazyMessages(this, schema, depth + 1)) as LazyMessages
      list.add(from, to)
      list.addRun(reader, field.number)
    } else {
      const list = (target[field.name] ??= []) as unknown as Message[]
      list.push(this.readAt(schema, [from, to], depth + 1))
    }
  }
}

class MessageInProgress {
  readonly schema: MessageSchema
  readonly target: Message = {}
  /** Occurrences of messages that are not repeated. */
  readonly parts = new Map<FieldSchema, number[]>()
  readonly numbers = new Map<FieldSchema, GrowingInts>()

  constructor(schema: MessageSchema) {
    this.schema = schema
  }

  /** The numbers of a field so far, with room for `count` more ints. */
  numbersOf(field: FieldSchema, count = 8): GrowingInts {
    let ints = this.numbers.get(field)
    if (ints === undefined) this.numbers.set(field, (ints = new GrowingInts(count)))
    else ints.reserve(count)
    return ints
  }

  /** Clears the other fields of the same oneof. */
  clearOneOf(kept: FieldSchema): void {
    for (const field of this.schema.fields) {
      if (!field.oneOf || field === kept) continue
      this.parts.delete(field)
      if (field.name in this.target) delete this.target[field.name]
    }
  }
}

/** Messages that are decoded during each iteration. */
export class LazyMessages implements MessageSequence {
  readonly #reader: SchemaReader
  readonly #schema: MessageSchema
  readonly #depth: number
  readonly #ranges = new GrowingInts(2)

  constructor(reader: SchemaReader, schema: MessageSchema, depth: number) {
    this.#reader = reader
    this.#schema = schema
    this.#depth = depth
  }

  get length(): number {
    return this.#ranges.length / 2
  }

  get offset(): number {
    return this.#ranges.array[0]
  }

  add(from: number, to: number): void {
    this.#ranges.push(from)
    this.#ranges.push(to)
  }

  /** Adds the messages of the same field that follow directly. Rows of a table do. */
  addRun(reader: ProtoReader, field: number): void {
    const tag = (field << 3) | LEN
    const { bytes, end, pos } = reader
    if (tag >= 128 || pos >= end || bytes[pos] !== tag) return
    // Counting first is cheaper than growing, because each step allocates.
    let count = 0
    for (; reader.pos < end && bytes[reader.pos] === tag; count++) {
      reader.pos++
      const length = reader.length()
      reader.pos += length
    }
    reader.pos = pos
    const ranges = this.#ranges
    const array = ranges.reserve(2 * count)
    let at = ranges.length
    for (let i = 0; i < count; i++) {
      reader.pos++
      const length = reader.length()
      array[at++] = reader.pos
      reader.pos += length
      array[at++] = reader.pos
    }
    ranges.length = at
  }

  /** The bytes of each message. */
  eachRange(visit: (bytes: Uint8Array, from: number, to: number, i: number) => void): void {
    const { array, length } = this.#ranges
    for (let i = 0; i < length; i += 2) visit(this.#reader.bytes, array[i], array[i + 1], i / 2)
  }

  at(i: number): Message {
    const { array } = this.#ranges
    return this.#reader.readAt(this.#schema, [array[2 * i], array[2 * i + 1]], this.#depth)
  }

  /** The number of unknown fields that the reader has found so far. */
  get unknownFields(): number {
    return this.#reader.unknownFields
  }

  /** Reads each message into a row instead of an object. */
  readEach(row: { read(reader: SchemaReader, from: number, to: number): void }, visit: (i: number) => void): void {
    const { array, length } = this.#ranges
    for (let i = 0; i < length; i += 2) {
      row.read(this.#reader, array[i], array[i + 1])
      visit(i / 2)
    }
  }

  *[Symbol.iterator](): Iterator<Message> {
    for (let i = 0; i < this.length; i++) yield this.at(i)
  }
}

export function checkWireType(reader: ProtoReader, field: FieldSchema, schema: MessageSchema, at: number): void {
  const wanted = wireTypeOf(field.scalar)
  if (reader.wireType === wanted) return
  const found = wireTypeName(reader.wireType)
  throw new WireError(at, `${schema.name}.${field.name} is ${found}, expected ${wireTypeName(wanted)}`)
}

/** Strings that stay bytes until they are needed. */
export class LazyTexts {
  readonly bytes: Uint8Array
  /** The start and end of each string. */
  readonly ranges = new GrowingInts()
  #all: readonly string[] | undefined

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get length(): number {
    return this.ranges.length / 2
  }

  text(i: number): string {
    const { array } = this.ranges
    return decodeUtf8(this.bytes, array[2 * i], array[2 * i + 1])
  }

  all(): readonly string[] {
    return (this.#all ??= Array.from({ length: this.length }, (_, i) => this.text(i)))
  }
}

function addText(reader: ProtoReader, field: FieldSchema, target: Message): void {
  const { ranges } = (target[field.name] ??= new LazyTexts(reader.bytes)) as LazyTexts
  ranges.push(skipText(reader))
  ranges.push(reader.pos)
}

function setScalar(reader: ProtoReader, field: FieldSchema, scalar: Scalar, target: Message): void {
  const value = scalarAt(reader, scalar)
  if (field.repeated) {
    const list = (target[field.name] ??= []) as ScalarValue[]
    list.push(value)
  } else target[field.name] = value
}

function scalarAt(reader: ProtoReader, scalar: Scalar): ScalarValue {
  switch (scalar) {
    case 'int32':
      return int32At(reader)
    case 'uint32':
      return reader.int32() >>> 0
    case 'int64':
      return reader.int64()
    case 'uint64':
      return reader.uint64()
    case 'bool':
      return reader.int64() !== 0n
    case 'fixed64':
      reader.fixed64()
      return (BigInt(reader.hi >>> 0) << 32n) | BigInt(reader.lo >>> 0)
    case 'double':
      reader.fixed64()
      return doubleFromHalves(reader.lo, reader.hi)
    case 'string':
      return textAt(reader)
    case 'bytes':
      return reader.view()
  }
}

/** Throws for larger numbers, because truncating them would give another index. */
function int32At(reader: ProtoReader): number {
  const at = reader.pos
  reader.varint64()
  if (reader.hi !== reader.lo >> 31) throw new WireError(at, 'number does not fit in int32')
  return reader.lo
}

function textAt(reader: ProtoReader): string {
  const from = skipText(reader)
  return decodeUtf8(reader.bytes, from, reader.pos)
}

/** Moves behind a string and returns its start. */
function skipText(reader: ProtoReader): number {
  const length = reader.length()
  const from = reader.pos
  reader.pos += length
  if (!isUtf8(reader.bytes, from, reader.pos)) throw new WireError(from, 'string is not valid UTF-8')
  return from
}

function gatherPacked(reader: ProtoReader, field: FieldSchema, message: MessageInProgress): void {
  const length = reader.length()
  const outer = reader.end
  reader.end = reader.pos + length
  const ints = message.numbersOf(field, 2 * packedCount(reader, field, length))
  if (field.scalar === 'int64' || field.scalar === 'uint64') pushVarints(reader, ints)
  else while (reader.pos < reader.end) pushNumber(reader, field, ints)
  reader.end = outer
}

/** Reads the rest of a packed list of 64-bit numbers. Most take one or two bytes. There is room for all of them. */
function pushVarints(reader: ProtoReader, ints: GrowingInts): void {
  const { bytes, end } = reader
  const { array } = ints
  let at = ints.length
  let p = reader.pos
  while (p < end) {
    const byte = bytes[p]
    if (byte < 128) {
      array[at] = byte
      array[at + 1] = 0
      p++
    } else if (p + 1 < end && bytes[p + 1] < 128) {
      array[at] = (byte & 127) | (bytes[p + 1] << 7)
      array[at + 1] = 0
      p += 2
    } else {
      reader.pos = p
      reader.varint64()
      array[at] = reader.lo
      array[at + 1] = reader.hi
      p = reader.pos
    }
    at += 2
  }
  reader.pos = p
  ints.length = at
}

/** Counting first is cheaper than growing: most lists are short, and each step allocates. */
function packedCount({ bytes, pos }: ProtoReader, field: FieldSchema, length: number): number {
  if (field.scalar === 'fixed64') return length >> 3
  let count = 0
  for (let at = pos; at < pos + length; at++) if (bytes[at] < 0x80) count++
  return count
}

/** The field tables have repeated numbers of int32, int64, uint64 and fixed64 only. */
function pushNumber(reader: ProtoReader, field: FieldSchema, ints: GrowingInts): void {
  if (field.scalar === 'int32') {
    ints.push(int32At(reader))
    return
  }
  if (field.scalar === 'fixed64') reader.fixed64()
  else reader.varint64()
  ints.push(reader.lo)
  ints.push(reader.hi)
}

function numbersOf(field: FieldSchema, ints: GrowingInts): NumberSequence {
  if (field.scalar === 'int32') return ints.view()
  const { buffer } = ints.array
  const length = ints.length / 2
  return field.scalar === 'int64' ? new BigInt64Array(buffer, 0, length) : new BigUint64Array(buffer, 0, length)
}
