// The labels of a series: how the `name` of a request to /ingest spells them, and what they become in the model.
import type { KeyValue } from '@hearth/profile'
import { Code, Refusal } from '../receive/refusal.ts'

export const NAME_LABEL = '__name__'
export const SERVICE_LABEL = 'service_name'
const SERVICE_NAME = 'service.name'
export const SPY_LABEL = 'pyroscope_spy'
const APP_LABEL = 'app_name'

/** Of Hearth: on profiles, what Pyroscope knows of them and the model has no field for. */
export const PYROSCOPE_ATTRIBUTES = {
  /** string: the first of the five parts of a profile type's ID, as `process_cpu`. The other four are fields of the model. */
  name: 'pyroscope.name',
  /** string: the id that the sender gave, where it is no UUID; one that is becomes the profile's id. */
  id: 'pyroscope.id',
  /** string, as the sender wrote them: what the values count, and how they are to be added up over time. */
  units: 'pyroscope.units',
  aggregation: 'pyroscope.aggregation_type',
  /** string: the type's name for people, where the sender gave one. */
  displayName: 'pyroscope.display_name',
  /** int, in Hz, where no period could be made of it. */
  sampleRate: 'pyroscope.sample_rate',
} as const

/** Labels that are not for people, as `__delta__`, are attributes of the profile with this before their name. */
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

/** Those of the request, with who it is and who profiled it as Pyroscope adds them. */
export function completeLabels({ app, labels }: SeriesName, spyName: string): SeriesLabels {
  const all = new Map([[SPY_LABEL, spyName], ...labels])
  if ((all.get(SERVICE_LABEL) ?? '') === '') all.set(SERVICE_LABEL, app)
  else if (!all.has(APP_LABEL)) all.set(APP_LABEL, app)
  return all
}

/** The service and all labels for people, under their own names. Labels without a value are no labels. */
export function resourceAttributes(labels: SeriesLabels): KeyValue[] {
  const taken = [SERVICE_LABEL, SERVICE_NAME]
  const own = [...labels].filter(([key, value]) => value !== '' && !taken.includes(key) && !isPrivate(key))
  return [{ key: SERVICE_NAME, value: labels.get(SERVICE_LABEL) ?? '' }, ...own.map(([key, value]) => ({ key, value }))]
}

/** The labels that are not for people, but for `__name__`, which depends on the profile. */
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
