// Components and requesters at other brokers.
import type { Component, Event } from '@hearth/broker'
import { DEFAULT_ROUTE } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import type { Member } from '../routing/member.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { Mesh } from './mesh.ts'
import type { Requester, PendingRequest } from '../routing/member.ts'

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

/** Another broker that sends a request on behalf of one of its components. */
export class RemoteRequester implements Requester {
  readonly openRequests = new Set<PendingRequest>()
  readonly brokerId: string
  readonly #tenant: string
  readonly #mesh: Mesh

  constructor(tenant: string, brokerId: string, mesh: Mesh) {
    this.#tenant = tenant
    this.brokerId = brokerId
    this.#mesh = mesh
  }

  /** Throws BrokerError. */
  respond(event: Event, since: number, bytes: number): boolean {
    const tenant = this.#tenant
    this.#mesh.send(this.brokerId, { tenant, event, routeId: DEFAULT_ROUTE, since, bytes, pinned: true })
    return true
  }
}
