// Identifies the component that opens a stream, from its metadata and the server's tokens.
import type { Metadata } from '@grpc/grpc-js'
import type { Event } from '@hearth/broker'
import { BrokerError, COMPONENT_TYPE, createComponent, sameComponent } from '@hearth/broker'
import type { Gatekeeper } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { Subscriber } from '../broker.ts'

const MAX_METADATA_LENGTH = 256

/** Throws BrokerError. */
export function subscriberOf(metadata: Metadata, gatekeeper: Gatekeeper): Subscriber {
  const component = createComponent({
    type: single(metadata, 'type'),
    app: single(metadata, 'app', ''),
    name: single(metadata, 'component'),
    hash: single(metadata, 'hash'),
    id: single(metadata, 'id'),
  })
  const platform = single(metadata, 'platform')
  const token = single(metadata, 'token', '')
  // A component of type Broker would receive events meant for this broker.
  if (component.type === COMPONENT_TYPE.broker) throw unauthorized('a component must not have the type Broker')
  const credentials = { authorization: token === '' ? undefined : `Bearer ${token}`, scopeOrgId: platform }
  const isConsole = component.type === COMPONENT_TYPE.console
  try {
    const { tenant } = gatekeeper.identify(credentials, isConsole ? 'capture' : 'broker')
    return { tenant, component, isConsole }
  } catch (error) {
    if (error instanceof AccessError) throw unauthorized(error.message)
    throw error
  }
}

/** Whether an event comes from the component of its stream. The broker id is optional, since components need not know it. */
export function isFrom(event: Event, { tenant, component }: Subscriber, brokerId: string): boolean {
  const { source, context } = event
  if (source === undefined || context?.platform !== tenant) return false
  return sameComponent(source, { ...component, brokerId: source.brokerId === '' ? '' : brokerId })
}

function single(metadata: Metadata, name: string, ifMissing?: string): string {
  const values = metadata.get(name)
  const [value = ifMissing] = values
  if (typeof value !== 'string' || values.length > 1 || (value === '' && ifMissing === undefined))
    throw unauthorized(`metadata must contain '${name}' exactly once`)
  if (value.length > MAX_METADATA_LENGTH)
    throw unauthorized(`metadata '${name}' is longer than ${MAX_METADATA_LENGTH} characters`)
  return value
}

function unauthorized(message: string): BrokerError {
  return new BrokerError('unauthorized', `component unauthorized: ${message}`)
}
