// Reads the tables that former drafts took from pprof into the dictionary being built. The counterpart is
// symbol-table-writer.ts. Rows count from 0, so an unset mapping_index looks like the first mapping and is read as that if
// there is one.
import type { FunctionIndex, LinkIndex, MappingIndex, StackIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { NoteList } from '../format.ts'
import type { MessageParts, PartsSource } from './message-parts.ts'
import type { ExpansionLimit } from '../expansion-limit.ts'

/** The state that all parts of a reader share. */
export interface ReadContext {
  readonly source: PartsSource
  readonly builder: ProfilesBuilder
  readonly notes: NoteList
  readonly limit: ExpansionLimit
  /** The current position, for errors. */
  readonly place: { table: string; row: number }
}

const NO_ROWS = new Int32Array(0)

export class SymbolTableReader {
  /** Dictionary rows by row of the file. Each table is read before the tables that refer to it. */
  strings: Int32Array = NO_ROWS
  mappings: Int32Array = NO_ROWS
  functions: Int32Array = NO_ROWS
  locations: Int32Array = NO_ROWS
  readonly #context: ReadContext
  readonly #stringTable: string
  readonly #run = new GrowingInts()

  /** `stringTable` is the name of the string table in the draft. */
  constructor(context: ReadContext, stringTable: string) {
    this.#context = context
    this.#stringTable = stringTable
  }

  /** Reads one row per occurrence of a field. If lenient, broken rows become `instead`. */
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
        // Broken rows keep their position, so that references to them find an empty row.
        notes.addDamage('skipped-rows', 'broken rows of tables were read as empty')
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

  /** Like `at`, but accepts 0, which may mean "not set", in a table without rows. */
  atOrNone(rows: Int32Array, index: number, table: string, at: number): number {
    return index === 0 && rows.length === 0 ? 0 : this.at(rows, index, table, at)
  }

  readString(from: number, to: number): StringIndex {
    const { builder, source, notes } = this.#context
    if (isUtf8(source.bytes, from, to)) return builder.dictionary.string(source.bytes, from, to)
    if (!source.lenient) throw new WireError(from, 'string is not valid UTF-8')
    notes.add('invalid-utf8', 'invalid bytes in strings that are not UTF-8 were replaced')
    const repaired = encodeUtf8(decodeUtf8(source.bytes, from, to))
    return builder.dictionary.string(repaired, 0, repaired.length)
  }

  readLink(link: MessageParts): LinkIndex {
    const { builder, source } = this.#context
    const trace = link.view(1)
    const span = link.view(2)
    const traceFrom = trace.byteOffset - source.bytes.byteOffset
    const spanFrom = span.byteOffset - source.bytes.byteOffset
    return builder.dictionary.link(source.bytes, traceFrom, traceFrom + trace.length, spanFrom, spanFrom + span.length)
  }

  /** Reads memory_start, memory_limit and file_offset, starting at field `first`. */
  mappingRange(mapping: MessageParts, first: number): Int32Array {
    const range = new Int32Array(6)
    for (let i = 0; i < 3; i++) {
      mapping.long(first + i)
      range[2 * i] = mapping.lo
      range[2 * i + 1] = mapping.hi
    }
    return range
  }

  /** Reads name, system_name, filename and start_line, starting at field `first`. */
  readFunction(fn: MessageParts, first: number): FunctionIndex {
    const name = this.stringIn(fn, first)
    const systemName = this.stringIn(fn, first + 1)
    const filename = this.stringIn(fn, first + 2)
    fn.long(first + 3)
    return this.#context.builder.dictionary.function(name, systemName, filename, fn.lo, fn.hi)
  }

  /** Appends the function_index, the line and, if the draft has it, the column of a line. */
  pushLine(line: MessageParts, lines: GrowingInts, hasColumn: boolean): void {
    lines.push(this.atOrNone(this.functions, line.uint32(1), 'functions', line.lastFrom(1)))
    for (const field of [2, 3]) {
      const isSet = (field === 2 || hasColumn) && line.long(field)
      lines.push(isSet ? line.lo : 0)
      lines.push(isSet ? line.hi : 0)
    }
  }

  /** Reads a stack from the list of locations in field 1. */
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

  /** Copies the string. Copies count toward the limit, because a few bytes can refer to a long string many times. */
  text(index: number, at: number): string {
    const { rows, pool } = this.#context.builder.dictionary.strings
    const row = this.string(index, at)
    const length = rows.array[2 * row + 1]
    this.spend(length / 4, at)
    return decodeUtf8(pool.array, rows.array[2 * row], rows.array[2 * row] + length)
  }

  /** Counts the numbers that a reference expands to. */
  spend(count: number, at: number): void {
    const { limit } = this.#context
    if (!limit.spend(count)) throw new WireError(at, `the input expands to more than ${limit.limit} numbers`)
  }
}

export function outside(index: number, length: number, table: string, at: number): never {
  throw new WireError(at, `index ${index >>> 0} is outside ${table} (length ${length})`)
}
