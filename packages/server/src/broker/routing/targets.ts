// Determines the receiver of an event: the instance its target names, or the component whose rule matches.
import type { Component, Event } from '@hearth/broker'
import { BrokerError, COMPONENT_TYPE } from '@hearth/broker'
import type { Member } from './member.ts'
import type { Mesh } from '../mesh/mesh.ts'
import type { Registry } from './registry.ts'
import type { FoundRoute, RoutedGroup } from './route-table.ts'
import { matchesTarget } from './validate-event.ts'

export class Targets {
  readonly #registry: Registry
  readonly #brokerId: string
  readonly #mesh: Mesh

  constructor(registry: Registry, brokerId: string, mesh: Mesh) {
    this.#registry = registry
    this.#brokerId = brokerId
    this.#mesh = mesh
  }

  /** Returns the instance that the target names, if it names one. */
  pinned({ target }: Event): Member | undefined {
    if (target === undefined || target.id === '') return undefined
    const member = this.#registry.instance(target)
    if (member === undefined) throw this.absent(target)
    if (!matchesTarget(target, member.component))
      throw new BrokerError('componentMismatch', `${target.name} ${target.id} does not match the rest of the target`)
    return member
  }

  find(event: Event, pinned: Member | undefined): FoundRoute {
    const { target } = event
    const environment = event.context?.virtualEnvironment ?? ''
    if (target === undefined || target.name === '') {
      const found = this.#registry.routes.find(event, environment)
      if (found === undefined) throw new BrokerError('routeNotFound', 'no rule matches the event')
      return found
    }
    const all = this.#registry.routes.named(target.name)
    const groups =
      pinned === undefined
        ? all.filter(group => isIn(group, environment) && matchesTarget(target, { ...group.component, id: target.id }))
        : all.filter(group => group.members.includes(pinned))
    if (groups.length === 0) throw this.absent(target)
    const found = this.#registry.routes.findAmong(groups, event)
    if (found !== undefined) return found
    throw new BrokerError('routeNotFound', `no rule of ${target.name} matches the event, and it has no default handler`)
  }

  absent(target: Component): BrokerError {
    if (target.type === COMPONENT_TYPE.httpAdapter)
      return new BrokerError('unsupportedAdapter', `adapters of type ${target.type} are not supported`)
    const { brokerId } = target
    const mesh = this.#mesh.state()
    const isElsewhere = brokerId !== '' && brokerId !== this.#brokerId
    if (isElsewhere && mesh.kind === 'local')
      return new BrokerError('brokerMismatch', `unknown broker ${brokerId}; no other brokers are configured`)
    if (isElsewhere && !mesh.connected)
      return new BrokerError('brokerUnavailable', `broker ${brokerId} is unreachable: ${mesh.message}`)
    return notSubscribed(target)
  }
}

function isIn(group: RoutedGroup, environment: string): boolean {
  return environment === '' || group.environment === environment
}

export function notSubscribed(target: Component | undefined): BrokerError {
  const who = target === undefined ? 'the component' : `${target.name} ${target.id}`.trim()
  return new BrokerError('componentGone', `${who} is not subscribed`)
}
