// The labels of a series: their spelling in the `name` of a request to /ingest, and their attributes in the model.
import type { KeyValue } from '@hearth/profile'
import { Code, Refusal } from '../receive/refusal.ts'

export const NAME_LABEL = '__name__'
export const SERVICE_LABEL = 'service_name'
const SERVICE_NAME = 'service.name'
export const SPY_LABEL = 'pyroscope_spy'
const APP_LABEL = 'app_name'

/** Attributes of profiles for properties that Pyroscope has and the model has no field for. */
export const PYROSCOPE_ATTRIBUTES = {
  /**
   * string: the first of the five parts of a profile type's ID, for example `process_cpu`. The other four are fields of
   * the model.
   */
  name: 'pyroscope.name',
  /** string: the sender's id of the profile, if it is not a UUID. A UUID becomes the profile's id. */
  id: 'pyroscope.id',
  /** string, as the sender wrote them: the unit of the values, and how they are aggregated over time. */
  units: 'pyroscope.units',
  aggregation: 'pyroscope.aggregation_type',
  /** string: the display name of the type, if the sender gave one. */
  displayName: 'pyroscope.display_name',
  /** int, in Hz, if it could not become a period. */
  sampleRate: 'pyroscope.sample_rate',
} as const

/** Private labels such as `__delta__` are attributes of the profile with this prefix. */
export const LABEL_PREFIX = 'pyroscope.label.'

export type SeriesLabels = ReadonlyMap<string, string>

export interface SeriesName {
  readonly app: string
  readonly labels: SeriesLabels
}

/** `app{key=value,key=value}`. Throws Refusal. */
export function parseSeriesName(text: string): SeriesName {
  const brace = text.indexOf('{')
  const app = (brace < 0 ? text : text.slice(0, brace)).trim()
  if (app === '') throw badName(text, 'it must begin with the name of an application')
  const labels = new Map<string, string>()
  if (brace < 0) return { app, labels }
  const end = text.lastIndexOf('}')
  if (end < brace || text.slice(end + 1).trim() !== '') throw badName(text, 'the labels must end with }')
  for (const pair of text.slice(brace + 1, end).split(',')) {
    if (pair.trim() === '') continue
    const equals = pair.indexOf('=')
    const key = pair.slice(0, equals).trim()
    if (equals < 0 || key === '') throw badName(text, `the label '${pair.trim()}' is not of the form key=value`)
    labels.set(key, pair.slice(equals + 1).trim())
  }
  return { app, labels }
}

/** The labels of the request, with the service and the profiler as Pyroscope adds them. */
export function completeLabels({ app, labels }: SeriesName, spyName: string): SeriesLabels {
  const all = new Map([[SPY_LABEL, spyName], ...labels])
  if ((all.get(SERVICE_LABEL) ?? '') === '') all.set(SERVICE_LABEL, app)
  else if (!all.has(APP_LABEL)) all.set(APP_LABEL, app)
  return all
}

/** The service and all public labels, under their own names. Labels without a value are ignored. */
export function resourceAttributes(labels: SeriesLabels): KeyValue[] {
  const taken = [SERVICE_LABEL, SERVICE_NAME]
  const own = [...labels].filter(([key, value]) => value !== '' && !taken.includes(key) && !isPrivate(key))
  return [{ key: SERVICE_NAME, value: labels.get(SERVICE_LABEL) ?? '' }, ...own.map(([key, value]) => ({ key, value }))]
}

/** The private labels, without `__name__`, which depends on the profile. */
export function privateAttributes(labels: SeriesLabels): KeyValue[] {
  const own = [...labels].filter(([key, value]) => value !== '' && key !== NAME_LABEL && isPrivate(key))
  return own.map(([key, value]) => ({ key: LABEL_PREFIX + key, value }))
}

function isPrivate(key: string): boolean {
  return key.startsWith('__')
}

function badName(text: string, what: string): Refusal {
  return new Refusal(400, Code.invalidArgument, 'query', `name '${text}': ${what}`)
}
