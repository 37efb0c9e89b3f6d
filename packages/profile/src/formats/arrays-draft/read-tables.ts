// The tables of one profile of the arrays draft, as rows of the dictionary that is being built. Rows count from 0, and only
// the first link and the first attribute set mean "none": an unset mapping_index cannot be told from the first mapping, so
// it is taken for that wherever there is one.
import type { AttributeIndex, FunctionIndex, LocationIndex, MappingIndex, StringIndex } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { LINE_STRIDE } from '../../model/dictionary.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { checkedKeyValue } from '../decode-common.ts'
import { MAPPING_FLAGS, buildIdAttribute } from '../field-attributes.ts'
import type { NoteList } from '../format.ts'
import { MessageParts } from '../message-parts.ts'
import type { PartsSource } from '../message-parts.ts'
import type { UnfoldLimit } from '../unfold-limit.ts'
import type { Numbering, Shapes } from './shapes.ts'
import {
  ATTRIBUTE_SET,
  FUNCTION,
  LINE,
  LINK,
  MAPPING,
  STACKTRACE,
  SYMBOL_FIDELITY_FULL,
  sharedShapes,
} from './shapes.ts'

/** What reading one profile shares. */
export interface Context {
  readonly source: PartsSource
  readonly builder: ProfilesBuilder
  readonly notes: NoteList
  readonly limit: UnfoldLimit
  /** Where reading is, for errors. */
  readonly place: { table: string; row: number }
}

export class DraftTables {
  readonly #context: Context
  readonly #strings: Int32Array
  /** Attributes of all sets, and where each set ends. */
  readonly #setAttributes = new GrowingInts()
  readonly #setEnds = new GrowingInts()
  readonly #links: Int32Array
  readonly #mappings: Int32Array
  readonly #functions: Int32Array
  readonly #locations: Int32Array
  readonly #stacks: Int32Array
  readonly #indexes = new GrowingInts()
  readonly #attributes = new GrowingInts()
  readonly #lines = new GrowingInts()

  /** `profile` holds the tables. */
  constructor(context: Context, profile: MessageParts, { tables, location }: Numbering, shapes: Shapes) {
    this.#context = context
    this.#strings = this.#rows(profile, tables.string_table, 'string_table', (from, to) => this.#string(from, to))
    const set = new MessageParts(context.source, sharedShapes.attributeSet)
    this.#rows(profile, tables.attribute_sets, 'attribute_sets', (from, to) => this.#attributeSet(set.read(from, to)))
    const link = new MessageParts(context.source, sharedShapes.link)
    this.#links = this.#rows(profile, tables.links, 'links', (from, to) => this.#link(link.read(from, to)))
    const mapping = new MessageParts(context.source, sharedShapes.mapping)
    this.#mappings = this.#rows(profile, tables.mappings, 'mappings', (from, to) =>
      this.#mapping(mapping.read(from, to)),
    )
    const fn = new MessageParts(context.source, sharedShapes.function)
    this.#functions = this.#rows(profile, tables.functions, 'functions', (from, to) =>
      this.#function(fn.read(from, to)),
    )
    const line = new MessageParts(context.source, sharedShapes.line)
    const place = new MessageParts(context.source, shapes.location)
    this.#locations = this.#rows(profile, tables.locations, 'locations', (from, to) =>
      this.#location(place.read(from, to), location, line),
    )
    const stack = new MessageParts(context.source, sharedShapes.stacktrace)
    this.#stacks = this.#rows(profile, tables.stacktraces, 'stacktraces', (from, to) =>
      this.#stack(stack.read(from, to)),
    )
  }

  string(index: number, at: number): StringIndex {
    // Not set, which a table without any row allows too.
    if (index === 0 && this.#strings.length === 0) return 0 as StringIndex
    return this.#at(this.#strings, index, 'string_table', at) as StringIndex
  }

  stack(index: number, at: number): number {
    return this.#at(this.#stacks, index, 'stacktraces', at)
  }

  link(index: number, at: number): number {
    return index === 0 && this.#links.length === 0 ? 0 : this.#at(this.#links, index, 'links', at)
  }

  /** Appends the attributes of a set. */
  pushAttributes(index: number, at: number, column: GrowingInts): void {
    if (index === 0 && this.#setEnds.length === 0) return
    if (index >>> 0 >= this.#setEnds.length) this.#outside(index, this.#setEnds.length, 'attribute_sets', at)
    const from = index === 0 ? 0 : this.#setEnds.array[index - 1]
    const to = this.#setEnds.array[index]
    this.#spend(to - from, at)
    column.pushAll(this.#setAttributes.array, from, to)
  }

  #at(rows: Int32Array, index: number, table: string, at: number): number {
    if (index >>> 0 >= rows.length) this.#outside(index, rows.length, table, at)
    return rows[index]
  }

  #outside(index: number, length: number, table: string, at: number): never {
    throw new WireError(at, `index ${index >>> 0} is outside of ${table} of ${length}`)
  }

  #spend(count: number, at: number): void {
    const { limit } = this.#context
    if (!limit.spend(count)) throw new WireError(at, `it unfolds into more than ${limit.limit} numbers`)
  }

  #rows(profile: MessageParts, field: number, table: string, read: (from: number, to: number) => number): Int32Array {
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
      }
    }
    place.table = ''
    return rows
  }

  #string(from: number, to: number): number {
    const { builder, source, notes } = this.#context
    if (isUtf8(source.bytes, from, to)) return builder.dictionary.string(source.bytes, from, to)
    if (!source.lenient) throw new WireError(from, 'string is not valid UTF-8')
    notes.add('invalid-utf8', 'strings that are not UTF-8 were mended')
    const mended = encodeUtf8(decodeUtf8(source.bytes, from, to))
    return builder.dictionary.string(mended, 0, mended.length)
  }

  #attributeSet(set: MessageParts): number {
    const { builder, source, notes } = this.#context
    try {
      for (let i = 0; i < set.count(ATTRIBUTE_SET.attributes); i++) {
        const from = set.from(ATTRIBUTE_SET.attributes, i)
        const { key, value } = checkedKeyValue(source.bytes, from, set.to(ATTRIBUTE_SET.attributes, i))
        this.#setAttributes.push(builder.attribute(key, value))
      }
      if (set.uint32(ATTRIBUTE_SET.dropped_attributes_count) > 0) {
        notes.add(
          'dropped-attributes',
          'how many attributes of samples, locations and mappings were dropped was left out',
        )
      }
    } finally {
      this.#setEnds.push(this.#setAttributes.length)
    }
    return 0
  }

  #link(link: MessageParts): number {
    const { builder, source } = this.#context
    const trace = link.view(LINK.trace_id)
    const span = link.view(LINK.span_id)
    const base = source.bytes.byteOffset
    const traceFrom = trace.byteOffset - base
    const spanFrom = span.byteOffset - base
    return builder.dictionary.link(source.bytes, traceFrom, traceFrom + trace.length, spanFrom, spanFrom + span.length)
  }

  #mapping(mapping: MessageParts): number {
    const { builder, notes } = this.#context
    const range = new Int32Array(6)
    for (const [i, field] of [MAPPING.memory_start, MAPPING.memory_limit, MAPPING.file_offset].entries()) {
      mapping.long(field)
      range[2 * i] = mapping.lo
      range[2 * i + 1] = mapping.hi
    }
    const filename = this.#stringIn(mapping, MAPPING.filename_index)
    const attributes = this.#attributesIn(mapping, [MAPPING.attribute_set_indices])
    for (const id of buildIdAttribute(builder, this.#textIn(mapping, MAPPING.build_id_index), 0)) attributes.push(id)
    const fidelity = mapping.uint32(MAPPING.symbolic_info)
    if (fidelity === SYMBOL_FIDELITY_FULL)
      for (const flag of MAPPING_FLAGS) attributes.push(builder.attribute(flag, true))
    else if (fidelity !== 0) notes.add('unknown-fidelity', 'symbol fidelities beyond "full" were left out')
    return builder.dictionary.mapping(range, 0, filename, attributes.array, attributes.length)
  }

  #function(fn: MessageParts): FunctionIndex {
    const name = this.#stringIn(fn, FUNCTION.name_index)
    const systemName = this.#stringIn(fn, FUNCTION.system_name_index)
    const filename = this.#stringIn(fn, FUNCTION.filename_index)
    fn.long(FUNCTION.start_line)
    return this.#context.builder.dictionary.function(name, systemName, filename, fn.lo, fn.hi)
  }

  #location(location: MessageParts, fields: Numbering['location'], line: MessageParts): LocationIndex {
    const { builder } = this.#context
    const attributes = this.#attributesIn(location, [fields.attribute_set_indices, fields.attribute_set_index])
    const lines = this.#lines
    lines.length = 0
    for (let i = 0; i < location.count(fields.line); i++) {
      line.read(location.from(fields.line, i), location.to(fields.line, i))
      lines.push(this.#functionIn(line))
      line.long(LINE.line)
      lines.push(line.lo)
      lines.push(line.hi)
      lines.push(0)
      lines.push(0)
    }
    const mapping = this.#mappingIn(location, fields.mapping_index)
    location.long(fields.address)
    const { lo, hi } = location
    const count = lines.length / LINE_STRIDE
    return builder.dictionary.location(mapping, lo, hi, lines.array, count, attributes.array, attributes.length)
  }

  /** Callers come first in the draft, callees in the model. */
  #stack(stack: MessageParts): number {
    const run = this.#indexes
    run.length = 0
    stack.pushIndexes(STACKTRACE.location_indices, run)
    const at = stack.has(STACKTRACE.location_indices) ? stack.from(STACKTRACE.location_indices, 0) : 0
    for (let i = 0; i < run.length; i++) run.array[i] = this.#at(this.#locations, run.array[i], 'locations', at)
    run.view().reverse()
    return this.#context.builder.dictionary.stack(run.array, 0, run.length)
  }

  #stringIn(message: MessageParts, field: number): StringIndex {
    return this.string(message.uint32(field), message.lastFrom(field))
  }

  #textIn(message: MessageParts, field: number): string {
    const { builder } = this.#context
    const row = this.#stringIn(message, field)
    const { rows, pool } = builder.dictionary.strings
    const length = rows.array[2 * row + 1]
    this.#spend(length / 4, message.lastFrom(field))
    return decodeUtf8(pool.array, rows.array[2 * row], rows.array[2 * row] + length)
  }

  #functionIn(line: MessageParts): FunctionIndex {
    const index = line.uint32(LINE.function_index)
    if (index === 0 && this.#functions.length === 0) return 0 as FunctionIndex
    return this.#at(this.#functions, index, 'functions', line.lastFrom(LINE.function_index)) as FunctionIndex
  }

  #mappingIn(location: MessageParts, field: number): MappingIndex {
    const index = location.uint32(field)
    if (index === 0 && this.#mappings.length === 0) return 0 as MappingIndex
    return this.#at(this.#mappings, index, 'mappings', location.lastFrom(field)) as MappingIndex
  }

  /** The attributes of all sets that the fields refer to. */
  #attributesIn(message: MessageParts, fields: readonly number[]): GrowingInts {
    this.#attributes.length = 0
    for (const field of fields) {
      this.#indexes.length = 0
      message.pushIndexes(field, this.#indexes)
      for (const index of this.#indexes.view()) this.pushAttributes(index, message.from(field, 0), this.#attributes)
    }
    return this.#attributes
  }

  /** For attributes of the profile itself. */
  attribute(from: number, to: number): AttributeIndex {
    const { builder, source } = this.#context
    const { key, value } = checkedKeyValue(source.bytes, from, to)
    return builder.attribute(key, value)
  }
}
