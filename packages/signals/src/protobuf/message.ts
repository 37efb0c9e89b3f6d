// A message type, derived from a table of fields: protobuf and JSON in both directions.
import type { Fields, Message, MessageOf } from './field.ts'
import type { WithUnknown } from './unknown.ts'
import { compileReadJson } from './read-json.ts'
import { compileRead } from './read-message.ts'
import { compileWriteJson } from './write-json.ts'
import { compileWrite } from './write-message.ts'

/** A message with OTLP's JSON, which accepts fields under their camel-case names only. */
export function defineMessage<F extends Fields>(name: string, fields: F): Message<MessageOf<F> & WithUnknown> {
  return define(name, fields, 'json')
}

/**
 * A message with protobuf's own JSON, which accepts two names for a field: clients send `profileTypeID`, people who write
 * requests by hand often `profile_typeID`.
 */
export function defineProtoJson<F extends Fields>(name: string, fields: F): Message<MessageOf<F> & WithUnknown> {
  return define(name, fields, 'json or proto')
}

function define<F extends Fields>(
  name: string,
  fields: F,
  names: 'json' | 'json or proto',
): Message<MessageOf<F> & WithUnknown> {
  type T = MessageOf<F> & WithUnknown
  return {
    name,
    fields,
    read: compileRead(fields) as Message<T>['read'],
    write: compileWrite(fields),
    readJson: compileReadJson(fields, names) as Message<T>['readJson'],
    writeJson: compileWriteJson(fields),
  }
}

/** A type with another name and the same fields, and so the same bytes. */
export function sameFields<T>(name: string, message: Message<T>): Message<T> {
  return { ...message, name }
}

/** A message with one field, represented by the value of that field: a list or a map without an object around it. */
export function unwrapped<Name extends string, T>(
  property: Name,
  message: Message<Readonly<Record<Name, T>> & WithUnknown>,
): Message<T> {
  const wrap = (value: T): Readonly<Record<Name, T>> => ({ [property]: value }) as Readonly<Record<Name, T>>
  return {
    name: message.name,
    fields: message.fields,
    read: (cursor, end, into) => message.read(cursor, end, into === undefined ? undefined : wrap(into))[property],
    write: (writer, value) => message.write(writer, wrap(value)),
    readJson: cursor => message.readJson(cursor)[property],
    writeJson: (writer, value) => message.writeJson(writer, wrap(value)),
  }
}
