// Blocks of rows as the engine's Native format gives them, read column by column. Columns are views of the bytes that came:
// reading a block of fixed-width columns copies nothing.
//
//   columns: varuint, rows: varuint, then for each column: name, type (both behind their lengths), its data
import { readColumnData, readColumnPrefix } from './read-column.ts'
import { ByteCursor, IncompleteError, NativeFormatError } from './byte-cursor.ts'
import { emptyValues, concatValues } from './concat-values.ts'
import type { TypeName } from './type-name.ts'
import { parseTypeName } from './type-name.ts'

export interface Block {
  readonly rows: number
  /** Throws when the block has no such column: a fault of the code. */
  column(name: string): ColumnValues
  readonly names: readonly string[]
}

/** One column of a block. What does not fit the column's type throws. */
export interface ColumnValues {
  readonly type: string
  readonly length: number
  /** Numbers of up to 32 bits, Float64, Date as days; 64-bit numbers only where they are safe integers. */
  number(row: number): number
  /** Whole numbers of any width, Date as days, and times as nanoseconds. */
  bigint(row: number): bigint
  text(row: number): string
  bytes(row: number): Uint8Array
  /** Only a Nullable column has such rows, and they have no value: the others' methods throw. */
  isNull(row: number): boolean
  /** For arrays: the values of all rows, and where row `row` has its own. A map is an array of tuples (key, value). */
  readonly values: ColumnValues
  from(row: number): number
  to(row: number): number
  /** For tuples: a column for each part. */
  readonly parts: readonly ColumnValues[]
  /** The bytes of a fixed-width column, little endian: rows of `width` bytes. Of strings, in which row `row` is [from, to). */
  readonly raw: Uint8Array
  readonly width: number
}

/** Limits that no answer of the engine comes near; beyond them the bytes are not a block. */
const MOST_COLUMNS = 10_000
const LONGEST_NAME = 100_000

class NativeBlock implements Block {
  readonly rows: number
  readonly names: readonly string[]
  readonly #columns: ReadonlyMap<string, ColumnValues>

  constructor(rows: number, columns: ReadonlyMap<string, ColumnValues>) {
    this.rows = rows
    this.names = [...columns.keys()]
    this.#columns = columns
  }

  column(name: string): ColumnValues {
    const column = this.#columns.get(name)
    if (column !== undefined) return column
    throw new Error(`no column ${name} in the answer; it has ${this.names.join(', ')}`)
  }
}

/** The engine sends nothing at all for an answer without rows, so its columns are not known. */
const noRows: Block = { rows: 0, names: [], column: () => emptyValues }

/** Reads the blocks that lie whole in `bytes`, one after the other. */
export function readBlocks(bytes: Uint8Array): Block[] {
  const reader = new BlockReader()
  const blocks = reader.push(bytes)
  reader.end()
  return blocks
}

/** One block of the rows of all. */
export function mergeBlocks(blocks: readonly Block[]): Block {
  const full = blocks.filter(block => block.rows > 0)
  if (full.length === 0) return blocks.find(block => block.names.length > 0) ?? noRows
  if (full.length === 1) return full[0]
  const columns = new Map<string, ColumnValues>()
  let rows = 0
  for (const block of full) rows += block.rows
  for (const name of full[0].names) columns.set(name, concatValues(full.map(block => block.column(name))))
  return new NativeBlock(rows, columns)
}

/** Blocks out of bytes that come in pieces of any size. */
export class BlockReader {
  #pieces: Uint8Array[] = []
  #held = 0
  /** Not worth trying before so many bytes are held: else a block of 100 MB in pieces of 64 KB were read 1,600 times. */
  #tryAt = 1
  /** Bytes of the blocks already given, for offsets in errors. */
  #given = 0

  push(piece: Uint8Array): Block[] {
    if (piece.length === 0) return []
    // Not as the Buffer it may be: views of one are Buffers too, and those are not equal to the same bytes elsewhere.
    this.#pieces.push(plain(piece))
    this.#held += piece.length
    return this.#held < this.#tryAt ? [] : this.#read(false)
  }

  /** Gives what is still held; throws when the last block is cut off. */
  end(): Block[] {
    return this.#held === 0 ? [] : this.#read(true)
  }

  /** What has come since the last whole block: where an engine that fails half-way puts its message. */
  get rest(): Uint8Array {
    return this.#joined()
  }

  #joined(): Uint8Array {
    if (this.#pieces.length !== 1) this.#pieces = [plain(Buffer.concat(this.#pieces))]
    return this.#pieces[0]
  }

  #read(last: boolean): Block[] {
    const blocks: Block[] = []
    const bytes = this.#joined()
    const cursor = new ByteCursor(bytes, this.#given)
    let start = 0
    try {
      while (cursor.at < bytes.length) {
        const block = readBlock(cursor)
        start = cursor.at
        if (block.rows > 0 || block.names.length > 0) blocks.push(block)
      }
      this.#tryAt = 1
    } catch (error) {
      if (!(error instanceof IncompleteError) || last) {
        this.#keepFrom(bytes, start)
        throw error
      }
      const held = bytes.length - start
      this.#tryAt = Math.max(held + error.missing, Math.ceil(held * 1.5))
    }
    this.#keepFrom(bytes, start)
    return blocks
  }

  #keepFrom(bytes: Uint8Array, start: number): void {
    this.#given += start
    this.#held = bytes.length - start
    this.#pieces = this.#held === 0 ? [] : [bytes.subarray(start)]
  }
}

function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function readBlock(cursor: ByteCursor): Block {
  const count = cursor.varUInt()
  if (count > MOST_COLUMNS) throw cursor.error(`a block of ${count} columns`)
  const rows = cursor.varUInt()
  const columns = new Map<string, ColumnValues>()
  for (let i = 0; i < count; i++) {
    const name = shortText(cursor)
    const typeAt = cursor.at
    const type = typeOf(shortText(cursor), cursor, typeAt)
    if (columns.has(name)) throw cursor.error(`a second column ${name}`)
    // A column without rows has no bytes, not even those that come before its data.
    if (rows > 0) readColumnPrefix(type, cursor)
    columns.set(name, readColumnData(type, cursor, rows))
  }
  // Without columns nothing bounds the number of rows.
  if (count === 0 && rows > 0) throw cursor.error(`${rows} rows without columns`)
  return new NativeBlock(rows, columns)
}

function shortText(cursor: ByteCursor): string {
  const length = cursor.varUInt()
  if (length > LONGEST_NAME) throw cursor.error(`a name of ${length} bytes`)
  const at = cursor.take(length)
  return Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset + at, length).toString('utf8')
}

/** The same few types come with every block. */
const parsed = new Map<string, TypeName>()

function typeOf(text: string, cursor: ByteCursor, at: number): TypeName {
  let type = parsed.get(text)
  if (type === undefined) {
    try {
      type = parseTypeName(text)
    } catch (error) {
      throw new NativeFormatError(cursor.base + at, (error as Error).message)
    }
    if (parsed.size > 1000) parsed.clear()
    parsed.set(text, type)
  }
  return type
}
