// Which of the live components a capture asks: all that fit, or the one with the least to do.
import { COMPONENT_TYPE, normalizeName } from '@hearth/broker'
import type { LiveComponent } from '../components/live-component.ts'
import type { CaptureRequest } from './capture-request.ts'
import { CaptureError } from './capture-request.ts'

/** How a service is called in telemetry, where the component says so: names in the Broker are lower-case and have no dots. */
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

/** Whether it can be asked for profiles at all. */
export function isRecorder({ component: { type } }: LiveComponent): boolean {
  return type !== COMPONENT_TYPE.console && type !== COMPONENT_TYPE.broker && type !== COMPONENT_TYPE.httpAdapter
}

type Wanted = Pick<CaptureRequest, 'service' | 'environment' | 'instance' | 'type' | 'all'>

/** Throws CaptureError where there is none, saying what there is. `runningOn` counts captures of an instance. */
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
      `${quoted(service)} is not in ${quoted(environment ?? '')}`,
      'it is in',
      ofService.map(environmentOf),
    )
  const named = ofEnvironment.filter(live => instance === undefined || isInstance(live, instance))
  if (named.length === 0)
    throw notFound(
      `${quoted(service)} has no instance ${quoted(instance ?? '')}`,
      'there are',
      ofEnvironment.map(instanceOf),
    )
  const able = named.filter(
    ({ profileTypes }) => profileTypes.length === 0 || profileTypes.some(own => isSame(own, type)),
  )
  if (able.length === 0) {
    const types = named.flatMap(({ profileTypes }) => profileTypes)
    throw notFound(`${quoted(service)} does not record ${quoted(type)}`, 'it records', types)
  }
  if (all) return able
  const load = (live: LiveComponent): number => runningOn(live) * 1000 + live.load.inFlight + live.load.queued
  return [able.reduce((best, live) => (load(live) < load(best) ? live : best))]
}

/** Allocations have a short name, too. */
function isSame(own: string, asked: string): boolean {
  return own === asked || (own === 'allocations' && asked === 'alloc')
}

const MOST_NAMED = 10

function notFound(what: string, lead: string, names: readonly string[]): CaptureError {
  const known = [...new Set(names)].filter(name => name !== '').sort()
  const shown = known.slice(0, MOST_NAMED).join(', ')
  const more = known.length > MOST_NAMED ? `, and ${known.length - MOST_NAMED} more` : ''
  return new CaptureError('not-found', known.length === 0 ? what : `${what}; ${lead}: ${shown}${more}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
