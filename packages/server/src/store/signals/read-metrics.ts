// Converts rows of data points to metrics. Rows of one metric are adjacent and in the order of its points.
import type {
  Buckets,
  Exemplar,
  ExponentialHistogramDataPoint,
  HistogramDataPoint,
  Metric,
  NumberDataPoint,
  SummaryDataPoint,
} from '@hearth/signals'
import { readAttributes, readBlockAttributes } from '../attribute-text.ts'
import type { Block } from '../native/block.ts'
import { idOrNone, list, nestedAttributes } from './read-items.ts'
import { MetricKind, NO_POINT, NumberKind, Present } from './write-metrics.ts'

/** Returns the metric whose points are in rows `from` to `to`. */
export function readMetric(block: Block, from: number, to: number): Metric {
  const rows: number[] = []
  for (let row = from; row < to; row++) if (block.column('point_index').number(row) !== NO_POINT) rows.push(row)
  const aggregationTemporality = block.column('temporality').number(from)
  const metric: Metric = {
    name: block.column('name').text(from),
    description: block.column('description').text(from),
    unit: block.column('metric_unit').text(from),
    metadata: readAttributes(
      block.column('metadata_keys'),
      block.column('metadata_kinds'),
      block.column('metadata_values'),
      from,
    ),
    gauge: undefined,
    sum: undefined,
    histogram: undefined,
    exponentialHistogram: undefined,
    summary: undefined,
  }
  switch (block.column('metric_kind').number(from)) {
    case MetricKind.gauge:
      return { ...metric, gauge: { dataPoints: rows.map(row => numberPoint(block, row)) } }
    case MetricKind.sum: {
      const isMonotonic = block.column('monotonic').number(from) !== 0
      const dataPoints = rows.map(row => numberPoint(block, row))
      return { ...metric, sum: { dataPoints, aggregationTemporality, isMonotonic } }
    }
    case MetricKind.histogram:
      return {
        ...metric,
        histogram: { dataPoints: rows.map(row => histogramPoint(block, row)), aggregationTemporality },
      }
    case MetricKind.exponentialHistogram: {
      const dataPoints = rows.map(row => exponentialPoint(block, row))
      return { ...metric, exponentialHistogram: { dataPoints, aggregationTemporality } }
    }
    case MetricKind.summary:
      return { ...metric, summary: { dataPoints: rows.map(row => summaryPoint(block, row)) } }
    default:
      return metric
  }
}

function common(block: Block, row: number) {
  return {
    startTimeUnixNano: block.column('start_unix_nano').bigint(row),
    timeUnixNano: block.column('time_unix_nano').bigint(row),
    attributes: readBlockAttributes(block, row),
    flags: block.column('flags').number(row),
  }
}

function numberPoint(block: Block, row: number): NumberDataPoint {
  const kind = block.column('value_kind').number(row)
  return {
    ...common(block, row),
    asDouble: kind === NumberKind.double ? block.column('value_double').number(row) : undefined,
    asInt: kind === NumberKind.int ? block.column('value_int').bigint(row) : undefined,
    exemplars: readExemplars(block, row),
  }
}

function statistics(block: Block, row: number) {
  return {
    count: block.column('count').bigint(row),
    sum: ifPresent(block, 'sum', row),
    min: ifPresent(block, 'min', row),
    max: ifPresent(block, 'max', row),
  }
}

function histogramPoint(block: Block, row: number): HistogramDataPoint {
  return {
    ...common(block, row),
    ...statistics(block, row),
    bucketCounts: list(block.column('bucket_counts'), row, (values, k) => values.bigint(k)),
    explicitBounds: list(block.column('explicit_bounds'), row, (values, k) => values.number(k)),
    exemplars: readExemplars(block, row),
  }
}

function exponentialPoint(block: Block, row: number): ExponentialHistogramDataPoint {
  return {
    ...common(block, row),
    ...statistics(block, row),
    scale: block.column('scale').number(row),
    zeroCount: block.column('zero_count').bigint(row),
    zeroThreshold: block.column('zero_threshold').number(row),
    positive: buckets(block, 'positive', row),
    negative: buckets(block, 'negative', row),
    exemplars: readExemplars(block, row),
  }
}

function summaryPoint(block: Block, row: number): SummaryDataPoint {
  const values = list(block.column('quantile_values'), row, (column, k) => column.number(k))
  return {
    ...common(block, row),
    count: block.column('count').bigint(row),
    sum: block.column('sum').number(row),
    quantileValues: list(block.column('quantiles'), row, (column, k) => column.number(k)).map((quantile, i) => ({
      quantile,
      value: values[i],
    })),
  }
}

function ifPresent(block: Block, name: 'sum' | 'min' | 'max', row: number): number | undefined {
  return isPresent(block, row, Present[name]) ? block.column(name).number(row) : undefined
}

function buckets(block: Block, name: 'positive' | 'negative', row: number): Buckets | undefined {
  if (!isPresent(block, row, Present[name])) return undefined
  return {
    offset: block.column(`${name}_offset`).number(row),
    bucketCounts: list(block.column(`${name}_counts`), row, (values, k) => values.bigint(k)),
  }
}

function isPresent(block: Block, row: number, bit: number): boolean {
  return (block.column('present').number(row) & bit) !== 0
}

function readExemplars(block: Block, row: number): readonly Exemplar[] {
  const kinds = list(block.column('exemplar_value_kinds'), row, (values, k) => values.number(k))
  const doubles = list(block.column('exemplar_doubles'), row, (values, k) => values.number(k))
  const ints = list(block.column('exemplar_ints'), row, (values, k) => values.bigint(k))
  const traceIds = list(block.column('exemplar_trace_ids'), row, (values, k) => idOrNone(values.bytes(k)))
  const spanIds = list(block.column('exemplar_span_ids'), row, (values, k) => idOrNone(values.bytes(k)))
  const attributes = nestedAttributes(block, 'exemplar_attribute', row)
  return list(block.column('exemplar_times'), row, (values, k) => values.bigint(k)).map((timeUnixNano, i) => ({
    timeUnixNano,
    asDouble: kinds[i] === NumberKind.double ? doubles[i] : undefined,
    asInt: kinds[i] === NumberKind.int ? ints[i] : undefined,
    traceId: traceIds[i],
    spanId: spanIds[i],
    filteredAttributes: attributes[i],
  }))
}
