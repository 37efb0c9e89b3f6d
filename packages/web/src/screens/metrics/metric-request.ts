// Converts a metric search of the UI to requests of the API, and lists the aggregations of each kind of metric.
import type { MetricRow, MetricSeriesRequest, MetricsRequest } from '@hearth/client'
import type { MetricSearch, MetricShow, MetricView } from '../../address/metric-search.ts'
import type { OfLoad } from '../../address/time-range.ts'
import { ofLoad } from '../../address/time-range.ts'
import { itemSelector } from '../../address/signal-searches.ts'

/** The request for the list. The UI filters the response by unit, kind and name. */
export function metricsRequest(search: MetricSearch & OfLoad): MetricsRequest {
  const { service, filters, from, to } = search
  const selector = itemSelector(filters)
  return {
    from,
    to,
    ...ofLoad(search),
    ...(service === '' ? {} : { service }),
    ...(selector === undefined ? {} : { selector }),
  }
}

const EXEMPLARS = 20

export function metricSeriesRequest(
  search: MetricSearch & OfLoad,
  view: MetricView,
  step: string,
): MetricSeriesRequest {
  const { name, ofKind, ofUnit, ofTemporality, show, groupBy } = view
  const isOwn = show === '' || show === 'quantiles' || show === 'buckets'
  return {
    ...metricsRequest(search),
    name,
    step,
    exemplars: EXEMPLARS,
    ...(ofKind === '' ? {} : { kind: ofKind, unit: ofUnit }),
    ...(ofTemporality === '' ? {} : { temporality: ofTemporality }),
    ...(groupBy.length === 0 ? {} : { groupBy: [...groupBy] }),
    ...(isOwn ? {} : { aggregation: show }),
    ...(show === 'buckets' ? { buckets: true } : {}),
  }
}

/** The views of a metric, the default one first. */
export function showsOf({
  kind,
  monotonic,
  temporality,
}: Pick<MetricRow, 'kind' | 'monotonic' | 'temporality'>): readonly MetricShow[] {
  switch (kind) {
    case 'gauge':
      return ['average', 'last', 'min', 'max', 'count']
    case 'sum':
      return monotonic || temporality === 'delta'
        ? ['rate', 'increase', 'last', 'count']
        : ['last', 'average', 'min', 'max', 'count']
    case 'summary':
      return ['quantiles', 'rate', 'increase', 'average', 'count']
    case 'histogram':
    case 'exponential-histogram':
      return ['quantiles', 'buckets', 'rate', 'increase', 'average', 'min', 'max', 'count']
  }
}
