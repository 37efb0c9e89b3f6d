// Spans, log records and metrics made by OpenTelemetry's own SDK, with a value in every field.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const resource = resourceFromAttributes({ 'service.name': 'shop', 'process.pid': 42, tags: ['a', 'b'] })

/** The target of the span's link. */
export const LINKED = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  traceFlags: TraceFlags.SAMPLED,
} as const

/** Returns a child and then its parent. */
export async function sdkSpans(): Promise<ReadableSpan[]> {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('lib', '1.2.3')
  const parent = tracer.startSpan('parent', { kind: SpanKind.SERVER, startTime: [1_700_000_000, 123_456_789] })
  const child = tracer.startSpan(
    'child é',
    {
      kind: SpanKind.CLIENT,
      attributes: { text: 'x'.repeat(300), int: 7, negative: -7, double: 0.5, yes: true, list: ['a', 'b'] },
      links: [{ context: LINKED, attributes: { why: 'because' } }],
    },
    trace.setSpan(ROOT_CONTEXT, parent),
  )
  child.addEvent('event', { n: 1 }, [1_700_000_001, 5])
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'broken' })
  child.end()
  parent.end([1_700_000_002, 0])
  const spans = [...exporter.getFinishedSpans()]
  await provider.shutdown()
  return spans
}

export async function sdkLogs(): Promise<ReadableLogRecord[]> {
  const exporter = new InMemoryLogRecordExporter()
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] })
  provider.getLogger('lib').emit({
    timestamp: [1_700_000_000, 1],
    observedTimestamp: [1_700_000_000, 2],
    severityNumber: SeverityNumber.WARN,
    severityText: 'WARN',
    eventName: 'disk.full',
    body: { list: [1, 'two', { three: 3.5 }], bytes: Uint8Array.of(1, 2) },
    attributes: { a: 'b' },
  })
  const records = [...exporter.getFinishedLogRecords()]
  await provider.shutdown()
  return records
}

/** Returns metrics of every kind that the SDK has. */
export async function sdkMetrics(): Promise<ResourceMetrics> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 })
  const provider = new MeterProvider({
    resource,
    readers: [reader],
    views: [{ instrumentName: 'exponential', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
  })
  const meter = provider.getMeter('lib')
  meter.createCounter('counter', { unit: '1', description: 'counts' }).add(5, { a: 'b' })
  meter.createUpDownCounter('updown').add(-2)
  meter.createGauge('gauge').record(0.25)
  const histogram = meter.createHistogram('histogram', { advice: { explicitBucketBoundaries: [1, 10] } })
  for (const value of [0.5, 5, 50]) histogram.record(value)
  const exponential = meter.createHistogram('exponential')
  for (const value of [0, 1, 2, 1000]) exponential.record(value)
  await reader.forceFlush()
  const [metrics] = exporter.getMetrics()
  await provider.shutdown()
  return metrics
}
