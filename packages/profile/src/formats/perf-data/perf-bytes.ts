// The bytes of a perf.data file, in the byte order of the machine that wrote it. Decompressed records follow the file's own bytes,
// so that a single number is the position of any record.
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'

export const FORMAT = 'perf-data'

export class PerfBytes {
  readonly bytes: Uint8Array
  readonly littleEndian: boolean
  /** The end of the file, where the decompressed records begin. */
  readonly fileLength: number
  /** The offset of the first compressed record. Errors in decompressed records report it. */
  readonly compressedAt: number
  readonly #view: DataView

  constructor(bytes: Uint8Array, littleEndian: boolean, fileLength = bytes.length, compressedAt = 0) {
    this.bytes = bytes
    this.littleEndian = littleEndian
    this.fileLength = fileLength
    this.compressedAt = compressedAt
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get length(): number {
    return this.bytes.length
  }

  u16(at: number): number {
    return this.#view.getUint16(at, this.littleEndian)
  }

  u32(at: number): number {
    return this.#view.getUint32(at, this.littleEndian)
  }

  i32(at: number): number {
    return this.#view.getInt32(at, this.littleEndian)
  }

  u64(at: number): bigint {
    return this.#view.getBigUint64(at, this.littleEndian)
  }

  /** The low half of a 64-bit number, in the form of the model's columns. */
  lo(at: number): number {
    return this.#view.getInt32(this.littleEndian ? at : at + 4, this.littleEndian)
  }

  hi(at: number): number {
    return this.#view.getInt32(this.littleEndian ? at + 4 : at, this.littleEndian)
  }

  /** A 64-bit length or offset. Above 2^53 it is not exact, but then it is out of bounds anyway. */
  size(at: number): number {
    return (this.hi(at) >>> 0) * 0x1_0000_0000 + (this.lo(at) >>> 0)
  }

  /** The end of the text that begins at `from`: its NUL, or `to`. */
  textEnd(from: number, to: number): number {
    const { bytes } = this
    let at = from
    while (at < to && bytes[at] !== 0) at++
    return at
  }

  text(from: number, to: number): string {
    return decodeUtf8(this.bytes, from, this.textEnd(from, to))
  }

  fault(at: number, what: string): FormatError {
    if (at < this.fileLength || this.fileLength === this.length) return new FormatError(FORMAT, at, what)
    const inside = at - this.fileLength
    return new FormatError(FORMAT, this.compressedAt, `${what}, at byte ${inside} of the decompressed records`)
  }
}
