// Compares the protobuf layer of @hearth/signals with protobuf-es (@bufbuild/protobuf): npm run bench:protobuf. Both decode
// and encode the same requests of 1,000 spans and 1,000 data points, in one process and interleaved. The tables report CPU
// time and allocated bytes per request, and what each layer adds to a bundle. ARCHITECTURE.md quotes them.
import type { DescMessage } from '@bufbuild/protobuf'
import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Codec, KeyValue, MetricsData, NumberDataPoint, Span, TracesData } from '@hearth/signals'
import { PROTO_FILES, metrics, traces } from '@hearth/signals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { randomFrom } from './inputs.ts'
import type { Variant } from '../measure.ts'
import { allocatedBy, measure, microsOf } from '../measure.ts'

const ROUNDS = process.argv.includes('--quick') ? 3 : 7
const ITEMS = 1000
const START = 1_700_000_000_000_000_000n
const NONE = new Uint8Array(0)

const random = randomFrom(7)
const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(random() * 256))
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]

const RESOURCE = {
  attributes: [
    { key: 'service.name', value: 'checkout' },
    { key: 'service.version', value: '1.42.0' },
    { key: 'host.name', value: 'ip-10-0-3-17' },
    { key: 'process.pid', value: 4711n },
    { key: 'telemetry.sdk.language', value: 'nodejs' },
  ],
  droppedAttributesCount: 0,
  entityRefs: [],
}
const SCOPE = {
  name: '@opentelemetry/instrumentation-http',
  version: '0.223.0',
  attributes: [],
  droppedAttributesCount: 0,
}

/** The attributes of an HTTP server span, by semantic convention. */
function httpAttributes(i: number): KeyValue[] {
  return [
    { key: 'http.request.method', value: oneOf(['GET', 'POST', 'PUT']) },
    { key: 'http.route', value: oneOf(['/cart', '/cart/:id', '/orders/:id', '/health']) },
    { key: 'url.path', value: `/orders/${i}` },
    { key: 'http.response.status_code', value: oneOf([200n, 201n, 404n, 500n]) },
    { key: 'network.peer.address', value: `10.0.${i % 256}.${(i * 7) % 256}` },
    { key: 'user_agent.original', value: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' },
    { key: 'cache.hit', value: i % 3 === 0 },
    { key: 'queue.wait_ms', value: random() * 100 },
  ]
}

function span(i: number): Span {
  const start = START + BigInt(i) * 1_000_000n
  const event = { timeUnixNano: start + 5n, name: 'exception', attributes: httpAttributes(i).slice(0, 2) }
  return {
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    traceState: '',
    parentSpanId: i % 10 === 0 ? NONE : randomBytes(8),
    name: oneOf(['GET /cart', 'POST /orders', 'SELECT orders', 'publish']),
    kind: (i % 5) + 1,
    startTimeUnixNano: start,
    endTimeUnixNano: start + BigInt(Math.floor(random() * 1e9)),
    attributes: httpAttributes(i),
    droppedAttributesCount: 0,
    events: i % 20 === 0 ? [{ ...event, droppedAttributesCount: 0 }] : [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { message: '', code: i % 20 === 0 ? 2 : 0 },
    flags: 0x101,
  }
}

function point(i: number): NumberDataPoint {
  return {
    startTimeUnixNano: START,
    timeUnixNano: START + 10_000_000_000n,
    asDouble: i % 2 === 0 ? random() * 1000 : undefined,
    exemplars: [],
    asInt: i % 2 === 0 ? undefined : BigInt(i),
    attributes: httpAttributes(i).slice(0, 4),
    flags: 0,
  }
}

function tracesRequest(): TracesData {
  const spans = Array.from({ length: ITEMS }, (_, i) => span(i))
  return {
    resourceSpans: [{ resource: RESOURCE, schemaUrl: '', scopeSpans: [{ scope: SCOPE, spans, schemaUrl: '' }] }],
  }
}

/** Half sums of numbers, half histograms. */
function metricsRequest(): MetricsData {
  const around = { description: '', unit: 'ms', metadata: [], gauge: undefined, summary: undefined }
  const none = { sum: undefined, histogram: undefined, exponentialHistogram: undefined }
  const list = Array.from({ length: ITEMS / 20 }, (_, m) => {
    const points = Array.from({ length: 20 }, (__, i) => point(m * 20 + i))
    if (m % 2 === 0) {
      const sum = { dataPoints: points, aggregationTemporality: 2, isMonotonic: true }
      return { ...around, ...none, name: `http.server.requests.${m}`, sum }
    }
    const dataPoints = points.map(({ startTimeUnixNano, timeUnixNano, attributes }, i) => ({
      startTimeUnixNano,
      timeUnixNano,
      attributes,
      count: 100n,
      sum: random() * 1e4,
      bucketCounts: Array.from({ length: 15 }, (__, b) => BigInt((b * i) % 400)),
      explicitBounds: [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000],
      exemplars: [],
      flags: 0,
      min: 1,
      max: 900,
    }))
    const histogram = { dataPoints, aggregationTemporality: 2 }
    return { ...around, ...none, name: `http.server.request.duration.${m}`, histogram }
  })
  const scopeMetrics = [{ scope: SCOPE, metrics: list, schemaUrl: '' }]
  return { resourceMetrics: [{ resource: RESOURCE, schemaUrl: '', scopeMetrics }] }
}

function schemaNamed(name: string): DescMessage {
  const file = PROTO_FILES.map(each => fromBinary(FileDescriptorProtoSchema, each.protobufDescriptor()))
  const schema = createFileRegistry(create(FileDescriptorSetSchema, { file })).getMessage(name)
  if (schema === undefined) throw new Error(`${name} is not in the descriptors`)
  return schema
}

function rowsOf<T>(name: string, codec: Codec<T>, content: T, schema: DescMessage): string[][] {
  const bytes = codec.encode(content)
  const ours = codec.decode(bytes)
  const theirs = fromBinary(schema, bytes)
  const both = (work: string, hearth: () => unknown, protobufEs: () => unknown): string[] => {
    const variants: Variant[] = [
      { name: 'hearth', run: hearth },
      { name: 'protobuf-es', run: protobufEs },
    ]
    const timings = measure(variants, ROUNDS)
    const micros = variants.map(variant => microsOf(timings, variant.name))
    const allocated = variants.map(({ run }) => allocatedBy(run))
    return [
      `${work} ${name}, ${Math.round(bytes.length / 1024)} KiB`,
      ...micros.map(each => `${(each / 1000).toFixed(2)} ms`),
      (micros[1] / micros[0]).toFixed(1),
      ...allocated.map(each => `${Math.round(each / 1024)} KiB`),
    ]
  }
  return [
    both(
      'decode',
      () => codec.decode(bytes),
      () => fromBinary(schema, bytes),
    ),
    both(
      'encode',
      () => codec.encode(ours),
      () => toBinary(schema, theirs),
    ),
  ]
}

/** The minified size of a module that uses the exports of a package. */
async function bundled(source: string): Promise<string> {
  const here = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'hearth-bundle-'))
  // Inside the package, so that its dependencies are found.
  const entry = join(here, 'dist', 'bundle-entry.js')
  try {
    writeFileSync(entry, source)
    const result = await build({
      root: here,
      configFile: false,
      logLevel: 'error',
      build: { write: false, outDir: folder, lib: { entry, formats: ['es'] }, minify: true },
    })
    const [{ output }] = Array.isArray(result) ? result : [result as never]
    const code = (output as readonly { readonly code?: string }[]).map(chunk => chunk.code ?? '').join('')
    return `${Math.round(code.length / 1024)} KiB (gzip ${Math.round(gzipSync(code).length / 1024)})`
  } finally {
    rmSync(entry, { force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headers, headers.map((_, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map(cells => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const rows = [
  ...rowsOf(
    '1,000 spans',
    traces,
    tracesRequest(),
    schemaNamed('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest'),
  ),
  ...rowsOf(
    '1,000 points',
    metrics,
    metricsRequest(),
    schemaNamed('opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest'),
  ),
]
console.log(
  table(['', 'Hearth, CPU', 'protobuf-es, CPU', 'times', 'Hearth, allocated', 'protobuf-es, allocated'], rows),
)
const PROTOBUF_ES = 'fromBinary, toBinary, fromJson, toJson, createFileRegistry'
const sizes = [
  ['protobuf-es without any message', await bundled(`export { ${PROTOBUF_ES} } from '@bufbuild/protobuf'`)],
  [
    'Hearth with all messages of OTLP',
    await bundled("export { traces, logs, metrics, plainProfiles, rpcStatus, PROTO_FILES } from '@hearth/signals'"),
  ],
]
console.log(`\n${table(['bundle', 'minified'], sizes)}`)
