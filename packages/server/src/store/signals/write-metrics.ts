// Writes data points of all kinds as rows of one table. Columns of other kinds stay zero.
import type { KeyValue } from '@hearth/profile'
import type {
  Buckets,
  Exemplar,
  ExponentialHistogramDataPoint,
  HistogramDataPoint,
  Metric,
  MetricsData,
  NumberDataPoint,
  SummaryDataPoint,
} from '@hearth/signals'
import { METRIC } from '@hearth/signals'
import { pushAttributeValues, pushAttributes } from '../attribute-text.ts'
import type { ColumnsOf } from '../native/table.ts'
import { metricPoints } from '../schema/signal-tables.ts'
import type { ScopePosition } from '../containers.ts'
import type { ItemWriting, WrittenItems } from './item-rows.ts'
import { pushNestedAttributes, pushOrigin, pushOriginal, queryTime, writeContainers } from './item-rows.ts'

/** Kinds of metrics, numbered like Metric's fields. */
export const MetricKind = { none: 0, gauge: 5, sum: 7, histogram: 9, exponentialHistogram: 10, summary: 11 } as const

/** Kinds of numbers, numbered like NumberDataPoint's fields. Exemplars use the same numbers. */
export const NumberKind = { none: 0, double: 4, int: 6 } as const

/** Bits of `present`. */
export const Present = { sum: 1, min: 2, max: 4, positive: 8, negative: 16 } as const

/** In place of a point's number: the metric has no points. */
export const NO_POINT = 0xffff_ffff

export function writeMetrics(to: ItemWriting, data: MetricsData): WrittenItems {
  return writeContainers(
    to,
    data,
    data.resourceMetrics,
    resource => resource.scopeMetrics,
    (scope, position) => {
      let points = 0
      for (const [i, metric] of scope.metrics.entries()) points += new MetricWriter(to, metric, position, i).write()
      return points
    },
  )
}

type PointColumns = ColumnsOf<(typeof metricPoints)['columns']>

/** The fields of every kind of point. */
interface Point {
  readonly attributes: readonly KeyValue[]
  readonly startTimeUnixNano: bigint
  readonly timeUnixNano: bigint
  readonly flags: number
}

/** The fields of some kinds only. Absent fields are zero or empty. */
interface PointRest {
  readonly asDouble?: number | undefined
  readonly asInt?: bigint | undefined
  readonly count?: bigint
  readonly sum?: number | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly bucketCounts?: readonly bigint[]
  readonly explicitBounds?: readonly number[]
  readonly scale?: number
  readonly zeroCount?: bigint
  readonly zeroThreshold?: number
  readonly positive?: Buckets | undefined
  readonly negative?: Buckets | undefined
  readonly quantileValues?: SummaryDataPoint['quantileValues']
  readonly exemplars?: readonly Exemplar[]
}

const NO_POINT_CONTENT: Point = { attributes: [], startTimeUnixNano: 0n, timeUnixNano: 0n, flags: 0 }

class MetricWriter {
  readonly #to: ItemWriting
  readonly #metric: Metric
  readonly #position: ScopePosition
  readonly #index: number
  readonly #columns: PointColumns

  constructor(to: ItemWriting, metric: Metric, position: ScopePosition, index: number) {
    this.#to = to
    this.#metric = metric
    this.#position = position
    this.#index = index
    this.#columns = to.rows.batch(metricPoints).columns
  }

  /** Returns the number of points. */
  write(): number {
    const { kind, points } = pointsOf(this.#metric)
    for (const [i, point] of points.entries()) this.#row(kind, i, point, point)
    if (points.length === 0) this.#row(kind, NO_POINT, NO_POINT_CONTENT, {})
    return points.length
  }

  #row(kind: number, pointIndex: number, point: Point, rest: PointRest): void {
    const columns = this.#columns
    const { context } = this.#to
    pushOrigin(columns, context, this.#position, this.#index)
    this.#pushMetric(kind)
    columns.point_index.push(pointIndex)
    columns.time.push(queryTime(context, point.timeUnixNano))
    columns.start_unix_nano.push(point.startTimeUnixNano)
    columns.time_unix_nano.push(point.timeUnixNano)
    pushAttributes(columns, point.attributes)
    // Points have no dropped count. The column exists because all attributes have it.
    columns.dropped_attributes.push(0)
    columns.flags.push(point.flags)
    columns.value_kind.push(numberKind(rest))
    columns.value_double.push(rest.asDouble ?? 0)
    columns.value_int.push(rest.asInt ?? 0n)
    this.#pushDistribution(rest)
    this.#pushExemplars(rest.exemplars ?? [])
    const metric = this.#metric
    const isMarked = metric.unknown !== undefined
    pushOriginal(
      columns.original,
      METRIC,
      isMarked ? withPoints(metric, pointIndex === NO_POINT ? [] : [point]) : metric,
    )
  }

  #pushMetric(kind: number): void {
    const columns = this.#columns
    const { name, description, unit, metadata, sum, histogram, exponentialHistogram } = this.#metric
    columns.name.push(name)
    columns.description.push(description)
    columns.metric_unit.push(unit)
    pushAttributeValues(
      columns.metadata_keys.values,
      columns.metadata_kinds.values,
      columns.metadata_values.values,
      metadata,
    )
    columns.metadata_keys.endRow()
    columns.metadata_kinds.endRow()
    columns.metadata_values.endRow()
    columns.metric_kind.push(kind)
    columns.temporality.push((sum ?? histogram ?? exponentialHistogram)?.aggregationTemporality ?? 0)
    columns.monotonic.push(sum?.isMonotonic === true ? 1 : 0)
  }

  #pushDistribution(rest: PointRest): void {
    const columns = this.#columns
    columns.count.push(rest.count ?? 0n)
    columns.present.push(presence(rest))
    columns.sum.push(rest.sum ?? 0)
    columns.min.push(rest.min ?? 0)
    columns.max.push(rest.max ?? 0)
    pushAll(columns.bucket_counts, rest.bucketCounts)
    pushAll(columns.explicit_bounds, rest.explicitBounds)
    columns.scale.push(rest.scale ?? 0)
    columns.zero_count.push(rest.zeroCount ?? 0n)
    columns.zero_threshold.push(rest.zeroThreshold ?? 0)
    columns.positive_offset.push(rest.positive?.offset ?? 0)
    pushAll(columns.positive_counts, rest.positive?.bucketCounts)
    columns.negative_offset.push(rest.negative?.offset ?? 0)
    pushAll(columns.negative_counts, rest.negative?.bucketCounts)
    const quantiles = rest.quantileValues ?? []
    pushAll(
      columns.quantiles,
      quantiles.map(entry => entry.quantile),
    )
    pushAll(
      columns.quantile_values,
      quantiles.map(entry => entry.value),
    )
  }

  #pushExemplars(exemplars: readonly Exemplar[]): void {
    const columns = this.#columns
    for (const exemplar of exemplars) {
      columns.exemplar_times.values.push(exemplar.timeUnixNano)
      columns.exemplar_value_kinds.values.push(numberKind(exemplar))
      columns.exemplar_doubles.values.push(exemplar.asDouble ?? 0)
      columns.exemplar_ints.values.push(exemplar.asInt ?? 0n)
      columns.exemplar_trace_ids.values.push(exemplar.traceId)
      columns.exemplar_span_ids.values.push(exemplar.spanId)
    }
    columns.exemplar_times.endRow()
    columns.exemplar_value_kinds.endRow()
    columns.exemplar_doubles.endRow()
    columns.exemplar_ints.endRow()
    columns.exemplar_trace_ids.endRow()
    columns.exemplar_span_ids.endRow()
    pushNestedAttributes(
      {
        keys: columns.exemplar_attribute_keys,
        kinds: columns.exemplar_attribute_kinds,
        values: columns.exemplar_attribute_values,
      },
      exemplars.map(exemplar => exemplar.filteredAttributes),
    )
  }
}

/** The same metric with other points. */
export function withPoints(metric: Metric, dataPoints: readonly Point[]): Metric {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric
  const replaced = <Data extends object>(data: Data | undefined): Data | undefined =>
    data === undefined ? undefined : { ...data, dataPoints }
  return {
    ...metric,
    gauge: replaced(gauge),
    sum: replaced(sum),
    histogram: replaced(histogram),
    exponentialHistogram: replaced(exponentialHistogram),
    summary: replaced(summary),
  }
}

type AnyPoint = (NumberDataPoint | HistogramDataPoint | ExponentialHistogramDataPoint | SummaryDataPoint) &
  Point &
  PointRest

export function pointsOf(metric: Metric): { readonly kind: number; readonly points: readonly AnyPoint[] } {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric
  if (gauge !== undefined) return { kind: MetricKind.gauge, points: gauge.dataPoints }
  if (sum !== undefined) return { kind: MetricKind.sum, points: sum.dataPoints }
  if (histogram !== undefined) return { kind: MetricKind.histogram, points: histogram.dataPoints }
  if (exponentialHistogram !== undefined)
    return { kind: MetricKind.exponentialHistogram, points: exponentialHistogram.dataPoints }
  if (summary !== undefined) return { kind: MetricKind.summary, points: summary.dataPoints }
  return { kind: MetricKind.none, points: [] }
}

function numberKind(point: Pick<PointRest, 'asDouble' | 'asInt'>): number {
  if (point.asDouble !== undefined) return NumberKind.double
  return point.asInt === undefined ? NumberKind.none : NumberKind.int
}

function presence({ sum, min, max, positive, negative }: PointRest): number {
  return (
    (sum === undefined ? 0 : Present.sum) |
    (min === undefined ? 0 : Present.min) |
    (max === undefined ? 0 : Present.max) |
    (positive === undefined ? 0 : Present.positive) |
    (negative === undefined ? 0 : Present.negative)
  )
}

interface ListColumn<Value> {
  readonly values: { push(value: Value): void }
  endRow(): void
}

function pushAll<Value>(column: ListColumn<Value>, values: readonly Value[] = []): void {
  for (const value of values) column.values.push(value)
  column.endRow()
}
