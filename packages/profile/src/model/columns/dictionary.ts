// The dictionary of a set of profiles as frozen columns (OTLP's ProfilesDictionary). Each table is a run of fixed-width
// rows in an Int32Array, usually one array for all tables. A decoded payload thus takes a few objects instead of one
// per message. 64-bit numbers are two neighbouring ints, low half first. Variable-length lists are stored in pools, and
// each row holds the running end of its list: row i has pool[end(i-1), end(i)).
//
//   stacks.end   0  2  5            row 0 is the zero value, "no stack"
//   pool         4 1 | 7 3 1        row 1 = locations 4, 1 (leaf first), row 2 = locations 7, 3, 1
import { decodeUtf8 } from '../../wire/utf8.ts'
import type { AnyValue } from './any-value.ts'
import { decodeAttributeValue } from './any-value.ts'
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from './brand.ts'
import { int64, uint64 } from './int64.ts'
import type { UnknownFields } from './unknown-fields.ts'

export const STRING_STRIDE = 2
export const FUNCTION_STRIDE = 5
export const MAPPING_STRIDE = 8
export const LOCATION_STRIDE = 5
export const LINE_STRIDE = 5
export const STACK_STRIDE = 1
export const LINK_STRIDE = 4
export const ATTRIBUTE_STRIDE = 5

/** A run of rows in an Int32Array. */
export class Table {
  readonly ints: Int32Array
  readonly base: number
  readonly length: number

  constructor(ints: Int32Array, base: number, length: number) {
    this.ints = ints
    this.base = base
    this.length = length
  }
}

/** A list of indexes that rows of another table point into. */
export class Pool<Of extends number> extends Table {
  at(k: number): Of {
    return this.ints[this.base + k] as Of
  }

  slice(from: number, to: number): Of[] {
    return Array.from(this.ints.subarray(this.base + from, this.base + to)) as Of[]
  }
}

/** Columns: offset and length of UTF-8 bytes. */
export class StringTable extends Table {
  readonly bytes: Uint8Array
  private texts: (string | undefined)[] | undefined

  constructor(ints: Int32Array, base: number, length: number, bytes: Uint8Array) {
    super(ints, base, length)
    this.bytes = bytes
  }

  offset(i: StringIndex): number {
    return this.ints[this.base + i * STRING_STRIDE]
  }

  byteLength(i: StringIndex): number {
    return this.ints[this.base + i * STRING_STRIDE + 1]
  }

  /** Returns the text, which is decoded on first use and then cached. */
  text(i: StringIndex): string {
    const texts = (this.texts ??= new Array<string | undefined>(this.length))
    return (texts[i] ??= decodeUtf8(this.bytes, this.offset(i), this.offset(i) + this.byteLength(i)))
  }
}

/** Columns: name, system name, file name, start line (64 bits). */
export class FunctionTable extends Table {
  name(i: FunctionIndex): StringIndex {
    return this.ints[this.base + i * FUNCTION_STRIDE] as StringIndex
  }

  systemName(i: FunctionIndex): StringIndex {
    return this.ints[this.base + i * FUNCTION_STRIDE + 1] as StringIndex
  }

  filename(i: FunctionIndex): StringIndex {
    return this.ints[this.base + i * FUNCTION_STRIDE + 2] as StringIndex
  }

  startLine(i: FunctionIndex): bigint {
    const at = this.base + i * FUNCTION_STRIDE + 3
    return int64(this.ints[at], this.ints[at + 1])
  }
}

/** Columns: memory start, memory limit, file offset (64 bits each), file name, end of attributes. */
export class MappingTable extends Table {
  readonly attributes: Pool<AttributeIndex>

  constructor(ints: Int32Array, base: number, length: number, attributes: Pool<AttributeIndex>) {
    super(ints, base, length)
    this.attributes = attributes
  }

  memoryStart(i: MappingIndex): bigint {
    return this.uint64(i, 0)
  }

  memoryLimit(i: MappingIndex): bigint {
    return this.uint64(i, 2)
  }

  fileOffset(i: MappingIndex): bigint {
    return this.uint64(i, 4)
  }

  filename(i: MappingIndex): StringIndex {
    return this.ints[this.base + i * MAPPING_STRIDE + 6] as StringIndex
  }

  attributesFrom(i: MappingIndex): number {
    return i === 0 ? 0 : this.ints[this.base + i * MAPPING_STRIDE - 1]
  }

  attributesTo(i: MappingIndex): number {
    return this.ints[this.base + i * MAPPING_STRIDE + 7]
  }

  attributesOf(i: MappingIndex): AttributeIndex[] {
    return this.attributes.slice(this.attributesFrom(i), this.attributesTo(i))
  }

  private uint64(i: MappingIndex, column: number): bigint {
    const at = this.base + i * MAPPING_STRIDE + column
    return uint64(this.ints[at], this.ints[at + 1])
  }
}

/** Columns: function, line (64 bits), column (64 bits). */
export class LineTable extends Table {
  function(k: number): FunctionIndex {
    return this.ints[this.base + k * LINE_STRIDE] as FunctionIndex
  }

  line(k: number): bigint {
    const at = this.base + k * LINE_STRIDE + 1
    return int64(this.ints[at], this.ints[at + 1])
  }

  column(k: number): bigint {
    const at = this.base + k * LINE_STRIDE + 3
    return int64(this.ints[at], this.ints[at + 1])
  }
}

/**
 * Columns: mapping, address (64 bits), end of lines, end of attributes. The first line is the innermost inlined call.
 */
export class LocationTable extends Table {
  readonly lines: LineTable
  readonly attributes: Pool<AttributeIndex>

  constructor(ints: Int32Array, base: number, length: number, lines: LineTable, attributes: Pool<AttributeIndex>) {
    super(ints, base, length)
    this.lines = lines
    this.attributes = attributes
  }

  mapping(i: LocationIndex): MappingIndex {
    return this.ints[this.base + i * LOCATION_STRIDE] as MappingIndex
  }

  address(i: LocationIndex): bigint {
    const at = this.base + i * LOCATION_STRIDE + 1
    return uint64(this.ints[at], this.ints[at + 1])
  }

  linesFrom(i: LocationIndex): number {
    return i === 0 ? 0 : this.ints[this.base + i * LOCATION_STRIDE - 2]
  }

  linesTo(i: LocationIndex): number {
    return this.ints[this.base + i * LOCATION_STRIDE + 3]
  }

  attributesFrom(i: LocationIndex): number {
    return i === 0 ? 0 : this.ints[this.base + i * LOCATION_STRIDE - 1]
  }

  attributesTo(i: LocationIndex): number {
    return this.ints[this.base + i * LOCATION_STRIDE + 4]
  }

  attributesOf(i: LocationIndex): AttributeIndex[] {
    return this.attributes.slice(this.attributesFrom(i), this.attributesTo(i))
  }
}

/** Column: end of locations, leaf first. */
export class StackTable extends Table {
  readonly locations: Pool<LocationIndex>

  constructor(ints: Int32Array, base: number, length: number, locations: Pool<LocationIndex>) {
    super(ints, base, length)
    this.locations = locations
  }

  from(i: StackIndex): number {
    return i === 0 ? 0 : this.ints[this.base + i - 1]
  }

  to(i: StackIndex): number {
    return this.ints[this.base + i]
  }
}

/**
 * Columns: offset and length of trace id and span id. Ids of a wrong length are kept so that validation can report
 * them.
 */
export class LinkTable extends Table {
  readonly bytes: Uint8Array

  constructor(ints: Int32Array, base: number, length: number, bytes: Uint8Array) {
    super(ints, base, length)
    this.bytes = bytes
  }

  traceId(i: LinkIndex): Uint8Array {
    return this.view(this.base + i * LINK_STRIDE)
  }

  spanId(i: LinkIndex): Uint8Array {
    return this.view(this.base + i * LINK_STRIDE + 2)
  }

  private view(at: number): Uint8Array {
    return this.bytes.subarray(this.ints[at], this.ints[at] + this.ints[at + 1])
  }
}

/**
 * Whether both ids of a link are empty or zero. Writers of OTLP write such a row 0 as an empty message: the format also
 * allows 16 and 8 zero bytes, but profcheck and Parca reject them.
 */
export function isUnsetLink(links: LinkTable, i: LinkIndex): boolean {
  return links.traceId(i).every(byte => byte === 0) && links.spanId(i).every(byte => byte === 0)
}

/** The kinds of attribute values, numbered as the fields of OTLP's AnyValue. */
export const ValueKind = { empty: 0, string: 1, bool: 2, int: 3, double: 4, array: 5, keyValues: 6, bytes: 7 } as const
export type ValueKind = (typeof ValueKind)[keyof typeof ValueKind]

/** Whether values of this kind are stored as offset and length of bytes. The other kinds are two ints. */
export function isByteRange(kind: number): boolean {
  return kind === ValueKind.string || kind >= ValueKind.array
}

/**
 * Columns: key, unit, kind, and two ints a and b whose meaning depends on the kind. They are offset and length (string,
 * bytes, and the encoded message of an array or key-value list), the halves of an int or double, or a bool in a.
 */
export class AttributeTable extends Table {
  readonly bytes: Uint8Array

  constructor(ints: Int32Array, base: number, length: number, bytes: Uint8Array) {
    super(ints, base, length)
    this.bytes = bytes
  }

  key(i: AttributeIndex): StringIndex {
    return this.ints[this.base + i * ATTRIBUTE_STRIDE] as StringIndex
  }

  unit(i: AttributeIndex): StringIndex {
    return this.ints[this.base + i * ATTRIBUTE_STRIDE + 1] as StringIndex
  }

  kind(i: AttributeIndex): ValueKind {
    return this.ints[this.base + i * ATTRIBUTE_STRIDE + 2] as ValueKind
  }

  a(i: AttributeIndex): number {
    return this.ints[this.base + i * ATTRIBUTE_STRIDE + 3]
  }

  b(i: AttributeIndex): number {
    return this.ints[this.base + i * ATTRIBUTE_STRIDE + 4]
  }

  value(i: AttributeIndex): AnyValue {
    return decodeAttributeValue(this.bytes, this.kind(i), this.a(i), this.b(i))
  }
}

/**
 * Dictionaries with the same origin were read from the same bytes. Their functions, mappings and locations are equal row by row,
 * and so are these numbers of rows of the other tables.
 */
export interface DictionaryOrigin {
  readonly strings: number
  readonly attributes: number
  readonly stacks: number
}

export interface Dictionary {
  /** Set if the reader recognised bytes that are repeated, see ReadOptions.symbols. */
  readonly origin?: DictionaryOrigin
  /** The bytes that the byte ranges of all tables point into. */
  readonly bytes: Uint8Array
  readonly strings: StringTable
  readonly functions: FunctionTable
  readonly mappings: MappingTable
  readonly locations: LocationTable
  readonly stacks: StackTable
  readonly links: LinkTable
  readonly attributes: AttributeTable
  readonly unknown: UnknownFields | undefined
}
