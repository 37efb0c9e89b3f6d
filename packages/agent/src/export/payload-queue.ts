// The queue of payloads, limited by count and by bytes. When it is full it drops the oldest, because recent profiles are more
// useful. The payload in flight is never dropped.

export interface QueuedPayload {
  /** Encoded, and compressed since the first attempt. */
  bytes: Uint8Array
  isCompressed: boolean
  readonly since: number
}

export interface QueueLimits {
  readonly count: number
  readonly bytes: number
}

/** About ten minutes at the default interval. */
const QUEUE_LIMITS: QueueLimits = { count: 64, bytes: 16 * 2 ** 20 }

export class PayloadQueue {
  readonly #limits: QueueLimits
  readonly #waiting: QueuedPayload[] = []
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

  /** Returns how many payloads were dropped. That includes the new one if it is too large by itself. */
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

  /** Returns the oldest payload. It stays in the queue, and is not dropped, until it is released or removed. */
  take(): QueuedPayload | undefined {
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
