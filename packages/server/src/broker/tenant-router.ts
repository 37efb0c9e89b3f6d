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
  errorResponse,
  extentOf,
  isTimedOut,
  msOfTtl,
  ttlAfter,
  ttlOfMs,
} from '@hearth/broker'
import { NO_VARIABLES } from './delivery.ts'
import type { Member } from './group.ts'
import type { Forwarded, Mesh } from './mesh.ts'
import type { Asker, PendingRequest } from './pending-requests.ts'
import { PendingRequests } from './pending-requests.ts'
import type { GroupShape } from './registry.ts'
import { Registry } from './registry.ts'
import { RemoteAsker, RemoteMember } from './remote-member.ts'
import type { Found, RoutedGroup } from './route-table.ts'
import { routedEvent } from './route-table.ts'
import { Subscription } from './subscription.ts'
import type { EventOutcome, Tally } from './tally.ts'
import { fits, validate } from './validate-event.ts'
import { Watchers } from './watchers.ts'

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
  /** The largest event. */
  readonly eventBytes: number
  /** A MESSAGE for the broker. Throws BrokerError. */
  keep(event: Event, from: Subscription, bytes: number): void
  /** A REQUEST for the broker. Rejects with BrokerError. */
  ask(event: Event): Promise<Event>
  /** An answer to a capture that the server itself did not ask for, or does not wait for any more. */
  captured(event: Event, from: Member, late: boolean): void
  onError(error: unknown): void
}

export class TenantRouter {
  readonly registry = new Registry()
  readonly watchers = new Watchers()
  readonly #requests = new PendingRequests()
  readonly #remoteAskers = new Map<string, RemoteAsker>()
  readonly #host: RouterHost

  constructor(host: RouterHost) {
    this.#host = host
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
    const problem = this.#problemOf(event, from, bytes)
    if (problem !== undefined) this.#refuseFrom(event, from, problem)
    else if (event.category === Category.RESPONSE) this.#settle(event, from, since, bytes)
    else this.dispatch(event, from, since, bytes)
  }

  /** A REQUEST or MESSAGE of a component or of the server. What fails is answered where it can be. */
  dispatch(event: Event, asker: Asker, since: number, bytes: number): void {
    try {
      validate(event)
      if (this.#isForBroker(event)) this.#atBroker(event, asker, bytes)
      else this.#route(event, asker, since, bytes)
    } catch (error) {
      this.#refuse(event, asker, error)
    }
  }

  /** What another broker sends. */
  acceptForwarded({ event, routeId, since, bytes, pinned }: Forwarded, from: string): void {
    if (event.category === Category.RESPONSE) {
      const pending = this.#requests.get(event.parentId)
      const isTheirs = pending?.member instanceof RemoteMember && pending.member.component.brokerId === from
      if (isTheirs) this.#settle(event, pending.member, since, bytes)
      else this.#note(event, 'stray')
      return
    }
    const asker = this.#remoteAsker(from)
    try {
      // The broker that it came to has validated it; on the way it has only got older.
      if (isTimedOut(event)) throw new BrokerError('timeout', 'the event has no time left (ttl)')
      const member = this.#atHome(event, pinned)
      const env = member instanceof Subscription ? member.env : NO_VARIABLES
      const routed = { ...event, target: member.component }
      const isTaken = member.offer({ event: routed, routeId, env, since, bytes, pinned })
      this.#sent(routed, asker, member, isTaken, routeId, since)
    } catch (error) {
      this.#refuse(event, asker, error)
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

  #route(event: Event, asker: Asker, since: number, bytes: number): void {
    const isRequest = event.category === Category.REQUEST
    if (isRequest && asker.asked.size >= MOST_ASKED)
      throw new BrokerError('busy', `${MOST_ASKED} requests are not answered yet`, { retryAfterMs: BUSY_MS })
    if (isRequest && this.#requests.has(event.id)) throw new BrokerError('invalid', 'the id of the request is in use')
    const pinned = this.#pinned(event)
    const found = this.#find(event, pinned)
    const member = pinned ?? found.group.pick()
    if (member === undefined || member.isFull) throw busy(found.group.component)
    const routed = routedEvent(event, found, member)
    const env = member instanceof Subscription ? member.env : NO_VARIABLES
    const { routeId } = found
    const isTaken = member.offer({ event: routed, routeId, env, since, bytes, pinned: pinned !== undefined })
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

  #problemOf({ category, type }: Event, from: Subscription, bytes: number): BrokerError | undefined {
    const { eventBytes } = this.#host
    if (bytes > eventBytes)
      return new BrokerError('contentTooLarge', `the event has ${bytes} bytes; the limit is ${eventBytes}`)
    if (from.onlyAsks && category !== Category.REQUEST && type !== EVENT_TYPE.captureCancel)
      return new BrokerError('unauthorized', 'a console sends requests alone; its token has no right to more')
    return undefined
  }

  /** An answer that cannot be taken is a failure to whoever waits for it. */
  #refuseFrom(event: Event, from: Subscription, error: BrokerError): void {
    const isResponse = event.category === Category.RESPONSE
    const pending = isResponse ? this.#requests.find(event.parentId, from) : undefined
    if (pending === undefined) return this.#refuse(event, from, error)
    this.#requests.close(pending, false)
    this.#fail(pending, error)
  }

  /** The very instance that the target names. */
  #pinned({ target }: Event): Member | undefined {
    if (target === undefined || target.id === '') return undefined
    const member = this.registry.instance(target)
    if (member === undefined) throw this.#absent(target)
    if (!fits(target, member.component))
      throw new BrokerError('componentMismatch', `${target.name} ${target.id} is not what the target says`)
    return member
  }

  #find(event: Event, pinned: Member | undefined): Found {
    const { target } = event
    const environment = event.context?.virtualEnvironment ?? ''
    if (target === undefined || target.name === '') {
      const found = this.registry.routes.find(event, environment)
      if (found === undefined) throw new BrokerError('routeNotFound', 'no rule matches the event')
      return found
    }
    const all = this.registry.routes.named(target.name)
    const groups =
      pinned === undefined
        ? all.filter(group => isIn(group, environment) && fits(target, { ...group.component, id: target.id }))
        : all.filter(group => group.members.includes(pinned))
    if (groups.length === 0) throw this.#absent(target)
    const found = this.registry.routes.findAmong(groups, event)
    if (found !== undefined) return found
    throw new BrokerError('routeNotFound', `no rule of ${target.name} matches the event, and it has no default handler`)
  }

  #absent(target: Component): BrokerError {
    if (target.type === COMPONENT_TYPE.httpAdapter)
      return new BrokerError('unsupportedAdapter', `there is no adapter of the type ${target.type}`)
    const { brokerId } = target
    const mesh = this.#host.mesh.state()
    const isElsewhere = brokerId !== '' && brokerId !== this.#host.component.id
    if (isElsewhere && mesh.kind === 'local')
      return new BrokerError('brokerMismatch', `there is no broker ${brokerId} here, and no other is known`)
    if (isElsewhere && !mesh.connected)
      return new BrokerError('brokerUnavailable', `broker ${brokerId} cannot be reached: ${mesh.message}`)
    return gone(target)
  }

  #isForBroker({ target, category, type }: Event): boolean {
    // What components tell about themselves is for nobody else, whether or not they know the broker's name.
    if (extentOf(target) === 'empty') return category === Category.MESSAGE && TOLD.has(type)
    if (target?.type !== COMPONENT_TYPE.broker) return false
    const { id } = this.#host.component
    if ((target.id === '' || target.id === id) && (target.brokerId === '' || target.brokerId === id)) return true
    throw this.#absent({ ...target, brokerId: target.brokerId === '' ? target.id : target.brokerId })
  }

  #atBroker(event: Event, asker: Asker, bytes: number): void {
    if (event.category === Category.MESSAGE) {
      if (!(asker instanceof Subscription)) throw new BrokerError('invalid', 'the broker has nothing to tell itself')
      this.#host.keep(event, asker, bytes)
      this.#note(event, 'kept')
      return
    }
    this.#host.ask(event).then(
      response => {
        const isTaken = asker.answer(response, performance.now(), SMALL + response.content.length)
        this.#note(event, isTaken ? 'kept' : 'dropped')
      },
      (error: unknown) => this.#refuse(event, asker, error),
    )
  }

  #settle(event: Event, from: Member, since: number, bytes: number): void {
    const pending = this.#requests.find(event.parentId, from)
    if (pending === undefined) {
      this.#unexpected(event, from)
      return
    }
    this.#requests.close(pending, false)
    const { request, asker } = pending
    // The time that is left is the request's: the responder's clock and care have no say in it.
    const ttl = ttlAfter(request, performance.now() - pending.since)
    const answer = { ...event, target: request.source, ttl: ttl > 0n ? ttl : ERROR_TTL }
    // The server keeps what it asked for itself, and so does the broker of an asker elsewhere.
    if (event.type === EVENT_TYPE.capture && asker instanceof Subscription) this.#host.captured(answer, from, false)
    try {
      this.#note(answer, asker.answer(answer, since, bytes) ? 'answered' : 'dropped')
    } catch (error) {
      // It is too large for the way back, or the way is gone: the asker is told what can be told.
      this.#fail(pending, this.#errorOf(error))
    }
  }

  #unexpected(event: Event, from: Member): void {
    const late = this.#requests.takeLate(event.parentId, from)
    this.#note(event, late === undefined ? 'stray' : 'late')
    if (late?.request.type === EVENT_TYPE.capture && event.type === EVENT_TYPE.capture) {
      this.#host.captured({ ...event, parentSpan: event.parentSpan ?? late.request.parentSpan }, from, true)
    }
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

  #refuse(event: Event, asker: Asker, thrown: unknown): void {
    const error = this.#errorOf(thrown)
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

  #remoteAsker(brokerId: string): RemoteAsker {
    let asker = this.#remoteAskers.get(brokerId)
    if (asker === undefined) {
      asker = new RemoteAsker(this.#host.tenant, brokerId, this.#host.mesh)
      this.#remoteAskers.set(brokerId, asker)
    }
    return asker
  }
}

function isIn(group: RoutedGroup, environment: string): boolean {
  return environment === '' || group.environment === environment
}

function gone(target: Component | undefined): BrokerError {
  const who = target === undefined ? 'the component' : `${target.name} ${target.id}`.trim()
  return new BrokerError('componentGone', `${who} is not subscribed`)
}

function busy({ name }: Component): BrokerError {
  return new BrokerError('busy', `${name} does not keep up with its events`, { retryAfterMs: BUSY_MS })
}
