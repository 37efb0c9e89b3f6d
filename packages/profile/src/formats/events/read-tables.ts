// Reads the tables of an event profile into the dictionary being built, and its clocks and event types.
import type { KeyValue } from '../../model/columns/any-value.ts'
import type { AttributeIndex, FunctionIndex, LocationIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { WireError } from '../../wire/wire-error.ts'
import { MAPPING_FLAGS, buildIdAttribute } from '../former-drafts/field-attributes.ts'
import { MessageParts } from '../former-drafts/message-parts.ts'
import type { ReadContext } from '../former-drafts/symbol-table-reader.ts'
import { SymbolTableReader, outside } from '../former-drafts/symbol-table-reader.ts'
import type { EventClock } from './clock.ts'
import { UNIX_CLOCK } from './clock.ts'
import { decodeKeyValue } from './read-values.ts'
import * as shapes from './shapes.ts'
import { CLOCK, EVENT_TYPE, FUNCTION, LOCATION, MAPPING, PROFILE } from './shapes.ts'

export interface EventType {
  readonly nameText: string
  readonly unitText: string
  /** NONE for a type of aggregates. */
  readonly clock: number
  readonly defaultValue: bigint
  readonly attributes: readonly AttributeIndex[]
}

export class EventTables {
  readonly clocks: readonly EventClock[]
  readonly types: readonly EventType[]
  readonly #context: ReadContext
  readonly #symbols: SymbolTableReader
  readonly #keyValues: (KeyValue | undefined)[] = []
  readonly #attributes: Int32Array
  readonly #links: Int32Array
  readonly #stacks: Int32Array
  readonly #indexes = new GrowingInts()
  readonly #run = new GrowingInts()
  readonly #lines = new GrowingInts()

  constructor(context: ReadContext, profile: MessageParts) {
    this.#context = context
    const { source } = context
    const symbols = (this.#symbols = new SymbolTableReader(context, 'strings'))
    const table = (name: keyof typeof PROFILE, read: (from: number, to: number) => number, instead = 0): Int32Array =>
      symbols.rows(profile, PROFILE[name], name, read, instead)
    const parts = (shape: ConstructorParameters<typeof MessageParts>[1]): MessageParts =>
      new MessageParts(source, shape)

    symbols.strings = table('strings', (from, to) => symbols.readString(from, to))
    this.#attributes = table('attributes', (from, to) => this.#attribute(from, to), NONE)
    const link = parts(shapes.linkShape)
    this.#links = table('links', (from, to) => symbols.readLink(link.read(from, to)))
    const mapping = parts(shapes.mappingShape)
    symbols.mappings = table('mappings', (from, to) => this.#mapping(mapping.read(from, to)))
    const fn = parts(shapes.functionShape)
    symbols.functions = table('functions', (from, to) => this.#function(fn.read(from, to)))
    const line = parts(shapes.lineShape)
    const location = parts(shapes.locationShape)
    symbols.locations = table('locations', (from, to) => this.#location(location.read(from, to), line))
    const stack = parts(shapes.stackShape)
    this.#stacks = table('stacks', (from, to) => symbols.readStack(stack.read(from, to), 'leaf first'))
    const clock = parts(shapes.clockShape)
    const clocks: EventClock[] = []
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
    return this.#symbols.at(this.#stacks, index, 'stacks', at)
  }

  link(index: number, at: number): number {
    return this.#symbols.at(this.#links, index, 'links', at)
  }

  /** Appends the attributes that a field refers to. */
  pushAttributes(message: MessageParts, field: number, column: GrowingInts): void {
    if (!message.has(field)) return
    this.#indexes.length = 0
    message.pushIndexes(field, this.#indexes)
    for (const index of this.#indexes.view()) {
      const attribute = this.#symbols.at(this.#attributes, index, 'attributes', message.from(field, 0))
      if (attribute !== NONE) column.push(attribute)
    }
  }

  /** Returns the strings that a field of numbers refers to. */
  texts(message: MessageParts, field: number): string[] {
    this.#indexes.length = 0
    message.pushIndexes(field, this.#indexes)
    return Array.from(this.#indexes.view(), index => this.#symbols.text(index, message.from(field, 0)))
  }

  /** Adds an entry even if reading throws, so that the others keep their positions. */
  #filled<T>(list: T[], instead: T, read: () => T): number {
    const before = list.length
    try {
      list.push(read())
    } finally {
      if (list.length === before) list.push(instead)
    }
    return 0
  }

  #attribute(from: number, to: number): number {
    const { builder, source } = this.#context
    const attribute = decodeKeyValue(source.bytes, from, to, (index, at) => this.#symbols.text(index, at))
    const row = builder.attribute(attribute.key, attribute.value)
    this.#keyValues[row] = attribute
    return row
  }

  #mapping(mapping: MessageParts): number {
    const { builder, notes } = this.#context
    const range = this.#symbols.mappingRange(mapping, MAPPING.memory_start)
    const filename = this.#symbols.stringIn(mapping, MAPPING.filename_string_index)
    const run = this.#run
    run.length = 0
    this.pushAttributes(mapping, MAPPING.attributes, run)
    const buildId = this.#symbols.textIn(mapping, MAPPING.build_id_string_index)
    const kind = mapping.uint32(MAPPING.build_id_kind)
    if (kind > 1) notes.add('unknown-build-id', 'build ids of an unknown kind were read as those of a linker')
    for (const id of buildIdAttribute(builder, buildId, kind)) run.push(id)
    for (const [flag, key] of MAPPING_FLAGS.entries()) {
      if (mapping.flag(MAPPING.has_functions + flag)) run.push(builder.attribute(key, true))
    }
    return builder.dictionary.mapping(range, 0, filename, run.array, run.length)
  }

  #function(fn: MessageParts): FunctionIndex {
    if (fn.has(FUNCTION.id))
      this.#context.notes.add('function-ids', 'ids of functions, which nothing refers to, were dropped')
    return this.#symbols.readFunction(fn, FUNCTION.name_string_index)
  }

  #location(location: MessageParts, line: MessageParts): LocationIndex {
    const { builder } = this.#context
    const lines = this.#lines
    lines.length = 0
    for (let i = 0; i < location.count(LOCATION.line); i++) {
      line.read(location.from(LOCATION.line, i), location.to(LOCATION.line, i))
      this.#symbols.pushLine(line, lines, true)
    }
    const run = this.#run
    run.length = 0
    this.pushAttributes(location, LOCATION.attribute_index, run)
    const type = this.#symbols.textIn(location, LOCATION.type_string_index)
    if (type !== '') run.push(builder.attribute(ATTRIBUTES.frameType, type))
    if (location.flag(LOCATION.is_folded)) run.push(builder.attribute(ATTRIBUTES.pprofLocationIsFolded, true))
    const mapping = this.#symbols.mappingIn(location, LOCATION.mapping_index)
    location.long(LOCATION.address)
    const { lo, hi } = location
    return builder.dictionary.location(mapping, lo, hi, lines.array, lines.length / LINE_STRIDE, run.array, run.length)
  }

  #clock(clock: MessageParts): EventClock {
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
      nameText: this.#symbols.textIn(type, EVENT_TYPE.name_string_index),
      unitText: this.#symbols.textIn(type, EVENT_TYPE.unit_string_index),
      clock: this.#clockIn(type),
      defaultValue: type.uint64(EVENT_TYPE.default_value),
      attributes: Array.from(run.view()) as AttributeIndex[],
    }
  }

  #clockIn(type: MessageParts): number {
    if (!type.has(EVENT_TYPE.clock_index)) return NONE
    const index = type.uint32(EVENT_TYPE.clock_index)
    const at = type.lastFrom(EVENT_TYPE.clock_index)
    if (index >= this.clocks.length) outside(index, this.clocks.length, 'clocks', at)
    if (this.clocks[index].frequency === 0n) throw new WireError(at, `clock ${index} has no frequency`)
    return index
  }

  /** Returns an attribute row as a value, for attributes with a special meaning. */
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
