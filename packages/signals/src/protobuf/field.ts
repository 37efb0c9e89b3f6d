// The fields that a message is described with: number, type, and whether a field is repeated, optional or part of a oneof.
// TypeScript's types, both codecs, the descriptors and the .proto texts are derived from these tables, so they agree.
//
//   export const STATUS = defineMessage('….trace.v1.Status', { message: text(2), code: enumeration(3, STATUS_CODE) })
//   export interface Status extends ContentOf<typeof STATUS> {}
import type { BackwardWriter, JsonWriter } from '@hearth/profile'
import type { JsonCursor } from './json-cursor.ts'
import type { WireCursor } from './wire-cursor.ts'

export interface Message<T = unknown> {
  /** Includes the package: `opentelemetry.proto.trace.v1.Span`. */
  readonly name: string
  readonly fields: Fields
  /** Reads up to `end`. Merges into `into` if the sender split the message, as protobuf requires. */
  read(cursor: WireCursor, end: number, into: T | undefined): T
  /** `unknown` is for contents that are not objects, such as attribute values: see unknown.ts. */
  write(writer: BackwardWriter, content: T, unknown?: Uint8Array): void
  readJson(cursor: JsonCursor): T
  writeJson(writer: JsonWriter, content: T, unknown?: Uint8Array): void
}

/** The object that a message type reads and writes. */
export type ContentOf<M> = M extends Message<infer T> ? T : never

/** The types of protobuf that our messages use, with protobuf's names. */
export type FieldType =
  | 'double'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'fixed64'
  | 'fixed32'
  | 'bool'
  | 'string'
  | 'message'
  | 'bytes'
  | 'uint32'
  | 'enum'
  | 'sfixed64'
  | 'sint32'

export interface Enumeration {
  /** Includes the package: `opentelemetry.proto.trace.v1.Span.SpanKind`. */
  readonly name: string
  readonly values: Readonly<Record<string, number>>
  /** How JSON writes values. OTLP uses numbers, the default; other proto3 messages use names. Readers accept both. */
  readonly jsonText?: 'number' | 'name'
}

export interface Field<T = unknown> {
  readonly number: number
  readonly type: FieldType
  /** The keys of a map are strings, its values messages. */
  readonly label: 'plain' | 'optional' | 'repeated' | 'map'
  /** The name of the oneof that contains the field. */
  readonly oneOf: string | undefined
  /** How JSON writes bytes. OTLP writes ids in hex. */
  readonly byteText: 'hex' | 'base64' | 'hex or base64'
  /** A function, because messages can contain themselves. */
  readonly message: (() => Message) | undefined
  readonly enumeration: Enumeration | undefined
  /** The value of a field that was not sent. */
  readonly initial: T
  /** The name in JSON and .proto files, if it is not the property's. */
  readonly jsonName?: string
  /** The name in .proto files, if it is not the JSON name in snake case. */
  readonly protoName?: string
  /** The field is part of the descriptor, but readers skip it and writers omit it. */
  readonly isIgnored?: boolean
}

export interface IgnoredField extends Field<never> {
  readonly isIgnored: true
}

export type Fields = Readonly<Record<string, Field>>

/** The object that a table of fields describes. */
export type MessageOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends IgnoredField ? never : Name]: F[Name] extends Field<infer T> ? T : never
}

const NO_BYTES: Uint8Array = new Uint8Array(0)
const NO_ITEMS: readonly never[] = Object.freeze([])
const NO_ENTRIES: Readonly<Record<string, never>> = Object.freeze(Object.create(null) as Record<string, never>)

function plain<T>(type: FieldType, number: number, initial: T): Field<T> {
  return {
    number,
    type,
    label: 'plain',
    oneOf: undefined,
    byteText: 'base64',
    message: undefined,
    enumeration: undefined,
    initial,
  }
}

export const text = (number: number): Field<string> => plain('string', number, '')
export const bool = (number: number): Field<boolean> => plain('bool', number, false)
export const double = (number: number): Field<number> => plain('double', number, 0)
export const int32 = (number: number): Field<number> => plain('int32', number, 0)
export const uint32 = (number: number): Field<number> => plain('uint32', number, 0)
export const sint32 = (number: number): Field<number> => plain('sint32', number, 0)
export const fixed32 = (number: number): Field<number> => plain('fixed32', number, 0)
export const int64 = (number: number): Field<bigint> => plain('int64', number, 0n)
export const uint64 = (number: number): Field<bigint> => plain('uint64', number, 0n)
export const fixed64 = (number: number): Field<bigint> => plain('fixed64', number, 0n)
export const sfixed64 = (number: number): Field<bigint> => plain('sfixed64', number, 0n)
export const bytes = (number: number): Field<Uint8Array> => plain('bytes', number, NO_BYTES)

/** The id of a trace or a span: bytes in protobuf, hex in JSON. */
export const id = (number: number): Field<Uint8Array> => ({ ...bytes(number), byteText: 'hex' })

/** An id that JSON writes in hex although the message's specification says base64. Readers accept both. */
export const hexId = (number: number): Field<Uint8Array> => ({ ...bytes(number), byteText: 'hex or base64' })

/** An open enum, as in proto3: readers keep numbers without a name. */
export const enumeration = (number: number, values: Enumeration): Field<number> => ({
  ...plain('enum', number, 0),
  enumeration: values,
})

/** The value is undefined if the field was not sent, which differs from an empty message. */
export function message<T>(number: number, type: Message<T> | (() => Message<T>)): Field<T | undefined> {
  const field = plain<T | undefined>('message', number, undefined)
  const of = typeof type === 'function' ? type : (): Message<T> => type
  return { ...field, message: of as () => Message }
}

export function repeated<T>(field: Field<T>): Field<readonly Exclude<T, undefined>[]> {
  return { ...field, label: 'repeated', initial: NO_ITEMS }
}

/** A list of messages whose content can be undefined, such as AnyValue. The type of `repeated` excludes undefined. */
export function messages<T>(number: number, type: Message<T> | (() => Message<T>)): Field<readonly T[]> {
  return { ...message(number, type), label: 'repeated', initial: NO_ITEMS }
}

/**
 * Messages by string keys. Readers return objects without a prototype, so `__proto__` is an ordinary key. The last entry
 * of a key wins.
 */
export function map<T>(number: number, type: Message<T> | (() => Message<T>)): Field<Readonly<Record<string, T>>> {
  return { ...message(number, type), label: 'map', initial: NO_ENTRIES }
}

/** The value is undefined if the field was not sent; zero is a value. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { ...field, label: 'optional', initial: undefined }
}

/** At most one of the fields with the same `name` is not undefined: the last one sent. */
export function oneOf<T>(name: string, field: Field<T>): Field<T | undefined> {
  return { ...field, oneOf: name, initial: undefined }
}

/** A field whose name in .proto files or in JSON does not follow from the property's name. */
export function named<T>(names: { readonly json?: string; readonly proto?: string }, field: Field<T>): Field<T> {
  return {
    ...field,
    ...(names.json === undefined ? {} : { jsonName: names.json }),
    ...(names.proto === undefined ? {} : { protoName: names.proto }),
  }
}

/** A field that descriptors contain, that readers skip and that writers omit. */
export function ignored(field: Field): IgnoredField {
  return { ...field, initial: undefined as never, isIgnored: true }
}

export function jsonNameOf(property: string, field: Field): string {
  return field.jsonName ?? property
}

/** `droppedAttributesCount` in objects and JSON is `dropped_attributes_count` in .proto files. */
export function protoNameOf(property: string, field: Field): string {
  return field.protoName ?? jsonNameOf(property, field).replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** The fields that are read and written, with their properties. */
export function usedFields(fields: Fields): (readonly [property: string, field: Field])[] {
  return Object.entries(fields).filter(([, field]) => field.isIgnored !== true)
}

/** The other fields of the same oneof. */
export function rivalsOf(
  property: string,
  field: Field,
  entries: readonly (readonly [property: string, field: Field])[],
): string[] {
  if (field.oneOf === undefined) return []
  return entries.filter(([other, { oneOf }]) => oneOf === field.oneOf && other !== property).map(([other]) => other)
}
