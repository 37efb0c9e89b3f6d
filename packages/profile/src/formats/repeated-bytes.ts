// Recognises bytes that senders repeat, such as the symbols of a process in each of its profiles. Bytes are kept when they are
// seen for the second time, because most are not repeated. Kept bytes are compared completely: equal hashes do not suffice.

export interface RepeatedBytesOptions {
  readonly equal: (a: Uint8Array, b: Uint8Array) => boolean
  /** The limit of all kept bytes; 8 MiB unless given. */
  readonly maxBytes?: number
  /** Longer bytes are not kept; 128 KiB unless given. The symbols of one process take less, and batches are not repeated. */
  readonly maxLength?: number
}

/** Bytes that were seen once are remembered by their hash only. */
const MAX_SLOTS = 4096
/** The hash covers this many words at equal distances, so that hashing takes less than a microsecond. */
const HASHED_WORDS = 64

interface Slot<Value> {
  kept: Uint8Array | undefined
  value: Value | undefined
}

export class RepeatedBytes<Value extends object> {
  readonly #equal: (a: Uint8Array, b: Uint8Array) => boolean
  readonly #maxBytes: number
  readonly #maxLength: number
  /** The least recently used first. */
  readonly #slots = new Map<number, Slot<Value>>()
  #bytes = 0

  constructor({ equal, maxBytes = 8 << 20, maxLength = 128 << 10 }: RepeatedBytesOptions) {
    this.#equal = equal
    this.#maxBytes = maxBytes
    this.#maxLength = maxLength
  }

  /** The size of all kept bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns the same value for the same bytes, or undefined. `make` gets a copy of bytes that are repeated. */
  get(bytes: Uint8Array, make: (kept: Uint8Array) => Value | undefined): Value | undefined {
    if (bytes.length > this.#maxLength || bytes.length === 0) return undefined
    const key = hashOf(bytes)
    const slot = this.#slots.get(key)
    this.#slots.delete(key)
    if (slot?.kept !== undefined && this.#equal(slot.kept, bytes)) {
      this.#slots.set(key, slot)
      return slot.value
    }
    const isSecond = slot !== undefined && slot.kept === undefined
    if (slot?.kept !== undefined) this.#bytes -= slot.kept.length
    const next: Slot<Value> = { kept: undefined, value: undefined }
    if (isSecond) {
      next.kept = bytes.slice()
      next.value = make(next.kept)
      this.#bytes += bytes.length
    }
    this.#slots.set(key, next)
    this.#limit()
    return next.value
  }

  #limit(): void {
    for (const [key, { kept }] of this.#slots) {
      if (this.#bytes <= this.#maxBytes && this.#slots.size <= MAX_SLOTS) return
      this.#slots.delete(key)
      this.#bytes -= kept?.length ?? 0
    }
  }
}

function hashOf(bytes: Uint8Array): number {
  const { length } = bytes
  const step = Math.max(4, Math.floor(length / HASHED_WORDS))
  let hash = length
  for (let at = 0; at + 4 <= length; at += step) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    hash = Math.imul(hash ^ word, 0x9e37_79b1)
    hash ^= hash >>> 15
  }
  return hash
}
