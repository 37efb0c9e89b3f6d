// Reads the basic encodings of JFR at a position of one chunk: compressed integers, lengths, strings. Positions are relative to
// the chunk; errors report the offset in the file.
import { uint64 } from '../../../model/columns/int64.ts'
import { FormatError } from '../../format.ts'

export const JFR = 'jfr'

/** The first byte of a string, which gives its encoding. */
export const TextEncoding = { none: 0, empty: 1, constant: 2, utf8: 3, chars: 4, latin1: 5 } as const

export class Cursor {
  readonly bytes: Uint8Array
  /** The offset of the chunk in the file. */
  readonly base: number
  pos = 0
  /** The end of the event or chunk. Nothing beyond it is read. */
  end: number
  /** The halves of the last integer. */
  lo = 0
  hi = 0
  readonly #view: DataView

  constructor(bytes: Uint8Array, base: number) {
    this.bytes = bytes
    this.base = base
    this.end = bytes.length
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /**
   * Reads a LEB128 integer of up to nine bytes. The ninth byte has eight data bits; negative numbers are two's complement.
   * Protobuf uses ten bytes, each with a continuation bit. Its reader in wire/ would therefore read one byte too many of
   * any negative number.
   */
  long(): void {
    const { bytes } = this
    let p = this.pos
    let byte = bytes[p++]
    let low = byte & 127
    if (byte >= 128) {
      byte = bytes[p++]
      low |= (byte & 127) << 7
      if (byte >= 128) {
        byte = bytes[p++]
        low |= (byte & 127) << 14
        if (byte >= 128) {
          byte = bytes[p++]
          low |= (byte & 127) << 21
          if (byte >= 128) return this.#longTail(p, low)
        }
      }
    }
    if (p > this.end) this.overrun('an integer')
    this.lo = low
    this.hi = 0
    this.pos = p
  }

  /** Reads the fifth to ninth byte. */
  #longTail(from: number, low: number): void {
    const { bytes } = this
    let p = from
    let byte = bytes[p++]
    this.lo = low | (byte << 28)
    let high = (byte & 127) >>> 4
    for (let shift = 3; byte >= 128; shift += 7) {
      byte = bytes[p++]
      if (shift === 24) {
        high |= byte << 24
        break
      }
      high |= (byte & 127) << shift
    }
    if (p > this.end) this.overrun('an integer')
    this.hi = high
    this.pos = p
  }

  /** Reads one integer for each of places[from, to) and writes its halves to that place of `target`. */
  longs(target: Int32Array, places: Int32Array, from: number, to: number): void {
    const { bytes } = this
    let p = this.pos
    for (let i = from; i < to; i++) {
      const at = places[i]
      let byte = bytes[p++]
      let low = byte & 127
      if (byte >= 128) {
        byte = bytes[p++]
        low |= (byte & 127) << 7
        if (byte >= 128) {
          byte = bytes[p++]
          low |= (byte & 127) << 14
          if (byte >= 128) {
            byte = bytes[p++]
            low |= (byte & 127) << 21
            if (byte >= 128) {
              this.#longTail(p, low)
              p = this.pos
              target[at] = this.lo
              target[at + 1] = this.hi
              continue
            }
          }
        }
      }
      target[at] = low
      target[at + 1] = 0
    }
    if (p > this.end) this.overrun('an integer')
    this.pos = p
  }

  byte(): number {
    if (this.pos >= this.end) this.overrun('a byte')
    return this.bytes[this.pos++]
  }

  /** Reads a count of items that take at least `minBytes` each. Rejects counts that exceed the remaining bytes. */
  count(minBytes: number): number {
    const at = this.pos
    this.long()
    if (this.hi !== 0 || this.lo < 0 || this.lo * minBytes > this.end - this.pos) {
      this.fail(`length of ${this.unsigned()}, but only ${this.end - this.pos} bytes are left`, at)
    }
    return this.lo
  }

  /**
   * Skips integers four bytes at a time: each byte without its high bit ends an integer. After four bytes with the high bit set,
   * the integer may have nine bytes, and the high bit of the ninth does not show an end.
   */
  skipLongs(count: number): void {
    const { bytes, end } = this
    let p = this.pos
    let left = count
    /** Bytes of the next integer that are already skipped. */
    let behind = 0
    while (left > 0) {
      while (left >= 4 && p + 4 <= end) {
        const ends = ~this.#view.getInt32(p, true) & 0x8080_8080
        if (ends === 0) break
        left -= Math.imul(ends >>> 7, 0x0101_0101) >>> 24
        behind = Math.clz32(ends) >>> 3
        p += 4
      }
      if (left === 0) break
      if (p >= end) this.overrun('an integer')
      for (let more = 8 - behind; more > 0 && bytes[p] >= 128; more--) p++
      p++
      left--
      behind = 0
    }
    p -= behind
    if (p > end) this.overrun('an integer')
    this.pos = p
  }

  skip(count: number, what: string): void {
    if (count > this.end - this.pos) this.overrun(what)
    this.pos += count
  }

  skipText(): void {
    const at = this.pos
    const encoding = this.byte()
    switch (encoding) {
      case TextEncoding.none:
      case TextEncoding.empty:
        return
      case TextEncoding.constant:
        return this.skipLongs(1)
      case TextEncoding.utf8:
      case TextEncoding.latin1:
        return this.skip(this.count(1), 'a string')
      case TextEncoding.chars:
        return this.skipLongs(this.count(1))
      default:
        this.fail(`unknown string encoding ${encoding}`, at)
    }
  }

  unsigned(): bigint {
    return uint64(this.lo, this.hi)
  }

  overrun(what: string): never {
    this.fail(`${what} exceeds the end of its event or chunk`)
  }

  fail(what: string, at = this.pos): never {
    throw new FormatError(JFR, this.base + Math.min(at, this.bytes.length), what)
  }
}
