// Routing among the components of one tenant. Everything here is synchronous, so that the events of a sender keep their order.
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
import { NO_VARIABLES } from './delivery.ts'
import type { EventSpan, EventSpans } from '../telemetry/event-spans.ts'
import type { Member } from './group.ts'
import type { Forwarded, Mesh } from '../mesh/mesh.ts'
import type { Asker, PendingRequest } from './pending-requests.ts'
import { PendingRequests } from './pending-requests.ts'
import type { GroupShape } from './registry.ts'
import { Registry } from './registry.ts'
import { RemoteAsker, RemoteMember } from '../mesh/remote-member.ts'
import { routedEvent } from './route-table.ts'
import { Subscription } from '../components/subscription.ts'
import type { EventOutcome, Tally } from '../telemetry/tally.ts'
import { Targets, gone } from './targets.ts'
import { validate } from './validate-event.ts'
import { Watchers } from '../telemetry/watchers.ts'

/** How long an error may take to its asker, whose own time may be over. */
const ERROR_TTL = ttlOfMs(5000)
const CANCEL_TTL = ttlOfMs(10_000)
/** About what an event without content takes. */
const SMALL = 512
const MOST_ASKED = 1024
const BUSY_MS = 1000
const TOLD: ReadonlySet<string> = new Set([EVENT_TYPE.telemetry, EVENT_TYPE.profile])

/** What the broker does with events that are for itself. */
export interface RouterHost {
  readonly tenant: string
  readonly component: Component
  readonly mesh: Mesh
  readonly tally: Tally
  readonly spans: EventSpans
  /** The largest event. */
  readonly eventBytes: number
  /** A MESSAGE for the broker. Throws BrokerError. */
  keep(event: Event, from: Subscription, bytes: number): void
  /** A REQUEST for the broker. Rejects with BrokerError. */
  ask(event: Event): Promise<Event>
  /** An answer to a capture that the server itself did not ask for, or does not wait for any more. Done when it is kept; rejects with BrokerError. */
  captured(event: Event, from: Member, reason: 'answered' | 'late'): Promise<void>
  onError(error: unknown): void
}

export class TenantRouter {
  readonly registry = new Registry()
  readonly watchers = new Watchers()
  readonly #requests = new PendingRequests()
  readonly #remoteAskers = new Map<string, RemoteAsker>()
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

  /** What a component sent. Its identity was checked. */
  accept(from: Subscription, sent: Event, since: number, bytes: number): void {
    from.countReceived()
    const event = { ...sent, source: from.component }
    const { category, type } = event
    if (from.onlyAsks && category !== Category.REQUEST && type !== EVENT_TYPE.captureCancel)
      this.#refuse(
        event,
        from,
        new BrokerError('unauthorized', 'a console sends requests alone; its token has no right to more'),
      )
    else if (category === Category.RESPONSE) this.#settle(event, from, since, bytes)
    else this.dispatch(event, from, since, bytes)
  }

  /** A REQUEST or MESSAGE of a component or of the server. What fails is answered where it can be. */
  dispatch(event: Event, asker: Asker, since: number, bytes: number): void {
    let span: EventSpan | undefined
    try {
      this.#checkSize(bytes)
      validate(event)
      if (this.#isForBroker(event)) return this.#atBroker(event, asker, bytes)
      span = this.#spanOf(event, since)
      this.#route(event, asker, since, bytes, span)
    } catch (error) {
      this.#refuse(event, asker, error, span)
    }
  }

  /** What another broker sends. */
  acceptForwarded({ event, routeId, since, bytes, pinned }: Forwarded, from: string): void {
    if (event.category === Category.RESPONSE) {
      const asked = this.#requests.get(event.parentId)
      const isTheirs = asked?.member instanceof RemoteMember && asked.member.component.brokerId === from
      if (isTheirs) this.#settle(event, asked.member, since, bytes)
      else this.#note(event, 'stray')
      return
    }
    const asker = this.#remoteAsker(from)
    const span = this.#spanOf(event, since)
    try {
      // The broker that it came to has validated it; on the way it has only got older.
      if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has no time left (ttl)')
      this.#checkSize(bytes)
      const member = this.#atHome(event, pinned)
      const env = member instanceof Subscription ? member.env : NO_VARIABLES
      const routed = { ...event, target: member.component }
      span?.found(routed, routeId)
      const isTaken = member.offer({ event: routed, routeId, env, since, bytes, pinned, span })
      this.#sent(routed, asker, member, isTaken, routeId, since)
    } catch (error) {
      this.#refuse(event, asker, error, span)
    }
  }

  /** Another stream of the same instance ends. Throws BrokerError where its replicas are otherwise. */
  add(member: Member, shape: GroupShape): void {
    const { registry } = this
    const old = registry.same(member.component)
    registry.replicas(member.component, shape, old)
    if (old !== undefined) this.remove(old, 'it has subscribed anew')
    registry.add(member, shape)
    if (old instanceof Subscription) old.end(status.ABORTED, 'the same component has subscribed anew')
  }

  /** Those who wait for it are told at once; whom it asked need not go on. */
  remove(member: Member, why: string): void {
    this.registry.remove(member)
    for (const pending of member.unanswered) {
      this.#requests.close(pending, true)
      const { name, id } = member.component
      this.#fail(pending, new BrokerError('componentGone', `${name} ${id} is gone: ${why}`))
    }
    if (member instanceof Subscription) this.abandon(member)
  }

  /** Nobody waits for these answers any more. */
  abandon(asker: Asker): void {
    for (const pending of asker.asked) {
      this.#requests.close(pending, true)
      this.#cancel(pending)
    }
  }

  peerGone(brokerId: string, why: string): void {
    for (const member of this.registry.membersAt(brokerId)) this.remove(member, why)
    const asker = this.#remoteAskers.get(brokerId)
    if (asker !== undefined) this.abandon(asker)
    this.#remoteAskers.delete(brokerId)
  }

  /** Nobody will be answered any more. */
  close(): void {
    for (const pending of this.#requests.all()) {
      this.#requests.close(pending, false)
      this.#fail(pending, new BrokerError('brokerUnavailable', 'the server is shutting down'))
    }
  }

  #route(event: Event, asker: Asker, since: number, bytes: number, span: EventSpan | undefined): void {
    const isRequest = event.category === Category.REQUEST
    if (isRequest && asker.asked.size >= MOST_ASKED)
      throw new BrokerError('busy', `${MOST_ASKED} requests are not answered yet`, { retryAfterMs: BUSY_MS })
    if (isRequest && this.#requests.has(event.id)) throw new BrokerError('invalid', 'the id of the request is in use')
    const pinned = this.#targets.pinned(event)
    const found = this.#targets.find(event, pinned)
    const member = pinned ?? found.group.pick()
    if (member === undefined || member.isFull) throw busy(found.group.component)
    const routed = routedEvent(event, found, member)
    const env = member instanceof Subscription ? member.env : NO_VARIABLES
    const { routeId } = found
    span?.found(routed, routeId)
    const isTaken = member.offer({ event: routed, routeId, env, since, bytes, pinned: pinned !== undefined, span })
    this.#sent(routed, asker, member, isTaken, routeId, since)
  }

  #atHome({ target, context }: Event, pinned: boolean): Member {
    const { id } = this.#host.component
    const environment = context?.virtualEnvironment ?? ''
    const member = target === undefined ? undefined : this.registry.atHome(target, id, environment, pinned)
    if (member === undefined) throw gone(target)
    return member
  }

  #sent(event: Event, asker: Asker, member: Member, isTaken: boolean, routeId: bigint, since: number): void {
    if (!isTaken) throw busy(member.component)
    if (event.category === Category.REQUEST) {
      const left = msOfTtl(ttlAfter(event, performance.now() - since))
      this.#requests.open(event, { asker, member, since }, left, pending => this.#timedOut(pending))
    }
    this.#note(event, member instanceof RemoteMember ? 'forwarded' : 'delivered', routeId)
  }

  #checkSize(bytes: number): void {
    const { eventBytes } = this.#host
    if (bytes > eventBytes)
      throw new BrokerError('contentTooLarge', `the event has ${bytes} bytes; the limit is ${eventBytes}`)
  }

  #isForBroker({ target, category, type }: Event): boolean {
    // What components tell about themselves is for nobody else, whether or not they know the broker's name.
    if (extentOf(target) === 'empty') return category === Category.MESSAGE && TOLD.has(type)
    if (target?.type !== COMPONENT_TYPE.broker) return false
    const { id } = this.#host.component
    if ((target.id === '' || target.id === id) && (target.brokerId === '' || target.brokerId === id)) return true
    throw this.#targets.absent({ ...target, brokerId: target.brokerId === '' ? target.id : target.brokerId })
  }

  #atBroker(event: Event, asker: Asker, bytes: number): void {
    if (event.category === Category.MESSAGE) {
      if (!(asker instanceof Subscription)) throw new BrokerError('invalid', 'the broker has nothing to tell itself')
      this.#host.keep(event, asker, bytes)
      this.#note(event, 'kept')
      return
    }
    this.#host
      .ask(event)
      .then(response => {
        const taken = SMALL + response.content.length
        this.#checkSize(taken)
        if (!asker.answer(response, performance.now(), taken)) throw noRoom()
        this.#note(event, 'kept')
      })
      .catch((error: unknown) => this.#refuse(event, asker, error))
  }

  #settle(event: Event, from: Member, since: number, bytes: number): void {
    const pending = this.#requests.find(event.parentId, from)
    if (pending === undefined) {
      this.#unexpected(event, from)
      return
    }
    // Where time was over at another broker first, its component may still answer.
    this.#requests.close(pending, errorOf(event)?.kind === 'timeout')
    const { request } = pending
    // The time that is left is the request's: the responder's clock and care have no say in it.
    const ttl = ttlAfter(request, performance.now() - pending.since)
    const parentSpan = event.parentSpan ?? request.parentSpan
    const answer = { ...event, target: request.source, parentSpan, ttl: ttl > 0n ? ttl : ERROR_TTL }
    // The server keeps what it asked for itself, and so does the broker of an asker elsewhere.
    if (event.type === EVENT_TYPE.capture && pending.asker instanceof Subscription)
      this.#host.captured(profileOf(answer, request), from, 'answered').then(
        () => this.#answer(pending, answer, since, bytes),
        (error: unknown) => this.#fail(pending, this.#errorOf(error)),
      )
    else this.#answer(pending, answer, since, bytes)
  }

  #answer(pending: PendingRequest, answer: Event, since: number, bytes: number): void {
    const { asker, request, member } = pending
    const span = this.#spanOf(answer, since)
    span?.found(answer)
    try {
      this.#checkSize(bytes)
      if (!asker.answer(answer, since, bytes)) throw noRoom()
      span?.end()
      this.#note(answer, 'answered')
    } catch (thrown) {
      // The asker is told what can be told. What was recorded for one elsewhere is not lost with the way there.
      const error = this.#errorOf(thrown)
      span?.end(error)
      this.#fail(pending, error)
      if (answer.type === EVENT_TYPE.capture && asker instanceof RemoteAsker)
        this.#keepLate(profileOf(answer, request), member)
    }
  }

  #unexpected(event: Event, from: Member): void {
    // Another broker's word that time is over comes after our own now and then; a profile may still follow it.
    if (errorOf(event)?.kind === 'timeout') {
      this.#note(event, this.#requests.get(event.parentId) === undefined ? 'stray' : 'late')
      return
    }
    const late = this.#requests.takeLate(event.parentId, from)
    this.#note(event, late === undefined ? 'stray' : 'late')
    if (late?.request.type !== EVENT_TYPE.capture || event.type !== EVENT_TYPE.capture) return
    const profile = profileOf(event, late.request)
    try {
      // Of one that asked elsewhere the broker there knows what it was for.
      if (late.asker instanceof RemoteAsker && this.#remoteAskers.get(late.asker.brokerId) === late.asker)
        return void late.asker.answer({ ...profile, ttl: ERROR_TTL }, performance.now(), profile.content.length)
    } catch {
      // That one cannot be reached; the profile is kept here.
    }
    this.#keepLate(profile, from)
  }

  /** Whoever keeps profiles says in the log why one could not be kept; nobody else is there to be told. */
  #keepLate(profile: Event, from: Member): void {
    this.#host.captured(profile, from, 'late').catch(() => {})
  }

  #timedOut(pending: PendingRequest): void {
    this.#fail(pending, new BrokerError('timeout', `${pending.member.component.name} did not answer in time`))
    this.#cancel(pending)
  }

  /** A capture that nobody waits for is a load for nothing. */
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
    const delivery = { event, routeId: DEFAULT_ROUTE, env: NO_VARIABLES, bytes: SMALL, pinned: true }
    try {
      this.#note(event, member.offer({ ...delivery, since: performance.now() }) ? 'delivered' : 'dropped')
    } catch {
      this.#note(event, 'dropped')
    }
  }

  #refuse(event: Event, asker: Asker, thrown: unknown, span?: EventSpan): void {
    const error = this.#errorOf(thrown)
    span?.end(error)
    this.#note(event, error.kind, undefined, error.message)
    if (error.kind === 'busy' && event.category === Category.MESSAGE) this.#countDropped(event)
    if (event.category === Category.REQUEST) this.#answerError(event, asker, error)
  }

  #errorOf(thrown: unknown): BrokerError {
    if (thrown instanceof BrokerError) return thrown
    this.#host.onError(thrown)
    return new BrokerError('unexpected', 'the broker failed; its log says why')
  }

  #fail({ request, asker }: PendingRequest, error: BrokerError): void {
    this.#note(request, error.kind, undefined, error.message)
    this.#answerError(request, asker, error)
  }

  #answerError(request: Event, asker: Asker, error: BrokerError): void {
    const response = { ...errorResponse(request, this.#host.component, error), ttl: ERROR_TTL }
    try {
      asker.answer(response, performance.now(), SMALL)
    } catch {
      // The other broker is gone: its own timer tells the asker.
    }
  }

  #countDropped({ target }: Event): void {
    const member = target === undefined || target.id === '' ? undefined : this.registry.instance(target)
    if (member instanceof Subscription) member.countDropped()
  }

  #note(event: Event, outcome: EventOutcome, routeId?: bigint, error?: string): void {
    this.#host.tally.add(event.category, outcome)
    if (!this.watchers.isEmpty) this.watchers.show({ event, outcome, routeId, error })
  }

  #spanOf(event: Event, since: number): EventSpan | undefined {
    return this.#host.spans.open(this.#host.tenant, event, since)
  }

  #remoteAsker(brokerId: string): RemoteAsker {
    let asker = this.#remoteAskers.get(brokerId)
    if (asker === undefined) {
      asker = new RemoteAsker(this.#host.tenant, brokerId, this.#host.mesh)
      this.#remoteAskers.set(brokerId, asker)
    }
    return asker
  }
}

/** With what it was asked for, by which it is found again. */
function profileOf(answer: Event, { id, params, parentSpan }: Event): Event {
  const asked = { capture_id: id, ...params }
  return { ...answer, parentSpan: answer.parentSpan ?? parentSpan, params: { ...answer.params, ...asked } }
}

function busy({ name }: Component): BrokerError {
  return new BrokerError('busy', `${name} does not keep up with its events`, { retryAfterMs: BUSY_MS })
}

function noRoom(): BrokerError {
  return new BrokerError('busy', 'there is an answer, but no room for it: the asker does not keep up with what it gets')
}
