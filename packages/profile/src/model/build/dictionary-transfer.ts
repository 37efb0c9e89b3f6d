// Copies rows of a dictionary into a dictionary under construction. Copies only the requested rows and the rows they
// refer to, each once. Orphans are therefore dropped and duplicates become one row.
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import { FUNCTION_STRIDE, LINE_STRIDE, LINK_STRIDE, LOCATION_STRIDE, MAPPING_STRIDE } from '../columns/dictionary.ts'
import type { DictionaryBuilder } from './dictionary-builder.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import { LastRows, LastStrings } from './repeated-tables.ts'
import { sortSet } from '../columns/sorted-set.ts'
import type { UnknownFields, UnknownTable } from '../columns/unknown-fields.ts'
import { entriesOf } from '../columns/unknown-fields.ts'

/** Marks attributes that are not copied. */
const DROPPED = -2

/** The target row of each row of one source table; NONE if the row was not copied yet. */
class Memo {
  rows = new Int32Array(256)

  reset(length: number): void {
    if (length > this.rows.length) this.rows = new Int32Array(length * 2)
    this.rows.fill(NONE, 0, length)
  }
}

export class DictionaryTransfer {
  readonly #target: DictionaryBuilder
  #source: Dictionary
  readonly #strings = new Memo()
  readonly #functions = new Memo()
  readonly #mappings = new Memo()
  readonly #locations = new Memo()
  readonly #stacks = new Memo()
  readonly #links = new Memo()
  readonly #attributes = new Memo()
  readonly #lastStrings = new LastStrings()
  readonly #lastFunctions = new LastRows(FUNCTION_STRIDE)
  #lineRun = new Int32Array(64)
  #attributeRun = new Int32Array(64)

  constructor(source: Dictionary, target: DictionaryBuilder) {
    this.#target = target
    this.#source = source
    this.from(source)
  }

  /** Switches to another source and keeps the memory. The target may have been emptied. */
  from(source: Dictionary): this {
    this.#lastStrings.forget()
    this.#lastFunctions.forget()
    this.#strings.reset(source.strings.length)
    this.#functions.reset(source.functions.length)
    return this.#switch(source)
  }

  /** Switches to another source of the same target. Strings and functions that are the same as before stay known. */
  next(source: Dictionary): this {
    const hasSameStrings = this.#lastStrings.repeats(source.strings)
    const hasSameFunctions = this.#lastFunctions.repeats(source.functions)
    const hasUnknownFields = source.unknown !== undefined || this.#source.unknown !== undefined
    if (!hasSameStrings) this.#strings.reset(source.strings.length)
    if (!hasSameStrings || !hasSameFunctions || hasUnknownFields) this.#functions.reset(source.functions.length)
    return this.#switch(source)
  }

  #switch(source: Dictionary): this {
    this.#source = source
    this.#mappings.reset(source.mappings.length)
    this.#locations.reset(source.locations.length)
    this.#stacks.reset(source.stacks.length)
    this.#links.reset(source.links.length)
    this.#attributes.reset(source.attributes.length)
    if (source.unknown !== undefined) this.#carryZeroRows(source.unknown)
    return this
  }

  /** The target row of each source row; NONE for rows not copied yet. The arrays may be longer than the tables. */
  get stringRows(): Int32Array {
    return this.#strings.rows
  }

  get locationRows(): Int32Array {
    return this.#locations.rows
  }

  get linkRows(): Int32Array {
    return this.#links.rows
  }

  get attributeRows(): Int32Array {
    return this.#attributes.rows
  }

  /** Lists do not contain this attribute in the target. Call it before anything is copied. */
  dropAttribute(i: AttributeIndex): void {
    this.#attributes.rows[i] = DROPPED
  }

  /** Lists contain a row of the target instead of this attribute. Call it before anything is copied. */
  replaceAttribute(i: AttributeIndex, target: AttributeIndex): void {
    this.#attributes.rows[i] = target
  }

  /** Appends attributes of the source to a column of the target, as a sorted set. */
  attributeSet(list: Pool<AttributeIndex>, from: number, to: number, column: GrowingInts): void {
    if (from === to) return
    const target = column.reserve(to - from)
    const start = column.length
    const carried = this.#attributes.rows
    const { ints, base } = list
    let at = start
    for (let k = from; k < to; k++) {
      const attribute = ints[base + k] as AttributeIndex
      const row = carried[attribute]
      if (row !== DROPPED) target[at++] = row === NONE ? this.attribute(attribute) : row
    }
    column.length = sortSet(target, start, at)
  }

  string(i: StringIndex): StringIndex {
    const { rows } = this.#strings
    if (rows[i] === NONE) {
      const { strings } = this.#source
      const offset = strings.offset(i)
      rows[i] = this.#target.string(strings.bytes, offset, offset + strings.byteLength(i))
    }
    return rows[i] as StringIndex
  }

  function(i: FunctionIndex): FunctionIndex {
    const { rows } = this.#functions
    if (rows[i] === NONE) {
      const { ints, base } = this.#source.functions
      const at = base + i * FUNCTION_STRIDE
      rows[i] = this.#target.function(
        this.string(ints[at] as StringIndex),
        this.string(ints[at + 1] as StringIndex),
        this.string(ints[at + 2] as StringIndex),
        ints[at + 3],
        ints[at + 4],
        this.#unknown('functions', i),
      )
    }
    return rows[i] as FunctionIndex
  }

  mapping(i: MappingIndex): MappingIndex {
    const { rows } = this.#mappings
    if (rows[i] === NONE) {
      const { mappings } = this.#source
      const at = mappings.base + i * MAPPING_STRIDE
      const count = this.#carryAttributes(mappings.attributes, mappings.attributesFrom(i), mappings.attributesTo(i))
      const filename = this.string(mappings.filename(i))
      const unknown = this.#unknown('mappings', i)
      rows[i] = this.#target.mapping(mappings.ints, at, filename, this.#attributeRun, count, unknown)
    }
    return rows[i] as MappingIndex
  }

  location(i: LocationIndex): LocationIndex {
    const { rows } = this.#locations
    if (rows[i] === NONE) rows[i] = this.#carryLocation(i)
    return rows[i] as LocationIndex
  }

  stack(i: StackIndex): StackIndex {
    const { rows } = this.#stacks
    if (rows[i] === NONE) {
      const { stacks } = this.#source
      const { ints, base } = stacks.locations
      const from = stacks.from(i)
      const depth = stacks.to(i) - from
      const { stacks: interner } = this.#target
      // Writes into the interner directly, so that 4 million frames are not copied twice.
      const run = interner.pool.reserve(depth)
      const start = interner.pool.length
      const locations = this.#locations.rows
      for (let k = 0; k < depth; k++) {
        const location = ints[base + from + k] as LocationIndex
        const carried = locations[location]
        run[start + k] = carried === NONE ? this.location(location) : carried
      }
      rows[i] = this.#target.stackTail(depth, this.#unknown('stacks', i))
    }
    return rows[i] as StackIndex
  }

  link(i: LinkIndex): LinkIndex {
    const { rows } = this.#links
    if (rows[i] === NONE) {
      const { ints, base, bytes } = this.#source.links
      const at = base + i * LINK_STRIDE
      const [traceTo, spanTo] = [ints[at] + ints[at + 1], ints[at + 2] + ints[at + 3]]
      rows[i] = this.#target.link(bytes, ints[at], traceTo, ints[at + 2], spanTo, this.#unknown('links', i))
    }
    return rows[i] as LinkIndex
  }

  attribute(i: AttributeIndex): AttributeIndex {
    const { rows } = this.#attributes
    if (rows[i] === NONE) {
      const { attributes } = this.#source
      rows[i] = this.#target.attribute(
        this.string(attributes.key(i)),
        this.string(attributes.unit(i)),
        attributes.kind(i),
        attributes.a(i),
        attributes.b(i),
        attributes.bytes,
        this.#unknown('attributes', i),
      )
    }
    return rows[i] as AttributeIndex
  }

  #carryLocation(i: LocationIndex): LocationIndex {
    const { ints, base, lines, attributes } = this.#source.locations
    // Reads the columns directly, because the table's accessors would look up each neighbour again.
    const at = base + i * LOCATION_STRIDE
    const firstLine = i === 0 ? 0 : ints[at - 2]
    const firstAttribute = i === 0 ? 0 : ints[at - 1]
    const lineCount = ints[at + 3] - firstLine
    if (lineCount * LINE_STRIDE > this.#lineRun.length) this.#lineRun = new Int32Array(lineCount * LINE_STRIDE * 2)
    const run = this.#lineRun
    const lineInts = lines.ints
    let from = lines.base + firstLine * LINE_STRIDE
    for (let to = 0; to < lineCount * LINE_STRIDE; to += LINE_STRIDE, from += LINE_STRIDE) {
      run[to] = this.function(lineInts[from] as FunctionIndex)
      run[to + 1] = lineInts[from + 1]
      run[to + 2] = lineInts[from + 2]
      run[to + 3] = lineInts[from + 3]
      run[to + 4] = lineInts[from + 4]
    }
    const mapping = this.mapping(ints[at] as MappingIndex)
    const count = ints[at + 4] === firstAttribute ? 0 : this.#carryAttributes(attributes, firstAttribute, ints[at + 4])
    const unknown = this.#unknown('locations', i)
    return this.#target.location(
      mapping,
      ints[at + 1],
      ints[at + 2],
      run,
      lineCount,
      this.#attributeRun,
      count,
      unknown,
    )
  }

  /** Row 0 means "not set" in every table, so it stays row 0 with its unknown fields. */
  #carryZeroRows(unknown: UnknownFields): void {
    for (const [table, rows] of entriesOf(unknown)) this.#target.unknown.append(table, 0, rows.get(0))
  }

  #unknown(table: UnknownTable, row: number): Uint8Array | undefined {
    const { unknown } = this.#source
    return unknown === undefined || row === 0 ? undefined : unknown[table]?.get(row)
  }

  /** Fills #attributeRun, which the next call overwrites, and returns the count. */
  #carryAttributes(list: Pool<AttributeIndex>, from: number, to: number): number {
    const count = to - from
    if (count > this.#attributeRun.length) this.#attributeRun = new Int32Array(count * 2)
    const run = this.#attributeRun
    let length = 0
    for (let k = 0; k < count; k++) {
      const row = this.attribute(list.at(from + k))
      if (row !== DROPPED) run[length++] = row
    }
    return length
  }
}
