// Reads JSON by a table of fields. Integers may be numbers or strings and are exact up to 64 bits. OTLP's ids are in hex.
// The reader keeps and counts unknown keys, and treats null as absent.
import { readBytes } from '@hearth/profile'
import type { Enumeration, Field, Fields } from './field.ts'
import { jsonNameOf, protoNameOf, rivalsOf, usedFields } from './field.ts'
import { unionUnknown } from './unknown.ts'
import type { JsonCursor } from './json-cursor.ts'
import type { Message } from './field.ts'
import { ENTRY_COST, FIELD_COST, VIEW_COST, objectCost } from './wire-cursor.ts'

type Draft = Record<string, unknown>
type ReadField = (cursor: JsonCursor, draft: Draft) => void
interface MemberReader {
  readonly property: string
  /** The other fields of the same oneof. */
  readonly rivals: readonly string[]
  readonly read: ReadField
}
type ReadValue = (cursor: JsonCursor) => unknown

const NO_BYTES = new Uint8Array(0)
const halves = new Int32Array(2)
const signedWhole = new BigInt64Array(halves.buffer)
const unsignedWhole = new BigUint64Array(halves.buffer)

function readInt64(cursor: JsonCursor): bigint {
  cursor.int64('signed')
  halves[0] = cursor.lo
  halves[1] = cursor.hi
  return signedWhole[0]
}

function readUint64(cursor: JsonCursor): bigint {
  cursor.int64('unsigned')
  halves[0] = cursor.lo
  halves[1] = cursor.hi
  return unsignedWhole[0]
}

const READERS: Readonly<Record<Exclude<Field['type'], 'message' | 'bytes' | 'enum'>, ReadValue>> = {
  double: cursor => cursor.double(),
  int64: readInt64,
  uint64: readUint64,
  int32: cursor => cursor.int32(),
  fixed64: readUint64,
  fixed32: cursor => cursor.uint32(),
  bool: cursor => cursor.boolean(),
  string: cursor => cursor.textValue(),
  uint32: cursor => cursor.uint32(),
  sfixed64: readInt64,
  sint32: cursor => cursor.int32(),
}

/** Counts the unknown members inside of each value of an object. The last one of repeated members replaces the others. */
class KeptInside {
  private counts: Map<string, number> | undefined

  add(name: string, count: number): void {
    if (count > 0) (this.counts ??= new Map<string, number>()).set(name, count)
  }

  /** Call before a value is replaced. Returns whether there were unknown members in the old value. */
  replace(cursor: JsonCursor, name: string): boolean {
    const count = this.counts?.get(name)
    if (count === undefined) return false
    this.counts?.delete(name)
    cursor.dropKept(count)
    return true
  }
}

export function compileReadJson(fields: Fields, names: 'json' | 'json or proto'): (cursor: JsonCursor) => unknown {
  const entries = usedFields(fields)
  const initial: Draft = Object.fromEntries(entries.map(([name, field]) => [name, field.initial]))
  const cost = objectCost(entries.length)
  const readers = new Map<string, MemberReader>()
  for (const [property, field] of entries) {
    const rivals = rivalsOf(property, field, entries)
    const reader = { property, rivals, read: readerOf(property, field, rivals) }
    if (names === 'json or proto') readers.set(protoNameOf(property, field), reader)
    readers.set(jsonNameOf(property, field), reader)
  }
  return cursor => {
    cursor.spend(cost)
    const draft = { ...initial }
    const before = cursor.keptFields
    const inside = new KeptInside()
    const replace = (property: string): void => {
      if (inside.replace(cursor, property)) delete draft[unionUnknown(property)]
    }
    cursor.members(key => {
      const reader = readers.get(key)
      if (reader !== undefined) {
        const { property, rivals, read } = reader
        replace(property)
        for (const rival of rivals) replace(rival)
        const at = cursor.keptFields
        read(cursor, draft)
        inside.add(property, cursor.keptFields - at)
      } else if (cursor.valueDepth > 0) cursor.dropMember()
      else cursor.keep(draft, key)
    })
    if (cursor.keptFields !== before) draft['unknown'] ??= NO_BYTES
    return draft
  }
}

function readerOf(name: string, field: Field, rivals: readonly string[]): ReadField {
  const read = compileReadJsonValue(field)
  if (field.label === 'repeated') {
    return (cursor, draft) => {
      const list: unknown[] = []
      cursor.beginArray()
      while (cursor.nextItem()) {
        cursor.spend(FIELD_COST)
        list.push(read(cursor))
      }
      draft[name] = list
    }
  }
  if (field.label === 'map') {
    return (cursor, draft) => {
      const entriesRead: Draft = Object.create(null) as Draft
      const inside = new KeptInside()
      cursor.beginObject()
      // The value's reader handles null, because null is a google.protobuf.Value.
      for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
        cursor.spend(ENTRY_COST)
        inside.replace(cursor, key)
        const at = cursor.keptFields
        entriesRead[key] = read(cursor)
        inside.add(key, cursor.keptFields - at)
      }
      draft[name] = entriesRead
    }
  }
  return (cursor, draft) => {
    const value = read(cursor)
    for (const rival of rivals) draft[rival] = undefined
    draft[name] = value
    if (cursor.valueUnknown === undefined) return
    draft[unionUnknown(name)] = cursor.valueUnknown
    cursor.valueUnknown = undefined
  }
}

export function compileReadJsonValue(field: Field): ReadValue {
  if (field.type === 'message') return messageReader(field.message!)
  if (field.type === 'enum') return enumReader(field.enumeration!)
  if (field.type !== 'bytes') return READERS[field.type]
  return cursor => {
    cursor.spend(VIEW_COST)
    return readBytes(cursor, field.byteText)
  }
}

function messageReader(type: () => Message): ReadValue {
  let message: Message | undefined
  return cursor => {
    message ??= type()
    return message.readJson(cursor)
  }
}

/** OTLP sends numbers; other proto3 messages send names. Both are unambiguous, so both are accepted. */
function enumReader(enumeration: Enumeration): ReadValue {
  return cursor => {
    if (cursor.peek() !== 'string') return cursor.int32()
    const at = cursor.offset
    const text = cursor.textValue()
    if (Object.hasOwn(enumeration.values, text)) return enumeration.values[text]
    cursor.offset = at
    return cursor.int32()
  }
}
