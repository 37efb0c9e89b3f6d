// Events that wait to be sent: until the Broker is there, or until it reads on. Bounded in number and bytes; time that they
// wait is taken off what they have left.
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

/** What an event takes beside its content, about. */
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

  /** False where there is no room for it. */
  add(event: Event): boolean {
    const bytes = event.content.length + OVERHEAD
    const { events: most, bytes: mostBytes } = this.#limits
    // One that is larger than the limit is taken if it is alone.
    if (this.#waiting.length >= most || (this.#waiting.length > 0 && this.#bytes + bytes > mostBytes)) return false
    this.#waiting.push({ event, bytes, since: this.#now() })
    this.#bytes += bytes
    return true
  }

  /** The encoded event that is next; those whose time is up are left out. */
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
