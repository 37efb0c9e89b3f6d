// Components and askers at other brokers, seen from this one.
import type { Component, Event } from '@hearth/broker'
import { DEFAULT_ROUTE } from '@hearth/broker'
import type { Delivery } from '../routing/delivery.ts'
import type { Member } from '../routing/group.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { Mesh } from './mesh.ts'
import type { Asker, PendingRequest } from '../routing/pending-requests.ts'

export class RemoteMember implements Member {
  readonly live: LiveComponent
  readonly unanswered = new Set<PendingRequest>()
  /** How full its queue is, only its own broker knows. */
  readonly isFull = false
  readonly #mesh: Mesh

  constructor(live: LiveComponent, mesh: Mesh) {
    this.live = live
    this.#mesh = mesh
  }

  get component(): Component {
    return this.live.component
  }

  /** Of what was sent from here. */
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

/** Another broker that asks for one of its components. */
export class RemoteAsker implements Asker {
  readonly asked = new Set<PendingRequest>()
  readonly brokerId: string
  readonly #tenant: string
  readonly #mesh: Mesh

  constructor(tenant: string, brokerId: string, mesh: Mesh) {
    this.#tenant = tenant
    this.brokerId = brokerId
    this.#mesh = mesh
  }

  /** Throws BrokerError. */
  answer(event: Event, since: number, bytes: number): boolean {
    const tenant = this.#tenant
    this.#mesh.send(this.brokerId, { tenant, event, routeId: DEFAULT_ROUTE, since, bytes, pinned: true })
    return true
  }
}
