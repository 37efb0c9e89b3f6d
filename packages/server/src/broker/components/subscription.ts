// One subscribed component: its stream, what waits for it, and what is asked of it and by it.
import type { Component, ComponentDefinition, Event, Value } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import { NO_VARIABLES, encodeDelivery } from '../routing/delivery.ts'
import type { Member } from '../routing/group.ts'
import type { LiveComponent, LiveRoute } from './live-component.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { Asker, PendingRequest } from '../routing/pending-requests.ts'
import { Queue } from './queue.ts'

/** So much is handed to a stream that has not passed on what it got before; the rest waits where it can still be refused. */
const WINDOW_EVENTS = 16
const WINDOW_BYTES = 256 * 1024

/** The stream that it came by. */
export interface Wire {
  /** `done`: it has passed it on. */
  write(matchedEvent: Uint8Array, done: () => void): void
  /** Ends it with a status of gRPC. */
  end(code: number, details: string): void
}

export interface SubscriptionParts {
  readonly tenant: string
  readonly component: Component
  readonly environment: string
  readonly definition: ComponentDefinition
  readonly routes: readonly LiveRoute[]
  readonly env: Readonly<Record<string, Value>>
  readonly wire: Wire
  readonly memory: MemoryBudget
  /** The most events and bytes that may wait. */
  readonly queueLength: number
  readonly queueBytes: number
  /** A console: nothing is routed to it, and it tells nothing about itself. */
  readonly onlyAsks: boolean
}

export class Subscription implements Member, Asker {
  readonly tenant: string
  readonly component: Component
  readonly environment: string
  readonly env: Readonly<Record<string, Value>>
  readonly definition: ComponentDefinition
  readonly unanswered = new Set<PendingRequest>()
  readonly asked = new Set<PendingRequest>()
  readonly #parts: SubscriptionParts
  readonly #since = new Date()
  readonly #waiting = new Queue<Delivery>()
  #waitingBytes = 0
  /** Handed to the stream and not passed on. */
  #written = 0
  #writtenBytes = 0
  #ended = false
  #received = 0
  #sent = 0
  #dropped = 0

  constructor(parts: SubscriptionParts) {
    this.#parts = parts
    this.tenant = parts.tenant
    this.component = parts.component
    this.environment = parts.environment
    this.definition = parts.definition
    this.env = parts.env
  }

  get load(): number {
    return this.#waiting.length + this.unanswered.size
  }

  get queued(): number {
    return this.#waiting.length
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#parts.queueLength
  }

  get onlyAsks(): boolean {
    return this.#parts.onlyAsks
  }

  countReceived(): void {
    this.#received++
  }

  countDropped(): void {
    this.#dropped++
  }

  offer(delivery: Delivery): boolean {
    return !this.isFull && this.#take(delivery)
  }

  /** Answers have a place of their own beside the queue: there are no more of them than requests that it may ask. */
  answer(event: Event, since: number, bytes: number): boolean {
    return this.#take({ event, routeId: 0n, env: NO_VARIABLES, since, bytes, pinned: true })
  }

  /** What waits is lost. The stream is ended by whoever ended the subscription. */
  end(code: number, details: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#parts.memory.give(this.#waitingBytes + this.#writtenBytes)
    this.#waitingBytes = 0
    this.#writtenBytes = 0
    for (const { span } of this.#waiting.takeAll()) span?.end(new BrokerError('componentGone', details))
    this.#parts.wire.end(code, details)
  }

  live(): LiveComponent {
    const { tenant, component, environment, definition, routes } = this.#parts
    const { profileTypes, attributes, defaultHandler } = definition
    return {
      tenant,
      component,
      environment,
      profileTypes,
      attributes,
      routes,
      defaultHandler,
      since: this.#since,
      load: {
        queued: this.#waiting.length,
        inFlight: this.unanswered.size,
        received: this.#received,
        sent: this.#sent,
        dropped: this.#dropped,
      },
      remote: false,
    }
  }

  #take(delivery: Delivery): boolean {
    if (this.#ended) return false
    const { memory, queueBytes } = this.#parts
    const { bytes } = delivery
    const isTooMuch = this.#waitingBytes > 0 && this.#waitingBytes + bytes > queueBytes
    if (isTooMuch || !memory.take(bytes)) return false
    if (this.#isWritable) this.#write(delivery)
    else {
      this.#waitingBytes += bytes
      this.#waiting.push(delivery)
    }
    return true
  }

  get #isWritable(): boolean {
    return this.#written === 0 || (this.#written < WINDOW_EVENTS && this.#writtenBytes < WINDOW_BYTES)
  }

  #write(delivery: Delivery): void {
    const { memory, wire } = this.#parts
    const { bytes } = delivery
    const encoded = encodeDelivery(delivery, performance.now())
    // What waited for too long is told to the asker by the request's own timer.
    if (encoded === undefined) {
      memory.give(bytes)
      this.#dropped++
      delivery.span?.end(new BrokerError('timeout', 'it waited for too long'))
      return
    }
    this.#sent++
    this.#written++
    this.#writtenBytes += bytes
    delivery.span?.end()
    wire.write(encoded, () => {
      if (this.#ended) return
      memory.give(bytes)
      this.#written--
      this.#writtenBytes -= bytes
      this.#writeWaiting()
    })
  }

  #writeWaiting(): void {
    while (this.#isWritable) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#waitingBytes -= next.bytes
      this.#write(next)
    }
  }
}
