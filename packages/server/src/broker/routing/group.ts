// The replicas of one component, which are alike: an event for the group goes to the one with the least to do.
import type { Component } from '@hearth/broker'
import type { Delivery } from './delivery.ts'
import type { PendingRequest } from './pending-requests.ts'

/** One replica: a stream of this broker, or a component of another one. */
export interface Member {
  /** With its broker's id. */
  readonly component: Component
  /** Events that wait and requests that are not answered. */
  readonly load: number
  readonly isFull: boolean
  /** Requests that it has to answer. */
  readonly unanswered: Set<PendingRequest>
  /** False where there is no room. Throws BrokerError where it cannot be reached. */
  offer(delivery: Delivery): boolean
}

type GroupParts<Route> = Omit<Group<Route>, 'members' | 'remove' | 'pick'>

export class Group<Route> {
  readonly environment: string
  /** At another broker. */
  readonly isRemote: boolean
  /** Without an id. */
  readonly component: Component
  readonly routes: readonly Route[]
  readonly defaultHandler: boolean
  /** Equal in all replicas. */
  readonly handling: string
  readonly members: Member[] = []
  #turn = 0

  constructor(given: GroupParts<Route>) {
    this.environment = given.environment
    this.isRemote = given.isRemote
    this.component = given.component
    this.routes = given.routes
    this.defaultHandler = given.defaultHandler
    this.handling = given.handling
  }

  remove(member: Member): void {
    const index = this.members.indexOf(member)
    if (index !== -1) this.members.splice(index, 1)
  }

  /** The one with the least to do, those with as little in turn. Undefined where all are full. */
  pick(): Member | undefined {
    const { members } = this
    let best: Member | undefined
    let at = 0
    for (let i = 0; i < members.length; i++) {
      const index = (this.#turn + i) % members.length
      const member = members[index]
      if (member.isFull || (best !== undefined && member.load >= best.load)) continue
      best = member
      at = index
      if (member.load === 0) break
    }
    this.#turn = at + 1
    return best
  }
}
