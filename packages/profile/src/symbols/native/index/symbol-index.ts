// A compact table from addresses to functions, made once from a debug file. The file is used as it lies in memory: opening
// it costs nothing, whatever its size.
//
//   starts     0x1000   0x1010   0x1024   0x1030      distances from the image base, ascending
//   nodes         4        7        4       -1        row of `nodes`; -1: no function until the next start
//
//   node 7     function 3, file, line, column, parent 4     inlined into node 4
//   node 4     function 1, file, line, column, parent -1    the line of the call
import { decodeUtf8, encodeUtf8Into, utf8Length } from '../../../wire/utf8.ts'
import { ImageBase } from '../byte-cursor.ts'
import { SymbolFileError } from '../symbol-file-error.ts'

export interface SymbolFrame {
  /** As in the file: mangled for C++ and Rust. */
  readonly name: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** The first line of the function, or 0 if the file does not say. */
  readonly startLine: number
}

/** A function in the machine code. `end` is the first address behind it. */
export interface FunctionCode {
  /** As in the file: mangled for C++ and Rust. */
  readonly name: string
  readonly start: bigint
  readonly end: bigint
}

export interface IndexColumns {
  readonly base: bigint
  readonly starts: Float64Array
  readonly nodes: Int32Array
  /** Five numbers per node: function, file, line, column, parent. */
  readonly nodeFields: Int32Array
  /** Two numbers per function: name, first line. */
  readonly functionFields: Int32Array
  readonly strings: readonly string[]
}

export const NODE_FIELDS = 5
export const FUNCTION_FIELDS = 2

const MAGIC = 0x315f_5953_4853_4d31n
const HEADER_WORDS = 8

export class SymbolIndex {
  readonly base: ImageBase
  readonly starts: Float64Array
  readonly #nodes: Int32Array
  readonly #nodeFields: Int32Array
  readonly #functionFields: Int32Array
  readonly #stringEnds: Uint32Array
  readonly #text: Uint8Array
  /** The texts that were read. Lookups repeat: profiles have the same functions again and again. */
  readonly #strings = new Map<number, string>()

  private constructor(columns: {
    base: bigint
    starts: Float64Array
    nodes: Int32Array
    nodeFields: Int32Array
    functionFields: Int32Array
    stringEnds: Uint32Array
    text: Uint8Array
  }) {
    this.base = new ImageBase(columns.base)
    this.starts = columns.starts
    this.#nodes = columns.nodes
    this.#nodeFields = columns.nodeFields
    this.#functionFields = columns.functionFields
    this.#stringEnds = columns.stringEnds
    this.#text = columns.text
  }

  /** Opens the bytes of `encodeIndex`. They must start at a multiple of 8 in their buffer. */
  static open(bytes: Uint8Array): SymbolIndex {
    const broken = (message: string): SymbolFileError => new SymbolFileError('symbol index', message)
    if (bytes.length < HEADER_WORDS * 8) throw broken('unexpected end')
    if (bytes.byteOffset % 8 !== 0) throw broken('the bytes are not aligned to 8')
    const header = new BigUint64Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS)
    if (header[0] !== MAGIC) throw broken('not a symbol index of this version')
    const [starts, nodes, functions, strings, text] = [2, 3, 4, 5, 6].map(word => Number(header[word]))
    const sizes = columnBytes(starts, nodes, functions, strings, text)
    const total = sizes.reduce((sum, size) => sum + size, HEADER_WORDS * 8)
    if (total !== bytes.length) throw broken(`${bytes.length} bytes instead of ${total}`)
    let at = bytes.byteOffset + HEADER_WORDS * 8
    const next = (index: number): number => {
      const from = at
      at += sizes[index]
      return from
    }
    const { buffer } = bytes
    return new SymbolIndex({
      base: header[1],
      starts: new Float64Array(buffer, next(0), starts),
      nodes: new Int32Array(buffer, next(1), starts),
      nodeFields: new Int32Array(buffer, next(2), nodes * NODE_FIELDS),
      functionFields: new Int32Array(buffer, next(3), functions * FUNCTION_FIELDS),
      stringEnds: new Uint32Array(buffer, next(4), strings),
      text: new Uint8Array(buffer, next(5), text),
    })
  }

  /** The innermost node at an address, or -1. */
  nodeAt(address: bigint): number {
    return this.nodeAtDistance(this.base.distance(address))
  }

  nodeAtDistance(distance: number): number {
    const row = this.#rowAt(distance)
    return row < 0 ? -1 : this.#nodes[row]
  }

  /** The last row that starts at or before a distance, or -1. */
  #rowAt(distance: number): number {
    const { starts } = this
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle] <= distance) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** The functions at an address, innermost first. Empty if the index has none. */
  lookup(address: bigint): SymbolFrame[] {
    const frames: SymbolFrame[] = []
    // A parent has a lower row than its child, so a broken index cannot loop.
    let bound = Number.MAX_SAFE_INTEGER
    for (let node = this.nodeAt(address); node >= 0 && node < bound; node = this.#nodeFields[node * NODE_FIELDS + 4]) {
      bound = node
      const at = node * NODE_FIELDS
      const fields = this.#nodeFields
      const functionRow = fields[at] * FUNCTION_FIELDS
      frames.push({
        name: this.#string(this.#functionFields[functionRow]),
        file: this.#string(fields[at + 1]),
        line: fields[at + 2],
        column: fields[at + 3],
        startLine: this.#functionFields[functionRow + 1],
      })
    }
    return frames
  }

  /**
   * The code of the function at an address, with the calls inlined into it. Undefined if the index has no function there. Parts
   * that the compiler moved elsewhere are functions of their own.
   */
  functionAround(address: bigint): FunctionCode | undefined {
    const { starts } = this
    const at = this.#rowAt(this.base.distance(address))
    const called = at < 0 ? -1 : this.#outermost(this.#nodes[at])
    if (called < 0) return undefined
    let first = at
    while (first > 0 && this.#outermost(this.#nodes[first - 1]) === called) first--
    let end = at + 1
    while (end < starts.length && this.#outermost(this.#nodes[end]) === called) end++
    // The last row of an index has no function.
    if (end === starts.length) return undefined
    return {
      name: this.#string(this.#functionFields[called * FUNCTION_FIELDS]),
      start: this.base.address + BigInt(starts[first]),
      end: this.base.address + BigInt(starts[end]),
    }
  }

  /** The function of the outermost node around a node, or -1. */
  #outermost(node: number): number {
    let found = -1
    let bound = Number.MAX_SAFE_INTEGER
    for (let at = node; at >= 0 && at < bound; at = this.#nodeFields[at * NODE_FIELDS + 4]) {
      bound = at
      found = this.#nodeFields[at * NODE_FIELDS]
    }
    return found
  }

  #string(row: number): string {
    let text = this.#strings.get(row)
    if (text === undefined) {
      text = decodeUtf8(this.#text, row === 0 ? 0 : this.#stringEnds[row - 1], this.#stringEnds[row])
      this.#strings.set(row, text)
    }
    return text
  }
}

export function encodeIndex(columns: IndexColumns): Uint8Array {
  const { base, starts, nodes, nodeFields, functionFields, strings } = columns
  const stringEnds = new Uint32Array(strings.length)
  let text = 0
  for (const [row, string] of strings.entries()) stringEnds[row] = text += utf8Length(string)
  const counts = [
    starts.length,
    nodeFields.length / NODE_FIELDS,
    functionFields.length / FUNCTION_FIELDS,
    strings.length,
    text,
  ] as const
  const sizes = columnBytes(...counts)
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, HEADER_WORDS * 8))
  new BigUint64Array(bytes.buffer, 0, HEADER_WORDS).set([MAGIC, base, ...counts.map(BigInt)])
  let at = HEADER_WORDS * 8
  for (const [index, column] of [starts, nodes, nodeFields, functionFields, stringEnds].entries()) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
    at += sizes[index]
  }
  for (const string of strings) at = encodeUtf8Into(string, bytes, at)
  return bytes
}

/** The bytes of each column, padded to 8. */
function columnBytes(starts: number, nodes: number, functions: number, strings: number, text: number): number[] {
  const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8
  return [
    starts * 8,
    padded(starts * 4),
    padded(nodes * NODE_FIELDS * 4),
    padded(functions * FUNCTION_FIELDS * 4),
    padded(strings * 4),
    padded(text),
  ]
}
