// The Broker: components subscribe, register rules for the events they accept, and the Broker routes events between them.
// Each tenant has its own router. This class holds what the routers share and is the interface to the rest of the server.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { Component, Event } from '@hearth/broker'
import {
  BrokerError,
  CONTENT_TYPE,
  COMPONENT_TYPE,
  Category,
  EVENT_TYPE,
  createComponent,
  createEvent,
  errorOf,
  responseTo,
} from '@hearth/broker'
import type { Span } from '@hearth/signals'
import type { BrokerEnvironments } from '../config/broker-environments.ts'
import type { DecodedRequest } from '../receive/receiver.ts'
import { filterComponents } from './components/component-filter.ts'
import { EventSpans } from './telemetry/event-spans.ts'
import type { Member } from './routing/member.ts'
import type { LiveComponent } from './components/live-component.ts'
import { MemoryBudget } from './components/memory-budget.ts'
import type { Mesh, MeshState } from './mesh/mesh.ts'
import { LocalMesh } from './mesh/mesh.ts'
import { Peers } from './mesh/peers.ts'
import { LocalRequester } from './routing/pending-requests.ts'
import { readRegistration } from './components/registration.ts'
import { RemoteMember } from './mesh/remote-member.ts'
import type { Wire } from './components/subscription.ts'
import { Subscription } from './components/subscription.ts'
import type { EventCount } from './telemetry/event-counter.ts'
import { EventCounter } from './telemetry/event-counter.ts'
import type { TelemetryCounts } from './telemetry/telemetry-intake.ts'
import { TelemetryIntake, readTelemetry } from './telemetry/telemetry-intake.ts'
import type { RouterHost, TenantRouter } from './routing/tenant-router.ts'
import { TenantRouters } from './routing/tenant-routers.ts'
import type { WatchListener } from './telemetry/watchers.ts'

export interface BrokerLimits {
  /** Maximum number of subscribed components of one tenant. */
  readonly subscriptions: number
  /** Size limit of one event. */
  readonly eventBytes: number
  /** Maximum number of events that wait for one component. */
  readonly queueLength: number
  /** Maximum number of events per second from one component. */
  readonly rate: number
  /** Limit for the bytes of all waiting events together. */
  readonly memoryBytes: number
}

export interface BrokerOptions {
  readonly limits: BrokerLimits
  readonly environments: BrokerEnvironments
  /** Default: no other brokers. */
  readonly mesh?: Mesh
  /** Hands telemetry to the receiver. */
  readonly receive: (request: DecodedRequest) => Promise<unknown>
  readonly version: string
  readonly onError: (error: unknown) => void
}

/** The checked identity of a stream, known before its first event. */
export interface Subscriber {
  readonly tenant: string
  /** Without the broker id. */
  readonly component: Component
  /** True for a console, which may only send requests. */
  readonly isConsole: boolean
}

/** A profile that no capture of this server waits for: unrequested, late, or requested by a console over its own stream. */
export interface ProfileArrival {
  readonly tenant: string
  readonly source: LiveComponent
  readonly event: Event
  readonly reason: 'sent' | 'late' | 'answered'
}

/** Resolves when the profile is stored. Rejects with BrokerError, which the requester receives. */
export type ProfileListener = (arrival: ProfileArrival) => Promise<void> | void

export interface BrokerState {
  readonly id: string
  readonly tenants: number
  /** Components subscribed at this broker. */
  readonly components: number
  /** Components subscribed at other brokers. */
  readonly remoteComponents: number
  /** Events that wait for components of this broker. */
  readonly queued: number
  readonly queuedBytes: number
  /** Requests without a response yet. */
  readonly inFlight: number
  readonly events: readonly EventCount[]
  readonly telemetry: TelemetryCounts
  readonly mesh: MeshState
}

const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const ID_LENGTH = 10
/** One queue may hold this fraction (1/8) of the memory limit. A queue always accepts a single event. */
const QUEUE_SHARE = 8
const NO_ID = new Uint8Array(0)
/** Estimated size of one of the Broker's own spans. */
const SPAN_BYTES = 1024

export class Broker {
  /** The Broker's identity in events. */
  readonly component: Component
  readonly #options: BrokerOptions
  readonly #mesh: Mesh
  readonly #routers = new TenantRouters(tenant => this.#host(tenant))
  readonly #memory: MemoryBudget
  readonly #counter = new EventCounter()
  readonly #intake: TelemetryIntake
  readonly #spans = new EventSpans((tenant, spans) => this.#storeSpans(tenant, spans))
  readonly #profileListeners = new Set<ProfileListener>()
  #closing: Promise<void> | undefined

  constructor(options: BrokerOptions) {
    const id = Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('')
    const { broker: type } = COMPONENT_TYPE
    this.component = createComponent({ type, name: 'hearth', hash: options.version, id, brokerId: id })
    this.#options = options
    this.#mesh = options.mesh ?? new LocalMesh()
    this.#memory = new MemoryBudget(options.limits.memoryBytes)
    this.#intake = new TelemetryIntake({ receive: options.receive, onError: options.onError })
  }

  get limits(): BrokerLimits {
    return this.#options.limits
  }

  /** Connects to other brokers. */
  async start(): Promise<void> {
    const peers = new Peers({
      routers: this.#routers,
      mesh: this.#mesh,
      environments: this.#options.environments,
      replaced: subscription =>
        this.unsubscribe(subscription, 'the same component has subscribed at another broker', status.ABORTED),
      onError: this.#options.onError,
    })
    await this.#mesh.start({
      brokerId: this.component.id,
      components: () => this.#subscriptions().map(subscription => subscription.live()),
      receive: (forwarded, from) => {
        this.#routers.of(forwarded.tenant).acceptForwarded(forwarded, from)
        this.#routers.release(forwarded.tenant)
      },
      setPeer: (brokerId, components) => peers.setPeer(brokerId, components),
      peerJoined: component => peers.peerJoined(component),
      peerLeft: component => peers.peerLeft(component),
      peerGone: (brokerId, why) => peers.peerGone(brokerId, why),
    })
  }

  /** Registers a component by its first event and responds to it. Throws BrokerError. */
  subscribe(subscriber: Subscriber, register: Event, wire: Wire): Subscription {
    if (this.#closing !== undefined) throw new BrokerError('brokerUnavailable', 'the server is shutting down')
    const { tenant, isConsole } = subscriber
    const { definition, shape, routes, env } = readRegistration(register, subscriber, this.#options.environments)
    const { queueLength, memoryBytes } = this.limits
    const component = { ...subscriber.component, brokerId: this.component.id }
    const subscription = new Subscription({
      tenant,
      component,
      environment: shape.environment,
      definition,
      routes,
      env,
      wire,
      memory: this.#memory,
      queueLength,
      queueBytes: memoryBytes / QUEUE_SHARE,
      isConsole,
    })
    const router = this.#routers.of(tenant)
    try {
      this.#checkRoom(router, component)
      router.add(subscription, shape)
    } finally {
      this.#routers.release(tenant)
    }
    this.#mesh.joined(subscription.live())
    const event = responseTo({ ...register, source: component }, this.component)
    subscription.respond({ event, since: performance.now(), bytes: 0 })
    return subscription
  }

  #checkRoom({ registry }: TenantRouter, component: Component): void {
    const { subscriptions } = this.limits
    if (registry.sameInstance(component) === undefined && registry.subscriptions().length >= subscriptions)
      throw new BrokerError(
        'busy',
        `too many components (${subscriptions}); unsubscribe some or raise broker-subscriptions`,
      )
  }

  /** `since`: when the event was read, by performance.now(). */
  accept(from: Subscription, event: Event, since: number, bytes: number): void {
    this.#routers.of(from.tenant).accept(from, event, since, bytes)
  }

  /** Rejects an event with invalid content, of which only some fields could be read. */
  reject(from: Subscription, event: Event, error: BrokerError): void {
    this.#routers.of(from.tenant).reject(from, event, error)
  }

  /**
   * Ends a subscription whose component sends nothing more. The stream ends when the component has all responses to its
   * requests and all events that were accepted for it.
   */
  leave(subscription: Subscription, why: string): void {
    const { tenant, component } = subscription
    const router = this.#routers.find(tenant)
    if (router?.registry.sameInstance(component) === subscription) {
      router.leave(subscription, why)
      this.#mesh.left(subscription.live())
    }
    subscription.whenIdle(() => this.unsubscribe(subscription, why))
  }

  /** Removes a subscription and ends its stream. */
  unsubscribe(subscription: Subscription, why: string, code: number = status.OK): void {
    const { tenant, component } = subscription
    const router = this.#routers.find(tenant)
    // A newer stream of the same component may have replaced this one already.
    if (router?.registry.sameInstance(component) === subscription) {
      router.remove(subscription, why)
      this.#mesh.left(subscription.live())
    } else router?.abandon(subscription)
    this.#routers.release(tenant)
    subscription.end(code, why)
  }

  /** Components of this broker and of all other brokers. */
  async components(tenant: string, signal?: AbortSignal): Promise<readonly LiveComponent[]> {
    // This broker knows which remote components exist. Only their own brokers know their current load.
    const fresh = await this.#mesh.components(tenant, signal)
    const byId = new Map(fresh.map(live => [JSON.stringify(live.component), live]))
    const members = this.#routers.find(tenant)?.registry.members() ?? []
    return members.flatMap(member => {
      if (member instanceof Subscription) return [member.live()]
      return member instanceof RemoteMember ? [byId.get(JSON.stringify(member.component)) ?? member.live] : []
    })
  }

  /** Sends a REQUEST as the broker and waits for its RESPONSE. Rejects with BrokerError: the component's own error, gone, or timeout. */
  request(tenant: string, draft: Partial<Event>, signal?: AbortSignal): Promise<Event> {
    signal?.throwIfAborted()
    const router = this.#routers.of(tenant)
    const { promise, resolve, reject } = deferred<Event>()
    const waiter = new LocalRequester(response => {
      const error = errorOf(response)
      if (error === undefined) resolve(response)
      else reject(error)
    })
    const onAbort = (): void => {
      router.abandon(waiter)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const event = this.#ownEvent(tenant, draft, Category.REQUEST)
    router.dispatch(event, waiter, performance.now(), event.content.length)
    return promise.finally(() => {
      signal?.removeEventListener('abort', onAbort)
      this.#routers.release(tenant)
    })
  }

  /** Sends a MESSAGE as the broker, without delivery report. */
  send(tenant: string, draft: Partial<Event>): void {
    const event = this.#ownEvent(tenant, draft, Category.MESSAGE)
    const router = this.#routers.of(tenant)
    router.dispatch(event, new LocalRequester(() => {}), performance.now(), event.content.length)
    this.#routers.release(tenant)
  }

  /** Calls `listener` with every event that is routed, up to a rate limit. Returns a function that stops it. */
  watch(tenant: string, listener: WatchListener): () => void {
    const stop = this.#routers.of(tenant).watchers.add(listener)
    return () => {
      stop()
      this.#routers.release(tenant)
    }
  }

  /** Calls `listener` with profiles that no capture waits for. A response reaches its requester after all listeners have stored it. */
  onProfile(listener: ProfileListener): () => void {
    this.#profileListeners.add(listener)
    return () => void this.#profileListeners.delete(listener)
  }

  state(): BrokerState {
    let components = 0
    let all = 0
    let queued = 0
    let inFlight = 0
    for (const [, router] of this.#routers.all()) {
      const subscriptions = router.registry.subscriptions()
      components += subscriptions.length
      all += router.registry.size
      inFlight += router.inFlight
      for (const subscription of subscriptions) queued += subscription.queued
    }
    return {
      id: this.component.id,
      tenants: this.#routers.size,
      components,
      remoteComponents: all - components,
      queued,
      queuedBytes: this.#memory.used,
      inFlight,
      events: this.#counter.counts(),
      telemetry: this.#intake.counts,
      mesh: this.#mesh.state(),
    }
  }

  /** Ends all streams, signs off from other brokers and flushes telemetry, for at most `timeoutMs`. */
  close(timeoutMs: number): Promise<void> {
    return (this.#closing ??= this.#close(timeoutMs))
  }

  async #close(timeoutMs: number): Promise<void> {
    for (const subscription of this.#subscriptions())
      this.unsubscribe(subscription, 'the server is shutting down', status.UNAVAILABLE)
    this.#spans.flush()
    const late = new AbortController()
    const flushed = this.#intake.flush().finally(() => late.abort())
    await Promise.race([flushed, sleep(timeoutMs, undefined, { signal: late.signal }).catch(() => {})])
    await this.#mesh.close()
    for (const [, router] of this.#routers.all()) router.close()
  }

  #subscriptions(): readonly Subscription[] {
    return this.#routers.all().flatMap(([, router]) => router.registry.subscriptions())
  }

  #ownEvent(tenant: string, draft: Partial<Event>, category: number): Event {
    const context = {
      virtualEnvironment: '',
      appDeployment: '',
      releaseManifest: '',
      ...draft.context,
      platform: tenant,
    }
    return { ...createEvent(draft), category, source: this.component, context }
  }

  #host(tenant: string): RouterHost {
    return {
      tenant,
      component: this.component,
      mesh: this.#mesh,
      counter: this.#counter,
      spans: this.#spans,
      eventBytes: this.limits.eventBytes,
      acceptMessage: (event, from, bytes) => this.#acceptMessage(event, from, bytes),
      handleRequest: event => this.#handleRequest(tenant, event),
      storeProfile: (event, from, reason) => this.#notifyProfile(event, from, reason),
      onError: this.#options.onError,
    }
  }

  #acceptMessage(event: Event, from: Subscription, bytes: number): void {
    const { type } = event
    if (type === EVENT_TYPE.profile) return void this.#notifyProfile(event, from, 'sent').catch(() => {})
    if (type !== EVENT_TYPE.telemetry) throw new BrokerError('notFound', `the broker does not handle ${type}`)
    this.#intake.add(from.live(), readTelemetry(event), bytes, [event.content])
  }

  #storeSpans(tenant: string, spans: readonly Span[]): void {
    const source = { tenant, component: this.component, environment: '', attributes: {} }
    const ids = spans.flatMap(({ traceId, spanId }) => [traceId, spanId])
    this.#intake.add(source, { traceId: NO_ID, spans, logRecords: [], metrics: [] }, spans.length * SPAN_BYTES, ids)
  }

  async #notifyProfile(event: Event, from: Member, reason: ProfileArrival['reason']): Promise<void> {
    if (!(from instanceof Subscription) && !(from instanceof RemoteMember)) return
    const source = from instanceof Subscription ? from.live() : from.live
    const arrival = { tenant: source.tenant, source, event, reason }
    await Promise.all([...this.#profileListeners].map(async listener => listener(arrival)))
  }

  async #handleRequest(tenant: string, event: Event): Promise<Event> {
    if (event.type !== EVENT_TYPE.components)
      throw new BrokerError('notFound', `the broker does not handle ${event.type}`)
    const components = filterComponents(await this.components(tenant), event.params)
    const content = Buffer.from(JSON.stringify(components))
    return responseTo(event, this.component, { contentType: CONTENT_TYPE.json, content })
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {}
  let reject: Deferred<T>['reject'] = () => {}
  const promise = new Promise<T>((onResolved, onRejected) => {
    resolve = onResolved
    reject = onRejected
  })
  return { promise, resolve, reject }
}
