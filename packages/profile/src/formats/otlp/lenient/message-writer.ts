// Writes protobuf front to back, for copies of messages with omissions. The length of a message is unknown when it starts, so
// five bytes are reserved, which protobuf allows. Short messages are moved up to a length of one byte.
import { GrowingBytes } from '../../../model/columns/growing-columns.ts'

const LENGTH_ROOM = 5

export class MessageWriter {
  readonly #out: GrowingBytes
  readonly #scratch = new Uint8Array(16)

  constructor(capacity: number) {
    this.#out = new GrowingBytes(Math.max(64, capacity))
  }

  get length(): number {
    return this.#out.length
  }

  bytes(): Uint8Array {
    return this.#out.array.subarray(0, this.#out.length)
  }

  /** Discards everything after `length` bytes. */
  cutTo(length: number): void {
    this.#out.length = length
  }

  copy(source: Uint8Array, from: number, to: number): void {
    this.#out.append(source, from, to)
  }

  /** Starts a message. Pass the result to `close`. */
  open(field: number): number {
    this.varint((field << 3) | 2, 0)
    this.#out.append(this.#scratch, 0, LENGTH_ROOM)
    return this.#out.length
  }

  close(start: number): void {
    const { array, length } = this.#out
    const size = length - start
    const at = start - LENGTH_ROOM
    if (size < 128) {
      array[at] = size
      array.copyWithin(at + 1, start, length)
      this.#out.length = at + 1 + size
      return
    }
    for (let i = 0; i < LENGTH_ROOM - 1; i++) array[at + i] = ((size >>> (7 * i)) & 127) | 128
    array[at + LENGTH_ROOM - 1] = size >>> 28
  }

  bytesField(field: number, content: Uint8Array): void {
    this.varint((field << 3) | 2, 0)
    this.varint(content.length, 0)
    this.#out.append(content, 0, content.length)
  }

  varintField(field: number, lo: number, hi: number): void {
    this.varint(field << 3, 0)
    this.varint(lo, hi)
  }

  fixed64Field(field: number, lo: number, hi: number): void {
    this.varint((field << 3) | 1, 0)
    const scratch = this.#scratch
    for (let i = 0; i < 4; i++) {
      scratch[i] = lo >>> (8 * i)
      scratch[i + 4] = hi >>> (8 * i)
    }
    this.#out.append(scratch, 0, 8)
  }

  varint(low: number, high: number): void {
    const scratch = this.#scratch
    let lo = low
    let hi = high
    let size = 0
    while (hi !== 0 || lo >>> 0 > 127) {
      scratch[size++] = (lo & 127) | 128
      lo = (lo >>> 7) | (hi << 25)
      hi >>>= 7
    }
    scratch[size++] = lo
    this.#out.append(scratch, 0, size)
  }
}
