// One subscribed component: its stream, its queue, and its open requests in both directions.
import type { Component, ComponentDefinition, Event, Value } from '@hearth/broker'
import { BrokerError } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import { NO_VARIABLES, encodeDelivery } from '../routing/delivery.ts'
import type { Member } from '../routing/member.ts'
import type { LiveComponent, LiveRoute } from './live-component.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { Requester, PendingRequest } from '../routing/member.ts'
import { Queue } from './queue.ts'

/** Limits for data handed to the stream but not yet sent. The rest waits in the queue, where it can still be rejected. */
const WINDOW_EVENTS = 16
const WINDOW_BYTES = 256 * 1024

/** The gRPC stream of a subscription. */
export interface Wire {
  /** Calls `done` when the event has been sent. */
  write(matchedEvent: Uint8Array, done: () => void): void
  /** Ends the stream with a gRPC status. */
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
  /** Limits for waiting events. */
  readonly queueLength: number
  readonly queueBytes: number
  /** A console: it sends requests, and nothing is routed to it. */
  readonly isConsole: boolean
}

export class Subscription implements Member, Requester {
  readonly tenant: string
  readonly component: Component
  readonly environment: string
  readonly env: Readonly<Record<string, Value>>
  readonly definition: ComponentDefinition
  readonly unanswered = new Set<PendingRequest>()
  readonly openRequests = new Set<PendingRequest>()
  readonly #parts: SubscriptionParts
  readonly #since = new Date()
  readonly #waiting = new Queue<Delivery>()
  #waitingBytes = 0
  /** Handed to the stream but not yet sent. */
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

  get isConsole(): boolean {
    return this.#parts.isConsole
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

  /** Queues a response. Responses bypass the queue length limit, because the limit on open requests bounds them. */
  respond(event: Event, since: number, bytes: number): boolean {
    return this.#take({ event, routeId: 0n, env: NO_VARIABLES, since, bytes, pinned: true })
  }

  /** Drops waiting events and ends the stream. */
  end(code: number, details: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#parts.memory.release(this.#waitingBytes + this.#writtenBytes)
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
    if (isTooMuch || !memory.reserve(bytes)) return false
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
    // The requester learns of the timeout from the request's own timer.
    if (encoded === undefined) {
      memory.release(bytes)
      this.#dropped++
      delivery.span?.end(new BrokerError('timeout', 'the event expired in the queue'))
      return
    }
    this.#sent++
    this.#written++
    this.#writtenBytes += bytes
    delivery.span?.end()
    wire.write(encoded, () => {
      if (this.#ended) return
      memory.release(bytes)
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
