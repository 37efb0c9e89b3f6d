// Blocks of rows in the engine's Native format, read by column. Columns are views of the received bytes: reading fixed-width
// columns copies nothing.
//
//   columns: varuint, rows: varuint, then for each column: name, type (both behind their lengths), its data
import { readColumnData, readColumnPrefix } from './read-column.ts'
import { ByteCursor, IncompleteError, NativeFormatError } from './byte-cursor.ts'
import { emptyValues, concatValues } from './concat-values.ts'
import type { TypeName } from './type-name.ts'
import { parseTypeName } from './type-name.ts'
import type { ColumnValues } from './column-values.ts'

export interface Block {
  readonly rows: number
  /** Throws if the block has no such column, which is a bug. */
  column(name: string): ColumnValues
  readonly names: readonly string[]
}

/** No response of the engine reaches these limits. Beyond them the bytes are not a block. */
const MAX_COLUMNS = 10_000
const MAX_NAME_LENGTH = 100_000

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
    throw new Error(`no column ${name} in the response; it has ${this.names.join(', ')}`)
  }
}

/** The engine sends no bytes for a result without rows, so the columns are unknown. */
const noRows: Block = { rows: 0, names: [], column: () => emptyValues }

/** Reads the complete blocks in `bytes`. */
export function readBlocks(bytes: Uint8Array): Block[] {
  const reader = new BlockReader()
  const blocks = reader.push(bytes)
  reader.end()
  return blocks
}

/** Merges the rows of all blocks into one. */
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

/** Reads blocks from bytes that arrive in pieces of any size. */
export class BlockReader {
  #pieces: Uint8Array[] = []
  #held = 0
  /**
   * Do not parse before this many bytes are there. Otherwise a block of 100 MB in pieces of 64 KB would be parsed 1,600
   * times.
   */
  #tryAt = 1
  /** Number of bytes of earlier blocks, for offsets in errors. */
  #given = 0

  push(piece: Uint8Array): Block[] {
    if (piece.length === 0) return []
    // Copy the view as a plain array. Views of a Buffer are Buffers, which do not equal the same bytes elsewhere.
    this.#pieces.push(plain(piece))
    this.#held += piece.length
    return this.#held < this.#tryAt ? [] : this.#read(false)
  }

  /** Returns the remaining blocks. Throws if the last one is incomplete. */
  end(): Block[] {
    return this.#held === 0 ? [] : this.#read(true)
  }

  /** Bytes received since the last complete block. An engine that fails half-way writes its message here. */
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
  if (count > MAX_COLUMNS) throw cursor.error(`a block of ${count} columns`)
  const rows = cursor.varUInt()
  const columns = new Map<string, ColumnValues>()
  for (let i = 0; i < count; i++) {
    const name = shortText(cursor)
    const typeAt = cursor.at
    const type = typeOf(shortText(cursor), cursor, typeAt)
    if (columns.has(name)) throw cursor.error(`a second column ${name}`)
    // A column without rows has no bytes, not even a prefix.
    if (rows > 0) readColumnPrefix(type, cursor)
    columns.set(name, readColumnData(type, cursor, rows))
  }
  // Without columns, nothing limits the number of rows.
  if (count === 0 && rows > 0) throw cursor.error(`${rows} rows without columns`)
  return new NativeBlock(rows, columns)
}

function shortText(cursor: ByteCursor): string {
  const length = cursor.varUInt()
  if (length > MAX_NAME_LENGTH) throw cursor.error(`a name of ${length} bytes`)
  const at = cursor.take(length)
  return Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset + at, length).toString('utf8')
}

/** The same few types occur in every block. */
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
