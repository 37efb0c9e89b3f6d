// Takes part in a Broker: subscribes, says what it can do, answers what it is asked and asks others. A stream that is lost is
// opened again for as long as it takes. Nothing is ever thrown into whoever runs it, and, unless told so, it does not keep the
// process running; a request that somebody waits for does.
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
  /** `host:port`, which is without TLS, or a URL with http or https. */
  readonly address: string
  readonly tls?: TlsFiles
  readonly token: string
  readonly platform: string
  /** The Broker's own id is left to the Broker. */
  readonly component: Omit<Component, 'brokerId'>
  readonly definition?: Partial<ComponentDefinition>
  /** Of all events that do not have their own. */
  readonly context?: Partial<Omit<EventContext, 'platform'>>
  /**
   * Answers a REQUEST, or takes a MESSAGE. What it throws is sent as an error, a BrokerError as it is; a REQUEST that it
   * gives nothing for is answered with "not found". The signal fires when nobody waits any more.
   */
  readonly onEvent?: (
    matched: MatchedEvent & { readonly event: Event },
    handling: Handling,
  ) => Promise<Partial<Event> | undefined> | Partial<Event> | undefined
  readonly onState?: (state: BrokerState) => void
  readonly limits?: Partial<BrokerClientLimits>
  /** Whether being subscribed keeps the process running. */
  readonly keepsProcess?: boolean
}

export interface Handling {
  readonly signal: AbortSignal
  /** How long the asker still waits. */
  readonly remainingMs: () => number
}

export interface BrokerClientLimits {
  /** Of one event, in either direction. */
  readonly eventBytes: number
  /** That wait to be sent. */
  readonly queuedEvents: number
  readonly queuedBytes: number
  /** That are handled at a time; a REQUEST beyond is told that the component is busy. */
  readonly handlers: number
  readonly firstWaitMs: number
  readonly mostWaitMs: number
  readonly registerMs: number
  readonly keepAliveMs: number
}

const LIMITS: BrokerClientLimits = {
  eventBytes: 16 * 1024 * 1024,
  queuedEvents: 256,
  queuedBytes: 16 * 1024 * 1024,
  handlers: 64,
  firstWaitMs: 1000,
  mostWaitMs: 30_000,
  registerMs: 5000,
  keepAliveMs: 30_000,
}

/** Less than this and the subscription counts as one more failure: somebody else may have the same id. */
const STEADY_MS = 10_000

export type BrokerState =
  | { readonly kind: 'connecting' }
  /** Registered at this Broker. */
  | { readonly kind: 'ready'; readonly broker: Component }
  | { readonly kind: 'waiting'; readonly retryInMs: number; readonly error: BrokerError }
  | { readonly kind: 'stopped'; readonly error: BrokerError | undefined }

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** 30 s where neither this nor the event's own ttl is given. */
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
  readonly #running = new Set<AbortController>()
  #state: BrokerState = { kind: 'connecting' }
  #stream: GrpcStream | undefined
  #timer: NodeJS.Timeout | undefined
  #registration = ''
  #failures = 0
  #readySince = 0
  #onStopped: (() => void) | undefined
  #stopping: Promise<void> | undefined
  /** Messages that could not be read, and responses that nobody waited for. */
  ignored = 0

  /** Begins at once. */
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

  /** The Broker that this is registered at. */
  get broker(): Component | undefined {
    return this.#state.kind === 'ready' ? this.#state.broker : undefined
  }

  /** Sends an event that nobody answers. False where it had to be dropped: the queue is full, or it is too large. */
  send(parts: Partial<Event>): boolean {
    return this.#offer(this.#complete({ category: Category.MESSAGE, ...parts }, DEFAULT_TTL_MS)) === undefined
  }

  /** The RESPONSE. Rejects with a BrokerError, or with the reason of the signal. */
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
      // Not unref'd: somebody waits.
      const timer = setTimeout(() => fail(new BrokerError('timeout', 'nobody answered in time')), msOfTtl(event.ttl))
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

  /** Sends what waits, tells the Broker, and lets go of everything. Never rejects. */
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

  /** Why it cannot be sent, or undefined. */
  #offer(event: Event): BrokerError | undefined {
    const error = (kind: BrokerErrorKind, what: string): BrokerError => new BrokerError(kind, what)
    if (this.#stopping !== undefined) return error('brokerUnavailable', 'the client was stopped')
    if (event.content.length > this.#limits.eventBytes) return error('contentTooLarge', 'the event is too large')
    if (!this.#queue.add(event)) return error('brokerUnavailable', 'too many events wait to be sent')
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
        // A value that cannot be written, as one that holds itself; those behind it can.
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
      const what = url === undefined ? 'the address is no host:port and no URL' : `the ${fault?.[0]} is not ASCII`
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
        // Beside the content there are params and the like.
        mostMessageBytes: eventBytes + 1024 * 1024,
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
    this.#timer = this.#later(registerMs, () => stream.destroy('no answer to the registration'))
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
    const { firstWaitMs, mostWaitMs } = this.#limits
    const whole = Math.min(mostWaitMs, firstWaitMs * 2 ** Math.min(Math.max(0, this.#failures - 1), 30))
    // With jitter, so that a fleet does not come back all at once.
    const retryInMs = whole * (0.5 + 0.5 * Math.random())
    this.#turn({ kind: 'waiting', retryInMs, error })
    this.#timer = this.#later(retryInMs, () => this.#connect())
  }

  /** Requests that were sent are never answered on another stream, and nobody waits for what is being handled. */
  #abandon(error: BrokerError): void {
    for (const { reject } of this.#waiters.values()) reject(error)
    for (const controller of this.#running) controller.abort(error)
  }

  #take(bytes: Uint8Array): void {
    const matched = readMatched(bytes)
    if (matched === undefined) {
      this.ignored++
      return
    }
    const { event } = matched
    if (event.category === Category.RESPONSE) this.#answered(event)
    else if (this.#state.kind === 'ready' && this.#stopping === undefined) void this.#handle(matched)
  }

  #answered(response: Event): void {
    if (response.parentId === this.#registration) return this.#registered(response)
    const waiter = this.#waiters.get(response.parentId)
    if (waiter === undefined) {
      this.ignored++
      return
    }
    const error = errorOf(response)
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
      () => controller.abort(new BrokerError('timeout', 'the time was up')),
      msOfTtl(event.ttl),
    ).unref()
    let answer: Event | undefined
    try {
      if (this.#running.size >= this.#limits.handlers)
        throw new BrokerError('busy', 'too many events at a time', { retryAfterMs: 1000 })
      this.#running.add(controller)
      const parts = await this.#options.onEvent?.(matched, { signal: controller.signal, remainingMs })
      if (parts === undefined) throw new BrokerError('notFound', `nobody here answers ${event.type}`)
      answer = responseTo(event, this.component, parts)
    } catch (error) {
      answer = errorResponse(event, this.component, BrokerError.from(error))
    } finally {
      this.#running.delete(controller)
      clearTimeout(timer)
    }
    if (isRequest && !controller.signal.aborted) this.#answer(event, answer, ttlAfter(event, performance.now() - since))
  }

  #answer(request: Event, answer: Event, ttl: bigint): void {
    const refused = this.#offer({ ...answer, ttl })
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

/** Listeners are the host's code. */
function guarded(run: () => void): void {
  try {
    run()
  } catch {
    // Theirs to know.
  }
}
