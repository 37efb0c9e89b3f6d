// A position in the bytes of a Native block, and its errors. No length is used before that many bytes are there.

/** The bytes are not in the Native format. */
export class NativeFormatError extends Error {
  override readonly name: string = 'NativeFormatError'
  readonly byteOffset: number

  constructor(byteOffset: number, what: string) {
    super(`Native block: ${what} at byte ${byteOffset}`)
    this.byteOffset = byteOffset
  }
}

/** The bytes end before the block does. */
export class IncompleteError extends NativeFormatError {
  override readonly name = 'IncompleteError'
  /** At least this many bytes are missing. */
  readonly missing: number

  constructor(byteOffset: number, missing: number) {
    super(byteOffset, `cut off, ${missing} bytes or more are missing`)
    this.missing = missing
  }
}

export class ByteCursor {
  readonly bytes: Uint8Array
  readonly view: DataView
  /** Number of bytes before these, for offsets in errors. */
  readonly base: number
  at = 0

  constructor(bytes: Uint8Array, base = 0) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.base = base
  }

  error(what: string): NativeFormatError {
    return new NativeFormatError(this.base + this.at, what)
  }

  /** Skips `length` bytes and returns their start. */
  take(length: number): number {
    const at = this.at
    const missing = length - (this.bytes.length - at)
    if (missing > 0) throw new IncompleteError(this.base + at, missing)
    this.at = at + length
    return at
  }

  /** `rows` of `width` bytes each. */
  takeRows(rows: number, width: number): Uint8Array {
    const at = this.take(rows * width)
    return this.bytes.subarray(at, this.at)
  }

  /** LEB128 of up to 53 bits. */
  varUInt(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 8; i++) {
      const byte = this.bytes[this.take(1)]
      value += (byte & 127) * scale
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      scale *= 128
    }
    throw this.error('a count of more than 53 bits')
  }

  /** A UInt64 that counts something, so that 53 bits are enough. */
  count(): number {
    const at = this.take(8)
    const value = this.view.getUint32(at + 4, true) * 4294967296 + this.view.getUint32(at, true)
    if (value > Number.MAX_SAFE_INTEGER) throw this.error('a count of more than 53 bits')
    return value
  }
}
