// Receives what OpenTelemetry's own exporters send over gRPC, as protobuf and as JSON, without a difference.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Metadata } from '@grpc/grpc-js'
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto'
import type { OTLPExporterNodeConfigBase } from '@opentelemetry/otlp-exporter-base'
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base'
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Codec, LogsData, MetricsData, TracesData } from '@hearth/signals'
import { logs, metrics, traces } from '@hearth/signals'
import type { RunningServer } from './testing/running-server.ts'
import { idOf, startServer } from './testing/running-server.ts'
import { storedLogs, storedMetrics, storedTraces } from './testing/stored-content.ts'
import { sdkLogs, sdkMetrics, sdkSpans } from '../../../signals/src/testing/sdk-signals.ts'
import type { Engine } from '../store/engine.ts'
import type { Signal } from '../store/keeper.ts'
import { readRequestLogs, readRequestMetrics, readRequestTraces } from '../store/testing/read-request.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-exporters-'))
let at: RunningServer
beforeAll(async () => {
  at = await startServer(directory)
})
afterAll(async () => {
  await at.server.close()
  rmSync(directory, { recursive: true })
})

interface Exporter<Items> {
  export(items: Items, callback: (result: { readonly code: number; readonly error?: Error }) => void): void
  shutdown(): Promise<void>
}

async function exported<Items>(exporter: Exporter<Items>, items: Items): Promise<void> {
  const result = await new Promise<{ readonly code: number; readonly error?: Error }>(resolve =>
    exporter.export(items, resolve),
  )
  if (result.code !== 0) throw result.error ?? new Error('the export failed')
  await exporter.shutdown()
}

const NAMES = ['grpc', 'protobuf', 'json'] as const
type Name = (typeof NAMES)[number]

interface Subject<Items, Content> {
  readonly signal: Signal
  readonly items: Items
  readonly codec: Codec<Content>
  readonly serialized: (name: Name) => Uint8Array | undefined
  readonly exporter: (name: Name) => Exporter<Items>
  readonly read: (engine: Engine, tenant: string, id: Uint8Array) => Promise<Content>
  readonly stored: (content: Content) => Content
}

/** Sends with each exporter as another tenant, so that none is a duplicate, and reads the stored content. */
async function goesIn<Items, Content>(subject: Subject<Items, Content>): Promise<void> {
  const { signal, items, codec, serialized, exporter, read, stored } = subject
  for (const name of NAMES) await exported(exporter(name), items)
  await at.server.store.settled()
  for (const name of NAMES) {
    const body = serialized(name)!
    const content = name === 'json' ? codec.decodeJson(body) : codec.decode(body)
    expect(await read(at.server.store.engine, name, idOf(signal, body))).toEqual(stored(content))
  }
  const clients = await at.server.store.engine.select(
    'SELECT tenant, client FROM requests WHERE signal = {signal:String} ORDER BY tenant',
    { parameters: { signal } },
  )
  expect(clients.rows).toBe(NAMES.length)
  for (let row = 0; row < clients.rows; row++)
    expect(clients.column('client').text(row)).toMatch(/^OTel-OTLP-Exporter-JavaScript\//)
}

const grpcUrl = (): string => `http://127.0.0.1:${at.server.ports.otlpGrpc}`

/** Uses gzip for protobuf only. */
function http(name: Name, path: string): OTLPExporterNodeConfigBase {
  const compression = name === 'protobuf' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE
  return { url: `${at.otlp}${path}`, headers: { 'x-scope-orgid': name }, compression }
}

function tenant(name: string): Metadata {
  const metadata = new Metadata()
  metadata.set('x-scope-orgid', name)
  return metadata
}

test('the server stores spans of every exporter', async () => {
  const items = await sdkSpans()
  await goesIn<ReadableSpan[], TracesData>({
    signal: 'traces',
    items,
    codec: traces,
    serialized: name => (name === 'json' ? JsonTraceSerializer : ProtobufTraceSerializer).serializeRequest(items),
    exporter: name => {
      if (name === 'grpc') return new GrpcTraces({ url: grpcUrl(), metadata: tenant(name) })
      return name === 'json' ? new JsonTraces(http(name, '/v1/traces')) : new ProtobufTraces(http(name, '/v1/traces'))
    },
    read: readRequestTraces,
    stored: storedTraces,
  })
})

test('the server stores log records of every exporter', async () => {
  const items = await sdkLogs()
  await goesIn<ReadableLogRecord[], LogsData>({
    signal: 'logs',
    items,
    codec: logs,
    serialized: name => (name === 'json' ? JsonLogsSerializer : ProtobufLogsSerializer).serializeRequest(items),
    exporter: name => {
      if (name === 'grpc') return new GrpcLogs({ url: grpcUrl(), metadata: tenant(name) })
      return name === 'json' ? new JsonLogs(http(name, '/v1/logs')) : new ProtobufLogs(http(name, '/v1/logs'))
    },
    read: readRequestLogs,
    stored: storedLogs,
  })
})

test('the server stores every kind of metric of every exporter', async () => {
  const items = await sdkMetrics()
  await goesIn<ResourceMetrics, MetricsData>({
    signal: 'metrics',
    items,
    codec: metrics,
    serialized: name => (name === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer).serializeRequest(items),
    exporter: name => {
      if (name === 'grpc') return new GrpcMetrics({ url: grpcUrl(), metadata: tenant(name) })
      return name === 'json'
        ? new JsonMetrics(http(name, '/v1/metrics'))
        : new ProtobufMetrics(http(name, '/v1/metrics'))
    },
    read: readRequestMetrics,
    stored: storedMetrics,
  })
})
