// The Huffman codes of deflate as look-up tables. The next bits of the input are the index, and the entry is one int32:
//
//   bits 0-3    code length
//   bits 4-7    extra bits after the code; for a sub-table, the bits of its index
//   bits 8-9    kind
//   bits 10-    literal byte, base of the length or distance, or start of the sub-table
//
// Codes longer than the root index use a sub-table, whose entries count only the bits after the root.

export const LITERAL = 0
const BASE = 1 << 8
export const END_OF_BLOCK = 2 << 8
export const SUB_TABLE = 3 << 8
export const KIND = 3 << 8
/** No code starts with these bits. It shares the kind of END_OF_BLOCK so that the other kinds need no check for it. */
const INVALID = END_OF_BLOCK | (1 << 10)

const MAX_CODE = 15
const FORBIDDEN = -1

// The table entry of each symbol, without its code length.
export const LITERAL_SYMBOLS = literalSymbols()
export const DISTANCE_SYMBOLS = distanceSymbols()
export const PLAIN_SYMBOLS = Int32Array.from({ length: 19 }, (_, symbol) => (symbol << 10) | LITERAL)

function literalSymbols(): Int32Array {
  const symbols = new Int32Array(288).fill(FORBIDDEN)
  for (let byte = 0; byte < 256; byte++) symbols[byte] = (byte << 10) | LITERAL
  symbols[256] = END_OF_BLOCK
  for (let i = 0, length = 3; i < 28; i++) {
    const extra = i < 8 ? 0 : (i >> 2) - 1
    symbols[257 + i] = (length << 10) | BASE | (extra << 4)
    length += 1 << extra
  }
  symbols[285] = (258 << 10) | BASE
  return symbols
}

function distanceSymbols(): Int32Array {
  const symbols = new Int32Array(32).fill(FORBIDDEN)
  for (let i = 0, distance = 1; i < 30; i++) {
    const extra = i < 4 ? 0 : (i >> 1) - 1
    symbols[i] = (distance << 10) | BASE | (extra << 4)
    distance += 1 << extra
  }
  return symbols
}

export class HuffmanTable {
  readonly rootBits: number
  entries: Int32Array
  private readonly next = new Uint16Array(MAX_CODE + 2)
  private readonly counts = new Uint16Array(MAX_CODE + 1)

  constructor(rootBits: number) {
    this.rootBits = rootBits
    this.entries = new Int32Array(1 << rootBits)
  }

  /**
   * Builds the table. Symbol i has the code length lengths[from + i]. Returns false if the lengths are not a prefix code or
   * leave bits without a code. Only a code of one one-bit symbol, or of none, may do that, if `sparse` allows it.
   */
  build(lengths: Uint8Array, from: number, to: number, symbols: Int32Array, sparse: boolean): boolean {
    const { counts, next } = this
    counts.fill(0)
    for (let i = from; i < to; i++) counts[lengths[i]]++
    let left = 1
    let longest = 0
    next[1] = 0
    for (let length = 1; length <= MAX_CODE; length++) {
      left = left * 2 - counts[length]
      if (left < 0) return false
      if (counts[length] > 0) longest = length
      next[length + 1] = (next[length] + counts[length]) << 1
    }
    if (left > 0 && !(sparse && longest <= 1)) return false
    this.fill(lengths, from, to, symbols, longest)
    return true
  }

  // Codes are assigned in order of length, then symbol. The sub-table of a root index is created on first use and has room
  // for the longest code of all: at most 2^(15 - root) entries.
  private fill(lengths: Uint8Array, from: number, to: number, symbols: Int32Array, longest: number): void {
    const { rootBits, next } = this
    const root = 1 << rootBits
    const subBits = longest - rootBits
    let used = root
    this.entries.fill(INVALID, 0, root)
    for (let i = from; i < to; i++) {
      const length = lengths[i]
      if (length === 0) continue
      const code = reversed(next[length]++, length)
      const symbol = symbols[i - from]
      // A forbidden symbol has a code, but must not occur.
      if (symbol === FORBIDDEN) continue
      if (length <= rootBits) {
        for (let k = code; k < root; k += 1 << length) this.entries[k] = symbol | length
        continue
      }
      const slot = code & (root - 1)
      if (this.entries[slot] === INVALID) {
        this.reserve(used + (1 << subBits))
        this.entries.fill(INVALID, used, used + (1 << subBits))
        this.entries[slot] = (used << 10) | SUB_TABLE | (subBits << 4) | rootBits
        used += 1 << subBits
      }
      const start = this.entries[slot] >>> 10
      const bits = length - rootBits
      for (let k = code >>> rootBits; k < 1 << subBits; k += 1 << bits) this.entries[start + k] = symbol | bits
    }
  }

  private reserve(length: number): void {
    if (length <= this.entries.length) return
    const entries = new Int32Array(Math.max(length, this.entries.length * 2))
    entries.set(this.entries)
    this.entries = entries
  }
}

// Codes are read from their first bit, so the first bit must be the lowest bit of the index.
function reversed(code: number, length: number): number {
  let result = 0
  for (let i = 0; i < length; i++) result |= ((code >>> i) & 1) << (length - 1 - i)
  return result
}
