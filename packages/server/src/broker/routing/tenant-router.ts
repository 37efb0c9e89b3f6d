// Routes events between the components of one tenant. All methods are synchronous, so that a sender's events keep their order.
import { status } from '@grpc/grpc-js'
import type { Component, Event } from '@hearth/broker'
import {
  BrokerError,
  COMPONENT_TYPE,
  Category,
  DEFAULT_ROUTE,
  EVENT_TYPE,
  createEvent,
  errorOf,
  errorResponse,
  extentOf,
  isTimedOut,
  msOfTtl,
  ttlAfter,
  ttlOfMs,
} from '@hearth/broker'
import type { Delivery } from './delivery.ts'
import { NO_VARIABLES } from './delivery.ts'
import type { EventSpan, EventSpans } from '../telemetry/event-spans.ts'
import type { Member, PendingRequest, Requester } from './member.ts'
import type { Sender } from './sender.ts'
import type { Forwarded, Mesh } from '../mesh/mesh.ts'
import { PendingRequests } from './pending-requests.ts'
import type { GroupShape } from './registry.ts'
import { Registry } from './registry.ts'
import { RemoteRequester, RemoteMember } from '../mesh/remote-member.ts'
import { routedEvent } from './route-table.ts'
import { Subscription } from '../components/subscription.ts'
import type { EventOutcome, EventCounter } from '../telemetry/event-counter.ts'
import { Targets, notSubscribed } from './targets.ts'
import { validate } from './validate-event.ts'
import { Watchers } from '../telemetry/watchers.ts'

/** Time to live of an error response. The ttl of the request may have expired. */
const ERROR_TTL = ttlOfMs(5000)
const CANCEL_TTL = ttlOfMs(10_000)
/** Approximate size of an event without content. */
const BASE_BYTES = 512
const MAX_OPEN_REQUESTS = 1024
const BUSY_MS = 1000
const BROKER_MESSAGES: ReadonlySet<string> = new Set([EVENT_TYPE.telemetry, EVENT_TYPE.profile])

/** The broker's part in routing: identity, limits, and handlers for events addressed to the broker itself. */
export interface RouterHost {
  readonly tenant: string
  readonly component: Component
  readonly mesh: Mesh
  readonly counter: EventCounter
  readonly spans: EventSpans
  /** Size limit of one event. */
  readonly eventBytes: number
  /** Handles a MESSAGE to the broker. Throws BrokerError. */
  acceptMessage(event: Event, from: Subscription, bytes: number): void
  /** Handles a REQUEST to the broker. Rejects with BrokerError. */
  handleRequest(event: Event): Promise<Event>
  /** Stores a captured profile that no capture of this server waits for. Rejects with BrokerError. */
  storeProfile(event: Event, from: Member, reason: 'answered' | 'late'): Promise<void>
  onError(error: unknown): void
}

export class TenantRouter {
  readonly registry = new Registry()
  readonly watchers = new Watchers()
  readonly #requests = new PendingRequests()
  readonly #remoteRequesters = new Map<string, RemoteRequester>()
  readonly #host: RouterHost
  readonly #targets: Targets

  constructor(host: RouterHost) {
    this.#host = host
    this.#targets = new Targets(this.registry, host.component.id, host.mesh)
  }

  get inFlight(): number {
    return this.#requests.size
  }

  get isEmpty(): boolean {
    return this.registry.size === 0 && this.watchers.isEmpty && this.#requests.size === 0
  }

  /** Accepts an event from a component whose identity was checked. */
  accept(from: Subscription, sent: Event, since: number, bytes: number): void {
    from.countReceived()
    const event = { ...sent, source: from.component }
    const { category, type } = event
    if (from.isConsole && category !== Category.REQUEST && type !== EVENT_TYPE.captureCancel)
      this.#refuse(
        event,
        from,
        new BrokerError('unauthorized', 'a console may only send requests; use a token with the scope broker'),
      )
    else if (category === Category.RESPONSE) this.#settle(event, from, from, since, bytes)
    else this.dispatch(event, from, since, bytes)
    from.throttle()
  }

  /** Rejects an event of a component whose content is invalid. `sent` has the fields that could be read. */
  reject(from: Subscription, sent: Event, error: BrokerError): void {
    from.countReceived()
    const event = { ...sent, source: from.component }
    const pending = event.category === Category.RESPONSE ? this.#requests.find(event.parentId, from) : undefined
    if (pending === undefined) return this.#refuse(event, from, error)
    this.#requests.close(pending, false)
    this.#fail(pending, new BrokerError(error.kind, `invalid response: ${error.message}`))
  }

  /** Routes a REQUEST or MESSAGE. The requester receives an error response if routing fails. */
  dispatch(event: Event, requester: Requester, since: number, bytes: number): void {
    let span: EventSpan | undefined
    try {
      this.#checkSize(bytes)
      validate(event)
      if (this.#isForBroker(event)) return this.#atBroker(event, requester, bytes)
      span = this.#spanOf(event, since)
      this.#route(event, requester, since, bytes, span)
    } catch (error) {
      this.#refuse(event, requester, error, span)
    }
  }

  /** Accepts an event from another broker. */
  acceptForwarded({ event, routeId, since, bytes, pinned }: Forwarded, from: string): void {
    if (event.category === Category.RESPONSE) {
      const pending = this.#requests.get(event.parentId)
      const isTheirs = pending?.member instanceof RemoteMember && pending.member.component.brokerId === from
      if (isTheirs) this.#settle(event, pending.member, this.#remoteRequester(from), since, bytes)
      else this.#record(event, 'stray')
      return
    }
    const requester = this.#remoteRequester(from)
    const span = this.#spanOf(event, since)
    try {
      // The first broker validated the event. Only its ttl can have run out since.
      if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has expired (ttl)')
      this.#checkSize(bytes)
      const member = this.#localMember(event, pinned)
      const env = member instanceof Subscription ? member.env : NO_VARIABLES
      const routed = { ...event, target: member.component }
      span?.found(routed, routeId)
      const isAccepted = this.#offer(member, { event: routed, routeId, env, since, bytes, pinned, span }, requester)
      this.#sent(routed, requester, member, isAccepted, routeId, since)
    } catch (error) {
      this.#refuse(event, requester, error, span)
    }
  }

  /** Adds a member and ends an older stream of the same instance. Throws BrokerError if its replicas handle events differently. */
  add(member: Member, shape: GroupShape): void {
    const { registry } = this
    const old = registry.sameInstance(member.component)
    registry.checkReplicas(member.component, shape, old)
    if (old !== undefined) this.remove(old, 'it has subscribed again')
    registry.add(member, shape)
    if (old instanceof Subscription) old.end(status.ABORTED, 'the same component has subscribed again')
  }

  /** Removes a member. Its requesters receive an error, and the captures it requested are cancelled. */
  remove(member: Member, why: string): void {
    this.leave(member, why)
    if (member instanceof Subscription) this.abandon(member)
  }

  /** Routes nothing more to a member. Its requesters receive an error, and its own requests stay open. */
  leave(member: Member, why: string): void {
    this.registry.remove(member)
    for (const pending of member.unanswered) {
      this.#requests.close(pending, true)
      const { name, id } = member.component
      this.#fail(pending, new BrokerError('componentGone', `${name} ${id} is gone: ${why}`))
    }
  }

  /** Closes all requests of a requester that no longer waits for them. */
  abandon(requester: Requester): void {
    for (const pending of requester.openRequests) {
      this.#requests.close(pending, true)
      this.#cancel(pending)
    }
  }

  peerGone(brokerId: string, why: string): void {
    for (const member of this.registry.membersAt(brokerId)) this.remove(member, why)
    const requester = this.#remoteRequesters.get(brokerId)
    if (requester !== undefined) this.abandon(requester)
    this.#remoteRequesters.delete(brokerId)
  }

  /** Fails all open requests. */
  close(): void {
    for (const pending of this.#requests.all()) {
      this.#requests.close(pending, false)
      this.#fail(pending, new BrokerError('brokerUnavailable', 'the server is shutting down'))
    }
  }

  #route(event: Event, requester: Requester, since: number, bytes: number, span: EventSpan | undefined): void {
    const isRequest = event.category === Category.REQUEST
    if (isRequest && requester.openRequests.size >= MAX_OPEN_REQUESTS)
      throw new BrokerError('busy', `${MAX_OPEN_REQUESTS} requests are unanswered; wait for responses`, {
        retryAfterMs: BUSY_MS,
      })
    if (isRequest && this.#requests.has(event.id)) throw new BrokerError('invalid', 'the request id is already in use')
    const pinned = this.#targets.pinned(event)
    const found = this.#targets.find(event, pinned)
    const member = pinned ?? found.group.pick()
    if (member === undefined) throw busy(found.group.component)
    const routed = routedEvent(event, found, member)
    const env = member instanceof Subscription ? member.env : NO_VARIABLES
    const { routeId } = found
    span?.found(routed, routeId)
    const delivery = { event: routed, routeId, env, since, bytes, pinned: pinned !== undefined, span }
    this.#sent(routed, requester, member, this.#offer(member, delivery, requester), routeId, since)
  }

  /** The sender waits for room. If a MESSAGE is not delivered, the sender gets an error. A REQUEST has its own timer. */
  #offer(member: Member, delivery: Delivery, sender: Requester): boolean {
    const { event } = delivery
    if (event.category !== Category.MESSAGE) return member.offer({ ...delivery, sender })
    const onDropped = (error: BrokerError): void => {
      this.#record(event, error.kind, delivery.routeId, error.message)
      this.#respondError(event, sender, error)
    }
    return member.offer({ ...delivery, sender, onDropped })
  }

  #localMember({ target, context }: Event, pinned: boolean): Member {
    const { id } = this.#host.component
    const environment = context?.virtualEnvironment ?? ''
    const member = target === undefined ? undefined : this.registry.localMember(target, id, environment, pinned)
    if (member === undefined) throw notSubscribed(target)
    return member
  }

  #sent(event: Event, requester: Requester, member: Member, isAccepted: boolean, routeId: bigint, since: number): void {
    if (!isAccepted) throw busy(member.component)
    if (event.category === Category.REQUEST) {
      const left = msOfTtl(ttlAfter(event, performance.now() - since))
      this.#requests.open(event, { requester, member, since }, left, pending => this.#timedOut(pending))
    }
    this.#record(event, member instanceof RemoteMember ? 'forwarded' : 'delivered', routeId)
  }

  #checkSize(bytes: number): void {
    const { eventBytes } = this.#host
    if (bytes > eventBytes)
      throw new BrokerError('contentTooLarge', `the event has ${bytes} bytes; the limit is ${eventBytes}`)
  }

  #isForBroker({ target, category, type }: Event): boolean {
    // Telemetry and profiles without a target are always for the broker.
    if (extentOf(target) === 'empty') return category === Category.MESSAGE && BROKER_MESSAGES.has(type)
    if (target?.type !== COMPONENT_TYPE.broker) return false
    const { id } = this.#host.component
    if ((target.id === '' || target.id === id) && (target.brokerId === '' || target.brokerId === id)) return true
    throw this.#targets.absent({ ...target, brokerId: target.brokerId === '' ? target.id : target.brokerId })
  }

  #atBroker(event: Event, requester: Requester, bytes: number): void {
    if (event.category === Category.MESSAGE) {
      if (!(requester instanceof Subscription))
        throw new BrokerError('invalid', 'the broker cannot send messages to itself')
      this.#host.acceptMessage(event, requester, bytes)
      this.#record(event, 'kept')
      return
    }
    const done = requester.expectResponse()
    this.#host
      .handleRequest(event)
      .then(response => {
        const bytes = BASE_BYTES + response.content.length
        this.#checkSize(bytes)
        if (!requester.respond({ event: response, since: performance.now(), bytes })) throw noRoom()
        this.#record(event, 'kept')
      })
      .catch((error: unknown) => this.#refuse(event, requester, error))
      .finally(done)
  }

  #settle(event: Event, from: Member, sender: Sender, since: number, bytes: number): void {
    const pending = this.#requests.find(event.parentId, from)
    if (pending === undefined) {
      this.#unexpected(event, from)
      return
    }
    // If another broker's timeout came first, its component may still respond.
    this.#requests.close(pending, errorOf(event)?.kind === 'timeout')
    const { request } = pending
    // The remaining ttl is that of the request, whatever the responder wrote.
    const ttl = ttlAfter(request, performance.now() - pending.since)
    const parentSpan = event.parentSpan ?? request.parentSpan
    const response = { ...event, target: request.source, parentSpan, ttl: ttl > 0n ? ttl : ERROR_TTL }
    // Captures of this server store their own profile, and a remote requester's broker stores it there.
    if (event.type === EVENT_TYPE.capture && pending.requester instanceof Subscription) {
      const done = pending.requester.expectResponse()
      void this.#host
        .storeProfile(profileOf(response, request), from, 'answered')
        .then(
          () => this.#respond(pending, response, sender, since, bytes),
          (error: unknown) => this.#fail(pending, this.#errorOf(error)),
        )
        .finally(done)
    } else this.#respond(pending, response, sender, since, bytes)
  }

  #respond(pending: PendingRequest, response: Event, sender: Sender, since: number, bytes: number): void {
    const { requester, request, member } = pending
    const span = this.#spanOf(response, since)
    span?.found(response)
    try {
      this.#checkSize(bytes)
      const onDropped = (error: BrokerError): void => this.#fail(pending, error)
      if (!requester.respond({ event: response, since, bytes, onDropped }, sender)) throw noRoom()
      span?.end()
      this.#record(response, 'answered')
    } catch (thrown) {
      // Report the error to the requester. Store the profile here if it cannot reach a remote requester.
      const error = this.#errorOf(thrown)
      span?.end(error)
      this.#fail(pending, error)
      if (response.type === EVENT_TYPE.capture && requester instanceof RemoteRequester)
        this.#keepLate(profileOf(response, request), member)
    }
  }

  #unexpected(event: Event, from: Member): void {
    // The timeout of another broker can arrive after our own. A profile may still follow.
    if (errorOf(event)?.kind === 'timeout') {
      this.#record(event, this.#requests.get(event.parentId) === undefined ? 'stray' : 'late')
      return
    }
    const late = this.#requests.takeLate(event.parentId, from)
    this.#record(event, late === undefined ? 'stray' : 'late')
    if (late?.request.type !== EVENT_TYPE.capture || event.type !== EVENT_TYPE.capture) return
    const profile = profileOf(event, late.request)
    try {
      // The broker of a remote requester knows what the profile is for.
      if (
        late.requester instanceof RemoteRequester &&
        this.#remoteRequesters.get(late.requester.brokerId) === late.requester
      )
        return void late.requester.respond({
          event: { ...profile, ttl: ERROR_TTL },
          since: performance.now(),
          bytes: profile.content.length,
        })
    } catch {
      // That broker is unreachable, so store the profile here.
    }
    this.#keepLate(profile, from)
  }

  /** Stores a late profile. The listener logs failures, and no requester is left to receive them. */
  #keepLate(profile: Event, from: Member): void {
    this.#host.storeProfile(profile, from, 'late').catch(() => {})
  }

  #timedOut(pending: PendingRequest): void {
    this.#fail(pending, new BrokerError('timeout', `${pending.member.component.name} did not respond in time`))
    this.#cancel(pending)
  }

  /** Cancels a capture that no requester waits for. */
  #cancel({ request, member }: PendingRequest): void {
    if (request.type !== EVENT_TYPE.capture) return
    const event = createEvent({
      type: EVENT_TYPE.captureCancel,
      category: Category.MESSAGE,
      parentId: request.id,
      parentSpan: request.parentSpan,
      ttl: CANCEL_TTL,
      context: request.context,
      source: request.source,
      target: member.component,
      params: { capture_id: request.params['capture_id'] ?? request.id },
    })
    const delivery = { event, routeId: DEFAULT_ROUTE, env: NO_VARIABLES, bytes: BASE_BYTES, pinned: true }
    try {
      this.#record(event, member.offer({ ...delivery, since: performance.now() }) ? 'delivered' : 'dropped')
    } catch {
      this.#record(event, 'dropped')
    }
  }

  #refuse(event: Event, requester: Requester, thrown: unknown, span?: EventSpan): void {
    const error = this.#errorOf(thrown)
    span?.end(error)
    this.#record(event, error.kind, undefined, error.message)
    if (error.kind === 'busy' && event.category === Category.MESSAGE) this.#countDropped(event)
    if (event.category === Category.REQUEST) this.#respondError(event, requester, error)
  }

  #errorOf(thrown: unknown): BrokerError {
    if (thrown instanceof BrokerError) return thrown
    this.#host.onError(thrown)
    return new BrokerError('unexpected', 'internal error of the broker; see the server log')
  }

  #fail({ request, requester }: PendingRequest, error: BrokerError): void {
    this.#record(request, error.kind, undefined, error.message)
    this.#respondError(request, requester, error)
  }

  #respondError(request: Event, requester: Requester, error: BrokerError): void {
    const event = { ...errorResponse(request, this.#host.component, error), ttl: ERROR_TTL }
    try {
      requester.respond({ event, since: performance.now(), bytes: BASE_BYTES })
    } catch {
      // The other broker is unreachable. Its own timer reports the timeout.
    }
  }

  #countDropped({ target }: Event): void {
    const member = target === undefined || target.id === '' ? undefined : this.registry.instance(target)
    if (member instanceof Subscription) member.countDropped()
  }

  #record(event: Event, outcome: EventOutcome, routeId?: bigint, error?: string): void {
    this.#host.counter.add(event.category, outcome)
    if (!this.watchers.isEmpty) this.watchers.show({ event, outcome, routeId, error })
  }

  #spanOf(event: Event, since: number): EventSpan | undefined {
    return this.#host.spans.open(this.#host.tenant, event, since)
  }

  #remoteRequester(brokerId: string): RemoteRequester {
    let requester = this.#remoteRequesters.get(brokerId)
    if (requester === undefined) {
      requester = new RemoteRequester(this.#host.tenant, brokerId, this.#host.mesh)
      this.#remoteRequesters.set(brokerId, requester)
    }
    return requester
  }
}

/** Adds the request's parameters to a profile, which identify the capture. */
function profileOf(response: Event, { id, params, parentSpan }: Event): Event {
  const requested = { capture_id: id, ...params }
  return { ...response, parentSpan: response.parentSpan ?? parentSpan, params: { ...response.params, ...requested } }
}

function busy({ name }: Component): BrokerError {
  return new BrokerError('busy', `the queue of ${name} is full`, { retryAfterMs: BUSY_MS })
}

function noRoom(): BrokerError {
  return new BrokerError('busy', "the response was dropped because the requester's queue is full")
}
