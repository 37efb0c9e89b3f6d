// The replicas of one component. An event for the group goes to the member with the lowest load.
import type { Component } from '@hearth/broker'
import type { Member } from './member.ts'

type GroupParts<Route> = Omit<Group<Route>, 'members' | 'remove' | 'pick'>

export class Group<Route> {
  readonly environment: string
  /** Subscribed at another broker. */
  readonly isRemote: boolean
  /** Without an instance id. */
  readonly component: Component
  readonly routes: readonly Route[]
  readonly defaultHandler: boolean
  /** Equal for all replicas. */
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

  /** Returns the member with the lowest load, round-robin among equals. Prefers members with room. */
  pick(): Member | undefined {
    const { members } = this
    let best: Member | undefined
    let at = 0
    for (let i = 0; i < members.length; i++) {
      const index = (this.#turn + i) % members.length
      const member = members[index]
      if (best !== undefined && !isBetter(member, best)) continue
      best = member
      at = index
      if (member.load === 0 && !member.isFull) break
    }
    this.#turn = at + 1
    return best
  }
}

function isBetter(a: Member, b: Member): boolean {
  return a.isFull === b.isFull ? a.load < b.load : b.isFull
}
