// The columns of a block that was read: views of its bytes, one class per kind of type.

/** One column of a block. Methods that do not match the column's type throw. */
export interface ColumnValues {
  readonly type: string
  readonly length: number
  /** Numbers of up to 32 bits, Float64, Date as days. 64-bit numbers only if they are safe integers. */
  number(row: number): number
  /** Integers of any width, Date as days, and times as nanoseconds. */
  bigint(row: number): bigint
  text(row: number): string
  bytes(row: number): Uint8Array
  /** True for nulls of a Nullable column. The value methods throw for them. */
  isNull(row: number): boolean
  /** For arrays: the values of all rows, and the range of row `row`. A map is an array of tuples (key, value). */
  readonly values: ColumnValues
  from(row: number): number
  to(row: number): number
  /** For tuples: one column per part. */
  readonly parts: readonly ColumnValues[]
  /** The bytes of a fixed-width column, little endian, `width` bytes per row. For strings, row `row` is [from, to). */
  readonly raw: Uint8Array
  readonly width: number
}

const NO_BYTES = new Uint8Array(0)

/** The base class. Methods that a type does not support throw. */
abstract class BaseValues implements ColumnValues {
  readonly type: string
  readonly length: number

  constructor(type: string, length: number) {
    this.type = type
    this.length = length
  }

  number(_row: number): number {
    throw this.#unfit('a number')
  }

  bigint(_row: number): bigint {
    throw this.#unfit('a whole number')
  }

  text(_row: number): string {
    throw this.#unfit('a text')
  }

  bytes(_row: number): Uint8Array {
    throw this.#unfit('bytes')
  }

  isNull(_row: number): boolean {
    return false
  }

  get values(): ColumnValues {
    throw this.#unfit('an array')
  }

  from(_row: number): number {
    throw this.#unfit('an array')
  }

  to(_row: number): number {
    throw this.#unfit('an array')
  }

  get parts(): readonly ColumnValues[] {
    throw this.#unfit('a tuple')
  }

  get raw(): Uint8Array {
    throw this.#unfit('of fixed width')
  }

  get width(): number {
    throw this.#unfit('of fixed width')
  }

  protected check(row: number): void {
    if (!(row >= 0 && row < this.length)) throw new RangeError(`no row ${row} in a column of ${this.length}`)
  }

  #unfit(what: string): Error {
    return new TypeError(`${this.type} is not ${what}`)
  }
}

export class FixedValues extends BaseValues {
  readonly #raw: Uint8Array
  readonly #width: number
  protected readonly view: DataView

  constructor(type: string, raw: Uint8Array, width: number) {
    super(type, raw.length / width)
    this.#raw = raw
    this.#width = width
    this.view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  }

  override get raw(): Uint8Array {
    return this.#raw
  }

  override get width(): number {
    return this.#width
  }

  override bytes(row: number): Uint8Array {
    this.check(row)
    return this.#raw.subarray(row * this.#width, (row + 1) * this.#width)
  }
}

/** Integers of 8 to 256 bits. `scale` converts ticks of a time to nanoseconds. */
export class IntegerValues extends FixedValues {
  readonly signed: boolean
  readonly scale: bigint

  constructor(type: string, raw: Uint8Array, width: number, signed: boolean, scale = 1n) {
    super(type, raw, width)
    this.signed = signed
    this.scale = scale
  }

  override number(row: number): number {
    const { view, signed } = this
    switch (this.width) {
      case 1:
        return signed ? view.getInt8(row) : view.getUint8(row)
      case 2:
        return signed ? view.getInt16(row * 2, true) : view.getUint16(row * 2, true)
      case 4:
        return signed ? view.getInt32(row * 4, true) : view.getUint32(row * 4, true)
      case 8: {
        const hi = signed ? view.getInt32(row * 8 + 4, true) : view.getUint32(row * 8 + 4, true)
        const value = hi * 4294967296 + view.getUint32(row * 8, true)
        if (Number.isSafeInteger(value)) return value
        throw new RangeError(`${this.bigint(row)} of ${this.type} is not a safe integer`)
      }
      default:
        return super.number(row)
    }
  }

  override bigint(row: number): bigint {
    if (this.width < 8) return BigInt(this.number(row)) * this.scale
    if (this.width === 8) {
      const value = this.signed ? this.view.getBigInt64(row * 8, true) : this.view.getBigUint64(row * 8, true)
      return this.scale === 1n ? value : value * this.scale
    }
    this.check(row)
    let value = 0n
    const at = row * this.width
    for (let word = this.width - 8; word >= 0; word -= 8)
      value = (value << 64n) | this.view.getBigUint64(at + word, true)
    return (this.signed ? BigInt.asIntN(this.width * 8, value) : value) * this.scale
  }
}

export class FloatValues extends FixedValues {
  override number(row: number): number {
    return this.width === 8 ? this.view.getFloat64(row * 8, true) : this.view.getFloat32(row * 4, true)
  }
}

/** FixedString. Its text has all bytes, including zeros at the end. */
export class FixedBytesValues extends FixedValues {
  override text(row: number): string {
    return decode(this.bytes(row))
  }
}

/** The two halves of a UUID are little-endian numbers, high half first. */
export class UuidValues extends FixedValues {
  override text(row: number): string {
    this.check(row)
    const hi = this.view
      .getBigUint64(row * 16, true)
      .toString(16)
      .padStart(16, '0')
    const lo = this.view
      .getBigUint64(row * 16 + 8, true)
      .toString(16)
      .padStart(16, '0')
    return `${hi.slice(0, 8)}-${hi.slice(8, 12)}-${hi.slice(12)}-${lo.slice(0, 4)}-${lo.slice(4)}`
  }
}

/** Numbers with names. */
export class EnumValues extends IntegerValues {
  readonly names: ReadonlyMap<number, string>

  constructor(type: string, raw: Uint8Array, width: number, names: ReadonlyMap<number, string>) {
    super(type, raw, width, true)
    this.names = names
  }

  override text(row: number): string {
    return this.names.get(this.number(row)) ?? ''
  }
}

/** Strings in `data`. Row i is [starts[i], ends[i]). */
export class StringValues extends BaseValues {
  readonly data: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly #buffer: Buffer

  constructor(data: Uint8Array, starts: Uint32Array, ends: Uint32Array) {
    super('String', starts.length)
    this.data = data
    this.starts = starts
    this.ends = ends
    this.#buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  }

  override text(row: number): string {
    this.check(row)
    return this.#buffer.toString('utf8', this.starts[row], this.ends[row])
  }

  override bytes(row: number): Uint8Array {
    this.check(row)
    return this.data.subarray(this.starts[row], this.ends[row])
  }

  override get raw(): Uint8Array {
    return this.data
  }

  override from(row: number): number {
    this.check(row)
    return this.starts[row]
  }

  override to(row: number): number {
    this.check(row)
    return this.ends[row]
  }
}

/** Row i has the values [ends[i - 1], ends[i]). */
export class ArrayValues extends BaseValues {
  readonly #values: ColumnValues
  readonly ends: Uint32Array

  constructor(type: string, values: ColumnValues, ends: Uint32Array) {
    super(type, ends.length)
    this.#values = values
    this.ends = ends
  }

  override get values(): ColumnValues {
    return this.#values
  }

  override from(row: number): number {
    this.check(row)
    return row === 0 ? 0 : this.ends[row - 1]
  }

  override to(row: number): number {
    this.check(row)
    return this.ends[row]
  }
}

export class TupleValues extends BaseValues {
  readonly #parts: readonly ColumnValues[]

  constructor(type: string, parts: readonly ColumnValues[]) {
    super(type, parts[0].length)
    this.#parts = parts
  }

  override get parts(): readonly ColumnValues[] {
    return this.#parts
  }
}

/** Values behind an index: in a dictionary, or behind a map of nulls. */
abstract class RedirectedValues extends BaseValues {
  readonly inner: ColumnValues

  constructor(type: string, length: number, inner: ColumnValues) {
    super(type, length)
    this.inner = inner
  }

  /** The row in `inner`. Throws for a null. */
  protected abstract rowOf(row: number): number

  override number(row: number): number {
    return this.inner.number(this.rowOf(row))
  }

  override bigint(row: number): bigint {
    return this.inner.bigint(this.rowOf(row))
  }

  override text(row: number): string {
    return this.inner.text(this.rowOf(row))
  }

  override bytes(row: number): Uint8Array {
    return this.inner.bytes(this.rowOf(row))
  }

  protected nullAt(row: number): Error {
    return new TypeError(`row ${row} of ${this.type} is null`)
  }
}

export class NullableValues extends RedirectedValues {
  /** 1 for a null. */
  readonly nulls: Uint8Array

  constructor(type: string, inner: ColumnValues, nulls: Uint8Array) {
    super(type, nulls.length, inner)
    this.nulls = nulls
  }

  override isNull(row: number): boolean {
    this.check(row)
    return this.nulls[row] !== 0
  }

  override get parts(): readonly ColumnValues[] {
    return this.inner.parts
  }

  protected override rowOf(row: number): number {
    if (this.isNull(row)) throw this.nullAt(row)
    return row
  }
}

/**
 * LowCardinality: a dictionary of distinct values, and an index per row. If it is Nullable, row 0 of the dictionary is null.
 */
export class DictionaryValues extends RedirectedValues {
  readonly indexes: Uint32Array
  readonly nullable: boolean

  constructor(type: string, dictionary: ColumnValues, indexes: Uint32Array, nullable: boolean) {
    super(type, indexes.length, dictionary)
    this.indexes = indexes
    this.nullable = nullable
  }

  override isNull(row: number): boolean {
    this.check(row)
    return this.nullable && this.indexes[row] === 0
  }

  protected override rowOf(row: number): number {
    if (this.isNull(row)) throw this.nullAt(row)
    return this.indexes[row]
  }
}

/** A column without rows, of unknown type. */
export class NoValues extends BaseValues {
  constructor() {
    super('Nothing', 0)
  }

  override get values(): ColumnValues {
    return this
  }

  override get parts(): readonly ColumnValues[] {
    return []
  }

  override get raw(): Uint8Array {
    return NO_BYTES
  }
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
