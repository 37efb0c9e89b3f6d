// Searches for traces and logs, as addresses keep them and as requests.
import { SPAN_KINDS as SPAN_KIND_NAMES, SPAN_STATUSES as SPAN_STATUS_NAMES } from '@hearth/client'
import type { Filter, Query } from './query.ts'
import { DEFAULT_FROM, DEFAULT_TO, queryFields, selectorOf } from './query.ts'
import type { Fields } from './route-fields.ts'
import { choice, flag, text } from './route-fields.ts'

/** The choices of a search; empty for all. */
export const SPAN_STATUSES = ['', ...SPAN_STATUS_NAMES] as const
export const SPAN_KINDS = ['', ...SPAN_KIND_NAMES] as const
/** The names of OTLP's severity ranges; empty for all. */
export const SEVERITIES = ['', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** Each field is empty for any value. */
export interface TraceSearch extends Pick<Query, 'service' | 'filters' | 'from' | 'to'> {
  /** The operation: the name of a span. */
  readonly name: string
  readonly kind: (typeof SPAN_KINDS)[number]
  readonly status: (typeof SPAN_STATUSES)[number]
  /** Such as `500ms`; both limits are inclusive. */
  readonly minDuration: string
  readonly maxDuration: string
  /** A selector of profiles, such as `cpu:nanoseconds | frame "gc"`: only traces with matching samples. */
  readonly samples: string
}

/** Each field is empty for any value. */
export interface LogSearch extends Pick<Query, 'service' | 'filters' | 'from' | 'to'> {
  /** A search in the body. */
  readonly text: string
  readonly regex: boolean
  /** Whether the search is case-sensitive. */
  readonly exact: boolean
  /** The minimum severity. */
  readonly severity: (typeof SEVERITIES)[number]
  readonly trace: string
  readonly span: string
  /** The id of a profile that records refer to, in hexadecimal. */
  readonly profile: string
  /** The id of a resource: only records of that process. */
  readonly process: string
  readonly thread: string
}

export const EMPTY_TRACE_SEARCH: TraceSearch = {
  service: '',
  name: '',
  kind: '',
  status: '',
  minDuration: '',
  maxDuration: '',
  samples: '',
  filters: [],
  from: DEFAULT_FROM,
  to: DEFAULT_TO,
}

export const EMPTY_LOG_SEARCH: LogSearch = {
  service: '',
  text: '',
  regex: false,
  exact: false,
  severity: '',
  trace: '',
  span: '',
  profile: '',
  process: '',
  thread: '',
  filters: [],
  from: DEFAULT_FROM,
  to: DEFAULT_TO,
}

const { service, filters, from, to } = queryFields

export const traceSearchFields: Fields<TraceSearch> = {
  service,
  name: ['name', text()],
  kind: ['kind', choice(SPAN_KINDS, '')],
  status: ['status', choice(SPAN_STATUSES, '')],
  minDuration: ['min', text()],
  maxDuration: ['max', text()],
  samples: ['samples', text()],
  filters,
  from,
  to,
}

export const logSearchFields: Fields<LogSearch> = {
  service,
  text: ['text', text()],
  regex: ['regex', flag()],
  exact: ['exact', flag()],
  severity: ['severity', choice(SEVERITIES, '')],
  trace: ['trace', text()],
  span: ['span', text()],
  profile: ['profile', text()],
  process: ['process', text()],
  thread: ['thread', text()],
  filters,
  from,
  to,
}

/** A selector with only attribute filters, such as `{region="eu"}`; undefined if there are none. */
export function itemSelector(given: readonly Filter[]): string | undefined {
  return given.length === 0 ? undefined : selectorOf({ service: '', type: '', filters: given, stacks: [] })
}

/** A selector of samples with a function, of any profile type. Two functions of one name differ in their file. */
export function samplesWithFrame({ name, file }: { readonly name: string; readonly file: string }): string {
  const stack = { negated: false, place: 'frame', regex: false, name } as const
  return selectorOf({
    service: '',
    type: '',
    filters: [],
    stacks: file === '' ? [stack] : [{ ...stack, file }],
  })
}

/** Whether anything except the time is selected. */
export function isNarrowed<Search extends Pick<Query, 'from' | 'to'>>(search: Search, empty: Search): boolean {
  const keys = (Object.keys(empty) as (keyof Search)[]).filter(key => key !== 'from' && key !== 'to')
  return keys.some(key => JSON.stringify(search[key]) !== JSON.stringify(empty[key]))
}
