// The distinct frames of a text, numbered. Reading folded stacks is finding frames and telling whether they were seen before,
// so both are done four bytes at a time: DataView reads a word anywhere at the price of one load, and that is twice as fast
// as going by bytes. Distinct frames are copied together: comparing with the place in the text where they were first seen
// misses the cache more often, and costs 10 % in sorted files and 25 % in unsorted ones.
import { GrowingBytes, GrowingInts } from '../../model/growing-columns.ts'
import { finish, HashIndex, mix } from '../../model/hash-index.ts'

const SEMICOLON = 0x3b
const SEMICOLONS = 0x3b3b3b3b
const LOW_BITS = 0x01010101
const HIGH_BITS = 0x80808080

export class FrameTexts {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #pool = new GrowingBytes(1 << 16)
  #poolView = new DataView(this.#pool.array.buffer)
  /** Offset in the pool and length. */
  readonly #rows = new GrowingInts(2048)
  readonly #index = new HashIndex()
  /** Where the frame found last ends. */
  end = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get length(): number {
    return this.#rows.length / 2
  }

  /** The number of the frame from `from` to the next semicolon, or to `to`. Sets `end`. */
  next(from: number, to: number): number {
    const view = this.#view
    let hash = 0
    let at = from
    let rest = 0
    let shift = 0
    for (; at + 4 <= to; at += 4) {
      const word = view.getInt32(at, true)
      // A zero byte leaves its high bit in `zeros`; the lowest one is exact.
      const other = word ^ SEMICOLONS
      const zeros = (other - LOW_BITS) & ~other & HIGH_BITS
      if (zeros !== 0) {
        shift = (31 - Math.clz32(zeros & -zeros)) & 24
        rest = word & ((1 << shift) - 1)
        break
      }
      hash = mix(hash, word)
    }
    if (at + 4 > to) {
      const bytes = this.#bytes
      for (let i = at; i < to && bytes[i] !== SEMICOLON; i++, shift += 8) rest |= bytes[i] << shift
    }
    this.end = at + (shift >> 3)
    if (shift > 0) hash = mix(hash, rest)
    return this.#find(from, this.end, finish(hash ^ (this.end - from)))
  }

  /** How many bytes at `a` and `b` are the same, up to `length`. */
  common(a: number, b: number, length: number): number {
    const view = this.#view
    let i = 0
    for (; i + 4 <= length; i += 4) if (view.getInt32(a + i, true) !== view.getInt32(b + i, true)) break
    const bytes = this.#bytes
    while (i < length && bytes[a + i] === bytes[b + i]) i++
    return i
  }

  #equals(offset: number, from: number, length: number): boolean {
    const view = this.#view
    const pool = this.#poolView
    let i = 0
    for (; i + 4 <= length; i += 4) if (view.getInt32(from + i, true) !== pool.getInt32(offset + i, true)) return false
    for (; i < length; i++) if (view.getUint8(from + i) !== pool.getUint8(offset + i)) return false
    return true
  }

  #find(from: number, to: number, hash: number): number {
    const { slots } = this.#index
    const rows = this.#rows.array
    const mask = slots.length - 1
    const length = to - from
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot + 1] !== hash) continue
      const row = slots[slot] - 1
      if (rows[2 * row + 1] === length && this.#equals(rows[2 * row], from, length)) return row
    }
    this.#rows.push(this.#pool.append(this.#bytes, from, to))
    this.#rows.push(length)
    if (this.#poolView.buffer !== this.#pool.array.buffer) this.#poolView = new DataView(this.#pool.array.buffer)
    return this.#index.add(slot, hash)
  }
}
