// How gRPC puts messages into a stream of bytes: one byte for compression, four for the length, the message.

const PREFIX = 5

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX)
  return frame
}

/** Takes a stream of bytes apart, in whatever pieces it comes. */
export class FrameReader {
  readonly #mostBytes: number
  #chunks: Uint8Array[] = []
  #length = 0
  /** Of the frame that has begun, prefix included. */
  #wanted = PREFIX

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Calls `take` with each message that is complete. Returns what is wrong with the stream, if something is. */
  add(chunk: Uint8Array, take: (message: Uint8Array) => void): string | undefined {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= this.#wanted) {
      const bytes = this.#chunks.length === 1 ? Buffer.from(this.#chunks[0]) : Buffer.concat(this.#chunks)
      if (bytes[0] !== 0) return 'a compressed message, which was not agreed upon'
      const length = bytes.readUInt32BE(1)
      if (length > this.#mostBytes) return `a message of ${length} bytes, of ${this.#mostBytes} at most`
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
