// Traces, logs and metrics of the demo's processes, as OTLP in JSON.
import { nanos } from './shop-profiles.ts'
import { resourceOf } from './shop-resource.ts'
import type { ShopMetrics } from './shop.ts'
import type { LogRecord, Process, Span } from './simulation.ts'

/** The bounds that the semantic conventions give, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const SCOPE = { name: 'shop' }
const DELTA = 1

export interface DemoSignals {
  readonly traces: object
  readonly logs: object
  readonly metrics: object
}

/** Returns what happened from `from` to `to`, and removes it from the processes. */
export function drainSignals(
  processes: readonly Process[],
  metrics: ShopMetrics,
  from: number,
  to: number,
): DemoSignals {
  const time = { startTimeUnixNano: String(nanos(from)), timeUnixNano: String(nanos(to)) }
  const signals = {
    traces: {
      resourceSpans: processes.map(process => ({
        resource: resourceJson(process),
        scopeSpans: [{ scope: SCOPE, spans: process.spans.map(spanJson) }],
      })),
    },
    logs: {
      resourceLogs: processes.map(process => ({
        resource: resourceJson(process),
        scopeLogs: [{ scope: SCOPE, logRecords: process.logs.map(logJson) }],
      })),
    },
    metrics: {
      resourceMetrics: processes.map(process => ({
        resource: resourceJson(process),
        scopeMetrics: [{ scope: SCOPE, metrics: metricsOf(process, metrics, time) }],
      })),
    },
  }
  if (processes.some(({ service }) => service === 'checkout')) metrics.orders = 0
  for (const process of processes) {
    process.spans = []
    process.logs = []
  }
  return signals
}

type Attributes = Readonly<Record<string, string | number | bigint>>

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
}

function resourceJson(process: Process): object {
  return { attributes: attributesJson(Object.fromEntries(resourceOf(process).map(({ key, value }) => [key, value]))) }
}

function spanJson({ traceId, spanId, parentSpanId, name, kind, at, start, end, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startTimeUnixNano: String(nanos(start)),
    endTimeUnixNano: String(nanos(end)),
    attributes: attributesJson({ ...attributes, 'thread.id': at.thread.id }),
    ...(error === '' ? {} : { status: { code: 2, message: error } }),
  }
}

function logJson({ time, severity, body, span, attributes }: LogRecord): object {
  return {
    timeUnixNano: String(nanos(time)),
    severityNumber: severity,
    severityText: severity >= 17 ? 'ERROR' : severity >= 13 ? 'WARN' : 'INFO',
    body: { stringValue: body },
    attributes: attributesJson(attributes),
    ...(span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }),
  }
}

interface PointTime {
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

function metricsOf(process: Process, shop: ShopMetrics, time: PointTime): object[] {
  const routes = new Map<string, Span[]>()
  for (const span of process.spans) {
    if (span.kind !== 2) continue
    const key = JSON.stringify([span.name, span.attributes['http.response.status_code']])
    routes.set(key, [...(routes.get(key) ?? []), span])
  }
  const memory = { ...time, asInt: String(Math.round(80e6 + process.garbage)), attributes: [] }
  return [
    {
      name: 'http.server.request.duration',
      unit: 's',
      description: 'Duration of HTTP requests',
      histogram: {
        aggregationTemporality: DELTA,
        dataPoints: [...routes.values()].map(spans => histogramPoint(spans, time)),
      },
    },
    { name: 'process.memory.usage', unit: 'By', gauge: { dataPoints: [memory] } },
    ...(process.service === 'checkout'
      ? [
          {
            name: 'shop.orders',
            unit: '{order}',
            sum: {
              aggregationTemporality: DELTA,
              isMonotonic: true,
              dataPoints: [{ ...time, asInt: String(shop.orders) }],
            },
          },
          { name: 'shop.stock', unit: '{item}', gauge: { dataPoints: [{ ...time, asInt: String(shop.stock) }] } },
        ]
      : []),
  ]
}

function histogramPoint(spans: readonly Span[], time: PointTime): object {
  const seconds = spans.map(({ start, end }) => (end - start) / 1000)
  const bucketCounts = Array.from({ length: BOUNDS.length + 1 }, () => 0)
  for (const each of seconds) {
    const bucket = BOUNDS.findIndex(bound => each <= bound)
    bucketCounts[bucket === -1 ? BOUNDS.length : bucket]++
  }
  const slowest = spans.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a))
  const { attributes, traceId, spanId, start, end } = slowest
  return {
    ...time,
    count: String(seconds.length),
    sum: seconds.reduce((a, b) => a + b, 0),
    min: Math.min(...seconds),
    max: Math.max(...seconds),
    bucketCounts: bucketCounts.map(String),
    explicitBounds: BOUNDS,
    attributes: attributesJson({
      'http.request.method': attributes['http.request.method'],
      'http.route': attributes['http.route'],
      'http.response.status_code': attributes['http.response.status_code'],
    }),
    exemplars: [{ timeUnixNano: String(nanos(end)), asDouble: (end - start) / 1000, traceId, spanId }],
  }
}
