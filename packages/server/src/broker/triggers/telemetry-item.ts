// The items that triggers examine: single spans, log records and data points, each with its origin.
import type { AnyValue, KeyValue } from '@hearth/profile'
import type { LogRecord, Metric, Span } from '@hearth/signals'
import type { Payload } from '../../store/keeper.ts'

/** The sender of an item, from its resource. */
export interface Origin {
  readonly service: string
  /** service.instance.id, or empty. */
  readonly instance: string
  readonly attributes: readonly KeyValue[]
}

export interface SpanItem {
  readonly kind: 'span'
  readonly origin: Origin
  readonly span: Span
}

export interface LogItem {
  readonly kind: 'log'
  readonly origin: Origin
  readonly record: LogRecord
}

export interface PointItem {
  readonly kind: 'metric'
  readonly origin: Origin
  readonly name: string
  readonly unit: string
  /** Undefined if the point has no value. */
  readonly value: number | undefined
  readonly time: bigint
  readonly attributes: readonly KeyValue[]
  /** Ids of an exemplar, or empty. */
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
}

export type TelemetryItem = SpanItem | LogItem | PointItem
export type ItemKind = TelemetryItem['kind']

export const TELEMETRY_ITEM_KINDS: readonly ItemKind[] = ['span', 'log', 'metric']

export function originOf(attributes: readonly KeyValue[] = []): Origin {
  return {
    service: scalarText(valueOf(attributes, 'service.name')) ?? '',
    instance: scalarText(valueOf(attributes, 'service.instance.id')) ?? '',
    attributes,
  }
}

export function valueOf(attributes: readonly KeyValue[], key: string): AnyValue {
  return attributes.find(attribute => attribute.key === key)?.value
}

/** The text that rules compare. Undefined for arrays and maps. */
export function scalarText(value: AnyValue): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

export function attributesOf(item: TelemetryItem): readonly KeyValue[] {
  switch (item.kind) {
    case 'span':
      return item.span.attributes
    case 'log':
      return item.record.attributes
    case 'metric':
      return item.attributes
  }
}

/** The ids of the item's span or enclosing span. Empty if there is none. */
export function spanOf(item: TelemetryItem): { readonly traceId: Uint8Array; readonly spanId: Uint8Array } {
  switch (item.kind) {
    case 'span':
      return item.span
    case 'log':
      return item.record
    case 'metric':
      return item
  }
}

/** Unix nanoseconds, 0 if unknown. */
export function timeOf(item: TelemetryItem): bigint {
  switch (item.kind) {
    case 'span':
      return item.span.endTimeUnixNano
    case 'log':
      return item.record.timeUnixNano === 0n ? item.record.observedTimeUnixNano : item.record.timeUnixNano
    case 'metric':
      return item.time
  }
}

/** A short description for users. */
export function describeItem(item: TelemetryItem): string {
  switch (item.kind) {
    case 'span': {
      const { name, startTimeUnixNano: start, endTimeUnixNano: end } = item.span
      const ms = Number(end > start ? end - start : 0n) / 1e6
      return `span ${clip(name)}, ${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
    }
    case 'log': {
      const { severityText, severityNumber, body } = item.record
      return `log ${severityText === '' ? severityNumber : clip(severityText)}: ${clip(scalarText(body) ?? '')}`
    }
    case 'metric':
      return `metric ${clip(item.name)} = ${item.value ?? 'no value'}${item.unit === '' ? '' : ` ${clip(item.unit)}`}`
  }
}

const MAX_LENGTH = 200

function clip(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

/** Yields all items of a payload. */
export function* itemsOf(payload: Payload): Generator<TelemetryItem> {
  switch (payload.signal) {
    case 'traces':
      for (const { resource, scopeSpans } of payload.traces.resourceSpans) {
        const origin = originOf(resource?.attributes)
        for (const { spans } of scopeSpans) for (const span of spans) yield { kind: 'span', origin, span }
      }
      return
    case 'logs':
      for (const { resource, scopeLogs } of payload.logs.resourceLogs) {
        const origin = originOf(resource?.attributes)
        for (const { logRecords } of scopeLogs) for (const record of logRecords) yield { kind: 'log', origin, record }
      }
      return
    case 'metrics':
      for (const { resource, scopeMetrics } of payload.metrics.resourceMetrics) {
        const origin = originOf(resource?.attributes)
        for (const { metrics } of scopeMetrics) for (const metric of metrics) yield* pointsOf(origin, metric)
      }
      return
    case 'profiles':
  }
}

/** Yields every data point of a metric of any type. */
export function* pointsOf(origin: Origin, metric: Metric): Generator<PointItem> {
  const { name, unit, gauge, sum, histogram, exponentialHistogram, summary } = metric
  const item = (point: Point, value: number | undefined): PointItem => {
    const exemplar = point.exemplars?.at(-1)
    return {
      kind: 'metric',
      origin,
      name,
      unit,
      value,
      time: point.timeUnixNano,
      attributes: point.attributes,
      traceId: exemplar?.traceId ?? NO_ID,
      spanId: exemplar?.spanId ?? NO_ID,
    }
  }
  for (const point of (gauge ?? sum)?.dataPoints ?? []) {
    const { asDouble, asInt } = point
    yield item(point, asDouble ?? (asInt === undefined ? undefined : Number(asInt)))
  }
  for (const point of (histogram ?? exponentialHistogram)?.dataPoints ?? []) {
    // Prefer the maximum: a mean of thousands hides the slow one.
    yield item(point, point.max ?? mean(point.sum, point.count))
  }
  for (const point of summary?.dataPoints ?? []) yield item(point, mean(point.sum, point.count))
}

interface Point {
  readonly timeUnixNano: bigint
  readonly attributes: readonly KeyValue[]
  readonly exemplars?: readonly { readonly traceId: Uint8Array; readonly spanId: Uint8Array }[]
}

const NO_ID = new Uint8Array(0)

function mean(sum: number | undefined, count: bigint): number | undefined {
  return sum === undefined || count === 0n ? undefined : sum / Number(count)
}
