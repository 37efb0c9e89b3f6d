// One subscribed component: its stream, its queue, and its open requests in both directions.
//
//   sender ── hold, release ──► delayed ──► waiting ──► written ──► component
//
// An event without room in `waiting` is delayed. A sender with many delayed events is not read from until they have left.
import type { Component, ComponentDefinition, Value } from '@hearth/broker'
import { BrokerError, msOfTtl, ttlAfter } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import { NO_VARIABLES, encodeDelivery } from '../routing/delivery.ts'
import type { Member, PendingRequest, Requester, Response } from '../routing/member.ts'
import type { Sender } from '../routing/sender.ts'
import type { LiveComponent, LiveRoute } from './live-component.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { Queue } from './queue.ts'

/** Limits for data handed to the stream but not yet sent. The rest waits in the queue, where it can still be rejected. */
const WINDOW_EVENTS = 16
const WINDOW_BYTES = 256 * 1024
/** A sender with this much delayed at slow receivers is not read from. Fewer delayed events do not stop its other events. */
const MAX_HELD_EVENTS = 16
const MAX_HELD_BYTES = 256 * 1024
/** Minimum interval between searches for expired events. */
const EXPIRY_MS = 50

/** The gRPC stream of a subscription. */
export interface Wire {
  /** Calls `done` when the event has been sent. */
  write(matchedEvent: Uint8Array, done: () => void): void
  /** Stops and continues reading events of the component. HTTP/2 flow control makes it wait. */
  setReading(isReading: boolean): void
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
  readonly #delayed = new Queue<Delivery & { readonly sender: Sender }>()
  #waitingBytes = 0
  #delayedBytes = 0
  /** Handed to the stream but not yet sent. */
  #written = 0
  #writtenBytes = 0
  /** Its own events that are delayed at other components. */
  #held = 0
  #heldBytes = 0
  #isReading = true
  #expectedResponses = 0
  #onIdle: (() => void) | undefined
  #expiry: NodeJS.Timeout | undefined
  #expiresAt = Infinity
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
    return this.queued + this.unanswered.size
  }

  get queued(): number {
    return this.#waiting.length + this.#delayed.length
  }

  get isFull(): boolean {
    return this.#delayed.length > 0 || this.#waiting.length >= this.#parts.queueLength
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
    return this.#take(delivery, !this.isFull && this.#hasSpace(delivery.bytes))
  }

  /** Responses bypass the queue length limit, because the limit on open requests bounds them. */
  respond(response: Response, sender: Sender = this): boolean {
    const { bytes } = response
    return this.#take({ ...response, sender, routeId: 0n, env: NO_VARIABLES, pinned: true }, this.#hasSpace(bytes))
  }

  hold(bytes: number): boolean {
    this.#held++
    this.#heldBytes += bytes
    this.throttle()
    return true
  }

  release(bytes: number): void {
    this.#held--
    this.#heldBytes -= bytes
    this.throttle()
    this.#checkIdle()
  }

  /** Stops reading from the component while it has too much delayed or the Broker's memory is full. */
  throttle(): void {
    if (this.#ended) return
    const { memory, wire } = this.#parts
    if (memory.isFull) memory.whenFree(this.#onMemory)
    const isReading = this.#held < MAX_HELD_EVENTS && this.#heldBytes < MAX_HELD_BYTES && !memory.isFull
    if (isReading === this.#isReading) return
    this.#isReading = isReading
    wire.setReading(isReading)
  }

  readonly #onMemory = (): void => this.throttle()

  expectResponse(): () => void {
    this.#expectedResponses++
    return () => {
      this.#expectedResponses--
      this.#checkIdle()
    }
  }

  /** Calls back when all its requests are answered, and all its own events and those for it are delivered. */
  whenIdle(callback: () => void): void {
    this.#onIdle = callback
    this.#checkIdle()
  }

  /** Drops waiting events and ends the stream. */
  end(code: number, details: string): void {
    if (this.#ended) return
    this.#ended = true
    clearTimeout(this.#expiry)
    const { memory, wire, component } = this.#parts
    memory.forget(this.#onMemory)
    memory.release(this.#waitingBytes + this.#delayedBytes + this.#writtenBytes)
    this.#waitingBytes = 0
    this.#delayedBytes = 0
    this.#writtenBytes = 0
    const delayed = this.#delayed.takeAll()
    const error = new BrokerError('componentGone', `${component.name} ${component.id} is gone: ${details}`)
    for (const delivery of [...this.#waiting.takeAll(), ...delayed]) this.#drop(delivery, error)
    for (const { sender, bytes } of delayed) sender.release(bytes)
    wire.end(code, details)
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
        queued: this.queued,
        inFlight: this.unanswered.size,
        received: this.#received,
        sent: this.#sent,
        dropped: this.#dropped,
      },
      remote: false,
    }
  }

  #hasSpace(bytes: number): boolean {
    return this.#waitingBytes === 0 || this.#waitingBytes + bytes <= this.#parts.queueBytes
  }

  #take(delivery: Delivery, hasRoom: boolean): boolean {
    if (this.#ended) return false
    const { memory } = this.#parts
    const { bytes, sender } = delivery
    if (hasRoom && this.#delayed.length === 0) {
      memory.add(bytes)
      if (this.#isWritable) this.#write(delivery)
      else this.#wait(delivery)
      return true
    }
    if (sender?.hold(bytes) !== true) return false
    memory.add(bytes)
    this.#delayedBytes += bytes
    this.#delayed.push({ ...delivery, sender })
    this.#expireAt(delivery)
    return true
  }

  #wait(delivery: Delivery): void {
    this.#waitingBytes += delivery.bytes
    this.#waiting.push(delivery)
    this.#expireAt(delivery)
  }

  get #isWritable(): boolean {
    return this.#written === 0 || (this.#written < WINDOW_EVENTS && this.#writtenBytes < WINDOW_BYTES)
  }

  #write(delivery: Delivery): void {
    const { memory, wire } = this.#parts
    const { bytes } = delivery
    const encoded = encodeDelivery(delivery, performance.now())
    if (encoded === undefined) {
      memory.release(bytes)
      this.#drop(delivery, expired())
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
      if (next === undefined) break
      this.#waitingBytes -= next.bytes
      this.#write(next)
      this.#takeDelayed()
    }
    this.#takeDelayed()
    this.#checkIdle()
  }

  /** Queues delayed events for which there is room now, in order. */
  #takeDelayed(): void {
    const { queueLength } = this.#parts
    for (let next = this.#delayed.peek(); next !== undefined; next = this.#delayed.peek()) {
      if (this.#waiting.length >= queueLength || !this.#hasSpace(next.bytes)) return
      this.#delayed.shift()
      this.#delayedBytes -= next.bytes
      this.#wait(next)
      next.sender.release(next.bytes)
    }
  }

  #drop(delivery: Delivery, error: BrokerError): void {
    this.#dropped++
    delivery.span?.end(error)
    delivery.onDropped?.(error)
  }

  /** Schedules a search for expired events, so that senders learn of them although the component does not read. */
  #expireAt({ event, since }: Delivery): void {
    const at = since + msOfTtl(event.ttl)
    if (at >= this.#expiresAt) return
    this.#expiresAt = at
    clearTimeout(this.#expiry)
    this.#expiry = setTimeout(() => this.#expire(), Math.max(EXPIRY_MS, at - performance.now())).unref()
  }

  #expire(): void {
    const now = performance.now()
    const isExpired = ({ event, since }: Delivery): boolean => ttlAfter(event, now - since) <= 0n
    const { memory } = this.#parts
    this.#expiresAt = Infinity
    const waiting = this.#waiting.remove(isExpired)
    const delayed = this.#delayed.remove(isExpired)
    for (const { bytes } of waiting) this.#waitingBytes -= bytes
    for (const { bytes } of delayed) this.#delayedBytes -= bytes
    for (const delivery of [...waiting, ...delayed]) {
      memory.release(delivery.bytes)
      this.#drop(delivery, expired())
    }
    for (const { sender, bytes } of delayed) sender.release(bytes)
    this.#takeDelayed()
    for (const delivery of [...this.#waiting.all(), ...this.#delayed.all()]) this.#expireAt(delivery)
    this.#checkIdle()
  }

  #checkIdle(): void {
    const isBusy = this.openRequests.size + this.#expectedResponses + this.#held + this.queued + this.#written > 0
    if (this.#onIdle === undefined || isBusy || this.#ended) return
    const callback = this.#onIdle
    this.#onIdle = undefined
    callback()
  }
}

function expired(): BrokerError {
  return new BrokerError('timeout', 'the receiver did not read the event in time (ttl)')
}
