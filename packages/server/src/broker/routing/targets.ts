// Whom an event is for: the instance that its target names, or the component whose rule matches it.
import type { Component, Event } from '@hearth/broker'
import { BrokerError, COMPONENT_TYPE } from '@hearth/broker'
import type { Member } from './group.ts'
import type { Mesh } from '../mesh/mesh.ts'
import type { Registry } from './registry.ts'
import type { Found, RoutedGroup } from './route-table.ts'
import { fits } from './validate-event.ts'

export class Targets {
  readonly #registry: Registry
  readonly #brokerId: string
  readonly #mesh: Mesh

  constructor(registry: Registry, brokerId: string, mesh: Mesh) {
    this.#registry = registry
    this.#brokerId = brokerId
    this.#mesh = mesh
  }

  /** The very instance that the target names. */
  pinned({ target }: Event): Member | undefined {
    if (target === undefined || target.id === '') return undefined
    const member = this.#registry.instance(target)
    if (member === undefined) throw this.absent(target)
    if (!fits(target, member.component))
      throw new BrokerError('componentMismatch', `${target.name} ${target.id} is not what the target says`)
    return member
  }

  find(event: Event, pinned: Member | undefined): Found {
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
        ? all.filter(group => isIn(group, environment) && fits(target, { ...group.component, id: target.id }))
        : all.filter(group => group.members.includes(pinned))
    if (groups.length === 0) throw this.absent(target)
    const found = this.#registry.routes.findAmong(groups, event)
    if (found !== undefined) return found
    throw new BrokerError('routeNotFound', `no rule of ${target.name} matches the event, and it has no default handler`)
  }

  absent(target: Component): BrokerError {
    if (target.type === COMPONENT_TYPE.httpAdapter)
      return new BrokerError('unsupportedAdapter', `there is no adapter of the type ${target.type}`)
    const { brokerId } = target
    const mesh = this.#mesh.state()
    const isElsewhere = brokerId !== '' && brokerId !== this.#brokerId
    if (isElsewhere && mesh.kind === 'local')
      return new BrokerError('brokerMismatch', `there is no broker ${brokerId} here, and no other is known`)
    if (isElsewhere && !mesh.connected)
      return new BrokerError('brokerUnavailable', `broker ${brokerId} cannot be reached: ${mesh.message}`)
    return gone(target)
  }
}

function isIn(group: RoutedGroup, environment: string): boolean {
  return environment === '' || group.environment === environment
}

export function gone(target: Component | undefined): BrokerError {
  const who = target === undefined ? 'the component' : `${target.name} ${target.id}`.trim()
  return new BrokerError('componentGone', `${who} is not subscribed`)
}
