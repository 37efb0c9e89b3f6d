// Reads numbers of either byte order. Every read is checked: past the end it throws SymbolFileError.
import { decodeUtf8 } from '../../wire/utf8.ts'
import { SymbolFileError } from './symbol-file-error.ts'

const EMPTY = new Uint8Array(0)
const TWO_32 = 0x1_0000_0000
/** Bytes of texts for each byte of the file. The paths of many units share a table, in Chromium about 60 times. */
const TEXTS_PER_BYTE = 256
const MIN_TEXT_BYTES = 1 << 24

export class ByteCursor {
  at = 0
  readonly end: number
  readonly bytes: Uint8Array
  readonly littleEndian: boolean
  readonly #view: DataView
  readonly #format: string
  /** Texts may overlap, so a small file could expand to any size. */
  #textBytesLeft: number

  /** `format` names the file or section in errors. */
  constructor(format: string, bytes: Uint8Array = EMPTY, littleEndian = true, textsPerByte = TEXTS_PER_BYTE) {
    this.#format = format
    this.#textBytesLeft = textsPerByte * bytes.length + MIN_TEXT_BYTES
    this.bytes = bytes
    this.end = bytes.length
    this.littleEndian = littleEndian
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  seek(at: number): this {
    if (!(at >= 0 && at <= this.end)) throw this.error(`offset ${at} is outside the ${this.end} bytes`)
    this.at = at
    return this
  }

  skip(count: number): void {
    if (!(count >= 0 && count <= this.end - this.at)) throw this.truncated()
    this.at += count
  }

  u8(): number {
    if (this.at >= this.end) throw this.truncated()
    return this.bytes[this.at++]
  }

  i8(): number {
    return (this.u8() << 24) >> 24
  }

  u16(): number {
    if (this.at + 2 > this.end) throw this.truncated()
    const value = this.#view.getUint16(this.at, this.littleEndian)
    this.at += 2
    return value
  }

  u24(): number {
    const [a, b, c] = [this.u8(), this.u8(), this.u8()]
    return this.littleEndian ? a | (b << 8) | (c << 16) : (a << 16) | (b << 8) | c
  }

  u32(): number {
    if (this.at + 4 > this.end) throw this.truncated()
    const value = this.#view.getUint32(this.at, this.littleEndian)
    this.at += 4
    return value
  }

  i32(): number {
    return this.u32() | 0
  }

  u64(): bigint {
    if (this.at + 8 > this.end) throw this.truncated()
    const value = this.#view.getBigUint64(this.at, this.littleEndian)
    this.at += 8
    return value
  }

  /** A file offset or a size. Exact up to 2^53; larger values are not valid in any file and fail the next check. */
  size(wide: boolean): number {
    if (!wide) return this.u32()
    if (this.at + 8 > this.end) throw this.truncated()
    const low = this.#view.getUint32(this.littleEndian ? this.at : this.at + 4, this.littleEndian)
    const high = this.#view.getUint32(this.littleEndian ? this.at + 4 : this.at, this.littleEndian)
    this.at += 8
    return high * TWO_32 + low
  }

  /** An address as its distance from `base`: exact for images up to 2^53 bytes, also where addresses are above 2^53. */
  address(wide: boolean, base: ImageBase): number {
    if (!wide) return this.u32() - base.low - base.high * TWO_32
    if (this.at + 8 > this.end) throw this.truncated()
    const low = this.#view.getUint32(this.littleEndian ? this.at : this.at + 4, this.littleEndian)
    const high = this.#view.getUint32(this.littleEndian ? this.at + 4 : this.at, this.littleEndian)
    this.at += 8
    return (high - base.high) * TWO_32 + (low - base.low)
  }

  uleb(): number {
    let byte = this.u8()
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let scale = 0x80
    while (byte >= 0x80) {
      byte = this.u8()
      value += (byte & 0x7f) * scale
      scale *= 0x80
    }
    return value
  }

  sleb(): number {
    let value = 0
    let scale = 1
    let byte
    do {
      byte = this.u8()
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    return (byte & 0x40) === 0 ? value : value - scale
  }

  skipLeb(): void {
    const { bytes, end } = this
    while (this.at < end) if (bytes[this.at++] < 0x80) return
    throw this.truncated()
  }

  /** Moves behind the zero that ends the text at the cursor. */
  skipText(): void {
    this.at = this.#zero() + 1
  }

  text(): string {
    const zero = this.#zero()
    this.#textBytesLeft -= zero - this.at
    if (this.#textBytesLeft < 0) throw this.error('texts overlap too often')
    const text = decodeUtf8(this.bytes, this.at, zero)
    this.at = zero + 1
    return text
  }

  textAt(at: number): string {
    this.seek(at)
    return this.text()
  }

  take(count: number): Uint8Array {
    const from = this.at
    this.skip(count)
    return this.bytes.subarray(from, from + count)
  }

  error(message: string): SymbolFileError {
    return new SymbolFileError(this.#format, message, this.at)
  }

  truncated(): SymbolFileError {
    return new SymbolFileError(this.#format, 'unexpected end', this.end)
  }

  #zero(): number {
    const zero = this.bytes.indexOf(0, this.at)
    if (zero < 0) throw this.truncated()
    return zero
  }
}

/** The lowest address of an image, in halves. Addresses inside the readers are distances from it. */
export class ImageBase {
  readonly address: bigint
  readonly low: number
  readonly high: number

  constructor(address: bigint) {
    this.address = address
    this.low = Number(address & 0xffff_ffffn)
    this.high = Number(address >> 32n)
  }

  /** The distance of an address from the base. Out-of-range distances are rounded, which only makes them miss. */
  distance(address: bigint): number {
    return Number(address - this.address)
  }
}
