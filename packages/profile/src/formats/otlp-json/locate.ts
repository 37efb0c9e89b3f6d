// Converts between offsets of a JSON text and paths of fields, for errors that are found after reading. The text is known to
// be valid JSON.
import { JsonReader } from '../../wire/json/json-reader.ts'
import { jsonName } from '../otlp/generations/schema.ts'
import type { Steps } from '../otlp/locate.ts'

/** The deepest attribute value takes 4 levels for each of its own, plus about ten around it. */
export const MAX_JSON_DEPTH = 256

/** A message: an object at the top level of the text. */
export interface MessageRange {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
}

export interface FieldPosition {
  readonly offset: number
  /** For example `resourceProfiles[0].schemaUrl`. */
  readonly path: string
}

export function readerOf({ bytes, from, to }: MessageRange): JsonReader {
  return new JsonReader(bytes, { offset: from, end: to, maxDepth: MAX_JSON_DEPTH })
}

/** Returns the value that the steps lead to, as far as they can be followed. */
export function positionOf(message: MessageRange, steps: Steps): FieldPosition {
  const reader = readerOf(message)
  let position: FieldPosition = { offset: message.from, path: '' }
  for (const [field, occurrence] of steps) {
    if (reader.peek() !== 'object' || !enterKey(reader, field)) break
    if (reader.peek() === 'array' && !enterItem(reader, occurrence)) break
    position = { offset: reader.offset, path: reader.path() }
  }
  return position
}

function enterKey(reader: JsonReader, field: string): boolean {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    // Steps may come from the data model, whose `samples` and `lines` had no s in v1.8.
    if (key === jsonName(field) || key === jsonName(field.replace(/s$/, ''))) return reader.peek() !== 'null'
  }
  return false
}

function enterItem(reader: JsonReader, occurrence: number): boolean {
  reader.beginArray()
  for (let i = 0; reader.nextItem(); i++) if (i === occurrence) return true
  return false
}

/** Returns the path of the innermost value that contains the byte at `offset`. */
export function pathAt(message: MessageRange, offset: number): string {
  const reader = readerOf(message)
  let path = ''
  for (;;) {
    const kind = reader.peek()
    if (kind === 'object') reader.beginObject()
    else if (kind === 'array') reader.beginArray()
    else return path
    if (!enterMemberAt(reader, kind, offset)) return path
    path = reader.path()
  }
}

function enterMemberAt(reader: JsonReader, kind: 'object' | 'array', offset: number): boolean {
  while (kind === 'array' ? reader.nextItem() : reader.nextKey() !== undefined) {
    const start = reader.offset
    reader.skip()
    if (offset >= reader.offset) continue
    // Back to the start of the value, to enter it.
    reader.offset = start
    return offset >= start
  }
  return false
}
