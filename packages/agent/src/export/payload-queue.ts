// Payloads that wait to be sent, bounded by count and by bytes. When it is full the oldest go: what runs now is of more use than
// what ran an hour ago. One that is being sent right now stays.

export interface Waiting {
  /** Encoded, and compressed from the first try on. */
  bytes: Uint8Array
  isCompressed: boolean
  readonly since: number
}

export interface QueueLimits {
  readonly count: number
  readonly bytes: number
}

/** Some ten minutes at the default interval. */
export const QUEUE_LIMITS: QueueLimits = { count: 64, bytes: 16 * 2 ** 20 }

export class PayloadQueue {
  readonly #limits: QueueLimits
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #isHeadTaken = false

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#limits = limits
  }

  get length(): number {
    return this.#waiting.length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Returns how many were dropped for it, itself included if it is too large alone. */
  push(bytes: Uint8Array, now: number): number {
    if (bytes.length > this.#limits.bytes) return 1
    this.#waiting.push({ bytes, isCompressed: false, since: now })
    this.#bytes += bytes.length
    const first = this.#isHeadTaken ? 1 : 0
    let dropped = 0
    while (this.#isFull() && this.#waiting.length > first + 1) {
      const [gone] = this.#waiting.splice(first, 1)
      this.#bytes -= gone.bytes.length
      dropped++
    }
    return dropped
  }

  /** The oldest, which stays in the queue, and is not dropped, until it is released or removed. */
  take(): Waiting | undefined {
    this.#isHeadTaken = this.#waiting.length > 0
    return this.#waiting.at(0)
  }

  compressed(bytes: Uint8Array): void {
    const head = this.#waiting[0]
    this.#bytes += bytes.length - head.bytes.length
    head.bytes = bytes
    head.isCompressed = true
  }

  release(): void {
    this.#isHeadTaken = false
  }

  remove(): void {
    const head = this.#waiting.shift()
    if (head !== undefined) this.#bytes -= head.bytes.length
    this.#isHeadTaken = false
  }

  clear(): number {
    const { length } = this.#waiting
    this.#waiting.length = 0
    this.#bytes = 0
    this.#isHeadTaken = false
    return length
  }

  #isFull(): boolean {
    return this.#waiting.length > this.#limits.count || this.#bytes > this.#limits.bytes
  }
}
