// Who opens a stream: what its metadata says, held against the server's tokens.
import type { Metadata } from '@grpc/grpc-js'
import type { Event } from '@hearth/broker'
import { BrokerError, COMPONENT_TYPE, createComponent, sameComponent } from '@hearth/broker'
import type { Gatekeeper } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { Subscriber } from '../broker.ts'

const LONGEST = 256

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
  // A broker among the components would get what is meant for this one.
  if (component.type === COMPONENT_TYPE.broker) throw unauthorized('a component cannot be of the type Broker')
  const credentials = { authorization: token === '' ? undefined : `Bearer ${token}`, scopeOrgId: platform }
  const onlyAsks = component.type === COMPONENT_TYPE.console
  try {
    const { tenant } = gatekeeper.identify(credentials, onlyAsks ? 'capture' : 'broker')
    return { tenant, component, onlyAsks }
  } catch (error) {
    if (error instanceof AccessError) throw unauthorized(error.message)
    throw error
  }
}

/** Whether an event is from whom the stream is. The broker's id, which components need not know, may be missing. */
export function isFrom(event: Event, { tenant, component }: Subscriber, brokerId: string): boolean {
  const { source, context } = event
  if (source === undefined || context?.platform !== tenant) return false
  return sameComponent(source, { ...component, brokerId: source.brokerId === '' ? '' : brokerId })
}

function single(metadata: Metadata, name: string, ifMissing?: string): string {
  const values = metadata.get(name)
  const [value = ifMissing] = values
  if (typeof value !== 'string' || values.length > 1 || (value === '' && ifMissing === undefined))
    throw unauthorized(`the metadata must have '${name}' once`)
  if (value.length > LONGEST) throw unauthorized(`'${name}' in the metadata is longer than ${LONGEST} characters`)
  return value
}

function unauthorized(message: string): BrokerError {
  return new BrokerError('unauthorized', `component unauthorized: ${message}`)
}
