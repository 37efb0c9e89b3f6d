// Reads what OpenTelemetry's own exporters send, in both encodings.
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { expect, test } from 'vitest'
import type { Codec } from '../protobuf/codec.ts'
import { logs, metrics, traces } from './codecs.ts'
import { LINKED, sdkLogs, sdkMetrics, sdkSpans } from '../testing/sdk-signals.ts'

/** Reads both encodings, which must agree, and returns the content. */
function read<T>(codec: Codec<T>, protobuf: Uint8Array | undefined, json: Uint8Array | undefined): T {
  const content = codec.decode(protobuf!)
  expect(codec.decode(codec.encode(content))).toEqual(content)
  expect(codec.encode(codec.decodeJson(json!))).toEqual(codec.encode(content))
  return content
}

test('traces reads the spans of the SDK', async () => {
  const finished = await sdkSpans()
  const content = read(
    traces,
    ProtobufTraceSerializer.serializeRequest(finished),
    JsonTraceSerializer.serializeRequest(finished),
  )
  expect(content.resourceSpans[0].resource?.attributes).toEqual([
    { key: 'service.name', value: 'shop' },
    { key: 'process.pid', value: 42n },
    { key: 'tags', value: ['a', 'b'] },
  ])
  const [scopeSpans] = content.resourceSpans[0].scopeSpans
  expect(scopeSpans.scope).toEqual({ name: 'lib', version: '1.2.3', attributes: [], droppedAttributesCount: 0 })
  const [first, second] = scopeSpans.spans
  expect(first).toMatchObject({ name: 'child é', kind: 3, status: { code: 2, message: 'broken' } })
  expect(first.parentSpanId).toEqual(second.spanId)
  expect(Buffer.from(first.traceId).toString('hex')).toBe(finished[0].spanContext().traceId)
  expect(first.attributes).toEqual([
    { key: 'text', value: 'x'.repeat(300) },
    { key: 'int', value: 7n },
    { key: 'negative', value: -7n },
    { key: 'double', value: 0.5 },
    { key: 'yes', value: true },
    { key: 'list', value: ['a', 'b'] },
  ])
  expect(first.events).toEqual([
    {
      timeUnixNano: 1_700_000_001_000_000_005n,
      name: 'event',
      attributes: [{ key: 'n', value: 1n }],
      droppedAttributesCount: 0,
    },
  ])
  expect(Buffer.from(first.links[0].spanId).toString('hex')).toBe(LINKED.spanId)
  expect(second).toMatchObject({
    startTimeUnixNano: 1_700_000_000_123_456_789n,
    endTimeUnixNano: 1_700_000_002_000_000_000n,
    kind: 2,
  })
})

test('logs reads the log records of the SDK', async () => {
  const finished = await sdkLogs()
  const content = read(
    logs,
    ProtobufLogsSerializer.serializeRequest(finished),
    JsonLogsSerializer.serializeRequest(finished),
  )
  expect(content.resourceLogs[0].scopeLogs[0].logRecords[0]).toMatchObject({
    timeUnixNano: 1_700_000_000_000_000_001n,
    observedTimeUnixNano: 1_700_000_000_000_000_002n,
    severityNumber: 13,
    severityText: 'WARN',
    eventName: 'disk.full',
    body: {
      entries: [
        { key: 'list', value: [1n, 'two', { entries: [{ key: 'three', value: 3.5 }] }] },
        { key: 'bytes', value: Uint8Array.of(1, 2) },
      ],
    },
    attributes: [{ key: 'a', value: 'b' }],
  })
})

test('metrics reads every kind of metric of the SDK', async () => {
  const finished = await sdkMetrics()
  const content = read(
    metrics,
    ProtobufMetricsSerializer.serializeRequest(finished),
    JsonMetricsSerializer.serializeRequest(finished),
  )
  const all = new Map(content.resourceMetrics[0].scopeMetrics[0].metrics.map(metric => [metric.name, metric]))
  expect(all.get('counter')).toMatchObject({
    unit: '1',
    description: 'counts',
    sum: { isMonotonic: true, aggregationTemporality: 1, dataPoints: [{ attributes: [{ key: 'a', value: 'b' }] }] },
  })
  const counted = all.get('counter')?.sum?.dataPoints[0]
  expect(Number(counted?.asInt ?? counted?.asDouble)).toBe(5)
  expect(all.get('updown')?.sum?.isMonotonic).toBe(false)
  expect(all.get('gauge')?.gauge?.dataPoints[0]).toMatchObject({ asDouble: 0.25, asInt: undefined })
  expect(all.get('histogram')?.histogram?.dataPoints[0]).toMatchObject({
    count: 3n,
    sum: 55.5,
    min: 0.5,
    max: 50,
    explicitBounds: [1, 10],
    bucketCounts: [1n, 1n, 1n],
  })
  const point = all.get('exponential')?.exponentialHistogram?.dataPoints[0]
  expect(point).toMatchObject({ count: 4n, sum: 1003, min: 0, max: 1000, zeroCount: 1n })
  expect(point?.positive?.bucketCounts.reduce((sum, count) => sum + count, 0n)).toBe(3n)
})
