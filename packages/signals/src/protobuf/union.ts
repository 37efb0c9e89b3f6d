// Messages that consist of a single oneof, represented by the value itself: `80n` instead of `{ intValue: 80n }`. Attribute
// values of OTLP and google.protobuf.Value are such messages.
import type { BackwardWriter, JsonWriter } from '@hearth/profile'
import type { Field, Fields } from './field.ts'
import { jsonNameOf, usedFields } from './field.ts'
import type { JsonCursor } from './json-cursor.ts'
import type { Message } from './field.ts'
import { compileReadJsonValue } from './read-json.ts'
import { SCALAR_READERS, tagOf } from './read-message.ts'
import type { WireCursor } from './wire-cursor.ts'
import { compileWriteValue } from './write-message.ts'

export interface UnionOptions<T, F extends Fields> {
  /** The property of the field that holds a value. */
  readonly kindOf: (value: Exclude<T, undefined>) => keyof F & string
  /** The property of the field that stands for null, whatever number was sent. */
  readonly nullKind?: keyof F & string
  /** How deep values may be nested, and what errors call them. */
  readonly maxDepth: number
  readonly noun: string
  /** The memory that a value takes, in bytes. */
  readonly cost: number
  readonly writeJson: (writer: JsonWriter, value: T | undefined) => void
  /** How unknown fields are kept. Without it, they are dropped. */
  readonly unknown?: UnknownOptions<T>
}

/** Unknown fields of a union are kept by the message that contains it, because the value itself has no place for them. */
interface UnknownOptions<T> {
  /** The unknown fields of the encoded union, and of the messages in it. */
  readonly of: (bytes: Uint8Array, from: number, to: number) => Uint8Array
  /** The same for members of JSON. */
  readonly ofMembers: (members: readonly Uint8Array[]) => Uint8Array
  readonly write: (writer: BackwardWriter, value: T | undefined, unknown: Uint8Array) => void
  readonly writeJson: (writer: JsonWriter, value: T | undefined, unknown: Uint8Array) => void
}

type ReadKind<T> = (cursor: WireCursor, end: number, into: T | undefined) => T

/** How deep the value that is being written is. Writing is one synchronous call. */
let writeDepth = 0

/** The content is undefined if no field was sent. */
export function defineUnion<T, F extends Fields>(
  name: string,
  fields: F,
  options: UnionOptions<T, F>,
): Message<T | undefined> {
  const { kindOf, nullKind, maxDepth, noun, cost, writeJson, unknown: keeping } = options
  const used = usedFields(fields)
  const readers: (ReadKind<T> | undefined)[] = []
  const isUsed: boolean[] = []
  for (const [property, field] of used) {
    readers[tagOf(field)] = property === nullKind ? readNull(field) : readKind(property, field, kindOf)
    isUsed[field.number] = true
  }
  for (let tag = 0; tag < readers.length; tag++) readers[tag] ??= undefined
  const writers = Object.fromEntries(used.map(([property, field]) => [property, compileWriteValue(field)]))
  const jsonReaders = new Map(
    used.map(([property, field]) => [jsonNameOf(property, field), compileReadJsonValue(field)]),
  )

  const enter = (cursor: WireCursor | JsonCursor): void => {
    if (cursor.valueDepth >= maxDepth) cursor.fail(`${noun} nested deeper than ${maxDepth} levels`)
    cursor.spend(cost)
  }
  /** Also ends the writing of a value that contains itself. */
  const nested = <W, V>(write: (writer: W, value: V) => void, writer: W, value: V): void => {
    if (writeDepth >= maxDepth) throw new RangeError(`${noun} nested deeper than ${maxDepth} levels`)
    writeDepth++
    try {
      write(writer, value)
    } finally {
      writeDepth--
    }
  }
  return {
    name,
    fields,
    read: (cursor, end, into) => {
      enter(cursor)
      const from = cursor.pos
      const { keptFields, droppedFields } = cursor
      let value = into
      while (cursor.pos < end) {
        const tag = cursor.tag(end)
        const read = tag < readers.length ? readers[tag] : undefined
        if (read !== undefined) value = read(cursor, end, value)
        else if (isUsed[tag >>> 3]) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
        else if (keeping === undefined) cursor.drop(tag, end)
        else cursor.skip(tag, end)
      }
      // Inside of a value, the fields are part of the outermost one.
      if (keeping !== undefined && cursor.valueDepth === 0 && cursor.hasKept(keptFields, droppedFields))
        cursor.valueUnknown = keeping.of(cursor.bytes, from, end)
      return value
    },
    write: (writer, value, unknown) => {
      if (unknown !== undefined && keeping !== undefined) return keeping.write(writer, value, unknown)
      if (value === undefined) return
      const kind = kindOf(value as Exclude<T, undefined>)
      const write = writers[kind]
      if (typeof value === 'object') nested(write, writer, value === null ? 0 : value)
      else write(writer, value)
    },
    readJson: cursor => {
      enter(cursor)
      // Null is the value of no kind. In arrays proto3 has no other way to write it than `{}`.
      if (cursor.tryNull()) return undefined
      let value: T | undefined
      const members: Uint8Array[] = []
      cursor.valueDepth++
      cursor.beginObject()
      for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
        if (cursor.tryNull()) continue
        const read = jsonReaders.get(key)
        if (read !== undefined) value = read(cursor) as T
        else if (keeping === undefined || cursor.valueDepth > 1) cursor.dropMember()
        else members.push(cursor.member(key))
      }
      cursor.valueDepth--
      if (members.length > 0) cursor.valueUnknown = keeping?.ofMembers(members)
      else if (cursor.valueDepth === 0) cursor.valueUnknown = undefined
      return value
    },
    writeJson: (writer, value, unknown) =>
      nested(
        unknown === undefined || keeping === undefined
          ? writeJson
          : (to: JsonWriter, each: T | undefined) => keeping.writeJson(to, each, unknown),
        writer,
        value,
      ),
  }
}

function readKind<T>(property: string, field: Field, kindOf: (value: Exclude<T, undefined>) => string): ReadKind<T> {
  if (field.message === undefined)
    return SCALAR_READERS[field.type as keyof typeof SCALAR_READERS] as unknown as ReadKind<T>
  const type = field.message as () => Message<T>
  let message: Message<T> | undefined
  return (cursor, end, into) => {
    message ??= type()
    const stop = cursor.lengthEnd(end)
    const isSameKind = into !== undefined && kindOf(into as Exclude<T, undefined>) === property
    // Nested values have their own limit, so the messages that they consist of do not count towards the general one.
    const { depth } = cursor
    cursor.depth = 0
    cursor.valueDepth++
    const value = message.read(cursor, stop, isSameKind ? into : undefined)
    cursor.valueDepth--
    cursor.depth = depth
    return value
  }
}

function readNull<T>(field: Field): ReadKind<T> {
  const read = SCALAR_READERS[field.type as keyof typeof SCALAR_READERS]
  return (cursor, end) => {
    read(cursor, end)
    // oxlint-disable-next-line unicorn/no-null -- null is a value here
    return null as T
  }
}
