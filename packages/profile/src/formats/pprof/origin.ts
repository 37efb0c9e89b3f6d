// Recognises the tables of a file: mappings, locations, functions and strings. Encoders write them one after another, so that their
// bytes can be compared at once.
import type { DictionaryOrigin } from '../../model/columns/dictionary.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import type { RepeatedBytes } from '../repeated-bytes.ts'

/** The fields from mapping to string_table. */
const FIRST_TABLE = 3
const LAST_TABLE = 6

/** The file must be valid. Undefined if its tables are not one behind the other, or if they are not repeated. */
export function originOf(
  bytes: Uint8Array,
  tables: RepeatedBytes<DictionaryOrigin>,
  strings: number,
): DictionaryOrigin | undefined {
  let from = -1
  let to = -1
  const reader = new ProtoReader(bytes)
  for (let start = 0; start < bytes.length; start = reader.pos) {
    const tag = bytes[start]
    const length = bytes[start + 1]
    // Tags and lengths of one byte, as nearly all are.
    const isShort = tag < 128 && (tag & 7) === LEN && length < 128
    const field = isShort ? tag >> 3 : fieldAt(reader, start)
    if (isShort) reader.pos = start + 2 + length
    if (field < FIRST_TABLE || field > LAST_TABLE) continue
    if (from === -1) from = start
    else if (to !== start) return undefined
    to = reader.pos
  }
  // The attributes and stacks of the dictionary are made from samples.
  return tables.get(bytes.subarray(Math.max(0, from), Math.max(0, to)), () => ({ strings, attributes: 0, stacks: 0 }))
}

/** Moves the reader behind the field. */
function fieldAt(reader: ProtoReader, start: number): number {
  reader.pos = start
  reader.tag()
  reader.skip()
  return reader.field
}
