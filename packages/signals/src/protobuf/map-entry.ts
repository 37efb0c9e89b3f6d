// The entries of map fields: messages with a key (1), which is a string, and a value (2), which is a message.
import type { BackwardWriter } from '@hearth/profile'
import type { Message } from './field.ts'
import type { WireCursor } from './wire-cursor.ts'
import { ENTRY_COST, WireFault } from './wire-cursor.ts'
import { writeText } from './write-text.ts'

type Entries = Record<string, unknown>

const KEY = (1 << 3) | 2
const VALUE = (2 << 3) | 2

/** Reads one entry into the map `draft[name]`. */
export function readMapEntry(cursor: WireCursor, end: number, draft: Entries, name: string, message: Message): void {
  const stop = cursor.lengthEnd(end)
  cursor.enter()
  cursor.spend(ENTRY_COST)
  let key = ''
  let value: unknown
  let hasValue = false
  try {
    while (cursor.pos < stop) {
      const tag = cursor.tag(stop)
      if (tag === KEY) key = cursor.text(stop)
      else if (tag === VALUE) {
        value = message.read(cursor, cursor.lengthEnd(stop), value)
        hasValue = true
      } else if (tag >>> 3 <= 2) cursor.fail(`wire type ${tag & 7} does not fit the field's type`)
      else cursor.drop(tag, stop)
    }
    // An entry without a value has an empty message as its value.
    if (!hasValue) value = message.read(cursor, stop, undefined)
  } catch (error) {
    if (error instanceof WireFault) error.within(JSON.stringify(key))
    throw error
  }
  cursor.depth--
  let entries = draft[name] as Entries
  // The initial empty map is shared by all messages.
  if (Object.isFrozen(entries)) draft[name] = entries = Object.create(null) as Entries
  if (key in entries) cursor.discard(entries[key])
  entries[key] = value
}

/** Writes entries in the order of their keys, so that equal maps have equal bytes. */
export function writeMapEntries(
  writer: BackwardWriter,
  entries: Readonly<Entries>,
  message: Message,
  tag: number,
): void {
  const keys = Object.keys(entries).toSorted()
  for (let i = keys.length - 1; i >= 0; i--) {
    const mark = writer.written
    message.write(writer, entries[keys[i]])
    writer.messageHeader(VALUE, mark)
    writeText(writer, keys[i])
    writer.rawVarint32(KEY)
    writer.messageHeader(tag, mark)
  }
}
