// Components and requesters at other brokers.
import type { Component } from '@hearth/broker'
import { DEFAULT_ROUTE } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import type { Member } from '../routing/member.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { Mesh } from './mesh.ts'
import type { PendingRequest, Requester, Response } from '../routing/member.ts'

export class RemoteMember implements Member {
  readonly live: LiveComponent
  readonly unanswered = new Set<PendingRequest>()
  /** Only its own broker knows how full its queue is. */
  readonly isFull = false
  readonly #mesh: Mesh

  constructor(live: LiveComponent, mesh: Mesh) {
    this.live = live
    this.#mesh = mesh
  }

  get component(): Component {
    return this.live.component
  }

  /** Counts only requests sent by this broker. */
  get load(): number {
    return this.unanswered.size
  }

  offer({ event, routeId, since, bytes, pinned, span }: Delivery): boolean {
    const { tenant } = this.live
    this.#mesh.send(this.component.brokerId, { tenant, event, routeId, since, bytes, pinned })
    span?.end()
    return true
  }
}

/** NATS has no back-pressure per sender, so a broker may have this much waiting here. The rest is rejected as busy. */
const MAX_HELD_EVENTS = 1024
const MAX_HELD_BYTES = 16 * 1024 * 1024

/** Another broker that sends a request on behalf of one of its components. */
export class RemoteRequester implements Requester {
  readonly openRequests = new Set<PendingRequest>()
  readonly brokerId: string
  readonly #tenant: string
  readonly #mesh: Mesh
  #held = 0
  #heldBytes = 0

  constructor(tenant: string, brokerId: string, mesh: Mesh) {
    this.#tenant = tenant
    this.brokerId = brokerId
    this.#mesh = mesh
  }

  /** Throws BrokerError. */
  respond({ event, since, bytes }: Response): boolean {
    const tenant = this.#tenant
    this.#mesh.send(this.brokerId, { tenant, event, routeId: DEFAULT_ROUTE, since, bytes, pinned: true })
    return true
  }

  hold(bytes: number): boolean {
    if (this.#held >= MAX_HELD_EVENTS || this.#heldBytes + bytes > MAX_HELD_BYTES) return false
    this.#held++
    this.#heldBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#held--
    this.#heldBytes -= bytes
  }

  expectResponse(): () => void {
    return () => {}
  }
}
