// What a message's fields are written down with: number, type, and whether it is repeated, optional or one of several.
// TypeScript's types, both codecs and the descriptor for reflection are all made from these, so none can disagree.
//
//   export const STATUS = defineMessage('….trace.v1.Status', { message: text(2), code: enumeration(3, STATUS_CODE) })
//   export interface Status extends ContentOf<typeof STATUS> {}
import type { Message } from './message.ts'

/** As protobuf spells them. */
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
  /** With its package, as `opentelemetry.proto.trace.v1.Span.SpanKind`. */
  readonly name: string
  readonly values: Readonly<Record<string, number>>
  /** How JSON spells them: OTLP has numbers, which is the default, every other proto3 names. Both are read. */
  readonly jsonText?: 'number' | 'name'
}

export interface Field<T = unknown> {
  readonly number: number
  readonly type: FieldType
  /** A map's keys are strings, and its values messages. */
  readonly label: 'plain' | 'optional' | 'repeated' | 'map'
  /** The name of the oneof that it is in. */
  readonly oneOf: string | undefined
  /** How JSON spells bytes: ids are hex in OTLP, and some are either. */
  readonly byteText: 'hex' | 'base64' | 'hex or base64'
  /** A function, because messages may hold themselves. */
  readonly message: (() => Message) | undefined
  readonly enumeration: Enumeration | undefined
  /** What the field holds when nothing was sent. */
  readonly initial: T
}

export type Fields = Readonly<Record<string, Field>>

/** The object that a table of fields describes. */
export type MessageOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never
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

/** A trace's or span's id: bytes on the wire, hex in JSON. */
export const id = (number: number): Field<Uint8Array> => ({ ...bytes(number), byteText: 'hex' })

/** Hex in JSON as ids are, though the specification of the message has base64; both are read. */
export const hexId = (number: number): Field<Uint8Array> => ({ ...bytes(number), byteText: 'hex or base64' })

/** Open, as in proto3: numbers without a name are kept. */
export const enumeration = (number: number, values: Enumeration): Field<number> => ({
  ...plain('enum', number, 0),
  enumeration: values,
})

/** Undefined when nothing was sent, which is something else than a message without content. */
export function message<T>(number: number, type: Message<T> | (() => Message<T>)): Field<T | undefined> {
  const field = plain<T | undefined>('message', number, undefined)
  const of = typeof type === 'function' ? type : (): Message<T> => type
  return { ...field, message: of as () => Message }
}

export function repeated<T>(field: Field<T>): Field<readonly Exclude<T, undefined>[]> {
  return { ...field, label: 'repeated', initial: NO_ITEMS }
}

/** For messages whose content may be undefined, as AnyValue's: Exclude would take that away. */
export function messages<T>(number: number, type: Message<T> | (() => Message<T>)): Field<readonly T[]> {
  return { ...message(number, type), label: 'repeated', initial: NO_ITEMS }
}

/**
 * Objects by their keys. What is read has no prototype, so that `__proto__` is a key like any other. The last of several
 * entries with one key counts.
 */
export function map<T>(number: number, type: Message<T> | (() => Message<T>)): Field<Readonly<Record<string, T>>> {
  return { ...message(number, type), label: 'map', initial: NO_ENTRIES }
}

/** Undefined when nothing was sent: its zero is a value. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { ...field, label: 'optional', initial: undefined }
}

/** At most one of the fields with the same `name` is not undefined: the last one sent. */
export function oneOf<T>(name: string, field: Field<T>): Field<T | undefined> {
  return { ...field, oneOf: name, initial: undefined }
}
