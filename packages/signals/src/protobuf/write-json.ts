// Writes JSON by a table of fields: 64-bit integers as strings, OTLP's ids in hex, and no defaults.
import type { JsonWriter } from '@hearth/profile'
import { quotedBase64, quotedHex } from '@hearth/profile'
import type { Enumeration, Field, Fields } from './field.ts'
import type { WithUnknown } from './unknown.ts'
import { jsonNameOf, usedFields } from './field.ts'
import { unionUnknown } from './unknown.ts'
import type { Message } from './field.ts'
import { defaultOf } from './write-message.ts'
import { writeUnknownJson } from './write-unknown.ts'

type Content = Readonly<Record<string, unknown>>
type WriteValue = (writer: JsonWriter, value: unknown, unknown?: Uint8Array) => void

const halves = new Int32Array(2)
const whole = new BigInt64Array(halves.buffer)

function writeWhole(writer: JsonWriter, value: bigint, unsigned: boolean): void {
  // Wraps, so unsigned numbers from 2^63 on have the same halves.
  whole[0] = value
  writer.int64String(halves[0], halves[1], unsigned)
}

export function compileWriteJson(fields: Fields): (writer: JsonWriter, content: unknown) => void {
  const members = usedFields(fields).map(([property, field]) => ({
    property,
    unknownProperty: unionUnknown(property),
    key: jsonNameOf(property, field),
    isAbsent: absence(field),
    write: writerOf(field),
  }))
  return (writer, content) => {
    writer.beginObject()
    for (const { property, unknownProperty, key, isAbsent, write } of members) {
      const value = (content as Content)[property]
      const unknown = (content as Content)[unknownProperty] as Uint8Array | undefined
      if (isAbsent(value) && unknown === undefined) continue
      writer.key(key)
      write(writer, value, unknown)
    }
    const { unknown } = content as WithUnknown
    if (unknown !== undefined) writeUnknownJson(writer, unknown)
    writer.endObject()
  }
}

function writerOf(field: Field): WriteValue {
  const write = compileWriteJsonValue(field)
  if (field.label === 'map') return mapWriter(write)
  return field.label === 'repeated' ? listWriter(write) : write
}

function absence(field: Field): (value: unknown) => boolean {
  if (field.label === 'map') return value => Object.keys(value as object).length === 0
  if (field.label === 'repeated') return value => (value as readonly unknown[]).length === 0
  if (field.type === 'message') return value => value === undefined
  return defaultOf(field)
}

function listWriter(write: WriteValue): WriteValue {
  return (writer, list) => {
    writer.beginArray()
    for (const item of list as readonly unknown[]) write(writer, item)
    writer.endArray()
  }
}

function mapWriter(write: WriteValue): WriteValue {
  return (writer, entries) => {
    writer.beginObject()
    for (const key of Object.keys(entries as Content)) {
      writer.key(key)
      write(writer, (entries as Content)[key])
    }
    writer.endObject()
  }
}

/** Numbers without a name stay numbers. */
function enumWriter({ values, jsonText = 'number' }: Enumeration): WriteValue {
  if (jsonText === 'number') return (writer, value) => writer.number(value as number)
  const names = new Map(Object.entries(values).map(([name, number]) => [number, name]))
  return (writer, value) => {
    const name = names.get(value as number)
    if (name === undefined) writer.number(value as number)
    else writer.string(name)
  }
}

function compileWriteJsonValue(field: Field): WriteValue {
  switch (field.type) {
    case 'message': {
      let message: Message | undefined
      return (writer, value, unknown) => {
        message ??= field.message!()
        message.writeJson(writer, value, unknown)
      }
    }
    case 'string':
      return (writer, value) => writer.string(value as string)
    case 'bytes':
      return field.byteText === 'base64'
        ? (writer, value) => writer.raw(quotedBase64(value as Uint8Array))
        : (writer, value) => writer.raw(quotedHex(value as Uint8Array))
    case 'bool':
      return (writer, value) => writer.boolean(value as boolean)
    case 'int64':
    case 'sfixed64':
      return (writer, value) => writeWhole(writer, value as bigint, false)
    case 'uint64':
    case 'fixed64':
      return (writer, value) => writeWhole(writer, value as bigint, true)
    case 'double':
    case 'int32':
    case 'sint32':
    case 'uint32':
    case 'fixed32':
      return (writer, value) => writer.number(value as number)
    case 'enum':
      return enumWriter(field.enumeration!)
  }
}
