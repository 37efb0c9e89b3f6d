// A message type made from a table of fields: protobuf and OTLP/JSON in both directions.
import type { BackwardWriter, JsonWriter } from '@hearth/profile'
import type { Fields, MessageOf } from './field.ts'
import type { JsonCursor } from './json-cursor.ts'
import { compileReadJson } from './read-json.ts'
import { compileRead } from './read-message.ts'
import type { WireCursor } from './wire-cursor.ts'
import { compileWriteJson } from './write-json.ts'
import { compileWrite } from './write-message.ts'

export interface Message<T = unknown> {
  /** With its package, as `opentelemetry.proto.trace.v1.Span`. */
  readonly name: string
  readonly fields: Fields
  /** Reads up to `end`. Adds to `into` where the message was sent in several pieces, as protobuf has it. */
  read(cursor: WireCursor, end: number, into: T | undefined): T
  write(writer: BackwardWriter, content: T): void
  readJson(cursor: JsonCursor): T
  writeJson(writer: JsonWriter, content: T): void
}

/** The object that a message type reads and writes. */
export type ContentOf<M> = M extends Message<infer T> ? T : never

export function defineMessage<F extends Fields>(name: string, fields: F): Message<MessageOf<F>> {
  type T = MessageOf<F>
  return {
    name,
    fields,
    read: compileRead(fields) as Message<T>['read'],
    write: compileWrite(fields),
    readJson: compileReadJson(fields) as Message<T>['readJson'],
    writeJson: compileWriteJson(fields),
  }
}

/** A type with another name and the same fields: the same bytes on the wire. */
export function sameFields<T>(name: string, message: Message<T>): Message<T> {
  return { ...message, name }
}
