// Reads and writes addresses of the UI. Paths have one segment.
import type { OperationRoute } from './operation-route.ts'
import { operationFields } from './operation-route.ts'
import type { AlertsRoute } from './alerts-route.ts'
import { alertsFields } from './alerts-route.ts'
import type { BrokerRoute, CaptureRoute } from './broker-route.ts'
import { brokerFields, captureFields, draftFields } from './broker-route.ts'
import type { DiffSort } from './heat-view.ts'
import { DIFF_SORTS } from './heat-view.ts'
import type { MetricSearch, MetricView } from './metric-search.ts'
import { EMPTY_METRIC_SEARCH, NO_METRIC, metricSearchFields, metricViewFields } from './metric-search.ts'
import type { Normalisation } from './normalisation.ts'
import { NORMALISATIONS, perField } from './normalisation.ts'
import type { Query } from './query.ts'
import { EMPTY_QUERY, queryFields } from './query.ts'
import type { Fields } from './route-fields.ts'
import { choice, flag, readFields, text, texts, writeFields } from './route-fields.ts'
import type { LogSearch, TraceSearch } from './signal-searches.ts'
import {
  EMPTY_LOG_SEARCH,
  EMPTY_TRACE_SEARCH,
  logSearchFields,
  samplesWithFrame,
  traceSearchFields,
} from './signal-searches.ts'
import type { View } from './view.ts'
import { DEFAULT_VIEW, viewFields } from './view.ts'

export const SERVICE_SORTS = ['cpu', 'name', 'day', 'version', 'requests', 'p95'] as const
export type ServiceSort = (typeof SERVICE_SORTS)[number]

export interface ServicesRoute {
  readonly screen: 'services'
  readonly from: string
  readonly to: string
  /** A search in the names. */
  readonly find: string
  readonly sort: ServiceSort
  /** Reverses the order, which is largest first or A to Z by default. */
  readonly reverse: boolean
  readonly per: Normalisation
}

export interface ExploreRoute {
  readonly screen: 'explore'
  readonly query: Query
  readonly per: Normalisation
  /** Attributes by which the chart is grouped. */
  readonly groupBy: readonly string[]
  readonly view: View
}

export const BREAKDOWNS = ['bars', 'charts', 'graphs'] as const

/** One attribute of the selected profiles: its values with their shares. */
export interface BreakdownRoute {
  readonly screen: 'breakdown'
  readonly query: Query
  /** The attribute; empty for the first one. */
  readonly key: string
  readonly show: (typeof BREAKDOWNS)[number]
  readonly per: Normalisation
}

export const FUNCTION_PARTS = ['callers', 'callees', 'lines', 'traces', 'labels', 'versions'] as const

/** One function of the selected profiles. */
export interface FunctionRoute {
  readonly screen: 'function'
  readonly query: Query
  readonly name: string
  /** Empty if it is unknown. */
  readonly file: string
  readonly part: (typeof FUNCTION_PARTS)[number]
  /** The attribute of the part `labels`; empty for the first one. */
  readonly key: string
  readonly per: Normalisation
}

export const COMPARISONS = ['diff', 'side', 'table', 'lines'] as const
export type ShownComparison = (typeof COMPARISONS)[number]

export interface Comparison {
  readonly shows: ShownComparison
  /** Whether to show values instead of shares of each side's total. */
  readonly absolute: boolean
  readonly filter: string
  /** The sort order of the table. */
  readonly sort: DiffSort
}

export interface CompareRoute {
  readonly screen: 'compare'
  readonly before: Query
  readonly after: Query
  /** Shares by default, because two ranges rarely have the same length and load. */
  readonly per: Normalisation
  readonly comparison: Omit<Comparison, 'absolute'>
  readonly view: View
}

export interface FileRoute {
  readonly screen: 'file'
  /** Ids of stored files. Two files are a comparison, with the baseline first. */
  readonly files: readonly string[]
  /** Ids of stored debug files, which name the native frames of `files`. */
  readonly symbols: readonly string[]
  /** Addresses of files on the UI's own server. They are fetched and become `files`. */
  readonly open: readonly string[]
  /** Such as `cpu:ns`; the first type by default. */
  readonly type: string
  /** Shows the frames that `drop_frames` of a file hides. */
  readonly allFrames: boolean
  readonly comparison: Comparison
  readonly view: View
}

export interface ProfilesRoute {
  readonly screen: 'profiles'
  readonly query: Query
  /** The page: `after` of the request. */
  readonly after: string
}

export interface ProfileRoute {
  readonly screen: 'profile'
  readonly profile: string
  readonly view: View
}

export const TRACE_SORTS = ['time', 'duration'] as const

export interface TracesRoute {
  readonly screen: 'traces'
  readonly search: TraceSearch
  readonly sort: (typeof TRACE_SORTS)[number]
  /** The page: `after` of the request. */
  readonly after: string
  /** Traces selected for a comparison. */
  readonly slow: readonly string[]
  readonly fast: readonly string[]
}

export const TRACE_SCOPES = ['subtree', 'span', 'trace'] as const
export type TraceScope = (typeof TRACE_SCOPES)[number]

export interface TraceRoute {
  readonly screen: 'trace'
  /** Hexadecimal, like the span. */
  readonly traceId: string
  /** The selected span; empty for none, which shows the whole trace. */
  readonly spanId: string
  /** The part of the trace whose profile is shown. */
  readonly scope: TraceScope
  /** Such as `cpu:nanoseconds`; a type of the trace by default. */
  readonly type: string
  /** Whether to show samples without a link, in the span's thread and time, instead of those with one. */
  readonly unlinked: boolean
  /** Whether spans are moved to correct clock differences. */
  readonly corrected: boolean
  /** The search among the spans. */
  readonly find: string
  readonly view: View
}

export interface SlowRoute {
  readonly screen: 'slow'
  readonly search: TraceSearch
  /** Such as `cpu:nanoseconds`. */
  readonly type: string
  /** Such as `500ms`; empty to use the quantile. */
  readonly threshold: string
  readonly quantile: string
  /** Trace ids in hexadecimal. If both sets have some, they are compared and the search is ignored. */
  readonly slow: readonly string[]
  readonly fast: readonly string[]
  readonly comparison: Comparison
  readonly view: View
}

export interface LogsRoute {
  readonly screen: 'logs'
  readonly search: LogSearch
  /** Whether to show new records as they arrive. */
  readonly follow: boolean
}

export interface MetricsRoute {
  /** Not `metrics`, which is a path of the server. */
  readonly screen: 'metric'
  readonly search: MetricSearch
  readonly view: MetricView
}

interface StatusRoute {
  readonly screen: 'status'
}

export interface TargetsRoute {
  readonly screen: 'targets'
}

export interface SymbolsRoute {
  readonly screen: 'symbols'
  /** The range of the samples that are counted. */
  readonly from: string
  readonly to: string
}

export const SYMBOLS: SymbolsRoute = { screen: 'symbols', from: 'now-1h', to: 'now' }

const symbolsFields: Fields<Pick<SymbolsRoute, 'from' | 'to'>> = {
  from: ['from', text(SYMBOLS.from)],
  to: ['to', text(SYMBOLS.to)],
}

interface MissingRoute {
  readonly screen: 'missing'
  readonly path: string
}

export type Route =
  | ServicesRoute
  | ExploreRoute
  | BreakdownRoute
  | FunctionRoute
  | CompareRoute
  | FileRoute
  | ProfilesRoute
  | ProfileRoute
  | TracesRoute
  | TraceRoute
  | SlowRoute
  | OperationRoute
  | LogsRoute
  | MetricsRoute
  | AlertsRoute
  | BrokerRoute
  | CaptureRoute
  | StatusRoute
  | SymbolsRoute
  | TargetsRoute
  | MissingRoute

const servicesFields: Fields<Omit<ServicesRoute, 'screen'>> = {
  from: queryFields.from,
  to: queryFields.to,
  find: ['find', text()],
  sort: ['sort', choice(SERVICE_SORTS, 'cpu')],
  reverse: ['reverse', flag()],
  per: ['per', choice(NORMALISATIONS, 'second')],
}
const exploreFields: Fields<Pick<ExploreRoute, 'groupBy' | 'per'>> = { groupBy: ['group', texts], per: perField }
const breakdownFields: Fields<Omit<BreakdownRoute, 'screen' | 'query'>> = {
  key: ['by', text()],
  show: ['show', choice(BREAKDOWNS, 'bars')],
  per: perField,
}
const functionFields: Fields<Omit<FunctionRoute, 'screen' | 'query'>> = {
  name: ['name', text()],
  file: ['file', text()],
  part: ['part', choice(FUNCTION_PARTS, 'callers')],
  key: ['by', text()],
  per: perField,
}
const compareFields: Fields<CompareRoute['comparison']> = {
  shows: ['show', choice(COMPARISONS, 'diff')],
  filter: ['filter', text()],
  sort: ['order', choice(DIFF_SORTS, 'change')],
}
const comparePerField: Fields<Pick<CompareRoute, 'per'>> = { per: ['per', choice(NORMALISATIONS, 'share')] }
/** Files are compared by shares or by totals. */
const comparisonFields: Fields<Comparison> = {
  ...compareFields,
  absolute: ['per', { read: ([value]) => value === 'total', write: value => (value ? ['total'] : []) }],
}
/** Slow vs. fast shows values per request by default. */
const slowComparisonFields: Fields<Comparison> = {
  ...comparisonFields,
  absolute: ['per', { read: ([value]) => value !== 'share', write: value => (value ? [] : ['share']) }],
}
const fileFields: Fields<Pick<FileRoute, 'files' | 'symbols' | 'open' | 'type' | 'allFrames'>> = {
  files: ['file', texts],
  symbols: ['symbols', texts],
  open: ['open', texts],
  type: ['type', text()],
  allFrames: ['all-frames', flag()],
}
const profilesFields: Fields<Pick<ProfilesRoute, 'after'>> = { after: ['after', text()] }
const profileFields: Fields<Pick<ProfileRoute, 'profile'>> = { profile: ['id', text()] }
const tracesFields: Fields<Pick<TracesRoute, 'sort' | 'after' | 'slow' | 'fast'>> = {
  sort: ['sort', choice(TRACE_SORTS, 'time')],
  after: ['after', text()],
  slow: ['slow', texts],
  fast: ['fast', texts],
}
const traceFields: Fields<Omit<TraceRoute, 'screen' | 'view'>> = {
  traceId: ['id', text()],
  spanId: ['span-id', text()],
  scope: ['scope', choice(TRACE_SCOPES, 'subtree')],
  type: ['type', text()],
  unlinked: ['unlinked', flag()],
  corrected: ['corrected', flag()],
  find: ['find', text()],
}
const slowFields: Fields<Pick<SlowRoute, 'type' | 'threshold' | 'quantile' | 'slow' | 'fast'>> = {
  type: ['type', text()],
  threshold: ['threshold', text()],
  quantile: ['quantile', text('0.9')],
  slow: ['slow', texts],
  fast: ['fast', texts],
}
const logsFields: Fields<Pick<LogsRoute, 'follow'>> = { follow: ['follow', flag()] }

/** The default range before is the previous hour. With a start alone it ends now. */
const beforeFields: Fields<Query> = { ...queryFields, from: ['from', text('now-2h')] }

/** Prefixes of the two sides of a comparison. */
const BEFORE = 'a.'
const AFTER = 'b.'

export const DEFAULT_COMPARISON: Comparison = { shows: 'diff', absolute: false, filter: '', sort: 'change' }
export const FILES: FileRoute = {
  screen: 'file',
  files: [],
  symbols: [],
  open: [],
  type: '',
  allFrames: false,
  comparison: DEFAULT_COMPARISON,
  view: DEFAULT_VIEW,
}
export const TRACES: TracesRoute = {
  screen: 'traces',
  search: EMPTY_TRACE_SEARCH,
  sort: 'time',
  after: '',
  slow: [],
  fast: [],
}
/** A trace without an id. */
export const TRACE: TraceRoute = {
  screen: 'trace',
  traceId: '',
  spanId: '',
  scope: 'subtree',
  type: '',
  unlinked: false,
  corrected: false,
  find: '',
  view: DEFAULT_VIEW,
}
export const SLOW: SlowRoute = {
  screen: 'slow',
  search: EMPTY_TRACE_SEARCH,
  type: '',
  threshold: '',
  quantile: '0.9',
  slow: [],
  fast: [],
  comparison: { ...DEFAULT_COMPARISON, absolute: true },
  view: DEFAULT_VIEW,
}

/** The identity of a function. */
export interface FunctionName {
  readonly name: string
  /** Empty if it is unknown. */
  readonly file: string
}

/** Traces with samples of a function, of the service of the query. */
export function tracesWith(
  of: FunctionName,
  { service, from, to }: Pick<Query, 'from' | 'to'> & Partial<Pick<Query, 'service'>>,
): TracesRoute {
  const search = { ...EMPTY_TRACE_SEARCH, service: service ?? '', samples: samplesWithFrame(of), from, to }
  return { ...TRACES, search }
}

/** The page of a function. */
export function functionRoute({ name, file }: FunctionName, query: Query, per: Normalisation = 'total'): FunctionRoute {
  return { screen: 'function', query, name, file, part: 'callers', key: '', per }
}
export const PROFILES: ProfilesRoute = { screen: 'profiles', query: EMPTY_QUERY, after: '' }
export const LOGS: LogsRoute = { screen: 'logs', search: EMPTY_LOG_SEARCH, follow: false }
export const METRICS: MetricsRoute = { screen: 'metric', search: EMPTY_METRIC_SEARCH, view: NO_METRIC }
export const EXPLORE: ExploreRoute = {
  screen: 'explore',
  query: EMPTY_QUERY,
  groupBy: [],
  per: 'total',
  view: DEFAULT_VIEW,
}
export const SERVICES: ServicesRoute = {
  screen: 'services',
  from: EMPTY_QUERY.from,
  to: EMPTY_QUERY.to,
  find: '',
  sort: 'cpu',
  reverse: false,
  per: 'second',
}

/**
 * `path` is the part after the path of the UI, without a slash: empty, `explore`, `compare`. `search` can start with
 * `?`.
 */
export function readRoute(path: string, search: string): Route {
  const query = new URLSearchParams(search)
  // Old links to Explore have an empty path.
  switch (path === '' && query.size > 0 ? 'explore' : path) {
    case '':
    case 'services':
      return { screen: 'services', ...readFields(servicesFields, query) }
    case 'explore':
      return {
        screen: 'explore',
        query: readFields(queryFields, query),
        ...readFields(exploreFields, query),
        view: readFields(viewFields, query),
      }
    case 'breakdown':
      return { screen: 'breakdown', query: readFields(queryFields, query), ...readFields(breakdownFields, query) }
    case 'function':
      return { screen: 'function', query: readFields(queryFields, query), ...readFields(functionFields, query) }
    case 'compare':
      return {
        screen: 'compare',
        before: readBefore(query),
        after: readFields(queryFields, query, AFTER),
        // Old links to total values.
        ...(query.has('absolute') ? { per: 'total' } : readFields(comparePerField, query)),
        comparison: readFields(compareFields, query),
        view: readFields(viewFields, query),
      }
    case 'file':
      return {
        screen: 'file',
        ...readFields(fileFields, query),
        comparison: readFields(comparisonFields, query),
        view: readFields(viewFields, query),
      }
    case 'profiles':
      return { screen: 'profiles', query: readFields(queryFields, query), ...readFields(profilesFields, query) }
    case 'profile':
      return { screen: 'profile', ...readFields(profileFields, query), view: readFields(viewFields, query) }
    case 'traces':
      return { screen: 'traces', search: readFields(traceSearchFields, query), ...readFields(tracesFields, query) }
    case 'trace':
      return { screen: 'trace', ...readFields(traceFields, query), view: readFields(viewFields, query) }
    case 'slow':
      return {
        screen: 'slow',
        search: readFields(traceSearchFields, query),
        ...readFields(slowFields, query),
        comparison: readFields(slowComparisonFields, query),
        view: readFields(viewFields, query),
      }
    case 'operation':
      return {
        screen: 'operation',
        search: readFields(traceSearchFields, query),
        ...readFields(operationFields, query),
      }
    case 'logs':
      return { screen: 'logs', search: readFields(logSearchFields, query), ...readFields(logsFields, query) }
    case 'alerts':
      return { screen: 'alerts', ...readFields(alertsFields, query) }
    case 'broker':
      return { screen: 'broker', ...readFields(brokerFields, query) }
    case 'capture':
      return {
        screen: 'capture',
        ...readFields(captureFields, query),
        draft: readFields(draftFields, query),
        view: readFields(viewFields, query),
      }
    case 'metric':
      return {
        screen: 'metric',
        search: readFields(metricSearchFields, query),
        view: readFields(metricViewFields, query),
      }
    case 'status':
      return { screen: 'status' }
    case 'targets':
      return { screen: 'targets' }
    case 'symbols':
      return { screen: 'symbols', ...readFields(symbolsFields, query) }
    default:
      return { screen: 'missing', path }
  }
}

/** The baseline ends now if the address has a start without an end, and an hour ago if it has neither. */
function readBefore(query: URLSearchParams): Query {
  const before = readFields(beforeFields, query, BEFORE)
  return query.has(`${BEFORE}from`) || query.has(`${BEFORE}to`) ? before : { ...before, to: 'now-1h' }
}

/** Writes both ends of the baseline, unless both are the default. */
function writeBefore(before: Query, query: URLSearchParams): void {
  const isDefault = before.from === 'now-2h' && before.to === 'now-1h'
  writeFields(beforeFields, isDefault ? { ...before, to: 'now' } : before, query, BEFORE)
  if (!isDefault && before.from === 'now-2h') query.append(`${BEFORE}from`, before.from)
}

/** Relative to the path of the UI: `explore?service=checkout`. */
export function writeRoute(route: Route): string {
  const query = new URLSearchParams()
  switch (route.screen) {
    case 'services':
      writeFields(servicesFields, route, query)
      break
    case 'explore':
      writeFields(queryFields, route.query, query)
      writeFields(exploreFields, route, query)
      writeFields(viewFields, route.view, query)
      break
    case 'breakdown':
      writeFields(queryFields, route.query, query)
      writeFields(breakdownFields, route, query)
      break
    case 'function':
      writeFields(queryFields, route.query, query)
      writeFields(functionFields, route, query)
      break
    case 'compare':
      writeBefore(route.before, query)
      writeFields(queryFields, route.after, query, AFTER)
      writeFields(comparePerField, route, query)
      writeFields(compareFields, route.comparison, query)
      writeFields(viewFields, route.view, query)
      break
    case 'file':
      writeFields(fileFields, route, query)
      writeFields(comparisonFields, route.comparison, query)
      writeFields(viewFields, route.view, query)
      break
    case 'profiles':
      writeFields(queryFields, route.query, query)
      writeFields(profilesFields, route, query)
      break
    case 'profile':
      writeFields(profileFields, route, query)
      writeFields(viewFields, route.view, query)
      break
    case 'traces':
      writeFields(traceSearchFields, route.search, query)
      writeFields(tracesFields, route, query)
      break
    case 'trace':
      writeFields(traceFields, route, query)
      writeFields(viewFields, route.view, query)
      break
    case 'slow':
      writeFields(traceSearchFields, route.search, query)
      writeFields(slowFields, route, query)
      writeFields(slowComparisonFields, route.comparison, query)
      writeFields(viewFields, route.view, query)
      break
    case 'operation':
      writeFields(traceSearchFields, route.search, query)
      writeFields(operationFields, route, query)
      break
    case 'logs':
      writeFields(logSearchFields, route.search, query)
      writeFields(logsFields, route, query)
      break
    case 'alerts':
      writeFields(alertsFields, route, query)
      break
    case 'broker':
      writeFields(brokerFields, route, query)
      break
    case 'capture':
      writeFields(captureFields, route, query)
      writeFields(draftFields, route.draft, query)
      writeFields(viewFields, route.view, query)
      break
    case 'metric':
      writeFields(metricSearchFields, route.search, query)
      writeFields(metricViewFields, route.view, query)
      break
    case 'targets':
    case 'status':
      break
    case 'symbols':
      writeFields(symbolsFields, route, query)
      break
    case 'missing':
      return route.path
  }
  const written = query.toString()
  return written === '' ? route.screen : `${route.screen}?${written}`
}
