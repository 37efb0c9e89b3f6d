import type { Telemetry } from '@hearth/broker'
import { Category, createComponent, telemetry as codec } from '@hearth/broker'
import type { LogRecord, Metric, Span } from '@hearth/signals'
import { LOG_RECORD, METRIC, SPAN } from '@hearth/signals'
import { afterEach, describe, expect, test } from 'vitest'
import type { DecodedRequest } from '../../receive/receiver.ts'
import { busy } from '../../receive/refusal.ts'
import { TelemetryIntake, resourceOf } from './telemetry-intake.ts'
import type { BrokerServer } from '../testing/broker-server.ts'
import { startBroker } from '../testing/broker-server.ts'
import { ComponentStream } from '../testing/component-stream.ts'

function empty<T>(message: { readonly fields: Readonly<Record<string, { readonly initial: unknown }>> }): T {
  return Object.fromEntries(Object.entries(message.fields).map(([name, { initial }]) => [name, initial])) as T
}

const id = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)

function span(name: string, flags: number): Span {
  const times = { startTimeUnixNano: 1_700_000_000_000_000_000n, endTimeUnixNano: 1_700_000_000_500_000_000n }
  return { ...empty<Span>(SPAN), ...times, name, flags, traceId: id(16, 1), spanId: id(8, 2) }
}

function record(text: string): LogRecord {
  return { ...empty<LogRecord>(LOG_RECORD), body: text, timeUnixNano: 1_700_000_000_000_000_001n, severityNumber: 9 }
}

const gauge: Metric = {
  ...empty<Metric>(METRIC),
  name: 'queue.length',
  gauge: {
    dataPoints: [
      {
        attributes: [],
        startTimeUnixNano: 0n,
        timeUnixNano: 1_700_000_000_000_000_000n,
        asDouble: undefined,
        asInt: 2n ** 60n + 1n,
        exemplars: [],
        flags: 0,
      },
    ],
  },
}

const all: Telemetry = {
  traceId: id(16, 9),
  spans: [span('sampled', 0x101), span('not sampled', 0x100), span('without flags', 0)],
  logRecords: [record('hello')],
  metrics: [gauge],
}

const component = createComponent({ type: 'Process', app: 'shop', name: 'checkout', hash: 'abc', id: 'i' })
const source = { tenant: 'default', component, environment: 'eu', attributes: { region: 'eu-1', 'service.name': 'x' } }

describe('TelemetryIntake', () => {
  const servers: BrokerServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  test('stores large messages in several batches, so that encoding one takes little time', async () => {
    const bytes: number[] = []
    const receive = async (request: DecodedRequest): Promise<void> => void bytes.push(request.bytes)
    const intake = new TelemetryIntake({ receive, onError: () => {} })
    const content = [new Uint8Array(400_000)]
    for (let i = 0; i < 6; i++) intake.add(source, { ...all, spans: [], metrics: [] }, 400_000, content)
    await intake.flush()
    expect(bytes).toHaveLength(2)
    expect(intake.counts).toEqual({ queued: 0, kept: 6, dropped: 0 })
  })

  test('stores spans, logs and metrics as separate requests with the resource of the component', async () => {
    const server = await startBroker()
    servers.push(server)
    const stream = await ComponentStream.subscribe(server.port, {
      component,
      environment: 'eu',
      definition: { attributes: { region: 'eu-1' } },
    })
    const message = { category: Category.MESSAGE, type: 'io.kubefox.telemetry', target: server.broker.component }
    stream.send({ ...message, contentType: 'application/protobuf', content: codec.encode(all) })
    // JSON and a missing target work, too. An unreadable message affects only itself.
    const json = codec.encodeJson({ ...all, spans: [] })
    stream.send({ ...message, target: undefined, contentType: 'application/json', content: json })
    stream.send({ ...message, contentType: 'application/protobuf', content: Uint8Array.of(0x7a, 9) })
    stream.send({ ...message, contentType: 'text/plain', content: Uint8Array.of(1) })
    stream.send({ ...message, type: 'other' })
    await stream.request({})
    await server.broker.close(2000)
    stream.destroy()
    expect(server.broker.state()).toMatchObject({ telemetry: { queued: 0, kept: 2, dropped: 0 } })
    expect(server.broker.state().events).toEqual(
      expect.arrayContaining([
        { category: 'MESSAGE', outcome: 'kept', count: 2 },
        { category: 'MESSAGE', outcome: 'invalid', count: 1 },
        { category: 'MESSAGE', outcome: 'unknownContentType', count: 1 },
        { category: 'MESSAGE', outcome: 'notFound', count: 1 },
      ]),
    )
    const attributes = new Map<string, unknown>([
      ['service.version', 'abc'],
      ['deployment.environment.name', 'eu'],
      ['region', 'eu-1'],
      ['service.name', 'checkout'],
      ['service.namespace', 'shop'],
      ['service.instance.id', 'i'],
      ['kubefox.platform', 'default'],
    ])
    const payloads = server.kept.requests.map(({ payload }) => payload)
    const spans = payloads.flatMap(payload => (payload.signal === 'traces' ? payload.traces.resourceSpans : []))
    expect(spans).toHaveLength(1)
    const resource = new Map(spans[0].resource?.attributes.map(({ key, value }) => [key, value]))
    for (const [key, value] of attributes) expect(resource.get(key)).toBe(value)
    expect(resource.get('kubefox.component.hash')).toBe('abc')
    expect(spans[0].scopeSpans[0].spans.map(({ name }) => name)).toEqual(['sampled', 'without flags'])
    const logged = payloads.flatMap(payload => (payload.signal === 'logs' ? payload.logs.resourceLogs : []))
    expect(logged.flatMap(({ scopeLogs }) => scopeLogs[0].logRecords)).toMatchObject([
      { body: 'hello', traceId: id(16, 9) },
      { body: 'hello', traceId: id(16, 9) },
    ])
    const measured = payloads.flatMap(payload => (payload.signal === 'metrics' ? payload.metrics.resourceMetrics : []))
    expect(measured[0].scopeMetrics[0].metrics[0].gauge?.dataPoints[0].asInt).toBe(2n ** 60n + 1n)
  })
})

describe('TelemetryIntake', () => {
  test('drops and counts the oldest messages when the store is too slow', async () => {
    const requests: DecodedRequest[] = []
    let release: (() => void) | undefined
    const first = new Promise<void>(resolve => (release = resolve))
    const intake = new TelemetryIntake({
      receive: async incoming => {
        requests.push(incoming)
        await first
      },
      onError: () => {},
    })
    const add = (n: number): void =>
      intake.add(source, { ...all, spans: [], metrics: [], logRecords: [record(`${n}`)] }, 10, [id(8, n & 255)])
    add(-1)
    while (requests.length === 0) await new Promise(resolve => setTimeout(resolve, 1))
    for (let n = 0; n < 2500; n++) add(n)
    expect(intake.counts).toEqual({ queued: 2000, kept: 0, dropped: 500 })
    release?.()
    await intake.flush()
    expect(intake.counts).toEqual({ queued: 0, kept: 2001, dropped: 500 })
    const bodies = requests
      .flatMap(({ payload }) => (payload.signal === 'logs' ? payload.logs.resourceLogs : []))
      .flatMap(({ scopeLogs }) => scopeLogs[0].logRecords.map(({ body }) => Number(body)))
    expect(bodies).toEqual([-1, ...Array.from({ length: 2000 }, (_, n) => n + 500)])
  })

  test('retries while the store is full and drops what the store rejects', async () => {
    const errors: unknown[] = []
    let refusals = 2
    const accepted: DecodedRequest[] = []
    const intake = new TelemetryIntake({
      receive: async incoming => {
        if (incoming.payload.signal === 'metrics') throw new Error('never')
        if (refusals-- > 0) throw busy('in-flight', 'no room', 0.001)
        accepted.push(incoming)
      },
      onError: error => errors.push(error),
    })
    intake.add(source, { ...all, metrics: [], logRecords: [] }, 10, [id(8, 1)])
    await intake.flush()
    const { payload } = accepted[0]
    expect(payload.signal === 'traces' && payload.traces.resourceSpans[0].scopeSpans[0].spans).toHaveLength(2)
    expect(accepted[0]).toMatchObject({ transport: 'broker', identity: { tenant: 'default' } })
    intake.add(source, { ...all, spans: [], logRecords: [] }, 10, [id(8, 2)])
    await intake.flush()
    expect(intake.counts).toEqual({ queued: 0, kept: 1, dropped: 1 })
    expect(errors).toHaveLength(1)
  })
})

test('resourceOf prefers registered attributes but not for kubefox.* names', () => {
  const attributes = new Map(resourceOf(source).attributes.map(({ key, value }) => [key, value]))
  expect(attributes.get('service.name')).toBe('x')
  expect(attributes.get('kubefox.component.name')).toBe('checkout')
  expect(attributes.get('region')).toBe('eu-1')
  const forged = { ...source, environment: '', attributes: { 'kubefox.component.id': 'else' } }
  const others = new Map(resourceOf(forged).attributes.map(({ key, value }) => [key, value]))
  expect(others.get('kubefox.component.id')).toBe('i')
  expect(others.get('service.name')).toBe('checkout')
  expect(others.has('deployment.environment.name')).toBe(false)
})
