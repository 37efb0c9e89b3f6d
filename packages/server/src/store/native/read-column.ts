// Reads the data of one column by its type.
import type { ColumnValues } from './column-values.ts'
import type { ByteCursor } from './byte-cursor.ts'
import {
  ArrayValues,
  DictionaryValues,
  EnumValues,
  FixedBytesValues,
  FloatValues,
  IntegerValues,
  NullableValues,
  StringValues,
  TupleValues,
  UuidValues,
} from './column-values.ts'
import type { TypeName } from './type-name.ts'

const SECOND = 1_000_000_000n

/** Width, sign, and nanoseconds per unit. */
const INTEGERS: Readonly<Record<string, readonly [width: number, signed: boolean, scale?: bigint]>> = {
  UInt8: [1, false],
  UInt16: [2, false],
  UInt32: [4, false],
  UInt64: [8, false],
  UInt128: [16, false],
  UInt256: [32, false],
  Int8: [1, true],
  Int16: [2, true],
  Int32: [4, true],
  Int64: [8, true],
  Int128: [16, true],
  Int256: [32, true],
  Bool: [1, false],
  Date: [2, false],
  Date32: [4, true],
  DateTime: [4, false, SECOND],
  IPv4: [4, false],
  // A placeholder byte per row of an impossible type.
  Nothing: [1, false],
}

/** The prefix that some types have before the data of their column. Only LowCardinality has one: the version of its layout. */
export function readColumnPrefix(type: TypeName, cursor: ByteCursor): void {
  if (type.name === 'LowCardinality') {
    const version = cursor.count()
    if (version !== 1) throw cursor.error(`layout ${version} of ${type.text}`)
  } else for (const inner of type.of) readColumnPrefix(inner, cursor)
}

export function readColumnData(type: TypeName, cursor: ByteCursor, rows: number): ColumnValues {
  switch (type.name) {
    case 'String':
      return readStrings(cursor, rows)
    case 'Array':
      return readArrays(type, cursor, rows, values => readColumnData(only(type, cursor), cursor, values))
    case 'Map':
      return readArrays(type, cursor, rows, values => readTuple(type, cursor, values))
    case 'Tuple':
      return readTuple(type, cursor, rows)
    case 'Nullable': {
      const nulls = cursor.takeRows(rows, 1)
      return new NullableValues(type.text, readColumnData(only(type, cursor), cursor, rows), nulls)
    }
    case 'LowCardinality':
      return readDictionary(type, cursor, rows)
    default:
      return readFixed(type, cursor, rows)
  }
}

function only(type: TypeName, cursor: ByteCursor): TypeName {
  if (type.of.length !== 1) throw cursor.error(`the type ${type.text}`)
  return type.of[0]
}

function readFixed(type: TypeName, cursor: ByteCursor, rows: number): ColumnValues {
  const { name, text } = type
  const integer = INTEGERS[name]
  if (integer !== undefined) {
    const [width, signed, scale] = integer
    return new IntegerValues(text, cursor.takeRows(rows, width), width, signed, scale)
  }
  switch (name) {
    case 'Float32':
      return new FloatValues(text, cursor.takeRows(rows, 4), 4)
    case 'Float64':
      return new FloatValues(text, cursor.takeRows(rows, 8), 8)
    case 'DateTime64': {
      const digits = argument(type, cursor, 0, 9)
      return new IntegerValues(text, cursor.takeRows(rows, 8), 8, true, 10n ** BigInt(9 - digits))
    }
    case 'Decimal': {
      // Without the decimal point: 1.50 of Decimal(9, 2) is 150.
      const digits = argument(type, cursor, 1, 76)
      const width = digits <= 9 ? 4 : digits <= 18 ? 8 : digits <= 38 ? 16 : 32
      return new IntegerValues(text, cursor.takeRows(rows, width), width, true)
    }
    case 'FixedString': {
      const width = argument(type, cursor, 1, 0xffffff)
      return new FixedBytesValues(text, cursor.takeRows(rows, width), width)
    }
    case 'IPv6':
      return new FixedBytesValues(text, cursor.takeRows(rows, 16), 16)
    case 'UUID':
      return new UuidValues(text, cursor.takeRows(rows, 16), 16)
    case 'Enum8':
    case 'Enum16': {
      const width = name === 'Enum8' ? 1 : 2
      return new EnumValues(text, cursor.takeRows(rows, width), width, enumNames(type))
    }
    default:
      // Intervals are 64-bit counts of the unit in their name.
      if (name.startsWith('Interval')) return new IntegerValues(text, cursor.takeRows(rows, 8), 8, true)
      throw cursor.error(`the type ${text.slice(0, 200)}, which is not read here`)
  }
}

function argument(type: TypeName, cursor: ByteCursor, least: number, most: number): number {
  const value = Number(type.arguments[0])
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw cursor.error(`the type ${type.text}`)
}

function enumNames(type: TypeName): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  for (const part of type.arguments) {
    const match = /^'(.*)'\s*=\s*(-?\d+)$/s.exec(part)
    if (match !== null) names.set(Number(match[2]), match[1].replaceAll(/\\(.)/gs, '$1'))
  }
  return names
}

function readStrings(cursor: ByteCursor, rows: number): ColumnValues {
  // Every string takes at least the byte of its length. Check this before allocating arrays of this size.
  const first = cursor.at
  cursor.take(rows)
  cursor.at = first
  const starts = new Uint32Array(rows)
  const ends = new Uint32Array(rows)
  const { bytes } = cursor
  for (let row = 0; row < rows; row++) {
    // Nearly all are shorter than 128 bytes.
    const short = cursor.at < bytes.length ? bytes[cursor.at] : 128
    let length = short
    if (short < 128) cursor.at++
    else length = cursor.varUInt()
    starts[row] = cursor.take(length) - first
    ends[row] = cursor.at - first
  }
  return new StringValues(bytes.subarray(first, cursor.at), starts, ends)
}

function readArrays(
  type: TypeName,
  cursor: ByteCursor,
  rows: number,
  readValues: (count: number) => ColumnValues,
): ColumnValues {
  const at = cursor.take(rows * 8)
  const ends = new Uint32Array(rows)
  let last = 0
  for (let row = 0; row < rows; row++) {
    const end = cursor.view.getUint32(at + row * 8, true)
    if (end < last || cursor.view.getUint32(at + row * 8 + 4, true) !== 0)
      throw cursor.error(`ends of ${type.text} that do not grow or pass 32 bits`)
    ends[row] = end
    last = end
  }
  return new ArrayValues(type.text, readValues(last), ends)
}

function readTuple(type: TypeName, cursor: ByteCursor, rows: number): ColumnValues {
  if (type.of.length === 0) throw cursor.error('an empty tuple')
  const parts = type.of.map(of => readColumnData(of, cursor, rows))
  return new TupleValues(type.text, parts)
}

/**
 * The low byte of the flags is the width of the indexes as a power of two. The engine sends no dictionary shared between
 * blocks.
 */
const SHARED_DICTIONARY = 1 << 8

function readDictionary(type: TypeName, cursor: ByteCursor, rows: number): ColumnValues {
  const outer = only(type, cursor)
  const nullable = outer.name === 'Nullable'
  const of = nullable ? only(outer, cursor) : outer
  if (rows === 0) return new DictionaryValues(type.text, readColumnData(of, cursor, 0), new Uint32Array(0), nullable)
  const flags = cursor.count()
  if ((flags & SHARED_DICTIONARY) !== 0) throw cursor.error(`a shared dictionary of ${type.text}`)
  const width = 1 << (flags & 0xff)
  if ((flags & 0xff) > 3) throw cursor.error(`indexes of ${type.text} wider than 64 bits`)
  const size = cursor.count()
  const dictionary = readColumnData(of, cursor, size)
  if (cursor.count() !== rows) throw cursor.error(`another number of rows in ${type.text}`)
  const raw = new IntegerValues('UInt64', cursor.takeRows(rows, width), width, false)
  const indexes = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) {
    const index = raw.number(row)
    if (index >= size) throw cursor.error(`index ${index} of ${type.text} beyond its ${size} values`)
    indexes[row] = index
  }
  return new DictionaryValues(type.text, dictionary, indexes, nullable)
}
