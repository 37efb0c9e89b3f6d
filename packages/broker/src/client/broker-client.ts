// A component of a Broker: subscribes, registers its routes, responds to requests and sends its own. It reopens a lost stream
// until it succeeds. It never throws into its host. By default, only a pending request keeps the process running, not the
// subscription.
import type { BrokerErrorKind } from '../messages/broker-error.ts'
import { BrokerError, errorOf, errorResponse } from '../messages/broker-error.ts'
import { createComponent } from '../messages/component.ts'
import { createEvent, responseTo } from '../messages/create-event.ts'
import type { ComponentDefinition } from '../messages/definition.ts'
import { createDefinition, writeDefinition } from '../messages/definition.ts'
import type { Component, Event, EventContext, MatchedEvent } from '../messages/event.ts'
import { Category, SUBSCRIBE_PATH, events, matchedEvents } from '../messages/event.ts'
import { CONTENT_TYPE, EVENT_TYPE } from '../messages/event-types.ts'
import { msOfTtl, ttlAfter, ttlOfMs } from '../messages/ttl.ts'
import type { StreamEnd, TlsFiles } from './grpc-stream.ts'
import { GrpcStream } from './grpc-stream.ts'
import { OutgoingQueue } from './outgoing-queue.ts'

export interface BrokerClientOptions {
  /** `host:port` without TLS, or a URL with http or https. */
  readonly address: string
  readonly tls?: TlsFiles
  readonly token: string
  readonly platform: string
  /** The Broker sets its own id. */
  readonly component: Omit<Component, 'brokerId'>
  readonly definition?: Partial<ComponentDefinition>
  /** The context of all events that do not have their own. */
  readonly context?: Partial<Omit<EventContext, 'platform'>>
  /**
   * Responds to a REQUEST, or receives a MESSAGE. The client sends a thrown error to the caller; a BrokerError keeps its kind.
   * If it returns undefined for a REQUEST, the caller gets "not found". The signal aborts when the caller stops waiting.
   */
  readonly onEvent?: (
    matched: MatchedEvent & { readonly event: Event },
    handling: Handling,
  ) => Promise<Partial<Event> | undefined> | Partial<Event> | undefined
  /** Called for a MESSAGE that its receiver did not read in time, with the id of the event. */
  readonly onUndelivered?: (eventId: string, error: BrokerError) => void
  readonly onState?: (state: BrokerState) => void
  readonly limits?: Partial<BrokerClientLimits>
  /** Whether the subscription keeps the process running. */
  readonly keepsProcess?: boolean
}

export interface Handling {
  readonly signal: AbortSignal
  /** How long the caller still waits. */
  readonly remainingMs: () => number
}

export interface BrokerClientLimits {
  /** The maximum size of an event in either direction. */
  readonly eventBytes: number
  /** The maximum number of events that wait to be sent. */
  readonly queuedEvents: number
  readonly queuedBytes: number
  /** The maximum number of concurrent handlers. Further events wait. */
  readonly handlers: number
  /** The maximum number of events that wait for a handler, up to `queuedBytes`. Further REQUESTs are rejected as busy. */
  readonly waitingEvents: number
  readonly firstWaitMs: number
  readonly maxWaitMs: number
  readonly registerMs: number
  readonly keepAliveMs: number
}

const LIMITS: BrokerClientLimits = {
  eventBytes: 16 * 1024 * 1024,
  queuedEvents: 2048,
  queuedBytes: 16 * 1024 * 1024,
  handlers: 64,
  waitingEvents: 1024,
  firstWaitMs: 1000,
  maxWaitMs: 30_000,
  registerMs: 5000,
  keepAliveMs: 30_000,
}

/** A shorter subscription counts as a failure, because another component may have the same id. */
const STEADY_MS = 10_000

export type BrokerState =
  | { readonly kind: 'connecting' }
  /** Registered at this Broker. */
  | { readonly kind: 'ready'; readonly broker: Component }
  | { readonly kind: 'waiting'; readonly retryInMs: number; readonly error: BrokerError }
  | { readonly kind: 'stopped'; readonly error: BrokerError | undefined }

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Default: the event's own ttl, or else 30 s. */
  readonly ttlMs?: number
}

const DEFAULT_TTL_MS = 30_000

interface Waiter {
  readonly resolve: (response: Event) => void
  readonly reject: (error: Error) => void
}

export class BrokerClient {
  readonly component: Component
  readonly #options: BrokerClientOptions
  readonly #limits: BrokerClientLimits
  readonly #context: EventContext
  readonly #queue: OutgoingQueue
  readonly #waiters = new Map<string, Waiter>()
  /** Running and waiting handlers. */
  readonly #handling = new Set<AbortController>()
  readonly #waitingHandlers: (() => void)[] = []
  #running = 0
  #waitingBytes = 0
  #state: BrokerState = { kind: 'connecting' }
  #stream: GrpcStream | undefined
  #timer: NodeJS.Timeout | undefined
  #registration = ''
  #failures = 0
  #readySince = 0
  #onStopped: (() => void) | undefined
  #stopping: Promise<void> | undefined
  /** The number of unreadable messages and of responses without a pending request. */
  ignored = 0

  /** Connects immediately. */
  constructor(options: BrokerClientOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.component = createComponent({ ...options.component, brokerId: '' })
    this.#context = {
      virtualEnvironment: '',
      appDeployment: '',
      releaseManifest: '',
      ...options.context,
      platform: options.platform,
    }
    this.#queue = new OutgoingQueue({ events: this.#limits.queuedEvents, bytes: this.#limits.queuedBytes })
    this.#connect()
  }

  get state(): BrokerState {
    return this.#state
  }

  /** The Broker at which the component is registered. */
  get broker(): Component | undefined {
    return this.#state.kind === 'ready' ? this.#state.broker : undefined
  }

  /** Sends an event without a response. Returns false if it was dropped because it is too large or the queue is full. */
  send(parts: Partial<Event>): boolean {
    return this.#offer(this.#complete({ category: Category.MESSAGE, ...parts }, DEFAULT_TTL_MS)) === undefined
  }

  /** Resolves with the RESPONSE. Rejects with a BrokerError, or with the reason of the signal. */
  request(parts: Partial<Event>, { signal, ttlMs }: RequestOptions = {}): Promise<Event> {
    const event = this.#complete(
      { ...parts, category: Category.REQUEST, ...(ttlMs && { ttl: ttlOfMs(ttlMs) }) },
      DEFAULT_TTL_MS,
    )
    return new Promise<Event>((resolve, reject) => {
      if (signal?.aborted === true) return reject(reasonOf(signal))
      const end = (): void => {
        this.#waiters.delete(event.id)
        this.#queue.remove(event.id)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const fail = (error: Error): void => {
        end()
        reject(error)
      }
      const abort = (): void => fail(reasonOf(signal!))
      // Not unref'd, because the caller waits.
      const timer = setTimeout(() => fail(new BrokerError('timeout', 'no response in time')), msOfTtl(event.ttl))
      signal?.addEventListener('abort', abort)
      const answered = (response: Event): void => {
        end()
        resolve(response)
      }
      this.#waiters.set(event.id, { resolve: answered, reject: fail })
      const refused = this.#offer(event)
      if (refused !== undefined) fail(refused)
    })
  }

  /** Sends queued events, ends the subscription and releases all resources. Never rejects. */
  stop(timeoutMs = 1000): Promise<void> {
    return (this.#stopping ??= this.#stop(timeoutMs))
  }

  async #stop(timeoutMs: number): Promise<void> {
    clearTimeout(this.#timer)
    const stream = this.#stream
    if (stream !== undefined && this.#state.kind === 'ready') {
      const timer = setTimeout(() => stream.destroy('stopped'), timeoutMs)
      await new Promise<void>(resolve => {
        this.#onStopped = resolve
        this.#flush()
        stream.finish()
      })
      clearTimeout(timer)
    } else stream?.destroy('stopped')
    this.#abandon(new BrokerError('brokerUnavailable', 'the client was stopped'))
    this.#queue.clear()
    this.#turn({ kind: 'stopped', error: undefined })
  }

  #complete(parts: Partial<Event>, ttlMs: number): Event {
    const { context = this.#context } = parts
    return createEvent({ ttl: ttlOfMs(ttlMs), ...parts, source: this.component, context })
  }

  /** The reason why an event cannot be sent, or undefined. */
  #offer(event: Event): BrokerError | undefined {
    const error = (kind: BrokerErrorKind, what: string): BrokerError => new BrokerError(kind, what)
    if (this.#stopping !== undefined) return error('brokerUnavailable', 'the client was stopped')
    if (event.content.length > this.#limits.eventBytes) return error('contentTooLarge', 'the event is too large')
    if (!this.#queue.add(event)) return error('brokerUnavailable', 'the queue of outgoing events is full')
    this.#flush()
    return undefined
  }

  #flush(): void {
    const stream = this.#stream
    if (stream === undefined || this.#state.kind !== 'ready') return
    while (!stream.isBlocked) {
      let bytes: Uint8Array | undefined
      try {
        bytes = this.#queue.next()
      } catch {
        // A value that cannot be written, such as one that contains itself. Later events can still be sent.
        this.ignored++
        continue
      }
      if (bytes === undefined) return
      stream.write(bytes)
    }
  }

  #turn(state: BrokerState): void {
    this.#state = state
    guarded(() => this.#options.onState?.(state))
  }

  #connect(): void {
    this.#turn({ kind: 'connecting' })
    const { address, tls = {}, token, platform, keepsProcess = false } = this.#options
    const { type, app, name, hash, id } = this.component
    const fields = { id, hash, component: name, type, platform, token, app }
    const metadata = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
    const fault = Object.entries(metadata).find(([, value]) => !/^[\x20-\x7e]*$/.test(value))
    const url = urlOf(address)
    if (fault !== undefined || url === undefined) {
      const what = url === undefined ? 'the address is neither host:port nor a URL' : `the ${fault?.[0]} is not ASCII`
      this.#stopping = Promise.resolve()
      this.#turn({ kind: 'stopped', error: new BrokerError('invalid', what) })
      return
    }
    const { keepAliveMs, eventBytes, registerMs } = this.#limits
    const stream = new GrpcStream(
      {
        url,
        path: SUBSCRIBE_PATH,
        metadata,
        tls,
        // Params and other fields come on top of the content.
        maxMessageBytes: eventBytes + 1024 * 1024,
        keepAliveMs,
        keepsProcess,
      },
      {
        onMessage: bytes => this.#take(bytes),
        onDrain: () => this.#flush(),
        onEnd: end => {
          if (this.#stream === stream) this.#lost(end)
        },
      },
    )
    this.#stream = stream
    this.#timer = this.#later(registerMs, () => stream.destroy('no response to the registration'))
    const registration = this.#complete(
      {
        type: EVENT_TYPE.register,
        category: Category.REQUEST,
        contentType: CONTENT_TYPE.json,
        content: writeDefinition(createDefinition({ type, hash, ...this.#options.definition })),
      },
      registerMs,
    )
    this.#registration = registration.id
    stream.write(events.encode(registration))
  }

  #later(ms: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(run, ms)
    return this.#options.keepsProcess === true ? timer : timer.unref()
  }

  #lost({ code, reason }: StreamEnd): void {
    this.#stream = undefined
    clearTimeout(this.#timer)
    const kind = code === 7 || code === 16 ? 'unauthorized' : 'brokerUnavailable'
    const error = new BrokerError(kind, reason)
    this.#abandon(error)
    this.#onStopped?.()
    if (this.#stopping !== undefined) return
    const wasSteady = this.#state.kind === 'ready' && performance.now() - this.#readySince >= STEADY_MS
    this.#failures = wasSteady ? 0 : this.#failures + 1
    const { firstWaitMs, maxWaitMs } = this.#limits
    const whole = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(Math.max(0, this.#failures - 1), 30))
    // With jitter, so that a fleet does not reconnect at the same time.
    const retryInMs = whole * (0.5 + 0.5 * Math.random())
    this.#turn({ kind: 'waiting', retryInMs, error })
    this.#timer = this.#later(retryInMs, () => this.#connect())
  }

  /** Another stream never delivers the responses to sent requests, and no caller waits for running handlers. */
  #abandon(error: BrokerError): void {
    for (const { reject } of this.#waiters.values()) reject(error)
    for (const controller of this.#handling) controller.abort(error)
  }

  #take(bytes: Uint8Array): void {
    const matched = readMatched(bytes)
    if (matched === undefined) {
      this.ignored++
      return
    }
    const { event } = matched
    if (event.category === Category.RESPONSE) this.#settle(event)
    else if (this.#state.kind === 'ready' && this.#stopping === undefined) void this.#handle(matched)
  }

  #settle(response: Event): void {
    if (response.parentId === this.#registration) return this.#registered(response)
    const waiter = this.#waiters.get(response.parentId)
    const error = errorOf(response)
    if (waiter === undefined) {
      this.ignored++
      if (error !== undefined) guarded(() => this.#options.onUndelivered?.(response.parentId, error))
      return
    }
    if (error === undefined) waiter.resolve(response)
    else waiter.reject(error)
  }

  #registered(response: Event): void {
    this.#registration = ''
    clearTimeout(this.#timer)
    const error = errorOf(response)
    if (error !== undefined) return this.#stream?.destroy(error.message)
    this.#readySince = performance.now()
    this.#turn({ kind: 'ready', broker: response.source ?? createComponent({}) })
    this.#flush()
  }

  async #handle(matched: MatchedEvent & { readonly event: Event }): Promise<void> {
    const { event } = matched
    const since = performance.now()
    const remainingMs = (): number => msOfTtl(ttlAfter(event, performance.now() - since))
    const isRequest = event.category === Category.REQUEST
    const controller = new AbortController()
    const timer = setTimeout(
      () => controller.abort(new BrokerError('timeout', 'timed out before it was handled')),
      msOfTtl(event.ttl),
    ).unref()
    let response: Event | undefined
    let hasStarted = false
    try {
      this.#handling.add(controller)
      if (this.#running >= this.#limits.handlers) await this.#handlerFree(event, controller.signal)
      this.#running++
      hasStarted = true
      const parts = await this.#options.onEvent?.(matched, { signal: controller.signal, remainingMs })
      if (parts === undefined) throw new BrokerError('notFound', `no handler for ${event.type}`)
      response = responseTo(event, this.component, parts)
    } catch (error) {
      response = errorResponse(event, this.component, BrokerError.from(error))
    } finally {
      this.#handling.delete(controller)
      clearTimeout(timer)
      if (hasStarted) {
        this.#running--
        this.#waitingHandlers.shift()?.()
      }
    }
    if (isRequest && !controller.signal.aborted)
      this.#respond(event, response, ttlAfter(event, performance.now() - since))
  }

  /** Resolves when the event may be handled. Rejects with BrokerError if too many events wait, or the reason of the signal. */
  #handlerFree({ content }: Event, signal: AbortSignal): Promise<void> {
    const { waitingEvents, queuedBytes } = this.#limits
    if (this.#waitingHandlers.length >= waitingEvents || this.#waitingBytes + content.length > queuedBytes)
      throw new BrokerError('busy', 'too many concurrent events', { retryAfterMs: 1000 })
    this.#waitingBytes += content.length
    return new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', abort)
        this.#waitingBytes -= content.length
        resolve()
      }
      const abort = (): void => {
        this.#waitingHandlers.splice(this.#waitingHandlers.indexOf(start), 1)
        this.#waitingBytes -= content.length
        reject(reasonOf(signal))
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waitingHandlers.push(start)
    })
  }

  #respond(request: Event, response: Event, ttl: bigint): void {
    const refused = this.#offer({ ...response, ttl })
    if (refused?.kind === 'contentTooLarge') this.#offer({ ...errorResponse(request, this.component, refused), ttl })
  }
}

function readMatched(bytes: Uint8Array): (MatchedEvent & { readonly event: Event }) | undefined {
  try {
    const matched = matchedEvents.decode(bytes)
    return matched.event === undefined ? undefined : { ...matched, event: matched.event }
  } catch {
    return undefined
  }
}

function urlOf(address: string): URL | undefined {
  try {
    const url = new URL(address.includes('://') ? address : `http://${address}`)
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : undefined
  } catch {
    return undefined
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted')
}

/** Ignores errors of listeners, which belong to the host. */
function guarded(run: () => void): void {
  try {
    run()
  } catch {
    // The host handles its own errors.
  }
}
