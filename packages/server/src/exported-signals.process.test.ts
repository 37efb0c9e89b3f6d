// A server over the tables of the Collector's ClickHouse exporter: made by the exporter's own statements, filled as it fills them, and read
// through the API. Profiles are sent to Hearth.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { encodeOtlp } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_SCOPE, START, profilesOf } from './query/testing/plain-profiles.ts'
import type { RunningServer } from './receive/testing/running-server.ts'
import { startServer } from './receive/testing/running-server.ts'
import { PROTOBUF, post } from './receive/testing/senders.ts'
import type { Engine } from './store/engine.ts'
import { openClickHouse } from './store/engines/clickhouse.ts'
import { redirectedSql } from './store/exported/exported-signals.ts'
import { ExporterAddressError, parseExporterUrl, storeOfExporter } from './store/exported/exporter-address.ts'
import type { ClickHouseHttp } from './store/testing/clickhouse-http.ts'
import { startClickHouseHttp } from './store/testing/clickhouse-http.ts'

const TABLES = join(import.meta.dirname, 'store', 'exported', 'testing', 'exporter-tables.sql')
const SECOND = 1_000_000_000n
const MS = 1_000_000n
const RANGE = { from: String(START), to: String(START + 3600n * SECOND) }
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
const time = (nanos: bigint): string => `fromUnixTimestamp64Nano(toInt64(${nanos}))`
const seconds = (nanos: bigint): string => `toDateTime(${nanos / SECOND})`
const RESOURCE = (service: string): string =>
  `map('service.name', '${service}', 'service.instance.id', '${service}-1', 'region', 'eu')`

const directory = mkdtempSync(join(tmpdir(), 'hearth-exported-'))
let clickHouse: ClickHouseHttp
let engine: Engine
let at: RunningServer
let client: HearthClient

interface GivenSpan {
  readonly trace: number
  readonly id: number
  readonly parent?: number
  readonly service: string
  readonly name: string
  readonly at: bigint
  readonly ms: number
  readonly status?: string
}

async function insertSpans(spans: readonly GivenSpan[]): Promise<void> {
  const rows = spans.map(
    ({ trace, id, parent, service, name, at: start, ms, status = 'Unset' }) =>
      `(${time(start)}, '${hex(trace, 32)}', '${hex(id, 16)}', '${parent === undefined ? '' : hex(parent, 16)}', 'a=b', '${name}', ` +
      `'Server', '${service}', ${RESOURCE(service)}, 'tracer', '1.2', map('http.response.status_code', '${status === 'Error' ? 500 : 200}', ` +
      `'thread.id', '7', 'user', 'u${trace}'), ${BigInt(ms) * MS}, '${status}', '${status === 'Error' ? 'broken' : ''}', ` +
      `[${time(start)}], ['began'], [map('n', '1')], ['${hex(99, 32)}'], ['${hex(98, 16)}'], [''], [map('why', 'retry')])`,
  )
  await engine.command(
    'INSERT INTO otel.otel_traces (Timestamp, TraceId, SpanId, ParentSpanId, TraceState, SpanName, SpanKind, ServiceName, ' +
      'ResourceAttributes, ScopeName, ScopeVersion, SpanAttributes, Duration, StatusCode, StatusMessage, `Events.Timestamp`, ' +
      '`Events.Name`, `Events.Attributes`, `Links.TraceId`, `Links.SpanId`, `Links.TraceState`, `Links.Attributes`) VALUES ' +
      rows.join(', '),
  )
}

beforeAll(async () => {
  clickHouse = await startClickHouseHttp({ directory: join(directory, 'clickhouse') })
  const server = `clickhouse://127.0.0.1:${clickHouse.port}`
  engine = await openClickHouse({ url: server })
  const statements = readFileSync(TABLES, 'utf8')
    .replaceAll(/^--.*$/gm, '')
    .split(/;\n/)
  for (const sql of statements) if (sql.trim() !== '') await engine.command(sql)
  await insertSpans([
    { trace: 1, id: 1, service: 'front', name: 'GET /', at: START, ms: 100 },
    { trace: 1, id: 2, parent: 1, service: 'back', name: 'query', at: START + 10n * MS, ms: 20, status: 'Error' },
    ...Array.from({ length: 10 }, (_, i) => ({
      trace: i + 2,
      id: 1,
      service: 'front',
      name: 'POST /',
      at: START + BigInt(i + 2) * SECOND,
      ms: i === 9 ? 900 : 10 * (i + 2),
    })),
  ])
  await engine.command(
    'INSERT INTO otel.otel_logs (Timestamp, TraceId, SpanId, TraceFlags, SeverityText, SeverityNumber, ServiceName, Body, ' +
      'ResourceSchemaUrl, ResourceAttributes, ScopeSchemaUrl, ScopeName, ScopeVersion, ScopeAttributes, LogAttributes, EventName) VALUES ' +
      Array.from(
        { length: 25 },
        (_, i) =>
          `(${time(START + BigInt(i) * MS)}, '${i < 5 ? hex(1, 32) : ''}', '${i < 5 ? hex(2, 16) : ''}', 1, 'ERROR', ${i < 5 ? 17 : 9}, 'back', ` +
          `'payment ${i}', '', ${RESOURCE('back')}, '', 'logger', '', map('k', 'v'), map('order', '${i}'), '')`,
      ).join(', '),
  )
  const shared = (service: string): string => `${RESOURCE(service)}, '', 'meter', '', map(), 0, '', '${service}'`
  const SHARED_COLUMNS =
    'ResourceAttributes, ResourceSchemaUrl, ScopeName, ScopeVersion, ScopeAttributes, ScopeDroppedAttrCount, ScopeSchemaUrl, ServiceName, ' +
    'MetricName, MetricDescription, MetricUnit, Attributes, StartTimeUnix, TimeUnix'
  const points = (name: string, unit: string, values: (i: number) => string): string =>
    Array.from(
      { length: 6 },
      (_, i) =>
        `(${shared('front')}, '${name}', 'of ${name}', '${unit}', map('pool', 'p'), ${seconds(START)}, ` +
        `${seconds(START + BigInt(i) * 60n * SECOND)}, ${values(i)})`,
    ).join(', ')
  const insert = (table: string, columns: string, rows: string): Promise<void> =>
    engine.command(`INSERT INTO otel.otel_metrics_${table} (${SHARED_COLUMNS}, ${columns}) VALUES ${rows}`)
  await insert(
    'gauge',
    'Value, Flags',
    points('queue.length', '1', i => `${i}, 0`),
  )
  await insert(
    'sum',
    'Value, Flags, AggregationTemporality, IsMonotonic',
    points('requests', '1', i => `${60 * i}, 0, 2, true`),
  )
  await insert(
    'histogram',
    'Count, Sum, BucketCounts, ExplicitBounds, Flags, Min, Max, AggregationTemporality',
    points('duration', 's', () => '4, 10, [1, 2, 1], [1, 5], 0, 0.5, 6, 1'),
  )
  await insert(
    'exponential_histogram',
    'Count, Sum, Scale, ZeroCount, PositiveOffset, PositiveBucketCounts, NegativeOffset, NegativeBucketCounts, Flags, Min, Max, AggregationTemporality',
    points('size', 'By', () => '3, 7, 0, 0, 0, [1, 2], 0, [], 0, 1, 4, 1'),
  )
  await insert(
    'summary',
    'Count, Sum, `ValueAtQuantiles.Quantile`, `ValueAtQuantiles.Value`, Flags',
    points('latency', 's', () => '2, 3, [0.5, 0.9], [1, 2], 0'),
  )
  at = await startServer(join(directory, 'data'), { 'signals-from': `${server}/otel`, 'self-profile': 'no' })
  client = new HearthClient({ server: at.main })
  const sample = (trace: number, leaf: string) => ({
    frames: [{ name: 'main' }, { name: leaf }],
    values: [10n],
    link: [hex(trace, 32), hex(1, 16)] as [string, string],
  })
  const profiles = profilesOf([
    {
      resource: { 'service.name': 'front', 'service.instance.id': 'front-1' },
      scope: NO_SCOPE,
      type: 'cpu',
      unit: 'ns',
      time: START,
      attributes: {},
      samples: [sample(1, 'work'), ...Array.from({ length: 10 }, (_, i) => sample(i + 2, i === 9 ? 'gc' : 'work'))],
    },
  ])
  const sent = await post(`${at.otlp}/v1development/profiles`, encodeOtlp(profiles), { 'content-type': PROTOBUF })
  if (sent.status !== 200) throw new Error(sent.text)
  await at.server.store.visible()
}, 240_000)

afterAll(async () => {
  await at?.server.close()
  await engine.close()
  await clickHouse.close()
  rmSync(directory, { recursive: true })
}, 60_000)

describe('traces of the exporter', () => {
  it('are listed with their services, errors and samples of profiles', async () => {
    const { traces } = await client.query('traces', RANGE)
    expect(traces).toHaveLength(11)
    expect(traces.find(({ traceId }) => traceId === hex(1, 32))).toMatchObject({
      root: { service: 'front', name: 'GET /', duration: String(100n * MS) },
      spans: 2,
      errors: 1,
      services: ['back', 'front'],
      profiles: [{ type: 'cpu', unit: 'ns', samples: 1, value: '10' }],
    })
  })

  it('have a page with the tree of spans, attributes, events, links and resources', async () => {
    const { spans, resources, scopes } = await client.trace(hex(1, 32))
    expect(spans).toMatchObject([
      { name: 'GET /', depth: 0, kind: 'server', status: 'unset', samples: [{ type: 0, samples: 1, value: '10' }] },
      { name: 'query', depth: 1, status: 'error', statusMessage: 'broken', duration: String(20n * MS) },
    ])
    expect(spans[1].attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: '500' } })
    expect(spans[0].events).toMatchObject([{ name: 'began' }])
    expect(spans[0].links).toMatchObject([{ traceId: hex(99, 32), spanId: hex(98, 16) }])
    expect(resources.map(({ service }) => service).toSorted()).toEqual(['back', 'front'])
    expect(resources[0].attributes).toContainEqual({ key: 'region', value: { stringValue: 'eu' } })
    expect(scopes).toMatchObject([{ name: 'tracer', version: '1.2' }])
  })

  it('are filtered by duration, status, attributes of the span and of the resource', { timeout: 90_000 }, async () => {
    const count = async (more: object): Promise<number> =>
      (await client.query('traces', { ...RANGE, ...more })).traces.length
    expect(await count({ status: 'error' })).toBe(1)
    expect(await count({ minDuration: '500ms' })).toBe(1)
    expect(await count({ selector: '{http.response.status_code>=500}' })).toBe(1)
    // Resources are copied in the background.
    await expect.poll(() => count({ selector: '{region="eu", user="u3"}' }), { timeout: 60_000 }).toBe(1)
    expect(await count({ selector: '{region="us"}' })).toBe(0)
  })

  it('are compared, slow with fast', async () => {
    const { slow, fast, diff } = await client.query('compareTraces', {
      ...RANGE,
      name: 'POST /',
      threshold: '500ms',
      profiles: 'cpu',
    })
    expect([slow.samples, fast.samples]).toEqual([1, 9])
    expect(diff.frames.map(({ name }) => name)).toEqual(expect.arrayContaining(['gc', 'work']))
  })

  it('select the profiles of their spans', async () => {
    const { rows } = await client.query('top', { ...RANGE, selector: `cpu{trace.id="${hex(11, 32)}"}` })
    expect(rows.map(({ frame }) => frame.name).toSorted()).toEqual(['gc', 'main'])
  })

  it('are found when they arrive later, with a resource that is new', async () => {
    const late = START + 1800n * SECOND
    await insertSpans([{ trace: 500, id: 1, service: 'late', name: 'late', at: late, ms: 1 }])
    const { resources } = await client.trace(hex(500, 32))
    expect(resources).toMatchObject([{ service: 'late' }])
  })

  it('have operations and ledgers', async () => {
    const { operations } = await client.query('operations', RANGE)
    expect(operations.map(({ service, name, spans }) => `${service} ${name} ${spans}`)).toContain('front POST / 10')
    const { entries } = await client.traceLedger(hex(1, 32))
    expect(entries.reduce((sum, { nanos }) => sum + BigInt(nanos), 0n)).toBe(100n * MS)
  })
})

describe('logs of the exporter', () => {
  it('are read in pages', async () => {
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await client.query('logs', { ...RANGE, limit: 10, ...(after === undefined ? {} : { after }) })
      seen.push(...page.logs.map(({ body }) => JSON.stringify(body)))
      after = page.next
    } while (after !== undefined)
    expect(new Set(seen).size).toBe(25)
    expect(seen).toHaveLength(25)
  })

  it('are found by trace, text and severity', async () => {
    const found = async (more: object): Promise<number> =>
      (await client.query('logs', { ...RANGE, ...more })).logs.length
    expect(await found({ traceId: hex(1, 32) })).toBe(5)
    expect(await found({ text: 'payment 2' })).toBe(6)
    expect(await found({ severity: 'error' })).toBe(5)
    expect(await found({ selector: '{order="3"}' })).toBe(1)
  })
})

describe('metrics of the exporter', () => {
  it('are listed with their kinds and units', async () => {
    const { metrics } = await client.query('metrics', RANGE)
    expect(metrics.map(({ name }) => name).toSorted()).toEqual([
      'duration',
      'latency',
      'queue.length',
      'requests',
      'size',
    ])
  })

  it.each([
    ['queue.length', { aggregation: 'average' }, 5],
    ['requests', { aggregation: 'increase' }, 60],
    ['duration', { aggregation: 'increase' }, 4],
  ] as const)('have values over time: %s', async (name, more, last) => {
    const series = await client.query('metricSeries', { ...RANGE, name, step: '1m', ...more })
    expect(Number(series.groups[0].points.at(-1)?.value)).toBeCloseTo(last)
  })

  it('have quantiles', async () => {
    const series = await client.query('metricSeries', { ...RANGE, name: 'duration', step: '10m', quantiles: [0.5] })
    expect(Number(series.groups[0].points[0].quantiles?.[0])).toBeGreaterThan(1)
  })
})

describe('queries of traces by id', () => {
  it('use the index of the exporter', async () => {
    const where = `trace_id = {id:FixedString(16)}`
    const sql = redirectedSql(`SELECT count() AS n FROM spans WHERE tenant = {tenant:String} AND ${where}`)
    expect(sql).toContain('FROM exported_spans')
    const block = await (
      await openOtel()
    ).select(`EXPLAIN indexes = 1 ${sql}`, {
      parameters: { tenant: 'default', id: Buffer.from(hex(1, 32), 'hex') },
    })
    const plan = Array.from({ length: block.rows }, (_, row) => block.column('explain').text(row)).join('\n')
    expect(plan).toContain('idx_trace_id')
  })
})

let otel: Engine | undefined
async function openOtel(): Promise<Engine> {
  return (otel ??= await openClickHouse({ url: `clickhouse://127.0.0.1:${clickHouse.port}/otel` }))
}
afterAll(() => otel?.close())

describe('the address of the exporter', () => {
  it('names tables, and the rest is the address of the store', () => {
    const { url, tables } = parseExporterUrl('clickhouse://u:p@h/otel?traces=t&metrics=m&sum=other&cluster=c')
    expect(url).toBe('clickhouse://u:p@h/otel?cluster=c')
    expect(tables).toMatchObject({ database: 'otel', traces: 't', logs: 'otel_logs', tenant: 'default' })
    expect(tables.metrics).toMatchObject({ gauge: 'm_gauge', sum: 'other' })
  })

  it('must be the ClickHouse of the store', () => {
    expect(storeOfExporter('clickhouse://h/otel', undefined)).toBe('clickhouse://h/otel')
    expect(storeOfExporter('clickhouse://h/otel', 'clickhouse://h/hearth')).toBe('clickhouse://h/hearth')
    expect(() => storeOfExporter('clickhouse://h/otel', 'clickhouse://other/hearth')).toThrow(ExporterAddressError)
    expect(() => parseExporterUrl('clickhouse://h/otel?traces=a;b')).toThrow(/traces: "a;b" is not a valid name/)
  })
})
