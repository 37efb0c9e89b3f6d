// The search for metrics and the view of one metric, as addresses keep them.
import type { Query } from './query.ts'
import { DEFAULT_FROM, DEFAULT_TO, queryFields } from './query.ts'
import type { Fields } from './route-fields.ts'
import { choice, text, texts } from './route-fields.ts'

export const METRIC_KINDS = ['', 'gauge', 'sum', 'histogram', 'exponential-histogram', 'summary'] as const
const METRIC_TEMPORALITIES = ['', 'unspecified', 'delta', 'cumulative'] as const
export const METRIC_SHOWS = [
  '',
  'quantiles',
  'buckets',
  'rate',
  'increase',
  'average',
  'last',
  'min',
  'max',
  'count',
] as const
export type MetricShow = Exclude<(typeof METRIC_SHOWS)[number], ''>

/** Each field is empty for any value. */
export interface MetricSearch extends Pick<Query, 'service' | 'filters' | 'from' | 'to'> {
  /** A search in the names. */
  readonly find: string
  readonly kind: (typeof METRIC_KINDS)[number]
  /** Undefined for any, because a metric can have no unit. */
  readonly unit: string | undefined
}

/** The view of a metric; its name is empty if none is selected. */
export interface MetricView {
  readonly name: string
  readonly ofKind: (typeof METRIC_KINDS)[number]
  readonly ofUnit: string
  readonly ofTemporality: (typeof METRIC_TEMPORALITIES)[number]
  /** Empty for the default of its kind. */
  readonly show: (typeof METRIC_SHOWS)[number]
  readonly groupBy: readonly string[]
  /** A profile type whose totals are shown below, such as `cpu:ns`. */
  readonly beside: string
}

export const EMPTY_METRIC_SEARCH: MetricSearch = {
  service: '',
  find: '',
  kind: '',
  unit: undefined,
  filters: [],
  from: DEFAULT_FROM,
  to: DEFAULT_TO,
}

export const NO_METRIC: MetricView = {
  name: '',
  ofKind: '',
  ofUnit: '',
  ofTemporality: '',
  show: '',
  groupBy: [],
  beside: '',
}

const { service, filters, from, to } = queryFields

export const metricSearchFields: Fields<MetricSearch> = {
  service,
  find: ['find', text()],
  kind: ['kind', choice(METRIC_KINDS, '')],
  unit: [
    'unit',
    { read: values => values.at(0), write: (value: string | undefined) => (value === undefined ? [] : [value]) },
  ],
  filters,
  from,
  to,
}

export const metricViewFields: Fields<MetricView> = {
  name: ['name', text()],
  ofKind: ['of-kind', choice(METRIC_KINDS, '')],
  ofUnit: ['of-unit', text()],
  ofTemporality: ['temporality', choice(METRIC_TEMPORALITIES, '')],
  show: ['show', choice(METRIC_SHOWS, '')],
  groupBy: ['group', texts],
  beside: ['beside', text()],
}
