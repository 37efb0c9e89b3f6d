// Reads the tables of generations up to v1.7, which are in each profile, in the root, or in a dictionary, into the dictionary
// being built. Before v1.8 row 0 of a table was an ordinary entry, except for string_table[0], which is always empty. The
// builder interns rows by content, so the shift by one needs no special handling.
import type { KeyValue } from '../../../model/columns/any-value.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LocationIndex,
  MappingIndex,
  StringIndex,
} from '../../../model/columns/brand.ts'
import { LINE_STRIDE } from '../../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { LegacyContext } from './context.ts'
import { LegacyStrings } from './strings.ts'
import type { Steps } from '../locate.ts'
import { bytesOf, messagesOf, numberOf, numbersIn, toKeyValue } from '../generations/message-fields.ts'
import type { Row } from '../generations/row.ts'
import { eachRow } from '../generations/row.ts'
import type { Message } from '../generations/schema-reader.ts'
import { LazyMessages } from '../generations/schema-reader.ts'

/** A value of v1.3's BuildIdKind. The other value is 0, LINKER. */
const BINARY_HASH = 1

/** Fields that today's format lacks, and the attributes that replace them if they are true. */
export const MAPPING_FLAGS = [
  ['hasFunctions', ATTRIBUTES.pprofMappingHasFunctions],
  ['hasFilenames', ATTRIBUTES.pprofMappingHasFilenames],
  ['hasLineNumbers', ATTRIBUTES.pprofMappingHasLineNumbers],
  ['hasInlineFrames', ATTRIBUTES.pprofMappingHasInlineFrames],
] as const

/**
 * The attribute for the build id of a mapping. A linker's id is the GNU build id in practice. The hash of a binary can be any
 * hash. The only known producer, the eBPF profiler, sent 32 hex digits, which are called htlhash today. Any other hash gets the
 * former name of that attribute, which does not define the hash.
 */
export function buildIdKey(kind: number, isHtlhash: () => boolean): string {
  if (kind !== BINARY_HASH) return ATTRIBUTES.buildIdGnu
  return isHtlhash() ? ATTRIBUTES.buildIdHtlhash : ATTRIBUTES.buildIdProfiling
}

/** The addresses of the mapping being read. */
const RANGE = new Int32Array(6)

export class LegacyTables {
  readonly #context: LegacyContext
  readonly #at: Steps
  readonly #strings: LegacyStrings
  readonly #units = new Map<string, string>()
  /** By key and string index. Otherwise a long string would be compared again for each of a million references. */
  readonly #textAttributes = new Map<string, Map<number, AttributeIndex>>()
  readonly #attributes: Int32Array
  readonly #mappings: Int32Array
  readonly #functions: Int32Array
  readonly #links: Int32Array
  /** Rows of the dictionary. */
  readonly locations: Int32Array
  // The lists of the row being read.
  readonly #ofRow: GrowingInts
  readonly #lines: GrowingInts

  /** `holder` is the message with the tables, at the end of the steps. */
  constructor(context: LegacyContext, holder: Message, at: Steps) {
    const { names, rows } = context
    this.#context = context
    this.#ofRow = context.memory.attributes
    this.#lines = context.memory.lines
    this.#at = at
    this.#strings = new LegacyStrings(holder, context.builder)
    this.#readUnits(holder)
    this.#attributes = this.#readAttributes(holder)
    this.#mappings = this.#rows(holder, names.mappings, rows.mapping, steps => this.#mapping(steps))
    this.#functions = this.#rows(holder, names.functions, rows.function, steps => this.#function(steps))
    this.#links = Int32Array.from(messagesOf(holder, 'link_table'), link =>
      context.builder.link(bytesOf(link, 'trace_id'), bytesOf(link, 'span_id')),
    )
    this.locations = this.#rows(holder, names.locations, rows.location, steps => this.#location(steps))
  }

  /** Returns the string that a field of `message` refers to. The message is at the end of the steps. */
  string(message: Message, field: string, steps: () => Steps): string {
    return this.stringAt(numberOf(message, field), () => [...steps(), [field, 0]])
  }

  stringAt(index: number, steps: () => Steps): string {
    return this.#hasString(index, steps) ? this.#strings.text(index) : ''
  }

  /** Returns false for 0, which means not set, in an empty table. */
  #hasString(index: number, steps: () => Steps): boolean {
    if (index === 0) return this.#strings.length > 0
    this.#context.check(index, this.#strings.length, 'string_table', steps)
    return true
  }

  #stringRow(row: Row, slot: number, steps: () => Steps): StringIndex {
    const index = row.number(slot)
    // The steps are only needed for an error.
    const isThere =
      (index >= 0 && index < this.#strings.length) ||
      this.#hasString(index, () => [...steps(), [row.schema.fields[slot].name, 0]])
    return isThere ? this.#strings.row(index) : (0 as StringIndex)
  }

  /** Returns the string that a field refers to as an attribute, or undefined if it is empty. */
  textAttribute(key: string, index: number, steps: () => Steps): AttributeIndex | undefined {
    let byIndex = this.#textAttributes.get(key)
    if (byIndex === undefined) this.#textAttributes.set(key, (byIndex = new Map<number, AttributeIndex>()))
    let attribute = byIndex.get(index)
    if (attribute === undefined) {
      if (!this.#hasString(index, steps) || this.#strings.isEmpty(index)) return undefined
      attribute = this.#strings.attribute(key, index)
      byIndex.set(index, attribute)
    }
    return attribute
  }

  attribute({ key, value }: KeyValue): AttributeIndex {
    return this.#context.builder.attribute(key, value, this.#units.get(key))
  }

  attributeAt(index: number, steps: () => Steps): AttributeIndex {
    this.#context.check(index, this.#attributes.length, 'attribute_table', steps)
    return this.#attributes[index] as AttributeIndex
  }

  /** The attributes that a field of `message` refers to. */
  attributesOf(message: Message, field: string, steps: () => Steps): AttributeIndex[] {
    const indexes = numbersIn(message, field)
    this.#context.bound(indexes.length, () => [...steps(), [field, 0]])
    return Array.from(indexes, (index, i) => this.attributeAt(Number(index), () => [...steps(), [field, i]]))
  }

  /** Adds the attributes that a field of `row` refers to. */
  pushAttributes(row: Row, slot: number, target: GrowingInts, steps: () => Steps): void {
    const count = row.count(slot)
    for (let k = 0; k < count; k++) {
      const index = row.listed(slot, k)
      if (index >= 0 && index < this.#attributes.length) target.push(this.#attributes[index])
      else this.attributeAt(index, () => [...steps(), [row.schema.fields[slot].name, k]])
    }
  }

  linkAt(index: number, steps: () => Steps): number {
    this.#context.check(index, this.#links.length, 'link_table', steps)
    return this.#links[index]
  }

  /** Whether row 0 of the link table, which a sample of v1.3 cannot refer to, is a link. */
  get hasFirstLink(): boolean {
    return this.#links.length > 0 && this.#links[0] !== 0
  }

  locationAt(index: number, steps: () => Steps): LocationIndex {
    this.#context.check(index, this.locations.length, this.#context.names.locations, steps)
    return this.locations[index] as LocationIndex
  }

  #readUnits(holder: Message): void {
    const { names } = this.#context
    let i = 0
    for (const entry of messagesOf(holder, 'attribute_units')) {
      const row = i++
      const steps = (): Steps => [...this.#at, ['attribute_units', row]]
      this.#units.set(this.string(entry, names.attributeKey, steps), this.string(entry, names.unit, steps))
    }
  }

  /** Without units, equal bytes are equal attributes in every profile. */
  #readAttributes(holder: Message): Int32Array {
    const entries = messagesOf(holder, 'attribute_table')
    if (entries instanceof LazyMessages && this.#units.size === 0) {
      return this.#context.attributeRows(entries, message => this.attribute(toKeyValue(message)))
    }
    return Int32Array.from(entries, entry => this.attribute(toKeyValue(entry)))
  }

  #rows(holder: Message, table: string, row: Row, read: (steps: () => Steps) => number): Int32Array {
    const entries = messagesOf(holder, table)
    const rows = new Int32Array(entries.length)
    let at = 0
    const steps = (): Steps => [...this.#at, [table, at]]
    eachRow(entries, row, i => {
      at = i
      rows[i] = read(steps)
    })
    return rows
  }

  #mapping(steps: () => Steps): MappingIndex {
    const { builder, rows } = this.#context
    const { mapping: row, slots } = rows
    const { mapping: slot } = slots
    const range = RANGE
    range[0] = row.lo[slot.memoryStart]
    range[1] = row.hi[slot.memoryStart]
    range[2] = row.lo[slot.memoryLimit]
    range[3] = row.hi[slot.memoryLimit]
    range[4] = row.lo[slot.fileOffset]
    range[5] = row.hi[slot.fileOffset]
    const attributes = this.#ofRow
    attributes.length = 0
    this.pushAttributes(row, slot.attributes, attributes, steps)
    const buildId = this.#buildId(steps)
    if (buildId !== undefined) attributes.push(buildId)
    for (const [flag, key] of MAPPING_FLAGS) {
      if (row.lo[slot[flag]] !== 0) attributes.push(builder.attribute(key, true))
    }
    const filename = this.#stringRow(row, slot.filename, steps)
    return builder.dictionary.mapping(range, 0, filename, attributes.array, attributes.length)
  }

  /** v1.3 only. */
  #buildId(steps: () => Steps): AttributeIndex | undefined {
    const { mapping: row, slots } = this.#context.rows
    const index = row.number(slots.mapping.buildId)
    const at = (): Steps => [...steps(), ['build_id', 0]]
    if (index === 0 && this.#strings.length === 0) return undefined
    const key = buildIdKey(row.number(slots.mapping.buildIdKind), () =>
      /^[0-9a-f]{32}$/i.test(this.stringAt(index, at)),
    )
    return this.textAttribute(key, index, at)
  }

  #function(steps: () => Steps): FunctionIndex {
    const { builder, rows } = this.#context
    const { function: row, slots } = rows
    const { name, systemName, filename, startLine } = slots.function
    return builder.dictionary.function(
      this.#stringRow(row, name, steps),
      this.#stringRow(row, systemName, steps),
      this.#stringRow(row, filename, steps),
      row.lo[startLine],
      row.hi[startLine],
    )
  }

  #location(steps: () => Steps): LocationIndex {
    const { builder, rows } = this.#context
    const { location: row, slots } = rows
    const { location: slot } = slots
    const attributes = this.#ofRow
    attributes.length = 0
    this.pushAttributes(row, slot.attributes, attributes, steps)
    const type = row.number(slot.type)
    const frameType =
      type === 0 ? undefined : this.textAttribute(ATTRIBUTES.frameType, type, () => [...steps(), ['type_index', 0]])
    if (frameType !== undefined) attributes.push(frameType)
    if (row.lo[slot.isFolded] !== 0) attributes.push(builder.attribute(ATTRIBUTES.pprofLocationIsFolded, true))
    this.#readLines(row, steps)
    return builder.dictionary.location(
      this.#mappingOf(row, steps),
      row.lo[slot.address],
      row.hi[slot.address],
      this.#lines.array,
      this.#lines.length / LINE_STRIDE,
      attributes.array,
      attributes.length,
    )
  }

  /**
   * Since v1.4 the field is optional: absent means none, 0 means the first mapping. v1.3 cannot distinguish these. Its
   * producers put the main binary first, so 0 is read as the first mapping if there is one.
   */
  #mappingOf(row: Row, steps: () => Steps): MappingIndex {
    const { slots } = this.#context.rows
    const index = row.number(slots.location.mapping)
    const isNone = this.#context.generation === 'v1.3' ? this.#mappings.length === 0 : !row.has(slots.location.mapping)
    if (index === 0 && isNone) return 0 as MappingIndex
    if (!(index >= 0 && index < this.#mappings.length)) {
      this.#context.check(index, this.#mappings.length, this.#context.names.mappings, () => [
        ...steps(),
        ['mapping_index', 0],
      ])
    }
    return this.#mappings[index] as MappingIndex
  }

  #readLines(location: Row, steps: () => Steps): void {
    const { line: row, slots } = this.#context.rows
    const lines = this.#lines
    lines.length = 0
    location.eachNested(slots.location.lines, row, i => {
      lines.push(this.#functionOf(row.number(slots.line.function), i, steps))
      lines.push(row.lo[slots.line.line])
      lines.push(row.hi[slots.line.line])
      lines.push(row.lo[slots.line.column])
      lines.push(row.hi[slots.line.column])
    })
  }

  #functionOf(index: number, line: number, steps: () => Steps): FunctionIndex {
    if (index === 0 && this.#functions.length === 0) return 0 as FunctionIndex
    if (!(index >= 0 && index < this.#functions.length)) {
      this.#context.check(index, this.#functions.length, this.#context.names.functions, () => [
        ...steps(),
        ['line', line],
        ['function_index', 0],
      ])
    }
    return this.#functions[index] as FunctionIndex
  }
}
