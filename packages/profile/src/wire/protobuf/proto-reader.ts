// A cursor over protobuf bytes for the cold paths: attribute values, resources, old generations, error explanations. Hot
// tables have hand-written loops (formats/otlp/decode.ts), because a method call per field costs a third of the time.
import { WireError } from '../wire-error.ts'

export const VARINT = 0
export const FIXED64 = 1
export const LEN = 2
export const FIXED32 = 5

const WIRE_TYPE_NAMES = ['varint', 'fixed64', 'length-delimited', 'group start', 'group end', 'fixed32'] as const

export function wireTypeName(wireType: number): string {
  return WIRE_TYPE_NAMES[wireType] ?? `wire type ${wireType}`
}

export class ProtoReader {
  bytes: Uint8Array
  pos: number
  end: number
  /** Set by `tag`. */
  field = 0
  wireType = 0
  /** The two halves of the last 64-bit number read. */
  lo = 0
  hi = 0

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.bytes = bytes
    this.pos = from
    this.end = to
  }

  /** Reads the next tag into `field` and `wireType`. Returns false at the end of the message. */
  tag(): boolean {
    if (this.pos >= this.end) return false
    const at = this.pos
    this.varint64()
    if (this.hi !== 0 || this.lo >>> 3 === 0) throw new WireError(at, `invalid field number`)
    this.field = this.lo >>> 3
    this.wireType = this.lo & 7
    if (this.wireType === 3 || this.wireType === 4)
      throw new WireError(at, `field ${this.field} is a group, which is invalid in proto3`)
    if (this.wireType > 5) throw new WireError(at, `field ${this.field} has invalid wire type ${this.wireType}`)
    return true
  }

  /** Reads a varint of up to 10 bytes into `lo` and `hi`. */
  varint64(): void {
    const { bytes, end } = this
    const start = this.pos
    let p = start
    let lo = 0
    let hi = 0
    for (let shift = 0; ; shift += 7) {
      if (p >= end) throw new WireError(start, 'varint runs past the end of its message')
      const byte = bytes[p++]
      const bits = byte & 127
      if (shift < 28) lo |= bits << shift
      else if (shift === 28) {
        lo |= bits << 28
        hi |= bits >>> 4
      } else hi |= bits << (shift - 32)
      if (byte < 128) {
        if (shift === 63 && byte > 1) throw new WireError(start, 'varint does not fit in 64 bits')
        break
      }
      if (shift === 63) throw new WireError(start, 'varint is longer than 10 bytes')
    }
    this.lo = lo
    this.hi = hi
    this.pos = p
  }

  /** Reads an int32, or an int64 truncated to 32 bits as in protobuf. */
  int32(): number {
    this.varint64()
    return this.lo
  }

  int64(): bigint {
    this.varint64()
    return (BigInt(this.hi) << 32n) | BigInt(this.lo >>> 0)
  }

  uint64(): bigint {
    return BigInt.asUintN(64, this.int64())
  }

  fixed64(): void {
    const { bytes, pos: p } = this
    if (this.end - p < 8) throw new WireError(p, 'fixed64 runs past the end of its message')
    this.lo = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24)
    this.hi = bytes[p + 4] | (bytes[p + 5] << 8) | (bytes[p + 6] << 16) | (bytes[p + 7] << 24)
    this.pos = p + 8
  }

  /** Reads a length, checks that its content fits into the message, and sets `pos` to the start of the content. */
  length(): number {
    const at = this.pos
    this.varint64()
    const room = this.end - this.pos
    const length = this.lo >>> 0
    if (this.hi !== 0 || length > room) {
      throw new WireError(
        at,
        `length ${(BigInt(this.hi >>> 0) << 32n) | BigInt(length)} runs past the end of its message (${room} bytes left)`,
      )
    }
    return length
  }

  /** Reads a length-delimited field as a view of the input. */
  view(): Uint8Array {
    const length = this.length()
    this.pos += length
    return this.bytes.subarray(this.pos - length, this.pos)
  }

  skip(wireType = this.wireType): void {
    switch (wireType) {
      case VARINT:
        return this.varint64()
      case FIXED64:
        return this.advance(8, 'fixed64')
      case LEN: {
        const length = this.length()
        this.pos += length
        return
      }
      case FIXED32:
        return this.advance(4, 'fixed32')
      default:
        throw new WireError(this.pos, `cannot skip ${wireTypeName(wireType)}`)
    }
  }

  private advance(count: number, what: string): void {
    if (this.end - this.pos < count) throw new WireError(this.pos, `${what} runs past the end of its message`)
    this.pos += count
  }
}
