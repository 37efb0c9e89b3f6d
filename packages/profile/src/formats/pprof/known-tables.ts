// Recognises the tables of a file: mappings, locations, functions and strings. Encoders write them one after another, so that their
// bytes can be compared at once. Recognised tables are not decoded again.
import type { DictionaryOrigin } from '../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { LEN, ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { PprofColumns } from './columns.ts'

/** The fields from mapping to string_table. */
const FIRST_TABLE = 3
const LAST_TABLE = 6

/** Tables that occur in several files. Empty until a valid file with them was decoded. */
export interface PprofTables {
  decoded: DecodedTables | undefined
}

/** The place of the tables in a file. */
export interface TableRange {
  readonly from: number
  readonly to: number
}

/** Undefined if the tables are not one behind the other, or if the file is damaged. */
export function tableRange(bytes: Uint8Array): TableRange | undefined {
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
    if (reader.pos > bytes.length || field === undefined) return undefined
    if (field < FIRST_TABLE || field > LAST_TABLE) continue
    if (from === -1) from = start
    else if (to !== start) return undefined
    to = reader.pos
  }
  return from === -1 ? undefined : { from, to }
}

/** Moves the reader behind the field. Undefined if it is damaged. */
function fieldAt(reader: ProtoReader, start: number): number | undefined {
  reader.pos = start
  try {
    reader.tag()
    reader.skip()
  } catch (error) {
    if (error instanceof WireError) return undefined
    throw error
  }
  return reader.field
}

/** The columns of tables as the decoder fills them, with valid strings. */
export class DecodedTables {
  readonly origin: DictionaryOrigin
  /** The start of the tables in the file. Strings have offsets in the file. */
  readonly #from: number
  readonly #columns: readonly Int32Array[]

  constructor(columns: PprofColumns, { from }: TableRange) {
    this.#from = from
    this.#columns = tablesOf(columns).map(({ array, length }) => array.slice(0, length))
    // The attributes and stacks of the dictionary are made from samples.
    this.origin = { strings: columns.draft.strings.length / 2, attributes: 0, stacks: 0 }
  }

  /** Fills the columns for a file with the same tables. */
  restore(columns: PprofColumns, { from }: TableRange): void {
    for (const [i, column] of tablesOf(columns).entries()) {
      const kept = this.#columns[i]
      column.length = 0
      column.pushAll(kept, 0, kept.length)
    }
    const moved = from - this.#from
    if (moved === 0) return
    const { array, length } = columns.draft.strings
    for (let at = 0; at < length; at += 2) array[at] += moved
  }
}

function tablesOf(columns: PprofColumns): readonly GrowingInts[] {
  const { draft, mappings, mappingIds, locationIds, functionIds, folded } = columns
  const { strings, functions, locations, lines } = draft
  return [strings, functions, locations, lines, mappings, mappingIds, locationIds, functionIds, folded]
}
