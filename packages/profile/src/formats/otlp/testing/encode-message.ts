// Writes plain objects as any message of any generation, using the field tables. The counterpart of the schema reader.
import { halvesOfDouble } from '../../../model/columns/any-value.ts'
import { highHalf, lowHalf } from '../../../model/columns/int64.ts'
import { BackwardWriter } from '../../../wire/protobuf/backward-writer.ts'
import { LEN } from '../../../wire/protobuf/proto-reader.ts'
import { encodeUtf8 } from '../../../wire/utf8.ts'
import type { FieldSchema, Generation, Schema } from '../generations/schema.ts'
import { ROOT, messageOf, schemaOf } from '../generations/schema.ts'
import type { Message, ScalarValue } from '../generations/schema-reader.ts'
import { isPackable, wireTypeOf } from '../generations/schema-reader.ts'

/** The value of a field: numbers if exact, arrays for lists. */
type Plain = ScalarValue | undefined | PlainMessage | readonly Plain[]
export interface PlainMessage {
  readonly [field: string]: Plain
}

export interface EncodeOptions {
  /** Writes lists of numbers unpacked. */
  readonly unpacked?: boolean
  /** Writes fields from the highest number down, like the Collector. */
  readonly descending?: boolean
}

/** Omits zeros, unless the generation distinguishes them from absent fields. Throws for unknown keys. */
export function encodeMessage(
  generation: Generation,
  content: PlainMessage,
  name = ROOT,
  options: EncodeOptions = {},
): Uint8Array {
  return encodeBySchema(schemaOf(generation), content, name, options)
}

/** As encodeMessage, for messages of a draft that is no generation. */
export function encodeBySchema(
  schema: Schema,
  content: PlainMessage,
  name: string,
  options: EncodeOptions = {},
): Uint8Array {
  const writer = new BackwardWriter(1024)
  new Encoder(writer, schema, options).message(name, content)
  return writer.finish().slice()
}

class Encoder {
  readonly #writer: BackwardWriter
  readonly #schema: Schema
  readonly #options: EncodeOptions

  constructor(writer: BackwardWriter, schema: Schema, options: EncodeOptions) {
    this.#writer = writer
    this.#schema = schema
    this.#options = options
  }

  message(name: string, content: PlainMessage): void {
    const { fields, byName } = messageOf(this.#schema, name)
    for (const key of Object.keys(content)) if (!byName.has(key)) throw new RangeError(`${name} has no field ${key}`)
    // The writer works from the end to the start.
    for (const field of this.#options.descending === true ? fields : fields.toReversed()) {
      const value = content[field.name]
      if (value !== undefined) this.#field(field, value)
    }
  }

  #field(field: FieldSchema, value: Plain): void {
    if (!field.repeated) {
      if (field.tracked || !isZero(value)) this.#one(field, value)
      return
    }
    const items = Array.from(value as ArrayLike<Plain>)
    if (items.length === 0) return
    if (isPackable(field) && this.#options.unpacked !== true) {
      const mark = this.#writer.written
      for (const item of items.reverse()) this.#raw(field, item)
      this.#writer.messageHeader((field.number << 3) | LEN, mark)
    } else for (const item of items.reverse()) this.#one(field, item)
  }

  #one(field: FieldSchema, value: Plain): void {
    const writer = this.#writer
    const tag = (field.number << 3) | wireTypeOf(field.scalar)
    if (field.scalar === undefined) {
      const mark = writer.written
      this.message(field.type, value as Message as PlainMessage)
      writer.messageHeader(tag, mark)
    } else if (field.scalar === 'string' || field.scalar === 'bytes') {
      const bytes = typeof value === 'string' ? encodeUtf8(value) : (value as Uint8Array)
      writer.bytesField(tag, bytes, 0, bytes.length)
    } else {
      this.#raw(field, value)
      writer.reserve(8)
      writer.rawVarint32(tag)
    }
  }

  #raw(field: FieldSchema, value: Plain): void {
    const writer = this.#writer
    writer.reserve(16)
    if (field.scalar === 'double') writer.rawFixed64(...halvesOfDouble(value as number))
    else {
      const whole = BigInt(value as bigint | number | boolean)
      if (field.scalar === 'fixed64') writer.rawFixed64(lowHalf(whole), highHalf(whole))
      else writer.rawVarint64(lowHalf(whole), highHalf(whole))
    }
  }
}

function isZero(value: Plain): boolean {
  return (
    value === 0 ||
    value === 0n ||
    value === false ||
    value === '' ||
    (value instanceof Uint8Array && value.length === 0)
  )
}
