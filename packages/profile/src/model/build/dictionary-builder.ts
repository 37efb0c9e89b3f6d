// A dictionary under construction, without duplicates. Each table interns its rows as runs of ints. In a run,
// references are rows of other tables and byte values are rows of `blobs`, so equal content always gets the same row.
//
//   location   [mapping, address lo, hi, number of lines, (function, line lo, hi, column lo, hi)…, attributes…]
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../columns/brand.ts'
import type { Dictionary } from '../columns/dictionary.ts'
import { ATTRIBUTE_STRIDE, FUNCTION_STRIDE, LINE_STRIDE, ValueKind, isByteRange } from '../columns/dictionary.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import { GrowingBytes } from '../columns/growing-columns.ts'
import { BytesInterner, SequenceInterner } from './intern.ts'
import type { ProfilesDraft } from '../columns/profiles-draft.ts'
import { sortSet } from '../columns/sorted-set.ts'
import { UnknownFieldsDraft } from '../columns/unknown-fields.ts'

/** The number of ints of a row before its lists. */
export const MAPPING_HEAD = 7
export const LOCATION_HEAD = 4
const NO_BYTES = new Uint8Array(0)
const ZEROS = new Int32Array(MAPPING_HEAD)

type InternedTable = 'functions' | 'mappings' | 'locations' | 'stacks' | 'links' | 'attributes'

export class DictionaryBuilder {
  readonly bytes = new GrowingBytes(4096)
  readonly strings = new BytesInterner(this.bytes)
  /** Attribute values, ids, resources, scopes, schema URLs, payloads. */
  readonly blobs = new BytesInterner(this.bytes)
  readonly functions = new SequenceInterner()
  readonly mappings = new SequenceInterner()
  readonly locations = new SequenceInterner()
  readonly stacks = new SequenceInterner()
  readonly links = new SequenceInterner()
  readonly attributes = new SequenceInterner()
  readonly unknown = new UnknownFieldsDraft()
  /** Rows with unknown fields by table, content and the blob of these fields. The interners do not find them. */
  readonly #unknownRows = new Map<string, number>()
  readonly #key = new Int32Array(5)

  constructor() {
    this.#addZeroRows()
  }

  /** Empties the builder and keeps its memory. */
  clear(): void {
    this.bytes.over(NO_BYTES)
    this.strings.clear()
    this.blobs.clear()
    for (const table of [this.functions, this.mappings, this.locations, this.stacks, this.links, this.attributes]) {
      table.clear()
    }
    this.unknown.take()
    this.#unknownRows.clear()
    this.#addZeroRows()
  }

  /**
   * Empties the builder for rows of one source. The byte ranges of the source stay in place, and most tables get enough
   * room.
   */
  over({ bytes, strings, functions, locations }: Dictionary): void {
    this.clear()
    this.bytes.over(bytes)
    this.strings.expect(strings.length)
    this.functions.expect(functions.length, functions.length * FUNCTION_STRIDE)
    const locationInts = locations.length * LOCATION_HEAD + locations.lines.length * LINE_STRIDE
    this.locations.expect(locations.length, locationInts + locations.attributes.length)
  }

  string(bytes: Uint8Array, from: number, to: number): StringIndex {
    return this.strings.intern(bytes, from, to) as StringIndex
  }

  function(
    name: StringIndex,
    systemName: StringIndex,
    filename: StringIndex,
    lineLo: number,
    lineHi: number,
    unknown?: Uint8Array,
  ): FunctionIndex {
    const key = this.#key
    key[0] = name
    key[1] = systemName
    key[2] = filename
    key[3] = lineLo
    key[4] = lineHi
    return this.#intern('functions', 5, unknown) as FunctionIndex
  }

  /**
   * Takes memory start, memory limit and file offset from six ints of `ints`. The attributes are a set in the first
   * `count` ints.
   */
  mapping(
    ints: Int32Array,
    at: number,
    filename: StringIndex,
    attributes: Int32Array,
    count: number,
    unknown?: Uint8Array,
  ): MappingIndex {
    const { pool } = this.mappings
    const key = pool.reserve(MAPPING_HEAD + count)
    const start = pool.length
    for (let i = 0; i < 6; i++) key[start + i] = ints[at + i]
    key[start + 6] = filename
    const end = appendSet(key, start + MAPPING_HEAD, attributes, count)
    return this.#internTail('mappings', end - start, unknown) as MappingIndex
  }

  /** Uses the first `lineCount` lines of `lines`, five ints each in LineTable's layout. The attributes are a set. */
  location(
    mapping: MappingIndex,
    addressLo: number,
    addressHi: number,
    lines: Int32Array,
    lineCount: number,
    attributes: Int32Array,
    attributeCount: number,
    unknown?: Uint8Array,
  ): LocationIndex {
    const { pool } = this.locations
    const lineInts = lineCount * LINE_STRIDE
    const key = pool.reserve(LOCATION_HEAD + lineInts + attributeCount)
    const start = pool.length
    key[start] = mapping
    key[start + 1] = addressLo
    key[start + 2] = addressHi
    key[start + 3] = lineCount
    // A loop, because `set` on a few ints costs more than the interning.
    for (let i = 0, at = start + LOCATION_HEAD; i < lineInts; i++) key[at + i] = lines[i]
    const end = appendSet(key, start + LOCATION_HEAD + lineInts, attributes, attributeCount)
    return this.#internTail('locations', end - start, unknown) as LocationIndex
  }

  /** Leaf first. */
  stack(locations: Int32Array, from = 0, to = locations.length, unknown?: Uint8Array): StackIndex {
    if (unknown === undefined) return this.stacks.intern(locations, from, to) as StackIndex
    const { pool } = this.stacks
    pool.reserve(to - from).set(locations.subarray(from, to), pool.length)
    return this.stackTail(to - from, unknown)
  }

  link(
    bytes: Uint8Array,
    traceFrom: number,
    traceTo: number,
    spanFrom: number,
    spanTo: number,
    unknown?: Uint8Array,
  ): LinkIndex {
    const isUnset = isZero(bytes, traceFrom, traceTo) && isZero(bytes, spanFrom, spanTo)
    if (isUnset && unknown === undefined) return 0 as LinkIndex
    const key = this.#key
    key[0] = this.blobs.intern(bytes, traceFrom, traceTo)
    key[1] = this.blobs.intern(bytes, spanFrom, spanTo)
    return this.#intern('links', 2, unknown) as LinkIndex
  }

  /** Takes `a` and `b` in AttributeTable's layout, with byte ranges in `bytes`. */
  attribute(
    key: StringIndex,
    unit: StringIndex,
    kind: number,
    a: number,
    b: number,
    bytes: Uint8Array,
    unknown?: Uint8Array,
  ): AttributeIndex {
    const row = this.#key
    row[0] = key
    row[1] = unit
    row[2] = kind
    // Unused columns of a kind are 0 in every row, so that equal content is equal ints.
    if (isByteRange(kind)) row[3] = this.blobs.intern(bytes, a, a + b)
    else if (kind === ValueKind.bool) row[3] = a === 0 ? 0 : 1
    else row[3] = kind === ValueKind.empty ? 0 : a
    row[4] = kind === ValueKind.int || kind === ValueKind.double ? b : 0
    return this.#intern('attributes', 5, unknown) as AttributeIndex
  }

  /** Interns the first `count` ints of #key. */
  #intern(table: 'functions' | 'links' | 'attributes', count: number, unknown: Uint8Array | undefined): number {
    if (unknown === undefined) return this[table].intern(this.#key, 0, count)
    const { pool } = this[table]
    const tail = pool.reserve(count)
    for (let i = 0, at = pool.length; i < count; i++) tail[at + i] = this.#key[i]
    return this.#internTail(table, count, unknown)
  }

  /** Interns the `count` ints behind the end of the table's pool. Rows with different unknown fields are different. */
  #internTail(table: InternedTable, count: number, unknown: Uint8Array | undefined): number {
    const interner = this[table]
    if (unknown === undefined) return interner.internTail(count)
    const { array, length } = interner.pool
    const blob = this.blobs.intern(unknown, 0, unknown.length)
    const content = `${table} ${array.subarray(length, length + count).join()} ${blob}`
    let row = this.#unknownRows.get(content)
    if (row === undefined) {
      row = interner.appendTail(count)
      this.#unknownRows.set(content, row)
      this.unknown.set(table, row, unknown)
    }
    return row
  }

  /** Interns the `depth` locations that the caller wrote behind the end of the pool of stacks. */
  stackTail(depth: number, unknown: Uint8Array | undefined): StackIndex {
    return this.#internTail('stacks', depth, unknown) as StackIndex
  }

  #addZeroRows(): void {
    this.functions.intern(ZEROS, 0, FUNCTION_STRIDE)
    this.mappings.intern(ZEROS, 0, MAPPING_HEAD)
    this.locations.intern(ZEROS, 0, LOCATION_HEAD)
    this.stacks.intern(ZEROS, 0, 0)
    this.links.intern(ZEROS, 0, 2)
    this.attributes.intern(ZEROS, 0, ATTRIBUTE_STRIDE)
  }

  blobOffset(blob: number): number {
    return this.blobs.rows.array[2 * blob]
  }

  blobLength(blob: number): number {
    return this.blobs.rows.array[2 * blob + 1]
  }

  /** Writes all rows as columns of the draft, whose byte ranges then point into `this.bytes`. */
  writeTo(draft: ProfilesDraft): void {
    draft.strings.pushAll(this.strings.rows.array, 0, this.strings.rows.length)
    draft.functions.pushAll(this.functions.pool.array, 0, this.functions.pool.length)
    this.#writeMappings(draft)
    this.#writeLocations(draft)
    draft.stacks.pushAll(this.stacks.ends.array, 0, this.stacks.length)
    draft.stackLocations.pushAll(this.stacks.pool.array, 0, this.stacks.pool.length)
    const links = this.links.pool.array
    for (let i = 0; i < this.links.pool.length; i++) this.#pushBlob(draft.links, links[i])
    this.#writeAttributes(draft)
    draft.dictionaryUnknown.addAll(this.unknown.take())
  }

  #writeMappings(draft: ProfilesDraft): void {
    const { pool, length } = this.mappings
    for (let i = 0; i < length; i++) {
      const start = this.mappings.start(i)
      draft.mappings.pushAll(pool.array, start, start + MAPPING_HEAD)
      draft.mappingAttributes.pushAll(pool.array, start + MAPPING_HEAD, this.mappings.end(i))
      draft.mappings.push(draft.mappingAttributes.length)
    }
  }

  #writeLocations(draft: ProfilesDraft): void {
    const { pool, length } = this.locations
    let lineEnd = 0
    for (let i = 0; i < length; i++) {
      const start = this.locations.start(i)
      const lines = pool.array[start + 3]
      const attributes = start + LOCATION_HEAD + lines * LINE_STRIDE
      lineEnd += lines
      draft.lines.pushAll(pool.array, start + LOCATION_HEAD, attributes)
      draft.locationAttributes.pushAll(pool.array, attributes, this.locations.end(i))
      draft.locations.pushAll(pool.array, start, start + 3)
      draft.locations.push(lineEnd)
      draft.locations.push(draft.locationAttributes.length)
    }
  }

  #writeAttributes(draft: ProfilesDraft): void {
    const { pool } = this.attributes
    for (let at = 0; at < pool.length; at += 5) {
      draft.attributes.pushAll(pool.array, at, at + 3)
      if (isByteRange(pool.array[at + 2])) this.#pushBlob(draft.attributes, pool.array[at + 3])
      else draft.attributes.pushAll(pool.array, at + 3, at + 5)
    }
  }

  #pushBlob(column: GrowingInts, blob: number): void {
    column.push(this.blobOffset(blob))
    column.push(this.blobLength(blob))
  }
}

/** Writes the set behind the head of the key and returns the end of it. */
function appendSet(key: Int32Array, start: number, set: Int32Array, count: number): number {
  for (let i = 0; i < count; i++) key[start + i] = set[i]
  return sortSet(key, start, start + count)
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false
  return true
}
