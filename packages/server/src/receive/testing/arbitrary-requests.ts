// Random requests of traces, logs and metrics that the server accepts: arbitrary content with ids of the right length.
import type fc from 'fast-check'
import type { Exemplar, LogsData, Metric, MetricsData, TracesData } from '@hearth/signals'
import { EXPORT_SERVICES } from '@hearth/signals'
import { arbitraryMessage } from '../../../../signals/src/testing/arbitrary-message.ts'

/** Random bytes extended or cut to a length; not all zero. */
function idOf(bytes: Uint8Array, length: number): Uint8Array {
  const id = new Uint8Array(length).fill(1)
  id.set(bytes.subarray(0, length))
  return id.some(byte => byte !== 0) ? id : id.fill(1)
}

/** Like `idOf`, but empty for no bytes. */
function idOrNone(bytes: Uint8Array, length: number): Uint8Array {
  return bytes.length === 0 ? bytes : idOf(bytes, length)
}

interface HasIds {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
}

function withIds<Item extends HasIds>(item: Item): Item {
  return { ...item, traceId: idOrNone(item.traceId, 16), spanId: idOrNone(item.spanId, 8) }
}

export const arbitraryTraces: fc.Arbitrary<TracesData> = arbitraryMessage(EXPORT_SERVICES.traces.request).map(
  ({ resourceSpans }) => ({
    resourceSpans: resourceSpans.map(resource => ({
      ...resource,
      scopeSpans: resource.scopeSpans.map(scope => ({
        ...scope,
        spans: scope.spans.map(span => ({
          ...span,
          traceId: idOf(span.traceId, 16),
          spanId: idOf(span.spanId, 8),
          parentSpanId: idOrNone(span.parentSpanId, 8),
          links: span.links.map(withIds),
        })),
      })),
    })),
  }),
)

export const arbitraryLogs: fc.Arbitrary<LogsData> = arbitraryMessage(EXPORT_SERVICES.logs.request).map(
  ({ resourceLogs }) => ({
    resourceLogs: resourceLogs.map(resource => ({
      ...resource,
      scopeLogs: resource.scopeLogs.map(scope => ({ ...scope, logRecords: scope.logRecords.map(withIds) })),
    })),
  }),
)

export const arbitraryMetrics: fc.Arbitrary<MetricsData> = arbitraryMessage(EXPORT_SERVICES.metrics.request).map(
  ({ resourceMetrics }) => ({
    resourceMetrics: resourceMetrics.map(resource => ({
      ...resource,
      scopeMetrics: resource.scopeMetrics.map(scope => ({ ...scope, metrics: scope.metrics.map(metricWithIds) })),
    })),
  }),
)

function metricWithIds(metric: Metric): Metric {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric
  const points = <Point extends HasExemplars & HasTime>(list: readonly Point[]): Point[] =>
    withTimes(list).map(point => ({ ...point, exemplars: point.exemplars.map(withIds) }))
  return {
    ...metric,
    gauge: gauge && { ...gauge, dataPoints: points(gauge.dataPoints) },
    sum: sum && { ...sum, dataPoints: points(sum.dataPoints) },
    histogram: histogram && { ...histogram, dataPoints: points(histogram.dataPoints) },
    exponentialHistogram: exponentialHistogram && {
      ...exponentialHistogram,
      dataPoints: points(exponentialHistogram.dataPoints),
    },
    summary: summary && { ...summary, dataPoints: withTimes(summary.dataPoints) },
  }
}

interface HasExemplars {
  readonly exemplars: readonly Exemplar[]
}

interface HasTime {
  readonly timeUnixNano: bigint
}

/** The server rejects points without a time. */
function withTimes<Point extends HasTime>(list: readonly Point[]): Point[] {
  return list.map(point => (point.timeUnixNano === 0n ? { ...point, timeUnixNano: 1n } : point))
}
