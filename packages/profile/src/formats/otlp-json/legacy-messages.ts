// Decodes messages of any generation into the same plain objects that otlp/generations/schema-reader.ts returns for protobuf,
// so that one legacy reader handles both. Lists of messages are stored as offsets and decoded during iteration: `{},` takes 3
// bytes of text and about 60 as an object.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64, uint64 } from '../../model/columns/int64.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { FieldSchema, Generation, MessageSchema, Scalar, Schema } from '../otlp/generations/schema.ts'
import { ROOT, jsonName, messageOf, schemaOf } from '../otlp/generations/schema.ts'
import type {
  FieldValue,
  Message,
  MessageSequence,
  NumberSequence,
  ScalarValue,
} from '../otlp/generations/schema-reader.ts'
import { readBytes } from './byte-text.ts'

/** The limit of protobuf's own readers. */
const MAX_DEPTH = 100
/** Maximum number of strings in a list. Strings become an array here, and larger tables are implausible. */
const MAX_STRINGS = 1 << 24

const NO_NUMBERS: NumberSequence = []

export interface LegacyMessage {
  /** Its lists of messages are decoded with the given reader, at whatever position it is. */
  readonly root: Message
  readonly unknownFields: number
  /** The offset after the message. */
  readonly to: number
}

/**
 * Reads the next message. Checks everything before it returns, so decoding lists later does not throw. Throws JsonError.
 */
export function readLegacyMessage(reader: JsonReader, generation: Generation): LegacyMessage {
  const from = reader.offset
  const schema = messageOf(schemaOf(generation), ROOT)
  const checking = new LegacyMessages(reader, generation, true)
  checking.messageAt(from, schema)
  const to = reader.offset
  const root = new LegacyMessages(reader, generation, false).messageAt(from, schema)
  return { root, unknownFields: checking.unknownFields, to }
}

class LegacyMessages {
  unknownFields = 0
  readonly #reader: JsonReader
  readonly #schema: Schema
  /** Reads and checks everything, but stores nothing. */
  readonly #checks: boolean
  readonly #ints = new GrowingInts()

  constructor(reader: JsonReader, generation: Generation, checks: boolean) {
    this.#reader = reader
    this.#schema = schemaOf(generation)
    this.#checks = checks
  }

  /** Between two messages the reader is in no object, so one reader can be used for all. */
  messageAt(offset: number, schema: MessageSchema): Message {
    this.#reader.offset = offset
    return this.#message(schema, 1)
  }

  #message(schema: MessageSchema, depth: number): Message {
    const reader = this.#reader
    if (depth > MAX_DEPTH) reader.fail(`messages nested deeper than ${MAX_DEPTH} levels`)
    const fields = fieldsOf(schema)
    const message: Message = {}
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      const field = fields.get(key)
      if (field === undefined) this.unknownFields++
      else {
        if (field.oneOf) for (const other of schema.fields) if (other.oneOf) delete message[other.name]
        message[field.name] = this.#value(field, depth)
      }
    }
    return message
  }

  #value(field: FieldSchema, depth: number): FieldValue {
    const { scalar } = field
    if (scalar !== undefined) return field.repeated ? this.#scalars(scalar) : this.#scalar(scalar, field.name)
    const schema = messageOf(this.#schema, field.type)
    return field.repeated ? this.#messages(schema, depth + 1) : this.#message(schema, depth + 1)
  }

  #messages(schema: MessageSchema, depth: number): MessageSequence {
    const reader = this.#reader
    const places = new GrowingInts(8)
    reader.beginArray()
    while (reader.nextItem()) {
      if (this.#checks) this.#message(schema, depth)
      else places.push(reader.offset)
    }
    return new LazyMessages(this, schema, places)
  }

  #scalars(scalar: Scalar): readonly string[] | NumberSequence {
    if (scalar === 'string') return this.#strings()
    const reader = this.#reader
    const ints = this.#ints
    ints.length = 0
    reader.beginArray()
    while (reader.nextItem()) {
      if (scalar === 'int32') ints.push(reader.int32())
      else {
        reader.int64(scalar === 'int64' ? 'signed' : 'unsigned')
        ints.push(reader.lo)
        ints.push(reader.hi)
      }
    }
    if (ints.length === 0 || this.#checks) return NO_NUMBERS
    // Most lists have one value, and a typed array costs about 100 ns.
    if (ints.length <= 2 && scalar === 'int64') return [int64(ints.array[0], ints.array[1])]
    const { buffer } = ints.array.slice(0, ints.length)
    if (scalar === 'int32') return new Int32Array(buffer)
    return scalar === 'int64' ? new BigInt64Array(buffer) : new BigUint64Array(buffer)
  }

  #strings(): readonly string[] {
    const reader = this.#reader
    const strings: string[] = []
    reader.beginArray()
    for (let i = 0; reader.nextItem(); i++) {
      if (i === MAX_STRINGS) reader.fail(`more than ${MAX_STRINGS} strings in a list`)
      const text = reader.string()
      if (!this.#checks) strings.push(text)
    }
    return strings
  }

  #scalar(scalar: Scalar, name: string): ScalarValue {
    const reader = this.#reader
    switch (scalar) {
      case 'int32':
        return reader.int32()
      case 'uint32':
        return reader.uint32()
      case 'int64':
        reader.int64('signed')
        return int64(reader.lo, reader.hi)
      case 'uint64':
      case 'fixed64':
        reader.int64('unsigned')
        return uint64(reader.lo, reader.hi)
      case 'double':
        return reader.double()
      case 'bool':
        return reader.boolean()
      case 'string':
        return reader.string()
      case 'bytes':
        if (name === 'profile_id') return readBytes(reader, 'hex or base64')
        return readBytes(reader, name === 'trace_id' || name === 'span_id' ? 'hex' : 'base64')
    }
  }
}

const fieldsByKey = new WeakMap<MessageSchema, ReadonlyMap<string, FieldSchema>>()

/** The fields of a message by their JSON names. */

export function fieldsOf(schema: MessageSchema): ReadonlyMap<string, FieldSchema> {
  let fields = fieldsByKey.get(schema)
  if (fields === undefined) {
    fields = new Map(schema.fields.map(field => [jsonName(field.name), field]))
    fieldsByKey.set(schema, fields)
  }
  return fields
}

class LazyMessages implements MessageSequence {
  readonly #messages: LegacyMessages
  readonly #schema: MessageSchema
  readonly #places: GrowingInts

  constructor(messages: LegacyMessages, schema: MessageSchema, places: GrowingInts) {
    this.#messages = messages
    this.#schema = schema
    this.#places = places
  }

  get length(): number {
    return this.#places.length
  }

  get offset(): number {
    return this.#places.array[0]
  }

  *[Symbol.iterator](): Iterator<Message> {
    const { array, length } = this.#places
    for (let i = 0; i < length; i++) yield this.#messages.messageAt(array[i], this.#schema)
  }
}
