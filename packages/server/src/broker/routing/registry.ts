// All subscribed components of a tenant, local and remote, in groups of replicas.
import type { Component } from '@hearth/broker'
import { BrokerError, shortHash } from '@hearth/broker'
import type { Member } from './member.ts'
import { Group } from './group.ts'
import type { GroupRoute, RoutedGroup } from './route-table.ts'
import { RouteTable } from './route-table.ts'
import { Subscription } from '../components/subscription.ts'
import { matchesTarget } from './validate-event.ts'

/** Properties that all replicas share. */
export interface GroupShape {
  readonly environment: string
  /** Subscribed at another broker. */
  readonly isRemote: boolean
  readonly defaultHandler: boolean
  /** Equal for components that handle events in the same way. */
  readonly handling: string
  readonly routes: readonly GroupRoute[]
}

export class Registry {
  readonly routes = new RouteTable()
  readonly #instances = new Map<string, Member>()
  readonly #groups = new Map<string, RoutedGroup>()
  readonly #groupOf = new Map<Member, RoutedGroup>()

  get size(): number {
    return this.#instances.size
  }

  members(): readonly Member[] {
    return [...this.#instances.values()]
  }

  subscriptions(): readonly Subscription[] {
    return this.members().filter(member => member instanceof Subscription)
  }

  membersAt(brokerId: string): readonly Member[] {
    return this.members().filter(({ component }) => component.brokerId === brokerId)
  }

  /** Returns the member with the same app, name and id, whose stream may be an older one. */
  sameInstance(component: Component): Member | undefined {
    return this.#instances.get(instanceKey(component))
  }

  /** Returns the instance that a target names. The app may be omitted. */
  instance(target: Component): Member | undefined {
    const exact = this.#instances.get(instanceKey(target))
    if (exact !== undefined || target.app !== '') return exact
    const members = this.routes.named(target.name).flatMap(group => group.members)
    return members.find(({ component }) => component.id === target.id)
  }

  /** The receiver of an event from another broker: the named local instance or, unless pinned, a replica of it. */
  localMember(target: Component, brokerId: string, environment: string, pinned: boolean): Member | undefined {
    const member = this.instance(target)
    if (member instanceof Subscription && matchesTarget({ ...target, brokerId: '' }, member.component)) return member
    return pinned ? undefined : this.#groups.get(groupKey({ ...target, brokerId }, environment))?.pick()
  }

  /** Throws BrokerError if replicas other than `except` handle events differently. */
  checkReplicas(
    component: Component,
    shape: Pick<GroupShape, 'environment' | 'handling'>,
    except: Member | undefined,
  ): void {
    const group = this.#groups.get(groupKey(component, shape.environment))
    if (group === undefined || group.handling === shape.handling) return
    if (group.members.every(member => member === except)) return
    throw new BrokerError(
      'componentMismatch',
      `other replicas of ${component.name} (hash ${shortHash(component.hash)}) registered different routes or variables; register a new version with a new hash`,
    )
  }

  add(member: Member, shape: GroupShape): void {
    const key = groupKey(member.component, shape.environment)
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = new Group({ ...shape, component: { ...member.component, id: '' } })
      this.#groups.set(key, group)
      this.routes.add(group)
    }
    group.members.push(member)
    this.#groupOf.set(member, group)
    this.#instances.set(instanceKey(member.component), member)
  }

  remove(member: Member): void {
    const key = instanceKey(member.component)
    if (this.#instances.get(key) === member) this.#instances.delete(key)
    const group = this.#groupOf.get(member)
    if (group === undefined) return
    this.#groupOf.delete(member)
    group.remove(member)
    if (group.members.length > 0) return
    this.#groups.delete(groupKey(member.component, group.environment))
    this.routes.remove(group)
  }
}

/** App, name and id identify an instance. A new version replaces the old one. */
function instanceKey({ app, name, id }: Component): string {
  return JSON.stringify([app, name, id])
}

function groupKey({ brokerId, app, name, hash }: Component, environment: string): string {
  return JSON.stringify([brokerId, environment, app, name, shortHash(hash)])
}
