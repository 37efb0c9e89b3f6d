// Memory for the profiles of one request, which the next request uses again. V8 counts typed arrays: if a thread allocates 100 KB
// for each small request, it collects all of its garbage every 150 requests.
import { withRoom } from './spare-room.ts'

/** More is not kept, because large requests are rare. */
const MAX_BYTES = 1 << 20

export class ReusedMemory {
  #ints = new Int32Array(0)
  #bytes = new ArrayBuffer(0)
  #isTaken = false

  /** Profiles that were read before may be overwritten from now on. */
  release(): void {
    this.#isTaken = false
  }

  /** Undefined if other profiles use the memory. */
  take(): ReusedMemory | undefined {
    if (this.#isTaken) return undefined
    this.#isTaken = true
    return this
  }

  /** An array with any content. */
  ints(length: number): Int32Array {
    if (4 * length > MAX_BYTES) return new Int32Array(length)
    if (length > this.#ints.length) this.#ints = new Int32Array(roomy(length))
    return this.#ints
  }

  /** Bytes with any content, and with room behind them. */
  bytesWithRoom(length: number): Uint8Array {
    if (length > MAX_BYTES) return withRoom(undefined, length)
    const bytes = withRoom(this.#bytes, length)
    this.#bytes = bytes.buffer as ArrayBuffer
    return bytes
  }
}

function roomy(length: number): number {
  return Math.ceil(length * 1.5)
}
