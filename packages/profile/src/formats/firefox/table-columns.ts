// The tables of Firefox profiles as columns of numbers. Processed profiles have columns, Gecko profiles have rows:
//
//   { "length": 2, "stack": [0, null], "time": [1, 2.5] }
//   { "schema": { "stack": 0, "time": 1 }, "data": [[0, 1], [null, 2.5]] }
import { int64ToNumber } from '../../model/columns/int64.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'

/** A column with 64-bit numbers as pairs. Values that are not numbers are `missing`. */
export class FirefoxColumn {
  readonly missing: number
  #ints = new Int32Array(64)
  length = 0

  constructor(missing: number) {
    this.missing = missing
  }

  push(lo: number, hi: number): void {
    if (2 * this.length === this.#ints.length) {
      const grown = new Int32Array(4 * this.length)
      grown.set(this.#ints)
      this.#ints = grown
    }
    this.#ints[2 * this.length] = lo
    this.#ints[2 * this.length + 1] = hi
    this.length++
  }

  pushMissing(): void {
    this.push(this.missing, this.missing < 0 ? -1 : 0)
  }

  lo(i: number): number {
    return i < this.length ? this.#ints[2 * i] : this.missing
  }

  hi(i: number): number {
    return i < this.length ? this.#ints[2 * i + 1] : this.missing < 0 ? -1 : 0
  }

  /** Exact up to 2^53. */
  at(i: number): number {
    return int64ToNumber(this.lo(i), this.hi(i))
  }
}

/** The columns to read, each with its value for missing entries. */
export type Wanted = Readonly<Record<string, number>>

export class TableColumns {
  readonly length: number
  /** The position of the table, for errors. */
  readonly offset: number
  readonly path: string
  /** Offsets of the columns that are not plain integers. Only in processed tables. */
  readonly places: ReadonlyMap<string, number>
  readonly texts: ReadonlyMap<string, string>
  readonly #columns: ReadonlyMap<string, FirefoxColumn>
  readonly #wanted: Wanted

  constructor(
    offset: number,
    path: string,
    wanted: Wanted,
    columns: ReadonlyMap<string, FirefoxColumn>,
    places: ReadonlyMap<string, number>,
    texts: ReadonlyMap<string, string>,
  ) {
    this.offset = offset
    this.path = path
    this.#wanted = wanted
    this.#columns = columns
    this.places = places
    this.texts = texts
    this.length = Math.max(0, ...Array.from(columns.values(), column => column.length))
  }

  /** A missing column consists of missing values. */
  column(name: string): FirefoxColumn {
    return this.#columns.get(name) ?? new FirefoxColumn(this.#wanted[name])
  }

  has(name: string): boolean {
    return this.#columns.has(name)
  }
}

/** The names of columns with times. Times are decimal milliseconds and are kept as nanoseconds. */
const TIMES = new Set(['time', 'timeDeltas'])
const NANOSECONDS = 1e6

/** The reader is at the table. Columns named in `later` are skipped, and their offsets are recorded. */
export function readTable(
  reader: JsonReader,
  path: string,
  wanted: Wanted,
  later: readonly string[] = [],
): TableColumns {
  const offset = reader.offset
  const columns = new Map<string, FirefoxColumn>()
  const places = new Map<string, number>()
  const texts = new Map<string, string>()
  let schema: (string | undefined)[] | undefined
  let rows = -1
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const kind = reader.peek()
    if (key === 'schema' && kind === 'object') schema = readSchema(reader)
    else if (key === 'data' && kind === 'array' && !('data' in wanted)) rows = reader.offset
    else if (kind === 'array' && later.includes(key)) places.set(key, reader.offset)
    else if (kind === 'array' && Object.hasOwn(wanted, key)) columns.set(key, readColumn(reader, key, wanted[key]))
    else if (kind === 'string') texts.set(key, reader.string())
  }
  if (schema === undefined && rows >= 0 && 'stack' in wanted && columns.size === 0)
    reader.fail('a table has rows but no schema', rows)
  if (schema !== undefined && rows >= 0)
    readRows(new JsonReader(reader.bytes, { offset: rows }), schema, wanted, columns)
  return new TableColumns(offset, path, wanted, columns, places, texts)
}

function readSchema(reader: JsonReader): (string | undefined)[] {
  const names: (string | undefined)[] = []
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const place = reader.uint32()
    // No table has more than a few dozen columns.
    if (place < 256) names[place] = key
  }
  return names
}

function readColumn(reader: JsonReader, name: string, missing: number): FirefoxColumn {
  const column = new FirefoxColumn(missing)
  reader.beginArray()
  while (reader.nextItem()) readCell(reader, column, name)
  return column
}

function readRows(
  reader: JsonReader,
  schema: readonly (string | undefined)[],
  wanted: Wanted,
  columns: Map<string, FirefoxColumn>,
): void {
  const targets = Array.from(schema, name =>
    name !== undefined && Object.hasOwn(wanted, name) ? new FirefoxColumn(wanted[name]) : undefined,
  )
  for (const [i, column] of targets.entries()) if (column !== undefined) columns.set(schema[i]!, column)
  reader.beginArray()
  for (let row = 1; reader.nextItem(); row++) {
    reader.beginArray()
    for (let i = 0; reader.nextItem(); i++) {
      const column = targets[i]
      if (column !== undefined) readCell(reader, column, schema[i]!)
    }
    // Rows omit unset values at their end.
    for (const column of targets) if (column !== undefined && column.length < row) column.pushMissing()
  }
}

function readCell(reader: JsonReader, column: FirefoxColumn, name: string): void {
  const kind = reader.peek()
  if (kind !== 'number') {
    if (kind === 'boolean') {
      column.push(reader.boolean() ? 1 : 0, 0)
      return
    }
    reader.skip()
    column.pushMissing()
  } else if (TIMES.has(name)) {
    const at = reader.offset
    const value = Math.round(reader.number() * NANOSECONDS)
    if (!Number.isSafeInteger(value)) reader.fail('a time exceeds 64 bits', at)
    column.push(value | 0, Math.floor(value / 0x1_0000_0000))
  } else {
    const at = reader.offset
    if (isWhole(reader)) reader.int64()
    else {
      // Some importers compute fractions, for example for the bytes of a line.
      reader.offset = at
      const value = Math.round(reader.number())
      if (!Number.isSafeInteger(value)) reader.fail('a number exceeds 64 bits', at)
      reader.lo = value | 0
      reader.hi = Math.floor(value / 0x1_0000_0000)
    }
    column.push(reader.lo, reader.hi)
  }
}

function isWhole(reader: JsonReader): boolean {
  const { bytes } = reader
  for (let i = reader.offset; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === 0x2e || byte === 0x65 || byte === 0x45) return false
    if ((byte < 0x30 || byte > 0x39) && byte !== 0x2d) return true
  }
  return true
}
