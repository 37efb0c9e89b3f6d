// Base class of the hot protobuf loops: reads tags, varints, lengths, and packed lists into growing columns. Decoders inherit
// from it, so that their loops and these methods share one object. The cursor for cold paths is proto-reader.ts.
import { isUtf8 } from '../utf8.ts'
import { wireTypeName } from './proto-reader.ts'
import { WireError } from '../wire-error.ts'

/** A growing column: the part of GrowingInts that packed lists need. */
interface IntColumn {
  array: Int32Array
  length: number
  reserve(count: number): Int32Array
  push(value: number): void
}

const EMPTY: Uint8Array = new Uint8Array(0)

export class HotReader {
  /** Number of fields that their message does not define. */
  unknownFields = 0
  protected bytes = EMPTY
  protected view: DataView = new DataView(EMPTY.buffer)
  /** The position after the last read. */
  protected pos = 0
  /** The halves of the last varint. */
  protected lo = 0
  protected hi = 0

  protected over(bytes: Uint8Array): void {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.unknownFields = 0
  }

  // Each method sets pos to the position after its content. Methods that do not return a value return that position, so that
  // loops can keep it in a local variable.

  /** Reads a tag: field number and wire type. */
  protected tag(p: number, end: number): number {
    const byte = this.bytes[p]
    if (byte < 128 && byte > 7) {
      this.pos = p + 1
      return byte
    }
    this.varint(p, end)
    if (this.hi !== 0 || this.lo >>> 3 === 0) throw new WireError(p, 'invalid field number')
    return this.lo >>> 0
  }

  /** Reads a length. Returns the end of the content and sets pos to its start. */
  protected lengthEnd(p: number, end: number): number {
    let length = this.bytes[p]
    if (length < 128) this.pos = p + 1
    else {
      this.varint(p, end)
      length = this.hi === 0 ? this.lo >>> 0 : Infinity
    }
    const stop = this.pos + length
    if (!(stop <= end))
      throw new WireError(p, `length ${length} runs past the end of its message (${end - this.pos} bytes left)`)
    return stop
  }

  /** Reads an int32. */
  protected index(p: number, end: number): number {
    const byte = this.bytes[p]
    if (byte < 128) {
      this.pos = p + 1
      return byte
    }
    this.varint(p, end)
    if (this.hi !== this.lo >> 31) throw new WireError(p, 'number does not fit in int32')
    return this.lo
  }

  protected pushIndex(column: IntColumn, p: number, end: number): number {
    column.push(this.index(p, end))
    return this.pos
  }

  protected long(target: Int32Array, at: number, p: number, end: number): number {
    const byte = this.bytes[p]
    if (byte < 128) {
      target[at] = byte
      target[at + 1] = 0
      return p + 1
    }
    this.varint(p, end)
    target[at] = this.lo
    target[at + 1] = this.hi
    return this.pos
  }

  protected fixed64(target: Int32Array, at: number, p: number, end: number): number {
    if (end - p < 8) throw new WireError(p, 'fixed64 runs past the end of its message')
    target[at] = this.view.getInt32(p, true)
    target[at + 1] = this.view.getInt32(p + 4, true)
    return p + 8
  }

  protected range(target: Int32Array, at: number, p: number, end: number): number {
    const stop = this.lengthEnd(p, end)
    target[at] = this.pos
    target[at + 1] = stop - this.pos
    return stop
  }

  /** Reads a string. Returns its end and sets pos to its start. */
  protected text(p: number, end: number): number {
    const stop = this.lengthEnd(p, end)
    if (!isUtf8(this.bytes, this.pos, stop)) throw new WireError(this.pos, 'string is not valid UTF-8')
    return stop
  }

  protected packed(column: IntColumn, from: number, outer: number): number {
    const end = this.lengthEnd(from, outer)
    const { view } = this
    let p = this.pos
    // A varint takes at least one byte, so the length in bytes is enough room.
    const target = column.reserve(end - p)
    let at = column.length
    // Four bytes at a time. Indexes of a large table take two or three bytes unpredictably. A branch on that is mispredicted so
    // often that computing the length is twice as fast:
    //   word   0xxxxxxx 1xxxxxxx     the lowest byte without its high bit is the last byte of the number
    for (const last = end - 4; p <= last;) {
      const word = view.getInt32(p, true)
      if ((word & 0x80808080) === 0) {
        target[at] = word & 0x7f
        target[at + 1] = (word >> 8) & 0x7f
        target[at + 2] = (word >> 16) & 0x7f
        target[at + 3] = word >> 24
        at += 4
        p += 4
        continue
      }
      const ends = ~word & 0x808080
      if (ends === 0) {
        target[at++] = this.index(p, end)
        p = this.pos
        continue
      }
      const endBit = ends & -ends
      const bits = word & (endBit - 1)
      target[at++] = (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000)
      p += (32 - Math.clz32(endBit)) >> 3
    }
    while (p < end) {
      target[at++] = this.index(p, end)
      p = this.pos
    }
    if (p !== end) this.overrun(end)
    column.length = at
    return end
  }

  protected packedLongs(column: IntColumn, from: number, outer: number): number {
    const end = this.lengthEnd(from, outer)
    const { bytes, view } = this
    let p = this.pos
    const target = column.reserve(2 * (end - p))
    let at = column.length
    // Up to four bytes at a time, as in packed.
    for (const last = end - 4; p <= last; at += 2) {
      const word = view.getInt32(p, true)
      const ends = ~word & 0x80808080
      if (ends !== 0) {
        const endBit = ends & -ends
        const bits = word & (endBit - 1)
        target[at] = (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000) | ((bits >>> 3) & 0xfe00000)
        target[at + 1] = 0
        p += (32 - Math.clz32(endBit)) >> 3
      } else {
        this.varint(p, end)
        target[at] = this.lo
        target[at + 1] = this.hi
        p = this.pos
      }
    }
    while (p < end) {
      const byte = bytes[p]
      if (byte < 128) {
        target[at] = byte
        target[at + 1] = 0
        p++
      } else {
        this.varint(p, end)
        target[at] = this.lo
        target[at + 1] = this.hi
        p = this.pos
      }
      at += 2
    }
    if (p !== end) this.overrun(end)
    column.length = at
    return end
  }

  protected packedFixed64(column: IntColumn, from: number, outer: number): number {
    const end = this.lengthEnd(from, outer)
    let p = this.pos
    if ((end - p) % 8 !== 0) throw new WireError(p, `packed fixed64 of ${end - p} bytes, which is not a multiple of 8`)
    const view = this.view
    const target = column.reserve((end - p) >> 2)
    let at = column.length
    for (; p < end; p += 4) target[at++] = view.getInt32(p, true)
    column.length = at
    return end
  }

  /** Reads a varint of up to 10 bytes into lo and hi. */
  protected varint(from: number, end: number): void {
    const bytes = this.bytes
    let p = from
    // Most numbers have up to four bytes and need neither the loop nor a high half.
    if (end - p >= 4) {
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
          }
        }
      }
      if (byte < 128) {
        this.lo = low
        this.hi = 0
        this.pos = p
        return
      }
      p = from
      // Addresses and sums have five to eight bytes: one word, without a branch on the length.
      if (end - p >= 8) {
        const word = this.view.getInt32(p + 4, true)
        const ends = ~word & 0x80808080
        if (ends !== 0) {
          const endBit = ends & -ends
          const bits = word & (endBit - 1)
          const high = (bits & 0x7f) | ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000) | ((bits >>> 3) & 0xfe00000)
          this.lo = low | (high << 28)
          this.hi = high >>> 4
          this.pos = p + 4 + ((32 - Math.clz32(endBit)) >> 3)
          return
        }
      }
    }
    let lo = 0
    let hi = 0
    for (let shift = 0; ; shift += 7) {
      if (p >= end) throw new WireError(from, 'varint runs past the end of its message')
      const byte = bytes[p++]
      const bits = byte & 127
      if (shift < 28) lo |= bits << shift
      else if (shift === 28) {
        lo |= bits << 28
        hi = bits >>> 4
      } else hi |= bits << (shift - 32)
      if (byte < 128) {
        if (shift === 63 && byte > 1) throw new WireError(from, 'varint does not fit in 64 bits')
        break
      }
      if (shift === 63) throw new WireError(from, 'varint is longer than 10 bytes')
    }
    this.lo = lo
    this.hi = hi
    this.pos = p
  }

  protected skipVarint(p: number, end: number): number {
    this.varint(p, end)
    return this.pos
  }

  /** Skips an undefined field. `known` is the highest field number that the message defines. */
  protected unknown(tag: number, p: number, end: number, known: number): number {
    const field = tag >>> 3
    if (field <= known)
      throw new WireError(p, `field ${field} has wire type ${wireTypeName(tag & 7)}, which is invalid for it`)
    this.unknownFields++
    switch (tag & 7) {
      case 0:
        this.varint(p, end)
        return this.pos
      case 1:
        return p + 8 <= end ? p + 8 : this.overrun(end)
      case 2:
        return this.lengthEnd(p, end)
      case 5:
        return p + 4 <= end ? p + 4 : this.overrun(end)
      default:
        throw new WireError(p, `field ${field} has wire type ${wireTypeName(tag & 7)}, which is invalid in proto3`)
    }
  }

  protected overrun(end: number): never {
    throw new WireError(end, 'a field runs past the end of its message')
  }
}
