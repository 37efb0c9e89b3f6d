// Triggers over real sockets and the real store: telemetry arrives over OTLP and the Broker, and processes are captured.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Event, Telemetry } from '@hearth/broker'
import { CONTENT_TYPE, Category, EVENT_TYPE, telemetry } from '@hearth/broker'
import type { HistoryEntry } from '@hearth/client'
import { HearthClient } from '@hearth/client'
import { LOG_RECORD, SPAN } from '@hearth/signals'
import type { LogRecord, Span } from '@hearth/signals'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { attributesJson } from '../../api/v1/testing/signal-server.ts'
import { startServer } from '../../receive/testing/running-server.ts'
import { JSON_TYPE, post } from '../../receive/testing/senders.ts'
import type { HearthServer } from '../../server.ts'
import type { TestRecorderOptions } from '../testing/recorder.ts'
import { TestRecorder } from '../testing/recorder.ts'
import { LOOK_BACK_SECONDS } from './trigger-request.ts'

let directory: string
let server: HearthServer
let client: HearthClient
let otlp: string
let main: string
let tenant = 'default'
const recorders: TestRecorder[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-triggers-'))
  await open()
})

async function open(): Promise<void> {
  const running = await startServer(directory)
  server = running.server
  otlp = running.otlp
  main = running.main
  client = new HearthClient({ server: main, tenant })
}

// Each test has its own tenant, because budgets are per tenant.
let tenants = 0
beforeEach(() => {
  tenant = `tenant-${++tenants}`
  client = new HearthClient({ server: main, tenant })
})

afterEach(() => {
  for (const { stream } of recorders.splice(0)) stream.destroy()
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

let services = 0

/** Each test has its own service, with one instance by default. */
async function recorder(
  options: TestRecorderOptions = {},
): Promise<{ at: TestRecorder; service: string; instance: string }> {
  const name = options.component?.name ?? `service-${++services}`
  const at = await TestRecorder.subscribe(server.ports.otlpGrpc, {
    tenant,
    ...options,
    component: { ...options.component, name },
  })
  recorders.push(at)
  return { at, service: name, instance: at.id }
}

interface Of {
  readonly service: string
  readonly instance: string
}

function resourceOf({ service, instance }: Of): object {
  return { attributes: attributesJson({ 'service.name': service, 'service.instance.id': instance }) }
}

async function send(signal: 'traces' | 'logs' | 'metrics', content: object): Promise<void> {
  const response = await post(`${otlp}/v1/${signal}`, Buffer.from(JSON.stringify(content)), {
    'content-type': JSON_TYPE,
    'x-scope-orgid': tenant,
  })
  expect([response.status, response.text.includes('artial')]).toEqual([200, false])
}

interface SpanParts {
  readonly ms: number
  readonly name?: string
  readonly end?: bigint
  readonly attributes?: Readonly<Record<string, string>>
  readonly traceId?: string
  readonly spanId?: string
}

let ids = 0

async function sendSpan(
  of: Of,
  { ms, name = 'GET /pay', end, attributes = {}, traceId, spanId }: SpanParts,
): Promise<void> {
  const endNano = end ?? BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: traceId ?? (++ids).toString(16).padStart(32, '0'),
    spanId: spanId ?? (++ids).toString(16).padStart(16, '0'),
    name,
    kind: 2,
    startTimeUnixNano: String(endNano - BigInt(Math.round(ms * 1e6))),
    endTimeUnixNano: String(endNano),
    attributes: attributesJson(attributes),
  }
  await send('traces', { resourceSpans: [{ resource: resourceOf(of), scopeSpans: [{ spans: [span] }] }] })
}

async function trigger(name: string, rule: string, spec: object = {}): Promise<void> {
  await client.act('addTrigger', { name, rule, coolDownMs: 0, durationMs: 50, ...spec })
}

async function history(of: string): Promise<readonly HistoryEntry[]> {
  return (await client.act('triggerHistory', { trigger: of })).entries
}

/** Waits until all entries have a result. */
async function settled(of: string, count = 1): Promise<readonly HistoryEntry[]> {
  return await vi.waitFor(
    async () => {
      const entries = await history(of)
      expect(entries.reduce((sum, entry) => sum + entry.count, 0)).toBe(count)
      expect(entries.filter(({ state }) => state === 'running')).toEqual([])
      return entries
    },
    { timeout: 60_000 },
  )
}

test('a slow span over OTLP captures the samples of that span from its own process', async () => {
  const definition = { attributes: { [LOOK_BACK_SECONDS]: '60' } }
  const first = await recorder({ definition })
  const second = await recorder({ definition, component: { name: first.service } })
  await trigger('slow', `Source(\`${first.service}\`) && SpanSlower(800)`, { spanOnly: true })
  const end = BigInt(Date.now()) * 1_000_000n - 3_000_000_000n
  const [traceId, spanId] = ['aa'.repeat(16), 'bb'.repeat(8)]
  await sendSpan(second, { ms: 500 })
  await sendSpan(second, { ms: 900, end, traceId, spanId, name: 'POST /orders' })
  const [entry] = await settled('slow')
  expect(first.at.captures).toEqual([])
  const [event] = second.at.captures
  expect(event.params).toMatchObject({
    profile_type: 'cpu',
    reason: 'trigger slow',
    from_unix_nano: String(end - 900_000_000n),
    to_unix_nano: String(end),
    trace_id: traceId,
    span_id: spanId,
  })
  expect(entry).toMatchObject({
    service: first.service,
    instance: second.instance,
    lookBack: true,
    state: 'finished',
    item: { kind: 'span', description: 'span POST /orders, 900 ms', traceId, spanId, time: String(end) },
  })
  // The profile is stored, with the slow span as parent.
  const capture = await client.act('capture', {}, { of: entry.capture! })
  expect(capture).toMatchObject({ by: 'trigger slow', span: { traceId, parentSpanId: spanId } })
  expect(entry.profileIds).toEqual(capture.instances[0].profileIds)
  const { rows } = await client.query('top', { selector: capture.selector, from: capture.from!, to: capture.to! })
  expect(rows.map(({ frame }) => frame.name)).toContain('work')
  // The capture's span and those of the Broker appear in the trace a moment later.
  const ways = ['Route REQUEST', 'Route RESPONSE', 'Send REQUEST', 'Send RESPONSE']
  await vi.waitFor(
    async () => {
      const { spans } = await client.trace(traceId)
      const names = spans.map(({ name }) => name.split(' ', 2).join(' '))
      expect(names.toSorted()).toEqual(['POST /orders', ...ways, 'capture'])
    },
    { timeout: 60_000 },
  )
})

test('a process that cannot look back far enough records instead', async () => {
  const plain = await recorder()
  await trigger('plain', `Source(\`${plain.service}\`) && SpanSlower(10)`)
  await sendSpan(plain, { ms: 20 })
  expect((await settled('plain'))[0]).toMatchObject({ lookBack: false, state: 'finished' })
  expect(plain.at.captures[0].params['from_unix_nano']).toBeUndefined()
  expect(plain.at.captures[0].params['duration_ms']).toBe(50)

  const short = await recorder({ definition: { attributes: { [LOOK_BACK_SECONDS]: '30' } } })
  await trigger('short', `Source(\`${short.service}\`) && SpanSlower(10)`)
  await sendSpan(short, { ms: 20, end: BigInt(Date.now() - 60_000) * 1_000_000n })
  expect((await settled('short'))[0]).toMatchObject({ lookBack: false })
  // The rest of a long span is better than nothing.
  const now = BigInt(Date.now()) * 1_000_000n
  await sendSpan(short, { ms: 60_000, end: now })
  expect((await settled('short', 2))[0]).toMatchObject({ lookBack: true })
  const { params } = short.at.captures[1]
  expect(params['to_unix_nano']).toBe(String(now))
  expect(BigInt(params['from_unix_nano'] as string)).toBeGreaterThan(now - 31_000_000_000n)
})

test('logs and metrics over OTLP fire triggers', async () => {
  const one = await recorder({ definition: { attributes: { [LOOK_BACK_SECONDS]: '60' } } })
  await trigger('errors', `Source(\`${one.service}\`) && LogSeverity(ERROR) && LogBody({.*refused.*})`, {
    durationMs: 2000,
  })
  await trigger('hot', `MetricAbove(\`cpu.utilization\`, 0.9) && Source(\`${one.service}\`)`)
  const now = BigInt(Date.now()) * 1_000_000n
  const record = (severityNumber: number, text: string) => ({
    timeUnixNano: String(now),
    severityNumber,
    severityText: 'ERROR',
    body: { stringValue: text },
    traceId: 'cc'.repeat(16),
    spanId: 'dd'.repeat(8),
  })
  const logRecords = [record(17, 'all is well'), record(9, 'refused'), record(18, 'connection refused by peer')]
  await send('logs', { resourceLogs: [{ resource: resourceOf(one), scopeLogs: [{ logRecords }] }] })
  const [log] = await settled('errors')
  expect(log.item).toMatchObject({
    kind: 'log',
    description: 'log ERROR: connection refused by peer',
    traceId: 'cc'.repeat(16),
  })
  // A log has no duration, so the capture looks at the time before it.
  expect(one.at.captures[0].params).toMatchObject({
    from_unix_nano: String(now - 2_000_000_000n),
    to_unix_nano: String(now),
  })
  expect((await client.act('capture', {}, { of: log.capture! })).span.parentSpanId).toBe('dd'.repeat(8))

  const point = (value: number) => ({ timeUnixNano: String(now), asDouble: value })
  const metrics = [
    { name: 'cpu.utilization', unit: '1', gauge: { dataPoints: [point(0.2), point(0.95)] } },
    { name: 'memory', gauge: { dataPoints: [point(5)] } },
  ]
  await send('metrics', { resourceMetrics: [{ resource: resourceOf(one), scopeMetrics: [{ metrics }] }] })
  expect((await settled('hot'))[0].item).toMatchObject({
    kind: 'metric',
    description: 'metric cpu.utilization = 0.95 1',
  })
  expect(one.at.captures).toHaveLength(2)
})

const empty = <T>(fields: Readonly<Record<string, { readonly initial: unknown }>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.initial])) as T

async function sendTelemetry(to: TestRecorder, content: Partial<Telemetry>): Promise<void> {
  const { broker } = await client.act('components', {})
  const target = { type: 'Broker', app: '', name: 'hearth', hash: 'test', id: broker.id, brokerId: broker.id }
  const event: Partial<Event> = { type: EVENT_TYPE.telemetry, category: Category.MESSAGE, target }
  const complete = { traceId: new Uint8Array(0), logRecords: [], metrics: [], spans: [], ...content }
  to.stream.send({ ...event, contentType: CONTENT_TYPE.protobuf, content: telemetry.encode(complete) })
}

test('spans, logs and metrics from Telemetry messages fire triggers', async () => {
  const one = await recorder()
  await trigger('t-span', `Source(\`${one.service}\`) && Span(\`pay\`) && SpanStatus(ERROR)`)
  await trigger('t-log', `Source(\`${one.service}\`) && LogSeverity(WARN)`)
  await trigger('t-metric', `Source(\`${one.service}\`) && MetricBelow(\`free\`, 10)`)
  const now = BigInt(Date.now()) * 1_000_000n
  const id = (bytes: number) => new Uint8Array(bytes).fill(5)
  const span = {
    ...empty<Span>(SPAN.fields),
    traceId: id(16),
    spanId: id(8),
    name: 'pay',
    startTimeUnixNano: now,
    endTimeUnixNano: now + 5n,
  }
  await sendTelemetry(one.at, { spans: [{ ...span, status: { code: 2, message: '' } }] })
  await settled('t-span')
  await sendTelemetry(one.at, {
    logRecords: [{ ...empty<LogRecord>(LOG_RECORD.fields), timeUnixNano: now, severityNumber: 13 }],
  })
  await settled('t-log')
  const dataPoints = [
    {
      startTimeUnixNano: 0n,
      timeUnixNano: now,
      asDouble: 3,
      asInt: undefined,
      exemplars: [],
      attributes: [],
      flags: 0,
    },
  ]
  const none = {
    sum: undefined,
    histogram: undefined,
    exponentialHistogram: undefined,
    summary: undefined,
    metadata: [],
  }
  await sendTelemetry(one.at, {
    metrics: [{ ...none, name: 'free', description: '', unit: '', gauge: { dataPoints } }],
  })
  const [entry] = await settled('t-metric')
  expect(entry).toMatchObject({ instance: one.instance, state: 'finished', item: { kind: 'metric' } })
  expect(one.at.captures).toHaveLength(3)
})

test('the cool-down blocks an instance, and the history counts blocked captures', async () => {
  const one = await recorder()
  const other = await recorder({ component: { name: one.service } })
  await trigger('cool', `Source(\`${one.service}\`) && SpanSlower(10)`, { coolDownMs: 3_600_000 })
  for (let i = 0; i < 4; i++) {
    await sendSpan(one, { ms: 20 })
    await settled('cool', i + 1)
  }
  await sendSpan(other, { ms: 20 })
  const entries = await settled('cool', 5)
  expect(entries.map(({ instance, heldBack, count }) => [instance, heldBack, count])).toEqual([
    [other.instance, undefined, 1],
    [one.instance, 'cool-down', 3],
    [one.instance, undefined, 1],
  ])
  // A changed trigger starts without a cool-down.
  await client.act(
    'changeTrigger',
    { rule: `Source(\`${one.service}\`) && SpanSlower(15)`, coolDownMs: 3_600_000 },
    { of: 'cool' },
  )
  await sendSpan(one, { ms: 20 })
  expect((await settled('cool', 6))[0]).toMatchObject({ instance: one.instance, state: 'finished' })
})

test('an instance has one capture at a time', async () => {
  const one = await recorder({ onCapture: () => undefined })
  await trigger('running', `Source(\`${one.service}\`) && SpanSlower(10)`, { durationMs: 60_000 })
  await sendSpan(one, { ms: 20 })
  await vi.waitFor(() => expect(one.at.captures).toHaveLength(1), { timeout: 60_000 })
  await sendSpan(one, { ms: 20 })
  await vi.waitFor(async () => expect((await history('running'))[0]).toMatchObject({ heldBack: 'running', count: 1 }), {
    timeout: 60_000,
  })
  const [, { capture }] = await history('running')
  await client.act('cancelCapture', {}, { of: capture! })
  expect((await settled('running', 2))[1]).toMatchObject({ state: 'cancelled', profileIds: [] })
  expect(one.at.captures).toHaveLength(1)
})

test('the history reports services that are not subscribed and unknown instances', async () => {
  const one = await recorder()
  await recorder({ component: { name: one.service } })
  await trigger('absent', 'SpanSlower(10)')
  await sendSpan({ service: 'nobody', instance: 'x' }, { ms: 20 })
  await sendSpan({ service: one.service, instance: '' }, { ms: 20 })
  await sendSpan({ service: one.service, instance: 'gone' }, { ms: 20 })
  const entries = await settled('absent', 3)
  expect(entries.map(({ heldBack }) => heldBack)).toEqual(['not-subscribed', 'no-instance', 'not-subscribed'])
})

test('captures and the server itself fire no triggers', async () => {
  const one = await recorder()
  await trigger('loop', 'SpanSlower(-1) || LogSeverity(0)')
  await sendSpan(one, { ms: 20 })
  // The capture has a span, and its component may send one.
  const [{ capture }] = await settled('loop')
  await sendSpan(one, { ms: 20, attributes: { 'profiling.capture.id': capture! } })
  await sendSpan({ service: 'hearth', instance: '' }, { ms: 20 })
  await sendSpan(one, { ms: 20, name: 'last' })
  const entries = await settled('loop', 2)
  expect(entries.map(({ item }) => item.description)).toEqual(['span last, 20 ms', 'span GET /pay, 20 ms'])
  expect(one.at.captures).toHaveLength(2)
})

test('the history reports a failed capture', async () => {
  const one = await recorder({
    onCapture: () => {
      throw new Error('no profiler here')
    },
  })
  await trigger('failing', `Source(\`${one.service}\`) && SpanSlower(10)`)
  await sendSpan(one, { ms: 20 })
  expect((await settled('failing'))[0]).toMatchObject({
    state: 'failed',
    error: 'unexpected: no profiler here',
    profileIds: [],
  })
})

test('the budget per minute covers all triggers of a tenant', async () => {
  const all = []
  for (let i = 0; i < 11; i++) {
    const one = await recorder()
    await trigger(`budget-${i}`, `Source(\`${one.service}\`) && SpanSlower(10)`)
    all.push(one)
  }
  // Only the spans that start captures are sent within the minute.
  for (const [i, one] of all.entries()) {
    await sendSpan(one, { ms: 20 })
    await expect.poll(() => history(`budget-${i}`)).toHaveLength(1)
  }
  const entries: HistoryEntry[] = []
  for (const [i, one] of all.entries()) {
    entries.push(...(await settled(`budget-${i}`)))
    expect(one.at.captures).toHaveLength(entries.at(-1)?.heldBack === 'budget' ? 0 : 1)
  }
  expect(entries.map(({ heldBack }) => heldBack)).toEqual([...Array.from({ length: 10 }), 'budget'])
})

test("a trigger's own budget covers all instances", async () => {
  const one = await recorder()
  const other = await recorder({ component: { name: one.service } })
  await trigger('few', `Source(\`${one.service}\`) && SpanSlower(10)`, { budgetPerHour: 1 })
  await sendSpan(one, { ms: 20 })
  expect((await settled('few'))[0]).toMatchObject({ instance: one.instance, state: 'finished' })
  for (let i = 0; i < 2; i++) await sendSpan(other, { ms: 20 })
  const [latest] = await vi.waitFor(
    async () => {
      const entries = await history('few')
      expect(entries[0]).toMatchObject({ instance: other.instance, count: 2 })
      return entries
    },
    { timeout: 60_000 },
  )
  expect(latest).toMatchObject({ heldBack: 'own-budget' })
  expect(other.at.captures).toEqual([])
  // The setting is the upper limit, ten per minute by default.
  const { budgetPerMinute } = await client.act('triggers', {})
  expect(budgetPerMinute).toBe(10)
  const rule = 'SpanSlower(10)'
  await expect(client.act('addTrigger', { name: 'many', rule, budgetPerHour: 601 })).rejects.toThrow(
    'budgetPerHour 601 exceeds the limit of all triggers together (600)',
  )
  await expect(client.act('changeTrigger', { rule, budgetPerHour: 601 }, { of: 'few' })).rejects.toThrow('600')
})

test('a disabled or removed trigger does nothing', async () => {
  const one = await recorder()
  await trigger('off', `Source(\`${one.service}\`) && SpanSlower(10)`, { enabled: false })
  await trigger('gone', `Source(\`${one.service}\`) && SpanSlower(10)`)
  await client.act('removeTrigger', {}, { of: 'gone' })
  await sendSpan(one, { ms: 20 })
  await server.store.settled()
  expect([...(await history('off')), ...(await history('gone'))]).toEqual([])
  expect(one.at.captures).toEqual([])
})

test('triggers and their history survive a restart', async () => {
  const one = await recorder()
  await trigger('kept', `Source(\`${one.service}\`) && SpanSlower(10)`, { description: 'a note', percentage: 50 })
  await sendSpan({ service: one.service, instance: 'gone' }, { ms: 20 })
  const before = { triggers: await client.act('triggers', {}), history: await settled('kept') }
  for (const { stream } of recorders.splice(0)) stream.destroy()
  await server.close()
  await open()
  expect(await client.act('triggers', {})).toEqual(before.triggers)
  expect(await history('kept')).toEqual(before.history)
  const again = await recorder({ component: { name: one.service } })
  await client.act(
    'changeTrigger',
    { rule: `Source(\`${one.service}\`) && SpanSlower(10)`, coolDownMs: 0 },
    { of: 'kept' },
  )
  await sendSpan(again, { ms: 20 })
  expect((await settled('kept', 2))[0]).toMatchObject({ state: 'finished', instance: again.instance })
})
