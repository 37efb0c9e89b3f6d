// The tables of an event profile as rows of the dictionary that is being built, and its clocks and event types. Rows count
// from 0: an unset mapping_index cannot be told from the first mapping, so it is taken for that wherever there is one.
import type { KeyValue } from '../../model/any-value.ts'
import type { AttributeIndex, FunctionIndex, LocationIndex, MappingIndex, StringIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { LINE_STRIDE } from '../../model/dictionary.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { decodeUtf8, encodeUtf8, isUtf8 } from '../../wire/utf8.ts'
import { WireError } from '../../wire/wire-error.ts'
import { MAPPING_FLAGS, buildIdAttribute } from '../field-attributes.ts'
import type { NoteList } from '../format.ts'
import { MessageParts } from '../message-parts.ts'
import type { PartsSource } from '../message-parts.ts'
import type { UnfoldLimit } from '../unfold-limit.ts'
import type { Clock } from './clock.ts'
import { UNIX_CLOCK } from './clock.ts'
import { decodeKeyValue } from './read-values.ts'
import * as shapes from './shapes.ts'
import { CLOCK, EVENT_TYPE, FUNCTION, LINE, LINK, LOCATION, MAPPING, PROFILE, STACK } from './shapes.ts'

/** What reading shares. */
export interface Context {
  readonly source: PartsSource
  readonly builder: ProfilesBuilder
  readonly notes: NoteList
  readonly limit: UnfoldLimit
  /** Where reading is, for errors. */
  readonly place: { table: string; row: number }
}

export interface EventType {
  readonly nameText: string
  readonly unitText: string
  /** NONE for a type of aggregates. */
  readonly clock: number
  readonly defaultValue: bigint
  readonly attributes: readonly AttributeIndex[]
}

export class EventTables {
  readonly clocks: readonly Clock[]
  readonly types: readonly EventType[]
  readonly #context: Context
  readonly #strings: Int32Array
  readonly #keyValues: (KeyValue | undefined)[] = []
  readonly #attributes: Int32Array
  readonly #links: Int32Array
  readonly #mappings: Int32Array
  readonly #functions: Int32Array
  readonly #locations: Int32Array
  readonly #stacks: Int32Array
  readonly #indexes = new GrowingInts()
  readonly #run = new GrowingInts()
  readonly #lines = new GrowingInts()

  constructor(context: Context, profile: MessageParts) {
    this.#context = context
    const { source } = context
    const table = (name: keyof typeof PROFILE, read: (from: number, to: number) => number): Int32Array =>
      this.#rows(profile, PROFILE[name], name, read)
    const parts = (shape: ConstructorParameters<typeof MessageParts>[1]): MessageParts =>
      new MessageParts(source, shape)

    this.#strings = table('strings', (from, to) => this.#string(from, to))
    this.#attributes = table('attributes', (from, to) => this.#attribute(from, to))
    const link = parts(shapes.linkShape)
    this.#links = table('links', (from, to) => this.#link(link.read(from, to)))
    const mapping = parts(shapes.mappingShape)
    this.#mappings = table('mappings', (from, to) => this.#mapping(mapping.read(from, to)))
    const fn = parts(shapes.functionShape)
    this.#functions = table('functions', (from, to) => this.#function(fn.read(from, to)))
    const line = parts(shapes.lineShape)
    const location = parts(shapes.locationShape)
    this.#locations = table('locations', (from, to) => this.#location(location.read(from, to), line))
    const stack = parts(shapes.stackShape)
    this.#stacks = table('stacks', (from, to) => this.#stack(stack.read(from, to)))
    const clock = parts(shapes.clockShape)
    const clocks: Clock[] = []
    table('clocks', (from, to) => this.#filled(clocks, UNIX_CLOCK, () => this.#clock(clock.read(from, to))))
    this.clocks = clocks
    const type = parts(shapes.eventTypeShape)
    const types: EventType[] = []
    table('event_types', (from, to) => this.#filled(types, NO_TYPE, () => this.#eventType(type.read(from, to))))
    this.types = types
  }

  get hasStacks(): boolean {
    return this.#stacks.length > 0
  }

  stack(index: number, at: number): number {
    return this.#at(this.#stacks, index, 'stacks', at)
  }

  link(index: number, at: number): number {
    return this.#at(this.#links, index, 'links', at)
  }

  /** Appends the attributes that a field refers to. */
  pushAttributes(message: MessageParts, field: number, column: GrowingInts): void {
    if (!message.has(field)) return
    this.#indexes.length = 0
    message.pushIndexes(field, this.#indexes)
    for (const index of this.#indexes.view()) {
      const attribute = this.#at(this.#attributes, index, 'attributes', message.from(field, 0))
      if (attribute !== NONE) column.push(attribute)
    }
  }

  /** The strings that a field of numbers refers to. */
  texts(message: MessageParts, field: number): string[] {
    this.#indexes.length = 0
    message.pushIndexes(field, this.#indexes)
    return Array.from(this.#indexes.view(), index => this.#text(index >>> 0, message.from(field, 0)))
  }

  /** Adds an entry whatever happens, so that the others keep their places. */
  #filled<T>(list: T[], instead: T, read: () => T): number {
    const before = list.length
    try {
      list.push(read())
    } finally {
      if (list.length === before) list.push(instead)
    }
    return 0
  }

  #at(rows: Int32Array, index: number, table: string, at: number): number {
    if (index >>> 0 >= rows.length) {
      throw new WireError(at, `index ${index >>> 0} is outside of ${table} of ${rows.length}`)
    }
    return rows[index]
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
        rows[i] = table === 'attributes' ? NONE : 0
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

  /** A copy of the string, which counts: a few bytes can refer to a long one many times. */
  #text(index: number, at: number): string {
    if (index === 0 && this.#strings.length === 0) return ''
    const { builder, limit } = this.#context
    if (index >= this.#strings.length) {
      throw new WireError(at, `index ${index} is outside of strings of ${this.#strings.length}`)
    }
    const { rows, pool } = builder.dictionary.strings
    const row = this.#strings[index]
    const length = rows.array[2 * row + 1]
    if (!limit.spend(length / 4)) throw new WireError(at, `it unfolds into more than ${limit.limit} numbers`)
    return decodeUtf8(pool.array, rows.array[2 * row], rows.array[2 * row] + length)
  }

  #attribute(from: number, to: number): number {
    const { builder, source } = this.#context
    const attribute = decodeKeyValue(source.bytes, from, to, (index, at) => this.#text(index, at))
    const row = builder.attribute(attribute.key, attribute.value)
    this.#keyValues[row] = attribute
    return row
  }

  #link(link: MessageParts): number {
    const { builder, source } = this.#context
    const trace = link.view(LINK.trace_id)
    const span = link.view(LINK.span_id)
    const traceFrom = trace.byteOffset - source.bytes.byteOffset
    const spanFrom = span.byteOffset - source.bytes.byteOffset
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
    const filename = this.#stringIn(mapping, MAPPING.filename_string_index)
    const run = this.#run
    run.length = 0
    this.pushAttributes(mapping, MAPPING.attributes, run)
    const buildId = this.#textIn(mapping, MAPPING.build_id_string_index)
    const kind = mapping.uint32(MAPPING.build_id_kind)
    if (kind > 1) notes.add('unknown-build-id', 'build ids of an unknown kind were taken for those of a linker')
    for (const id of buildIdAttribute(builder, buildId, kind)) run.push(id)
    for (const [flag, key] of MAPPING_FLAGS.entries()) {
      if (mapping.flag(MAPPING.has_functions + flag)) run.push(builder.attribute(key, true))
    }
    return builder.dictionary.mapping(range, 0, filename, run.array, run.length)
  }

  #function(fn: MessageParts): FunctionIndex {
    if (fn.has(FUNCTION.id))
      this.#context.notes.add('function-ids', 'ids of functions, which nothing refers to, were left out')
    const name = this.#stringIn(fn, FUNCTION.name_string_index)
    const systemName = this.#stringIn(fn, FUNCTION.system_name_string_index)
    const filename = this.#stringIn(fn, FUNCTION.filename_string_index)
    fn.long(FUNCTION.start_line)
    return this.#context.builder.dictionary.function(name, systemName, filename, fn.lo, fn.hi)
  }

  #location(location: MessageParts, line: MessageParts): LocationIndex {
    const { builder } = this.#context
    const lines = this.#lines
    lines.length = 0
    for (let i = 0; i < location.count(LOCATION.line); i++) {
      line.read(location.from(LOCATION.line, i), location.to(LOCATION.line, i))
      lines.push(this.#functionIn(line))
      for (const field of [LINE.line, LINE.column]) {
        line.long(field)
        lines.push(line.lo)
        lines.push(line.hi)
      }
    }
    const run = this.#run
    run.length = 0
    this.pushAttributes(location, LOCATION.attribute_index, run)
    const type = this.#textIn(location, LOCATION.type_string_index)
    if (type !== '') run.push(builder.attribute(ATTRIBUTES.frameType, type))
    if (location.flag(LOCATION.is_folded)) run.push(builder.attribute(ATTRIBUTES.pprofLocationIsFolded, true))
    const mapping = this.#mappingIn(location)
    location.long(LOCATION.address)
    const { lo, hi } = location
    return builder.dictionary.location(mapping, lo, hi, lines.array, lines.length / LINE_STRIDE, run.array, run.length)
  }

  /** The leaf is first, as in the model. */
  #stack(stack: MessageParts): number {
    const run = this.#run
    run.length = 0
    stack.pushIndexes(STACK.location_index, run)
    const at = stack.has(STACK.location_index) ? stack.from(STACK.location_index, 0) : 0
    for (let i = 0; i < run.length; i++) run.array[i] = this.#at(this.#locations, run.array[i], 'locations', at)
    return this.#context.builder.dictionary.stack(run.array, 0, run.length)
  }

  #clock(clock: MessageParts): Clock {
    const run = this.#run
    run.length = 0
    this.pushAttributes(clock, CLOCK.attribute_indices, run)
    const attributes = Array.from(run.view(), row => this.#keyValues[row]!)
    return { frequency: clock.uint64(CLOCK.frequency), start: clock.uint64(CLOCK.time_unix_nano), attributes }
  }

  #eventType(type: MessageParts): EventType {
    const run = this.#run
    run.length = 0
    this.pushAttributes(type, EVENT_TYPE.attribute_indices, run)
    return {
      nameText: this.#textIn(type, EVENT_TYPE.name_string_index),
      unitText: this.#textIn(type, EVENT_TYPE.unit_string_index),
      clock: this.#clockIn(type),
      defaultValue: type.uint64(EVENT_TYPE.default_value),
      attributes: Array.from(run.view()) as AttributeIndex[],
    }
  }

  #clockIn(type: MessageParts): number {
    if (!type.has(EVENT_TYPE.clock_index)) return NONE
    const index = type.uint32(EVENT_TYPE.clock_index)
    const at = type.lastFrom(EVENT_TYPE.clock_index)
    if (index >= this.clocks.length) {
      throw new WireError(at, `index ${index} is outside of clocks of ${this.clocks.length}`)
    }
    if (this.clocks[index].frequency === 0n) throw new WireError(at, `clock ${index} has no frequency`)
    return index
  }

  #stringIn(message: MessageParts, field: number): StringIndex {
    const index = message.uint32(field)
    if (index === 0 && this.#strings.length === 0) return 0 as StringIndex
    return this.#at(this.#strings, index, 'strings', message.lastFrom(field)) as StringIndex
  }

  #textIn(message: MessageParts, field: number): string {
    return this.#text(message.uint32(field), message.lastFrom(field))
  }

  #functionIn(line: MessageParts): FunctionIndex {
    const index = line.uint32(LINE.function_index)
    if (index === 0 && this.#functions.length === 0) return 0 as FunctionIndex
    return this.#at(this.#functions, index, 'functions', line.lastFrom(LINE.function_index)) as FunctionIndex
  }

  #mappingIn(location: MessageParts): MappingIndex {
    const index = location.uint32(LOCATION.mapping_index)
    if (index === 0 && this.#mappings.length === 0) return 0 as MappingIndex
    return this.#at(this.#mappings, index, 'mappings', location.lastFrom(LOCATION.mapping_index)) as MappingIndex
  }

  /** An attribute row as a value, for those that stand for something else. */
  keyValue(row: AttributeIndex): KeyValue {
    return this.#keyValues[row]!
  }
}

const NO_TYPE: EventType = {
  nameText: '',
  unitText: '',
  clock: NONE,
  defaultValue: 0n,
  attributes: [],
}
