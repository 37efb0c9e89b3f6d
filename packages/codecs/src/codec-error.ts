// The error of the decoders in this package, and the buffer that they write to.

export class CodecError extends Error {
  override readonly name = 'CodecError'
  readonly reason: 'limit' | 'corrupt'

  constructor(reason: 'limit' | 'corrupt', message: string) {
    super(message)
    this.reason = reason
  }
}

const FIRST_CAPACITY = 64 * 1024

/** A growing buffer with a limit. */
export class Output {
  readonly #limit: number
  #bytes = new Uint8Array(0)
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  append(part: Uint8Array): void {
    this.#reserve(part.length)
    this.#bytes.set(part, this.#length)
    this.#length += part.length
  }

  /** Repeats `length` bytes that start `offset` bytes before the end. They may overlap with the new bytes. */
  copy(offset: number, length: number): void {
    if (offset === 0 || offset > this.#length) throw new CodecError('corrupt', `offset ${offset} is outside the output`)
    this.#reserve(length)
    const from = this.#length - offset
    if (offset >= length) this.#bytes.copyWithin(this.#length, from, from + length)
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = this.#bytes[from + i]
    this.#length += length
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed > this.#limit) throw new CodecError('limit', `the content is larger than ${this.#limit} bytes`)
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(needed, 2 * this.#bytes.length, FIRST_CAPACITY)))
    grown.set(this.bytes)
    this.#bytes = grown
  }
}

/** Returns `length` bytes at `at`. Throws CodecError if they are missing. */
export function slice(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > bytes.length) throw new CodecError('corrupt', `truncated at byte ${bytes.length}`)
  return bytes.subarray(at, at + length)
}

/** A little-endian number of up to four bytes. */
export function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (const [i, byte] of slice(bytes, at, width).entries()) value += byte * 2 ** (8 * i)
  return value
}
