// Reads numbers from a part of a trace: LEB128, up to 64 bits.
import { FormatError } from '../format.ts'

export const FORMAT = 'go-trace'
const MAX_VARINT = 10

export class TraceCursor {
  readonly bytes: Uint8Array
  at: number
  end: number
  /** The halves of the number that `long` read. */
  lo = 0
  hi = 0

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  byte(): number {
    if (this.at >= this.end) throw this.fault('a byte is missing')
    return this.bytes[this.at++]
  }

  /**
   * Exact up to 2^53, the nearest double beyond. This is enough for times, and for ids, because a large id means
   * "none".
   */
  number(): number {
    const { bytes, end } = this
    let at = this.at
    // Nearly all numbers have up to four bytes and fit into small integers.
    if (at + 4 > end) return this.#longNumber()
    let byte = bytes[at++]
    let value = byte & 127
    if (byte >= 128) {
      byte = bytes[at++]
      value |= (byte & 127) << 7
      if (byte >= 128) {
        byte = bytes[at++]
        value |= (byte & 127) << 14
        if (byte >= 128) {
          byte = bytes[at++]
          value |= (byte & 127) << 21
          if (byte >= 128) return this.#longNumber()
        }
      }
    }
    this.at = at
    return value
  }

  #longNumber(): number {
    const { bytes, end } = this
    const start = this.at
    let at = start
    let value = 0
    let factor = 1
    for (;;) {
      if (at >= end) throw this.fault('a number is truncated')
      const byte = bytes[at++]
      value += (byte & 127) * factor
      if (byte < 128) break
      factor *= 128
      if (at - start === MAX_VARINT) throw this.fault('a number has more than 64 bits')
    }
    this.at = at
    return value
  }

  /** Reads all 64 bits into `lo` and `hi`. */
  long(): void {
    const start = this.at
    this.lo = 0
    this.hi = 0
    for (let shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
      const byte = this.byte()
      const bits = byte & 127
      if (shift < 28) this.lo |= bits << shift
      else if (shift === 28) {
        this.lo |= bits << 28
        this.hi |= bits >>> 4
      } else this.hi |= bits << (shift - 32)
      if (byte < 128) return
    }
    this.at = start
    throw this.fault('a number has more than 64 bits')
  }

  /** Reads a length and skips as many bytes. Returns their start. */
  range(): number {
    const length = this.number()
    if (length > this.end - this.at)
      throw this.fault(`expected ${length} bytes, but only ${this.end - this.at} are left`)
    const from = this.at
    this.at += length
    return from
  }

  fault(what: string): FormatError {
    return new FormatError(FORMAT, this.at, what)
  }
}
