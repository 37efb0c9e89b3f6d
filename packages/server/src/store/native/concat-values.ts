// Concatenates columns of one type, for results that consist of several blocks.
import type { ColumnValues } from './column-values.ts'
import {
  ArrayValues,
  DictionaryValues,
  EnumValues,
  FixedBytesValues,
  FixedValues,
  FloatValues,
  IntegerValues,
  NoValues,
  NullableValues,
  StringValues,
  TupleValues,
  UuidValues,
} from './column-values.ts'

export const emptyValues: ColumnValues = new NoValues()

export function concatValues(columns: readonly ColumnValues[]): ColumnValues {
  const [first] = columns
  const { type } = first
  if (columns.some(column => column.type !== type)) throw new Error(`columns of ${type} and of another type`)
  if (first instanceof FixedValues) return concatFixed(first, columns as readonly FixedValues[])
  if (first instanceof StringValues) return concatStrings(columns as readonly StringValues[])
  if (first instanceof ArrayValues) return concatArrays(type, columns as readonly ArrayValues[])
  if (first instanceof TupleValues)
    return new TupleValues(
      type,
      first.parts.map((_, i) => concatValues(columns.map(column => column.parts[i]))),
    )
  if (first instanceof NullableValues) {
    const all = columns as readonly NullableValues[]
    return new NullableValues(
      type,
      concatValues(all.map(column => column.inner)),
      join(all.map(column => column.nulls)),
    )
  }
  if (first instanceof DictionaryValues) return concatDictionaries(type, columns as readonly DictionaryValues[])
  throw new Error(`columns of ${type} cannot be joined`)
}

function concatFixed(first: FixedValues, columns: readonly FixedValues[]): ColumnValues {
  const raw = join(columns.map(column => column.raw))
  const { type, width } = first
  if (first instanceof EnumValues) return new EnumValues(type, raw, width, first.names)
  if (first instanceof IntegerValues) return new IntegerValues(type, raw, width, first.signed, first.scale)
  if (first instanceof FloatValues) return new FloatValues(type, raw, width)
  if (first instanceof UuidValues) return new UuidValues(type, raw, width)
  return new FixedBytesValues(type, raw, width)
}

function concatStrings(columns: readonly StringValues[]): ColumnValues {
  const starts = new Uint32Array(rowsOf(columns))
  const ends = new Uint32Array(starts.length)
  let row = 0
  let shift = 0
  for (const column of columns) {
    for (let i = 0; i < column.length; i++) {
      starts[row] = column.starts[i] + shift
      ends[row++] = column.ends[i] + shift
    }
    shift += column.data.length
  }
  if (shift > 0xffffffff) throw new RangeError('strings of more than 4 GiB in one response; read it in blocks')
  return new StringValues(join(columns.map(column => column.data)), starts, ends)
}

function concatArrays(type: string, columns: readonly ArrayValues[]): ColumnValues {
  const ends = new Uint32Array(rowsOf(columns))
  let row = 0
  let shift = 0
  for (const column of columns) {
    for (const end of column.ends) ends[row++] = end + shift
    shift += column.values.length
  }
  return new ArrayValues(type, concatValues(columns.map(column => column.values)), ends)
}

function concatDictionaries(type: string, columns: readonly DictionaryValues[]): ColumnValues {
  const indexes = new Uint32Array(rowsOf(columns))
  const { nullable } = columns[0]
  let row = 0
  let shift = 0
  for (const column of columns) {
    // Null is row 0 in the joined dictionary as well as in each part.
    for (const index of column.indexes) indexes[row++] = nullable && index === 0 ? 0 : index + shift
    shift += column.inner.length
  }
  return new DictionaryValues(type, concatValues(columns.map(column => column.inner)), indexes, nullable)
}

function rowsOf(columns: readonly ColumnValues[]): number {
  let rows = 0
  for (const column of columns) rows += column.length
  return rows
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = Buffer.concat(pieces)
  return new Uint8Array(joined.buffer, joined.byteOffset, joined.byteLength)
}
