// Events that wait until the Broker is connected or reads again. The queue is limited in number and bytes. The time in the
// queue is subtracted from an event's time to live.
import type { Event } from '../messages/event.ts'
import { events } from '../messages/event.ts'
import { afterHolding, isTimedOut } from '../messages/ttl.ts'

interface Waiting {
  readonly event: Event
  readonly bytes: number
  readonly since: number
}

export interface QueueLimits {
  readonly events: number
  readonly bytes: number
}

/** The approximate size of an event without its content. */
const OVERHEAD = 1024

export class OutgoingQueue {
  readonly #limits: QueueLimits
  readonly #now: () => number
  #waiting: Waiting[] = []
  #bytes = 0

  constructor(limits: QueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  get length(): number {
    return this.#waiting.length
  }

  /** Returns false if the queue is full. */
  add(event: Event): boolean {
    const bytes = event.content.length + OVERHEAD
    const { events: maxEvents, bytes: maxBytes } = this.#limits
    // An event above the limit is accepted if the queue is empty.
    if (this.#waiting.length >= maxEvents || (this.#waiting.length > 0 && this.#bytes + bytes > maxBytes)) return false
    this.#waiting.push({ event, bytes, since: this.#now() })
    this.#bytes += bytes
    return true
  }

  /** Returns the next encoded event and skips expired ones. */
  next(): Uint8Array | undefined {
    for (let first = this.#waiting.shift(); first !== undefined; first = this.#waiting.shift()) {
      this.#bytes -= first.bytes
      const event = afterHolding(first.event, this.#now() - first.since)
      if (!isTimedOut(event)) return events.encode(event)
    }
    return undefined
  }

  remove(id: string): void {
    const found = this.#waiting.findIndex(({ event }) => event.id === id)
    if (found < 0) return
    const [{ bytes }] = this.#waiting.splice(found, 1)
    this.#bytes -= bytes
  }

  clear(): void {
    this.#waiting = []
    this.#bytes = 0
  }
}
