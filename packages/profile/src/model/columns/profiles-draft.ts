// A set of profiles under construction: every table and pool is a growing column. Decoders fill it directly from the
// wire; the builder and `merge` fill it from interned rows. `freeze` turns it into the columns of profiles.ts and
// dictionary.ts.
import type { AttributeIndex, LocationIndex } from './brand.ts'
import {
  ATTRIBUTE_STRIDE,
  AttributeTable,
  FUNCTION_STRIDE,
  FunctionTable,
  LINE_STRIDE,
  LINK_STRIDE,
  LOCATION_STRIDE,
  LineTable,
  LinkTable,
  LocationTable,
  MAPPING_STRIDE,
  MappingTable,
  Pool,
  STACK_STRIDE,
  STRING_STRIDE,
  StackTable,
  StringTable,
} from './dictionary.ts'
import { GrowingInts } from './growing-columns.ts'
import type { Profiles } from './profiles.ts'
import {
  LongPool,
  PROFILE_STRIDE,
  ProfileTable,
  RESOURCE_STRIDE,
  ResourceTable,
  SAMPLE_STRIDE,
  SCOPE_STRIDE,
  SampleTable,
  ScopeTable,
} from './profiles.ts'
import type { ReusedMemory } from './reused-memory.ts'
import { UnknownFieldsDraft } from './unknown-fields.ts'

/** Columns below this many ints are copied into one shared array. Larger ones are handed over without a copy. */
const ADOPT_FROM = 1 << 18
const NO_TABLES: readonly string[] = []
const NO_INTS: Int32Array = new Int32Array(0)

export class ProfilesDraft {
  // The pools of 64-bit numbers come first, so that they stay 8-byte aligned in the shared array.
  readonly values = new GrowingInts()
  readonly timestamps = new GrowingInts()
  readonly strings = new GrowingInts()
  readonly functions = new GrowingInts()
  readonly mappings = new GrowingInts()
  readonly mappingAttributes = new GrowingInts()
  readonly locations = new GrowingInts()
  readonly lines = new GrowingInts()
  readonly locationAttributes = new GrowingInts()
  readonly stacks = new GrowingInts()
  readonly stackLocations = new GrowingInts()
  readonly links = new GrowingInts()
  readonly attributes = new GrowingInts()
  readonly resources = new GrowingInts()
  readonly scopes = new GrowingInts()
  readonly profiles = new GrowingInts()
  readonly profileAttributes = new GrowingInts()
  readonly samples = new GrowingInts()
  readonly sampleAttributes = new GrowingInts()
  readonly unknown = new UnknownFieldsDraft()
  readonly dictionaryUnknown = new UnknownFieldsDraft()

  private readonly columns: readonly GrowingInts[] = [
    this.values,
    this.timestamps,
    this.strings,
    this.functions,
    this.mappings,
    this.mappingAttributes,
    this.locations,
    this.lines,
    this.locationAttributes,
    this.stacks,
    this.stackLocations,
    this.links,
    this.attributes,
    this.resources,
    this.scopes,
    this.profiles,
    this.profileAttributes,
    this.samples,
    this.sampleAttributes,
  ]

  /** The dictionary's tables, with their names in the data format. */
  private readonly tables = [
    { column: this.mappings, stride: MAPPING_STRIDE, name: 'mapping_table' },
    { column: this.locations, stride: LOCATION_STRIDE, name: 'location_table' },
    { column: this.functions, stride: FUNCTION_STRIDE, name: 'function_table' },
    { column: this.links, stride: LINK_STRIDE, name: 'link_table' },
    { column: this.strings, stride: STRING_STRIDE, name: 'string_table' },
    { column: this.attributes, stride: ATTRIBUTE_STRIDE, name: 'attribute_table' },
    { column: this.stacks, stride: STACK_STRIDE, name: 'stack_table' },
  ] as const

  /** Used during `freeze`: the shared array of short columns, its fill level, and the position of the last column. */
  private packed = NO_INTS
  private base = 0
  private ints = NO_INTS
  private at = 0

  /** Empties the draft and keeps its arrays. */
  clear(): void {
    for (const column of this.columns) column.length = 0
    this.unknown.take()
    this.dictionaryUnknown.take()
  }

  /**
   * Freezes the columns and clears the draft. All byte ranges point into `bytes`, which the frozen profiles keep alive. Short
   * columns are copied into `memory` if it is given.
   */
  freeze(bytes: Uint8Array, compacted = false, memory?: ReusedMemory): Profiles {
    const emptyTables = this.addZeroRows()
    const length = this.packedLength()
    this.packed = memory === undefined ? new Int32Array(length) : memory.ints(length)
    this.base = 0
    let rows = this.place(this.values)
    const values = new LongPool(this.ints, this.at, rows / 2)
    rows = this.place(this.timestamps)
    const timestamps = new LongPool(this.ints, this.at, rows / 2)
    rows = this.place(this.strings)
    const strings = new StringTable(this.ints, this.at, rows / STRING_STRIDE, bytes)
    rows = this.place(this.functions)
    const functions = new FunctionTable(this.ints, this.at, rows / FUNCTION_STRIDE)
    rows = this.place(this.mappingAttributes)
    const mappingAttributes = new Pool<AttributeIndex>(this.ints, this.at, rows)
    rows = this.place(this.mappings)
    const mappings = new MappingTable(this.ints, this.at, rows / MAPPING_STRIDE, mappingAttributes)
    rows = this.place(this.lines)
    const lines = new LineTable(this.ints, this.at, rows / LINE_STRIDE)
    rows = this.place(this.locationAttributes)
    const locationAttributes = new Pool<AttributeIndex>(this.ints, this.at, rows)
    rows = this.place(this.locations)
    const locations = new LocationTable(this.ints, this.at, rows / LOCATION_STRIDE, lines, locationAttributes)
    rows = this.place(this.stackLocations)
    const stackLocations = new Pool<LocationIndex>(this.ints, this.at, rows)
    rows = this.place(this.stacks)
    const stacks = new StackTable(this.ints, this.at, rows / STACK_STRIDE, stackLocations)
    rows = this.place(this.links)
    const links = new LinkTable(this.ints, this.at, rows / LINK_STRIDE, bytes)
    rows = this.place(this.attributes)
    const attributes = new AttributeTable(this.ints, this.at, rows / ATTRIBUTE_STRIDE, bytes)
    rows = this.place(this.resources)
    const resources = new ResourceTable(this.ints, this.at, rows / RESOURCE_STRIDE, bytes)
    rows = this.place(this.scopes)
    const scopes = new ScopeTable(this.ints, this.at, rows / SCOPE_STRIDE, bytes)
    rows = this.place(this.profileAttributes)
    const profileAttributes = new Pool<AttributeIndex>(this.ints, this.at, rows)
    rows = this.place(this.profiles)
    const profiles = new ProfileTable(this.ints, this.at, rows / PROFILE_STRIDE, bytes, profileAttributes)
    rows = this.place(this.sampleAttributes)
    const sampleAttributes = new Pool<AttributeIndex>(this.ints, this.at, rows)
    rows = this.place(this.samples)
    const samples = new SampleTable(this.ints, this.at, rows / SAMPLE_STRIDE, sampleAttributes, values, timestamps)
    const dictionaryUnknown = this.dictionaryUnknown.take()
    const dictionary = {
      bytes,
      strings,
      functions,
      mappings,
      locations,
      stacks,
      links,
      attributes,
      unknown: dictionaryUnknown,
    }
    this.packed = this.ints = NO_INTS
    const unknown = this.unknown.take()
    return { dictionary, resources, scopes, profiles, samples, unknown, emptyTables, compacted }
  }

  /** Places a column in the shared array, or hands over its own array. Sets `ints` and `at` to its position. */
  private place(column: GrowingInts): number {
    const { array, length } = column
    column.length = 0
    if (length >= ADOPT_FROM) {
      column.array = new Int32Array(64)
      this.ints = array
      this.at = 0
      return length
    }
    const { packed, base } = this
    // A loop is faster than `set(subarray)` for the short columns of small payloads.
    if (length < 64) for (let i = 0; i < length; i++) packed[base + i] = array[i]
    else packed.set(array.subarray(0, length), base)
    this.ints = packed
    this.at = base
    this.base = base + length
    return length
  }

  /** Adds row 0, which means "not set", to tables without rows. Returns the names of these tables. */
  private addZeroRows(): readonly string[] {
    let empty = NO_TABLES
    for (const { column, stride, name } of this.tables) {
      if (column.length > 0) continue
      empty = [...empty, name]
      column.reserve(stride).fill(0, 0, stride)
      column.length = stride
    }
    return empty
  }

  private packedLength(): number {
    let length = 0
    for (const column of this.columns) if (column.length < ADOPT_FROM) length += column.length
    return length
  }
}

/**
 * An empty set of profiles. One set of tables that is always alive also keeps V8 from discarding the code compiled for
 * these classes, which it does when a garbage collection finds no instances.
 */
export const EMPTY_PROFILES: Profiles = new ProfilesDraft().freeze(new Uint8Array(0))
