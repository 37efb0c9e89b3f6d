// The tables that former forms of the data format took over from pprof, as rows of the dictionary that is being built: the
// other way of symbol-table-writer.ts. Rows count from 0: an unset mapping_index cannot be told from the first mapping, so it
// is taken for that wherever there is one.
import type { FunctionIndex, LinkIndex, MappingIndex, StackIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/protobuf/wire-error.ts'
import type { NoteList } from '../format.ts'
import type { MessageParts, PartsSource } from './message-parts.ts'
import type { UnfoldLimit } from '../unfold-limit.ts'

/** What reading shares. */
export interface ReadContext {
  readonly source: PartsSource
  readonly builder: ProfilesBuilder
  readonly notes: NoteList
  readonly limit: UnfoldLimit
  /** Where reading is, for errors. */
  readonly place: { table: string; row: number }
}

const NO_ROWS = new Int32Array(0)

export class SymbolTableReader {
  /** Rows of the dictionary by number of the file; set as the tables are read, each before what refers to it. */
  strings: Int32Array = NO_ROWS
  mappings: Int32Array = NO_ROWS
  functions: Int32Array = NO_ROWS
  locations: Int32Array = NO_ROWS
  readonly #context: ReadContext
  readonly #stringTable: string
  readonly #run = new GrowingInts()

  /** `stringTable` is what the form calls it. */
  constructor(context: ReadContext, stringTable: string) {
    this.#context = context
    this.#stringTable = stringTable
  }

  /** A row for each occurrence of a field; `instead` of those that are broken, where reading goes on. */
  rows(
    profile: MessageParts,
    field: number,
    table: string,
    read: (from: number, to: number) => number,
    instead = 0,
  ): Int32Array {
    const { place, source, notes } = this.#context
    const rows = new Int32Array(profile.count(field))
    for (let i = 0; i < rows.length; i++) {
      place.table = table
      place.row = i
      try {
        rows[i] = read(profile.from(field, i), profile.to(field, i))
      } catch (error) {
        if (!source.lenient || !(error instanceof WireError)) throw error
        // Rows keep their places, so what refers to this one finds it empty.
        notes.add('skipped-rows', 'rows of tables that are broken were read as empty')
        rows[i] = instead
      }
    }
    place.table = ''
    return rows
  }

  at(rows: Int32Array, index: number, table: string, at: number): number {
    if (index >>> 0 >= rows.length) outside(index, rows.length, table, at)
    return rows[index]
  }

  /** As `at`; 0, which may mean that nothing is set, is no error in a table without rows. */
  atOrNone(rows: Int32Array, index: number, table: string, at: number): number {
    return index === 0 && rows.length === 0 ? 0 : this.at(rows, index, table, at)
  }

  readString(from: number, to: number): StringIndex {
    const { builder, source, notes } = this.#context
    if (isUtf8(source.bytes, from, to)) return builder.dictionary.string(source.bytes, from, to)
    if (!source.lenient) throw new WireError(from, 'string is not valid UTF-8')
    notes.add('invalid-utf8', 'strings that are not UTF-8 were mended')
    const mended = encodeUtf8(decodeUtf8(source.bytes, from, to))
    return builder.dictionary.string(mended, 0, mended.length)
  }

  readLink(link: MessageParts): LinkIndex {
    const { builder, source } = this.#context
    const trace = link.view(1)
    const span = link.view(2)
    const traceFrom = trace.byteOffset - source.bytes.byteOffset
    const spanFrom = span.byteOffset - source.bytes.byteOffset
    return builder.dictionary.link(source.bytes, traceFrom, traceFrom + trace.length, spanFrom, spanFrom + span.length)
  }

  /** memory_start, memory_limit and file_offset, from number `first` on. */
  mappingRange(mapping: MessageParts, first: number): Int32Array {
    const range = new Int32Array(6)
    for (let i = 0; i < 3; i++) {
      mapping.long(first + i)
      range[2 * i] = mapping.lo
      range[2 * i + 1] = mapping.hi
    }
    return range
  }

  /** name, system_name, filename and start_line, from number `first` on. */
  readFunction(fn: MessageParts, first: number): FunctionIndex {
    const name = this.stringIn(fn, first)
    const systemName = this.stringIn(fn, first + 1)
    const filename = this.stringIn(fn, first + 2)
    fn.long(first + 3)
    return this.#context.builder.dictionary.function(name, systemName, filename, fn.lo, fn.hi)
  }

  /** Appends a line that was read: function_index, line and, where the form has it, column. */
  pushLine(line: MessageParts, lines: GrowingInts, hasColumn: boolean): void {
    lines.push(this.atOrNone(this.functions, line.uint32(1), 'functions', line.lastFrom(1)))
    for (const field of [2, 3]) {
      const isSet = (field === 2 || hasColumn) && line.long(field)
      lines.push(isSet ? line.lo : 0)
      lines.push(isSet ? line.hi : 0)
    }
  }

  /** A list of locations in field 1. */
  readStack(stack: MessageParts, order: 'leaf first' | 'root first'): StackIndex {
    const run = this.#run
    run.length = 0
    stack.pushIndexes(1, run)
    const at = stack.has(1) ? stack.from(1, 0) : 0
    for (let i = 0; i < run.length; i++) run.array[i] = this.at(this.locations, run.array[i], 'locations', at)
    if (order === 'root first') run.view().reverse()
    return this.#context.builder.dictionary.stack(run.array, 0, run.length)
  }

  mappingIn(location: MessageParts, field: number): MappingIndex {
    const index = location.uint32(field)
    return this.atOrNone(this.mappings, index, 'mappings', location.lastFrom(field)) as MappingIndex
  }

  stringIn(message: MessageParts, field: number): StringIndex {
    return this.string(message.uint32(field), message.lastFrom(field))
  }

  string(index: number, at: number): StringIndex {
    return this.atOrNone(this.strings, index, this.#stringTable, at) as StringIndex
  }

  textIn(message: MessageParts, field: number): string {
    return this.text(message.uint32(field), message.lastFrom(field))
  }

  /** A copy of the string, which counts: a few bytes can refer to a long one many times. */
  text(index: number, at: number): string {
    const { rows, pool } = this.#context.builder.dictionary.strings
    const row = this.string(index, at)
    const length = rows.array[2 * row + 1]
    this.spend(length / 4, at)
    return decodeUtf8(pool.array, rows.array[2 * row], rows.array[2 * row] + length)
  }

  /** Counts what a reference unfolds into. */
  spend(count: number, at: number): void {
    const { limit } = this.#context
    if (!limit.spend(count)) throw new WireError(at, `it unfolds into more than ${limit.limit} numbers`)
  }
}

export function outside(index: number, length: number, table: string, at: number): never {
  throw new WireError(at, `index ${index >>> 0} is outside of ${table} of ${length}`)
}
