// A container for responses that are mostly numbers: a JSON head followed by columns. Readers use the columns in place, as
// typed arrays over the received bytes.
//
//   0   "hcol"
//   4   version, u32: 1
//   8   length of the head in bytes with its padding, u32; a multiple of 8
//   12  0, u32
//   16  head: {"fields": …, "columns": [{"name", "type", "length", "offset"}, …]} in UTF-8, padded with spaces
//       columns, each at a multiple of 8; offsets count from the end of the head
//
// Everything is little-endian, like every machine this runs on. A text column consists of the ends of the texts (u32) and
// their bytes. The descriptor's "bytes" is the number of these bytes.
import { plainBytes } from './plain-bytes.ts'
import { decodeUtf8, encodeUtf8, encodeUtf8Into, utf8Length } from './utf8.ts'
import { WireError } from './wire-error.ts'

export const COLUMNS_MEDIA_TYPE = 'application/vnd.hearth.columns'

/** UTF-8 texts that are decoded on access. */
export class TextColumn {
  readonly length: number
  /** The end of each text in `bytes`. A text starts at the end of the previous one. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array

  constructor(ends: Uint32Array, bytes: Uint8Array) {
    this.length = ends.length
    this.ends = ends
    this.bytes = bytes
  }

  /** Lone surrogates become U+FFFD. */
  static of(texts: readonly string[]): TextColumn {
    const ends = new Uint32Array(texts.length)
    let length = 0
    for (let i = 0; i < texts.length; i++) ends[i] = length += utf8Length(texts[i])
    const bytes = new Uint8Array(length)
    let at = 0
    for (const text of texts) at = encodeUtf8Into(text, bytes, at)
    return new TextColumn(ends, bytes)
  }

  text(i: number): string {
    return decodeUtf8(this.bytes, i === 0 ? 0 : this.ends[i - 1], this.ends[i])
  }
}

export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array | TextColumn

export interface ColumnFile {
  /** Any JSON value. */
  readonly fields: unknown
  readonly columns: ReadonlyMap<string, Column>
}

interface Descriptor {
  readonly name: string
  readonly type: string
  readonly length: number
  readonly offset: number
  readonly bytes?: number
}

const MAGIC = 0x6c6f6368
const VERSION = 1
const HEADER = 16
const ALIGNMENT = 8

const ARRAYS = {
  u8: Uint8Array,
  i32: Int32Array,
  u32: Uint32Array,
  f64: Float64Array,
  i64: BigInt64Array,
} as const
type ArrayType = keyof typeof ARRAYS

/** Returns the pieces in order. Columns are not copied. */
export function encodeColumns({ fields, columns }: ColumnFile): Uint8Array[] {
  const descriptors: Descriptor[] = []
  const pieces: Uint8Array[] = []
  let offset = 0
  const add = (piece: Uint8Array) => {
    pieces.push(piece)
    offset += piece.length
  }
  for (const [name, column] of columns) {
    const { length } = column
    if (column instanceof TextColumn) {
      descriptors.push({ name, type: 'text', length, offset, bytes: column.bytes.length })
      add(bytesOf(column.ends))
      add(column.bytes)
    } else {
      descriptors.push({ name, type: typeOf(column), length, offset })
      add(bytesOf(column))
    }
    const padding = -offset & (ALIGNMENT - 1)
    if (padding > 0) add(new Uint8Array(padding))
  }
  return [headOf(fields, descriptors), ...pieces]
}

function headOf(fields: unknown, columns: readonly Descriptor[]): Uint8Array {
  const head = encodeUtf8(JSON.stringify({ fields, columns }))
  const length = head.length + (-head.length & (ALIGNMENT - 1))
  const bytes = new Uint8Array(HEADER + length).fill(0x20, HEADER)
  const header = new DataView(bytes.buffer)
  header.setUint32(0, MAGIC, true)
  header.setUint32(4, VERSION, true)
  header.setUint32(8, length, true)
  header.setUint32(12, 0, true)
  bytes.set(head, HEADER)
  return bytes
}

function typeOf(column: Exclude<Column, TextColumn>): ArrayType {
  for (const [type, array] of Object.entries(ARRAYS)) if (column instanceof array) return type as ArrayType
  throw new TypeError('unknown column type')
}

function bytesOf({ buffer, byteOffset, byteLength }: Exclude<Column, TextColumn>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/**
 * Returns columns that are views of `bytes`, or of one copy if `bytes` is not aligned to 8 bytes. Allocates nothing else that
 * depends on sizes in the input. Throws WireError.
 */
export function decodeColumns(bytes: Uint8Array): ColumnFile {
  const whole = bytes.byteOffset % ALIGNMENT === 0 ? plainBytes(bytes) : new Uint8Array(bytes)
  if (whole.length < HEADER) throw new WireError(whole.length, 'columns end within the header')
  const header = new DataView(whole.buffer, whole.byteOffset, HEADER)
  if (header.getUint32(0, true) !== MAGIC) throw new WireError(0, 'this is not a columns file')
  const version = header.getUint32(4, true)
  if (version !== VERSION) throw new WireError(4, `unknown columns version ${version}; expected ${VERSION}`)
  const headLength = header.getUint32(8, true)
  if (headLength > whole.length - HEADER) throw new WireError(8, `the head of ${headLength} bytes is truncated`)
  if (headLength % ALIGNMENT !== 0) throw new WireError(8, `the head of ${headLength} bytes is not padded`)
  const { fields, columns: described } = parseHead(whole, headLength)
  const data = whole.subarray(HEADER + headLength)
  const columns = new Map<string, Column>()
  for (const descriptor of described) {
    const { name, type, length, offset, bytes: textBytes } = checked(descriptor)
    if (columns.has(name)) throw new WireError(HEADER, `two columns are named ${shown(name)}`)
    if (type !== 'text') columns.set(name, arrayAt(data, type, length, offset, name))
    else {
      const ends = arrayAt(data, 'u32', length, offset, name) as Uint32Array
      columns.set(name, textsAt(data, ends, offset + 4 * length, textBytes ?? 0, name))
    }
  }
  return { fields, columns }
}

interface Head {
  readonly fields: unknown
  readonly columns: readonly unknown[]
}

function parseHead(bytes: Uint8Array, length: number): Head {
  let head: unknown
  try {
    head = JSON.parse(decodeUtf8(bytes, HEADER, HEADER + length))
  } catch {
    throw new WireError(HEADER, 'the head is not JSON')
  }
  if (typeof head !== 'object' || head === null || !('columns' in head) || !Array.isArray(head.columns)) {
    throw new WireError(HEADER, 'the head has no list of columns')
  }
  return { fields: 'fields' in head ? head.fields : undefined, columns: head.columns as unknown[] }
}

function checked(value: unknown): Descriptor & { readonly type: ArrayType | 'text' } {
  const { name, type, length, offset, bytes } = (value ?? {}) as Partial<Record<keyof Descriptor, unknown>>
  const known = typeof type === 'string' && (type === 'text' || Object.hasOwn(ARRAYS, type))
  if (typeof name !== 'string' || !known) throw new WireError(HEADER, 'a column without a name or a known type')
  const isCount = (number: unknown): number is number => Number.isSafeInteger(number) && (number as number) >= 0
  if (!isCount(length) || !isCount(offset) || offset % ALIGNMENT !== 0 || (type === 'text' && !isCount(bytes))) {
    throw new WireError(HEADER, `the column ${shown(name)} has an invalid offset or length`)
  }
  return { name, type: type as ArrayType | 'text', length, offset, ...(isCount(bytes) ? { bytes } : {}) }
}

function arrayAt(data: Uint8Array, type: ArrayType, length: number, offset: number, name: string) {
  const make = ARRAYS[type]
  // A quotient, because a product of two large numbers would be rounded.
  if (offset > data.length || length > (data.length - offset) / make.BYTES_PER_ELEMENT) throw truncated(data, name)
  return new make(data.buffer as ArrayBuffer, data.byteOffset + offset, length)
}

function textsAt(data: Uint8Array, ends: Uint32Array, from: number, length: number, name: string): TextColumn {
  if (length > data.length - from) throw truncated(data, name)
  let last = 0
  for (const end of ends) {
    if (end < last)
      throw new WireError(data.byteOffset + from, `texts of the column ${shown(name)} have descending ends`)
    last = end
  }
  if (last !== length)
    throw new WireError(data.byteOffset + from, `the column ${shown(name)} does not have ${length} bytes of text`)
  return new TextColumn(ends, data.subarray(from, from + length))
}

function truncated(data: Uint8Array, name: string): WireError {
  return new WireError(data.byteOffset + data.length, `the column ${shown(name)} is truncated`)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 60))
}
