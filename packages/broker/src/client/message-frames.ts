// gRPC's framing of messages: one byte for compression, four for the length, then the message.

const PREFIX = 5

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX)
  return frame
}

/** Splits a stream of bytes, in chunks of any size, into messages. */
export class FrameReader {
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  #length = 0
  /** The bytes of the current frame, including the prefix. */
  #wanted = PREFIX

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Calls `take` with each complete message. Returns the problem of the stream, if there is one. */
  add(chunk: Uint8Array, take: (message: Uint8Array) => void): string | undefined {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= this.#wanted) {
      const bytes = this.#chunks.length === 1 ? Buffer.from(this.#chunks[0]) : Buffer.concat(this.#chunks)
      if (bytes[0] !== 0) return 'a compressed message without negotiated compression'
      const length = bytes.readUInt32BE(1)
      if (length > this.#maxBytes) return `a message of ${length} bytes exceeds the limit of ${this.#maxBytes}`
      if (bytes.length < PREFIX + length) {
        this.#chunks = [bytes]
        this.#wanted = PREFIX + length
        return undefined
      }
      this.#chunks = [bytes.subarray(PREFIX + length)]
      this.#length = bytes.length - PREFIX - length
      this.#wanted = PREFIX
      take(new Uint8Array(bytes.buffer, bytes.byteOffset + PREFIX, length))
    }
    return undefined
  }
}
