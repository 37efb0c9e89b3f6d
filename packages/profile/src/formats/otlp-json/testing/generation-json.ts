// Converts protobuf of any generation to OTLP/JSON with the field tables alone, to test the readers.
import { JsonWriter } from '../../../wire/json/json-writer.ts'
import type { JsonObject, JsonValue } from '../../../wire/json/json-reader.ts'
import type { FieldSchema, Generation, Schema } from '../../otlp/generations/schema.ts'
import { ROOT, jsonName, messageOf, schemaOf } from '../../otlp/generations/schema.ts'
import type { FieldValue, Message, ScalarValue } from '../../otlp/generations/schema-reader.ts'
import { SchemaReader } from '../../otlp/generations/schema-reader.ts'

export interface GenerationJsonOptions {
  /** Writes 64-bit integers as JSON numbers instead of strings. */
  readonly numbers?: boolean
  /** Writes ids in upper case. */
  readonly capitals?: boolean
  readonly indent?: number
}

export function generationJson(
  bytes: Uint8Array,
  generation: Generation,
  options: GenerationJsonOptions = {},
): Uint8Array {
  const schema = schemaOf(generation)
  const writer = new JsonWriter({ indent: options.indent })
  writer.value(messageJson(new SchemaReader(bytes, generation).read(ROOT), ROOT, schema, options))
  return writer.finish()
}

function messageJson(message: Message, name: string, schema: Schema, options: GenerationJsonOptions): JsonObject {
  const object: JsonObject = {}
  for (const field of messageOf(schema, name).fields) {
    const value = message[field.name]
    if (value !== undefined) object[jsonName(field.name)] = fieldJson(value, field, schema, options)
  }
  return object
}

function fieldJson(value: FieldValue, field: FieldSchema, schema: Schema, options: GenerationJsonOptions): JsonValue {
  const one = (item: unknown): JsonValue =>
    field.scalar === undefined
      ? messageJson(item as Message, field.type, schema, options)
      : scalarJson(item as ScalarValue, field.name, options)
  return field.repeated ? Array.from(value as Iterable<unknown>, one) : one(value)
}

function scalarJson(value: ScalarValue, name: string, options: GenerationJsonOptions): JsonValue {
  if (typeof value === 'bigint') return options.numbers === true ? value : String(value)
  if (!(value instanceof Uint8Array)) return value
  if (name !== 'trace_id' && name !== 'span_id' && name !== 'profile_id') return base64(value)
  const text = Array.from(value, byte => byte.toString(16).padStart(2, '0')).join('')
  return options.capitals === true ? text.toUpperCase() : text
}

/** Encodes through text, unlike the writer under test. */
export function base64(bytes: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const bits = Array.from(bytes, byte => byte.toString(2).padStart(8, '0')).join('')
  const characters = (bits.match(/.{1,6}/g) ?? []).map(six => alphabet[Number.parseInt(six.padEnd(6, '0'), 2)])
  return characters.join('').padEnd(Math.ceil(bytes.length / 3) * 4, '=')
}
