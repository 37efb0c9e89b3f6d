// Writes protobuf by a table of fields, last field first. See BackwardWriter in @hearth/profile.
import type { BackwardWriter } from '@hearth/profile'
import type { Field, Fields } from './field.ts'
import type { WithUnknown } from './unknown.ts'
import { usedFields } from './field.ts'
import { unionUnknown } from './unknown.ts'
import { writeMapEntries } from './map-entry.ts'
import type { Message } from './field.ts'
import { WIRE_TYPES, tagOf } from './read-message.ts'
import { LEN } from './wire-cursor.ts'
import { ROOM, writeText } from './write-text.ts'
import { writeUnknown } from './write-unknown.ts'

type Content = Readonly<Record<string, unknown>>
type WriteField = (writer: BackwardWriter, content: Content) => void
/** Writes a value without its tag. */
type WriteValue = (writer: BackwardWriter, value: unknown, unknown?: Uint8Array) => void

const halves = new Int32Array(2)
const signedWhole = new BigInt64Array(halves.buffer)
const unsignedWhole = new BigUint64Array(halves.buffer)
const doubles = new Float64Array(halves.buffer)

function signed(value: bigint): void {
  signedWhole[0] = value
  if (signedWhole[0] !== value) throw new RangeError(`${value} does not fit in int64`)
}

function unsigned(value: bigint): void {
  unsignedWhole[0] = value
  if (unsignedWhole[0] !== value) throw new RangeError(`${value} does not fit in uint64`)
}

function checked32(value: number): number {
  if ((value | 0) !== value) throw new RangeError(`${value} does not fit in int32`)
  return value
}

function checkedUnsigned32(value: number): number {
  if (value >>> 0 !== value) throw new RangeError(`${value} does not fit in uint32`)
  return value
}

function writeFixed32(writer: BackwardWriter, value: number): void {
  const p = (writer.pos -= 4)
  for (let i = 0; i < 4; i++) writer.bytes[p + i] = value >>> (8 * i)
}

function writeInt32(writer: BackwardWriter, value: number): void {
  // Negative numbers take 10 bytes: int32 and int64 are the same on the wire.
  writer.rawVarint64(checked32(value), value < 0 ? -1 : 0)
}

function writeBytes(writer: BackwardWriter, value: Uint8Array): void {
  writer.raw(value, 0, value.length)
  writer.reserve(ROOM)
  writer.rawVarint32(value.length)
}

function writeInt64(writer: BackwardWriter, value: bigint): void {
  signed(value)
  writer.rawVarint64(halves[0], halves[1])
}

function writeDouble(writer: BackwardWriter, value: number): void {
  doubles[0] = value
  writer.rawFixed64(halves[0], halves[1])
}

const WRITERS: Readonly<Record<Exclude<Field['type'], 'message'>, WriteValue>> = {
  double: (writer, value) => writeDouble(writer, value as number),
  int64: (writer, value) => writeInt64(writer, value as bigint),
  uint64: (writer, value) => {
    unsigned(value as bigint)
    writer.rawVarint64(halves[0], halves[1])
  },
  int32: (writer, value) => writeInt32(writer, value as number),
  fixed64: (writer, value) => {
    unsigned(value as bigint)
    writer.rawFixed64(halves[0], halves[1])
  },
  fixed32: (writer, value) => writeFixed32(writer, checkedUnsigned32(value as number)),
  bool: (writer, value) => writer.rawVarint32(value === true ? 1 : 0),
  string: (writer, value) => writeText(writer, value as string),
  bytes: (writer, value) => writeBytes(writer, value as Uint8Array),
  uint32: (writer, value) => writer.rawVarint32(checkedUnsigned32(value as number)),
  enum: (writer, value) => writeInt32(writer, value as number),
  sfixed64: (writer, value) => {
    signed(value as bigint)
    writer.rawFixed64(halves[0], halves[1])
  },
  sint32: (writer, value) => {
    const whole = checked32(value as number)
    writer.rawVarint32((whole << 1) ^ (whole >> 31))
  },
}

export function compileWrite(fields: Fields): (writer: BackwardWriter, content: unknown) => void {
  const writers = usedFields(fields)
    .toSorted(([, a], [, b]) => b.number - a.number)
    .map(([name, field]) => writerOf(name, field))
  return (writer, content) => {
    const { unknown } = content as WithUnknown
    if (unknown !== undefined && unknown.length > 0) writeUnknown(writer, unknown)
    for (const write of writers) write(writer, content as Content)
  }
}

/** Returns a function that writes one value with its tag, even if it is the default. */
export function compileWriteValue(field: Field): WriteValue {
  const tag = tagOf(field)
  if (field.message === undefined) {
    const write = WRITERS[field.type as keyof typeof WRITERS]
    return (writer, value) => {
      writer.reserve(ROOM)
      write(writer, value)
      writer.rawVarint32(tag)
    }
  }
  const type = field.message
  let message: Message | undefined
  return (writer, value, unknown) => {
    message ??= type()
    const mark = writer.written
    message.write(writer, value, unknown)
    writer.messageHeader(tag, mark)
  }
}

function writerOf(name: string, field: Field): WriteField {
  if (field.label === 'map') return writeMap(name, field)
  if (field.label === 'repeated')
    return WIRE_TYPES[field.type] === LEN ? writeItems(name, field) : writePacked(name, field)
  const isDefault = defaultOf(field)
  const write = compileWriteValue(field)
  if (field.type === 'message') {
    const unknownName = unionUnknown(name)
    return (writer, content) => {
      const value = content[name]
      const unknown = content[unknownName] as Uint8Array | undefined
      if (!isDefault(value) || unknown !== undefined) write(writer, value, unknown)
    }
  }
  return (writer, content) => {
    const value = content[name]
    if (!isDefault(value)) write(writer, value)
  }
}

/** Returns a test for values that are not written because readers assume them. */
export function defaultOf(field: Field): (value: unknown) => boolean {
  if (field.label === 'optional' || field.oneOf !== undefined) return value => value === undefined
  // Object.is, because -0 is not the default of a double.
  if (field.type === 'bytes') return value => (value as Uint8Array).length === 0
  return value => Object.is(value, field.initial)
}

function writeItems(name: string, field: Field): WriteField {
  const write = compileWriteValue(field)
  return (writer, content) => {
    const list = content[name] as readonly unknown[]
    for (let i = list.length - 1; i >= 0; i--) write(writer, list[i])
  }
}

function writePacked(name: string, field: Field): WriteField {
  const tag = (field.number << 3) | LEN
  const write = WRITERS[field.type as keyof typeof WRITERS]
  return (writer, content) => {
    const list = content[name] as readonly unknown[]
    if (list.length === 0) return
    const mark = writer.written
    for (let i = list.length - 1; i >= 0; i--) {
      writer.reserve(ROOM)
      write(writer, list[i])
    }
    writer.messageHeader(tag, mark)
  }
}

function writeMap(name: string, field: Field): WriteField {
  const tag = tagOf(field)
  const type = field.message!
  let message: Message | undefined
  return (writer, content) =>
    writeMapEntries(writer, content[name] as Readonly<Record<string, unknown>>, (message ??= type()), tag)
}
