// Writes numbers and texts in either byte order.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export class ByteSink {
  readonly littleEndian: boolean
  #bytes = new Uint8Array(1024)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  constructor(littleEndian: boolean) {
    this.littleEndian = littleEndian
  }

  get length(): number {
    return this.#length
  }

  u8(value: number): this {
    const at = this.#room(1)
    this.#bytes[at] = value
    return this
  }

  u16(value: number): this {
    const at = this.#room(2)
    this.#view.setUint16(at, value, this.littleEndian)
    return this
  }

  u32(value: number): this {
    const at = this.#room(4)
    this.#view.setUint32(at, value, this.littleEndian)
    return this
  }

  u64(value: bigint | number): this {
    const at = this.#room(8)
    this.#view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), this.littleEndian)
    return this
  }

  bytes(bytes: Uint8Array): this {
    const at = this.#room(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  zeros(count: number): this {
    return this.bytes(new Uint8Array(count))
  }

  /** NUL-terminated, and padded to a multiple of `unit` bytes. */
  text(text: string, unit = 8): this {
    const bytes = encodeUtf8(text)
    return this.bytes(bytes).zeros(unit - (bytes.length % unit))
  }

  /** Writes a text after its length, as in header features. */
  sizedText(text: string): this {
    const length = encodeUtf8(text).length
    this.u32(length + 64 - (length % 64))
    return this.text(text, 64)
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #room(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length)
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return at
  }
}
