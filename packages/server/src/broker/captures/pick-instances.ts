// Picks the live components for a capture: all that match, or the one with the lowest load.
import { COMPONENT_TYPE, normalizeName } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureRequest } from './capture-request.ts'
import { CaptureError } from './capture-request.ts'

/** The service name in telemetry, if registered. Component names in the Broker are lower-case without dots. */
export function serviceOf({ component, attributes }: LiveComponent): string {
  return attributes['service.name'] ?? component.name
}

export function instanceOf({ component, attributes }: LiveComponent): string {
  return attributes['service.instance.id'] ?? component.id
}

export function environmentOf({ environment, attributes }: LiveComponent): string {
  return attributes['deployment.environment.name'] ?? environment
}

export function isOfService(live: LiveComponent, service: string): boolean {
  return (
    serviceOf(live) === service || live.component.name === service || live.component.name === normalizeName(service)
  )
}

export function isInstance(live: LiveComponent, instance: string): boolean {
  return instanceOf(live) === instance || live.component.id === instance
}

/** Whether the component can record profiles. */
export function isRecorder({ component: { type } }: LiveComponent): boolean {
  return type !== COMPONENT_TYPE.console && type !== COMPONENT_TYPE.broker && type !== COMPONENT_TYPE.httpAdapter
}

type Wanted = Pick<CaptureRequest, 'service' | 'environment' | 'instance' | 'type' | 'all'>

/** Throws CaptureError with the available alternatives if none matches. `runningOn` counts the captures of an instance. */
export function pickInstances(
  components: readonly LiveComponent[],
  wanted: Wanted,
  runningOn: (live: LiveComponent) => number,
): readonly LiveComponent[] {
  const { service, environment, instance, type, all } = wanted
  const recorders = components.filter(isRecorder)
  const ofService = recorders.filter(live => isOfService(live, service))
  if (ofService.length === 0)
    throw notFound(`no component of ${quoted(service)} is subscribed`, 'services', recorders.map(serviceOf))
  const ofEnvironment = ofService.filter(live => environment === undefined || environmentOf(live) === environment)
  if (ofEnvironment.length === 0)
    throw notFound(
      `${quoted(service)} is not subscribed in environment ${quoted(environment ?? '')}`,
      'subscribed in',
      ofService.map(environmentOf),
    )
  const named = ofEnvironment.filter(live => instance === undefined || isInstance(live, instance))
  if (named.length === 0)
    throw notFound(
      `${quoted(service)} has no instance ${quoted(instance ?? '')}`,
      'available',
      ofEnvironment.map(instanceOf),
    )
  const able = named.filter(
    ({ profileTypes }) => profileTypes.length === 0 || profileTypes.some(own => isSame(own, type)),
  )
  if (able.length === 0) {
    const types = named.flatMap(({ profileTypes }) => profileTypes)
    throw notFound(`${quoted(service)} cannot record ${quoted(type)}`, 'available', types)
  }
  if (all) return able
  const load = (live: LiveComponent): number => runningOn(live) * 1000 + live.load.inFlight + live.load.queued
  return [able.reduce((best, live) => (load(live) < load(best) ? live : best))]
}

/** `alloc` is short for `allocations`. */
function isSame(own: string, requested: string): boolean {
  return own === requested || (own === 'allocations' && requested === 'alloc')
}

const MAX_NAMES = 10

function notFound(what: string, lead: string, names: readonly string[]): CaptureError {
  const known = [...new Set(names)].filter(name => name !== '').sort()
  const shown = known.slice(0, MAX_NAMES).join(', ')
  const more = known.length > MAX_NAMES ? `, and ${known.length - MAX_NAMES} more` : ''
  return new CaptureError('not-found', known.length === 0 ? what : `${what}; ${lead}: ${shown}${more}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
