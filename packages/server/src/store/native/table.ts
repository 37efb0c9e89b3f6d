// A table definition: columns with types and codecs, and the layout. The DDL and the columns of a batch both derive from it.
import type { Column } from './column.ts'
import {
  ArrayColumn,
  DateColumn,
  DoubleColumn,
  FixedBytesColumn,
  LongColumn,
  StringColumn,
  UInt32Column,
  UInt8Column,
  writeVarUInt,
} from './column.ts'

export interface ColumnKind<Of extends Column> {
  /** In DDL: the type with its codec. */
  readonly ddl: string
  readonly make: () => Of
}

const kind = <Of extends Column>(type: string, codec: string, make: () => Of): ColumnKind<Of> => ({
  ddl: codec === '' ? type : `${type} CODEC(${codec})`,
  make,
})

/** The kinds of columns. `codec` is ClickHouse's list of codecs, such as `Delta(8), ZSTD(1)`. */
export const uint8 = (codec = 'ZSTD(1)') => kind('UInt8', codec, () => new UInt8Column())
export const uint32 = (codec = 'ZSTD(1)') => kind('UInt32', codec, () => new UInt32Column())
export const int32 = (codec = 'ZSTD(1)') => kind('Int32', codec, () => new UInt32Column('Int32'))
export const uint64 = (codec = 'ZSTD(1)') => kind('UInt64', codec, () => new LongColumn('UInt64'))
export const int64 = (codec = 'ZSTD(1)') => kind('Int64', codec, () => new LongColumn('Int64'))
export const time64 = (codec = 'Delta(8), ZSTD(1)') =>
  kind('DateTime64(9)', codec, () => new LongColumn('DateTime64(9)'))
export const date = (codec = 'ZSTD(1)') => kind('Date', codec, () => new DateColumn())
export const float64 = (codec = 'ZSTD(1)') => kind('Float64', codec, () => new DoubleColumn())
export const fixedBytes = (width: number, codec = 'ZSTD(1)') =>
  kind(`FixedString(${width})`, codec, () => new FixedBytesColumn(width))
export const text = (codec = 'ZSTD(1)') => kind('String', codec, () => new StringColumn())
/** For texts with few distinct values. The engine stores each once per part. */
export const fewTexts = (codec = 'ZSTD(1)') => kind('LowCardinality(String)', codec, () => new StringColumn())

export function arrayOf<Of extends Column>(of: ColumnKind<Of>, codec = ''): ColumnKind<ArrayColumn<Of>> {
  const [type, innerCodec] = splitCodec(of.ddl)
  return kind(`Array(${type})`, codec === '' ? innerCodec : codec, () => new ArrayColumn(of.make()))
}

/** Splits the DDL of a column. The codec may be empty. */
export function splitCodec(ddl: string): readonly [type: string, codec: string] {
  const at = ddl.indexOf(' CODEC(')
  return at === -1 ? [ddl, ''] : [ddl.slice(0, at), ddl.slice(at + 7, -1)]
}

export type ColumnKinds = Readonly<Record<string, ColumnKind<Column>>>

export interface TableLayout {
  /** `replacing` keeps the newest row per key, by the named column. */
  readonly engine: 'merge' | { readonly replacing: string }
  readonly orderBy: string
  readonly partitionBy?: string
  /** Skip indexes in DDL. */
  readonly indexes?: readonly string[]
  readonly granularity?: number
  /** The sharding key of the Distributed table. */
  readonly shardBy: string
}

export interface TableDefinition<Kinds extends ColumnKinds = ColumnKinds> {
  readonly name: string
  readonly columns: Kinds
  readonly layout: TableLayout
}

export function defineTable<Kinds extends ColumnKinds>(
  name: string,
  columns: Kinds,
  layout: TableLayout,
): TableDefinition<Kinds> {
  return { name, columns, layout }
}

export type ColumnsOf<Kinds extends ColumnKinds> = {
  readonly [Name in keyof Kinds]: Kinds[Name] extends ColumnKind<infer Of> ? Of : never
}

/** Rows for one table. For each row, push one value to every column of `columns`. */
export class TableBatch<Kinds extends ColumnKinds = ColumnKinds> {
  readonly table: TableDefinition<Kinds>
  readonly columns: ColumnsOf<Kinds>
  readonly #list: readonly Column[]
  readonly #names: readonly string[]

  constructor(table: TableDefinition<Kinds>) {
    this.table = table
    this.#names = Object.keys(table.columns)
    const made = Object.fromEntries(this.#names.map(name => [name, table.columns[name].make()]))
    this.columns = made as ColumnsOf<Kinds>
    this.#list = Object.values(made)
  }

  /** Number of complete rows: all columns have them. */
  get rows(): number {
    return this.#list[0].length
  }

  get byteLength(): number {
    let bytes = 0
    for (const column of this.#list) bytes += column.byteLength
    return bytes
  }

  truncate(rows: number): void {
    for (const column of this.#list) column.truncate(rows)
  }

  /**
   * The rows as one block of the engine's Native format, in pieces that are the columns' own bytes. A group may have 100 MB
   * and is written without a copy. The pieces are valid until a row is added or removed. Throws if a column was not filled,
   * which is a bug.
   */
  nativePieces(): Uint8Array[] {
    return nativePieces(
      this.table.name,
      this.rows,
      this.#list.map((column, i) => [this.#names[i], column]),
    )
  }

  /** The same, in one array. */
  toNative(): Uint8Array {
    return joined(this.nativePieces())
  }
}

/** The columns as one block of the Native format. */
export function toNative(name: string, rows: number, columns: readonly NamedColumn[]): Uint8Array {
  return joined(nativePieces(name, rows, columns))
}

type NamedColumn = readonly [name: string, column: Column]

function nativePieces(table: string, rows: number, columns: readonly NamedColumn[]): Uint8Array[] {
  const pieces: Uint8Array[] = [varUInts(columns.length, rows)]
  for (const [name, column] of columns) {
    if (column.length !== rows) throw new Error(`${table}.${name} has ${column.length} rows instead of ${rows}`)
    pieces.push(nativeText(name), nativeText(column.type))
    column.addPieces(pieces)
  }
  return pieces
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = Buffer.concat(pieces)
  return new Uint8Array(all.buffer, all.byteOffset, all.length)
}

function varUInts(...values: readonly number[]): Uint8Array {
  const out = new Uint8Array(10 * values.length)
  let at = 0
  for (const value of values) at = writeVarUInt(out, at, value)
  return out.subarray(0, at)
}

const encoder = new TextEncoder()
/** Few names and types, each after its length. */
const texts = new Map<string, Uint8Array>()

function nativeText(text: string): Uint8Array {
  let bytes = texts.get(text)
  if (bytes === undefined) {
    const content = encoder.encode(text)
    bytes = Buffer.concat([varUInts(content.length), content])
    texts.set(text, bytes)
  }
  return bytes
}
