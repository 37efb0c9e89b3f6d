// Reads protobuf by a table of fields. Each field becomes a closure, found by its tag. The reader keeps and counts unknown
// fields and rejects known fields whose wire type does not fit.
import type { Field, Fields } from './field.ts'
import { protoNameOf, rivalsOf, usedFields } from './field.ts'
import { unionUnknown } from './unknown.ts'
import type { Message } from './field.ts'
import { readMapEntry } from './map-entry.ts'
import type { WireCursor } from './wire-cursor.ts'
import { FIXED32, FIXED64, LEN, VARINT, WireFault, objectCost } from './wire-cursor.ts'

/** A message while it is being read. */
type Draft = Record<string, unknown>
type ReadField = (cursor: WireCursor, end: number, draft: Draft) => void
type ReadValue = (cursor: WireCursor, end: number) => unknown

/** A step of the path that errors report. */
interface Step {
  readonly property: string
  readonly protoName: string
  readonly label: Field['label']
}

export const SCALAR_READERS = {
  double: (cursor, end) => cursor.double(end),
  int64: (cursor, end) => cursor.int64(end),
  uint64: (cursor, end) => cursor.uint64(end),
  int32: (cursor, end) => cursor.int32(end),
  fixed64: (cursor, end) => cursor.fixed64(end),
  fixed32: (cursor, end) => cursor.fixed32(end),
  bool: (cursor, end) => cursor.bool(end),
  string: (cursor, end) => cursor.text(end),
  bytes: (cursor, end) => cursor.bytesView(end),
  uint32: (cursor, end) => cursor.uint32(end),
  enum: (cursor, end) => cursor.int32(end),
  sfixed64: (cursor, end) => cursor.sfixed64(end),
  sint32: (cursor, end) => cursor.sint32(end),
} satisfies Record<Exclude<Field['type'], 'message'>, ReadValue>

export const WIRE_TYPES: Readonly<Record<Field['type'], number>> = {
  double: FIXED64,
  int64: VARINT,
  uint64: VARINT,
  int32: VARINT,
  fixed64: FIXED64,
  fixed32: FIXED32,
  bool: VARINT,
  string: LEN,
  message: LEN,
  bytes: LEN,
  uint32: VARINT,
  enum: VARINT,
  sfixed64: FIXED64,
  sint32: VARINT,
}

export function tagOf(field: Field): number {
  return ((field.number << 3) | WIRE_TYPES[field.type]) >>> 0
}

export function compileRead(fields: Fields): (cursor: WireCursor, end: number, into: unknown) => unknown {
  const entries = usedFields(fields)
  const initial: Draft = Object.fromEntries(entries.map(([name, field]) => [name, field.initial]))
  const cost = objectCost(entries.length)
  const readers: (ReadField | undefined)[] = []
  const steps: (Step | undefined)[] = []
  for (const [name, field] of entries) {
    for (const [tag, read] of readersOf(name, field, rivalsOf(name, field, entries))) readers[tag] = read
    steps[field.number] = { property: name, protoName: protoNameOf(name, field), label: field.label }
  }
  for (let tag = 0; tag < readers.length; tag++) readers[tag] ??= undefined

  return (cursor, end, into) => {
    cursor.enter()
    let draft = into as Draft | undefined
    if (draft === undefined) {
      cursor.spend(cost)
      draft = { ...initial }
    }
    const before = cursor.keptFields
    let tag = 0
    try {
      while (cursor.pos < end) {
        const at = cursor.pos
        // 0 while the tag is read, so that an error in the tag is not attributed to the previous field.
        tag = 0
        tag = cursor.tag(end)
        const read = tag < readers.length ? readers[tag] : undefined
        if (read !== undefined) read(cursor, end, draft)
        else if (steps[tag >>> 3] === undefined) cursor.keep(draft, tag, at, end)
        else cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
      }
    } catch (error) {
      const step = steps[tag >>> 3]
      if (error instanceof WireFault && step !== undefined) addStep(error, step, draft)
      throw error
    }
    cursor.depth--
    if (cursor.keptFields !== before) cursor.mark(draft, cursor.keptFields - before)
    return draft
  }
}

function addStep(fault: WireFault, { property, protoName, label }: Step, draft: Draft): void {
  // The broken item is not in the list yet.
  const index = label === 'repeated' ? `[${(draft[property] as readonly unknown[]).length}]` : ''
  fault.within(`${protoName}${index}`)
}

function readersOf(name: string, field: Field, rivals: readonly string[]): (readonly [tag: number, ReadField])[] {
  const tag = tagOf(field)
  if (field.message !== undefined) return [[tag, readMessage(name, field, field.message, rivals)]]
  const read = SCALAR_READERS[field.type as keyof typeof SCALAR_READERS] as ReadValue
  if (field.label !== 'repeated') {
    if (rivals.length > 0) return [[tag, readRival(name, read, rivals)]]
    return [[tag, FREQUENT[field.type]?.(name) ?? readPlain(name, read)]]
  }
  if (WIRE_TYPES[field.type] === LEN) return [[tag, readItem(name, read)]]
  return [
    [tag, readItem(name, read)],
    [(field.number << 3) | LEN, readPacked(name, read)],
  ]
}

/** Frequent types have their own closures, because the engine inlines calls that always have the same target. */
const FREQUENT: Partial<Record<Field['type'], (name: string) => ReadField>> = {
  string: name => (cursor, end, draft) => {
    draft[name] = cursor.text(end)
  },
  bytes: name => (cursor, end, draft) => {
    draft[name] = cursor.bytesView(end)
  },
  fixed64: name => (cursor, end, draft) => {
    draft[name] = cursor.fixed64(end)
  },
  double: name => (cursor, end, draft) => {
    draft[name] = cursor.double(end)
  },
}

function readPlain(name: string, read: ReadValue): ReadField {
  return (cursor, end, draft) => {
    draft[name] = read(cursor, end)
  }
}

function clear(cursor: WireCursor, draft: Draft, rivals: readonly string[]): void {
  for (const rival of rivals) {
    if (draft[rival] === undefined) continue
    cursor.discard(draft[rival])
    draft[rival] = undefined
  }
}

function readRival(name: string, read: ReadValue, rivals: readonly string[]): ReadField {
  return (cursor, end, draft) => {
    const value = read(cursor, end)
    clear(cursor, draft, rivals)
    draft[name] = value
  }
}

function readItem(name: string, read: ReadValue): ReadField {
  return (cursor, end, draft) => {
    const item = read(cursor, end)
    const list = draft[name] as unknown[]
    if (list.length === 0) draft[name] = [item]
    else list.push(item)
  }
}

function readPacked(name: string, read: ReadValue): ReadField {
  return (cursor, end, draft) => {
    const stop = cursor.lengthEnd(end)
    let list = draft[name] as unknown[]
    // The initial empty list is shared by all messages; a list with items belongs to this one.
    if (list.length === 0) list = []
    while (cursor.pos < stop) list.push(read(cursor, stop))
    draft[name] = list
  }
}

function readMessage(
  name: string,
  field: Field,
  type: NonNullable<Field['message']>,
  rivals: readonly string[],
): ReadField {
  let message: Message | undefined
  if (field.label === 'map') return (cursor, end, draft) => readMapEntry(cursor, end, draft, name, (message ??= type()))
  if (field.label === 'repeated') {
    return (cursor, end, draft) => {
      message ??= type()
      const stop = cursor.lengthEnd(end)
      const item = message.read(cursor, stop, undefined)
      const list = draft[name] as unknown[]
      if (list.length === 0) draft[name] = [item]
      else list.push(item)
    }
  }
  return (cursor, end, draft) => {
    message ??= type()
    const stop = cursor.lengthEnd(end)
    const value = message.read(cursor, stop, draft[name])
    clear(cursor, draft, rivals)
    draft[name] = value
    if (cursor.valueUnknown === undefined) return
    draft[unionUnknown(name)] = cursor.valueUnknown
    cursor.valueUnknown = undefined
  }
}
