// A position in one chunk of a recording and the reading of what JFR is made of: compressed integers, lengths, strings.
// Positions are relative to the chunk; errors name the place in the file.
import { uint64 } from '../../../model/columns/int64.ts'
import { FormatError } from '../../format.ts'

export const JFR = 'jfr'

/** How a string says what follows. */
export const TextEncoding = { none: 0, empty: 1, constant: 2, utf8: 3, chars: 4, latin1: 5 } as const

export class Cursor {
  readonly bytes: Uint8Array
  /** Where the chunk begins in the file. */
  readonly base: number
  pos = 0
  /** Nothing beyond this is read: the end of the event, or of the chunk. */
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
   * LEB128 of up to nine bytes, of which the ninth counts whole; negative numbers are two's complement. Protobuf's has ten
   * bytes, each with a high bit that says whether it ends, so that the reader of wire/ can serve neither here nor for
   * skipping: it would take one byte too many of any negative number.
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

  /** The fifth to ninth byte. */
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

  /** One integer for each of places[from, to), the halves of which go to that place of `target`. */
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

  /** A count of things that take at least `atLeast` bytes each, so that no count is believed that cannot be true. */
  count(atLeast: number): number {
    const at = this.pos
    this.long()
    if (this.hi !== 0 || this.lo < 0 || this.lo * atLeast > this.end - this.pos) {
      this.fail(`a length of ${this.unsigned()} with ${this.end - this.pos} bytes left`, at)
    }
    return this.lo
  }

  /**
   * Four bytes at a time while that is sure not to go too far: each byte without its high bit is the end of an integer. Where
   * four have it on, the integer may have nine bytes, and the ninth says nothing of this kind.
   */
  skipLongs(count: number): void {
    const { bytes, end } = this
    let p = this.pos
    let left = count
    /** Bytes of the next integer that are behind already. */
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
        this.fail(`a string of unknown encoding ${encoding}`, at)
    }
  }

  unsigned(): bigint {
    return uint64(this.lo, this.hi)
  }

  overrun(what: string): never {
    this.fail(`${what} runs past the end of what holds it`)
  }

  fail(what: string, at = this.pos): never {
    throw new FormatError(JFR, this.base + Math.min(at, this.bytes.length), what)
  }
}
