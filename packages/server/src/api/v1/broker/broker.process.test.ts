// The endpoints of the Broker over real sockets: access, rejected requests, dry runs, and watching.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Access } from '../../../access/access-file.ts'
import { NO_ACCESS, accessFileIn, writeAccess } from '../../../access/access-file.ts'
import type { AccessScope } from '../../../access/tokens.ts'
import { makeToken } from '../../../access/tokens.ts'
import { ComponentStream } from '../../../broker/testing/component-stream.ts'
import { TestRecorder } from '../../../broker/testing/recorder.ts'
import { startServer } from '../../../receive/testing/running-server.ts'
import { JSON_TYPE, post } from '../../../receive/testing/senders.ts'
import type { HearthServer } from '../../../server.ts'
import { endpoints } from '../endpoints.ts'
import { attributesJson } from '../testing/signal-server.ts'

let directory: string
let server: HearthServer
let main: string
let otlp: string
let client: HearthClient
const recorders: TestRecorder[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-broker-api-'))
  const running = await startServer(directory)
  ;({ server, main, otlp } = running)
  client = new HearthClient({ server: main, fetch: checkedFetch })
})

afterEach(() => {
  for (const { stream } of recorders.splice(0)) stream.destroy()
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

/** Every response, validated by its schema. */
const checkedFetch: typeof fetch = async (input, init) => {
  const found = await fetch(input, init)
  const path = new URL(input instanceof Request ? input.url : input).pathname.replace('/api/v1', '')
  const method = init?.method ?? 'GET'
  const endpoint = endpoints
    .filter(each => each.method === method && each.lines !== true)
    .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
    .find(each => new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
  if (found.ok) {
    expect(found.status).toBe(endpoint?.status ?? 200)
    endpoint?.response?.parse(await found.clone().json())
  }
  return found
}

async function recorder(name: string): Promise<TestRecorder> {
  const made = await TestRecorder.subscribe(server.ports.otlpGrpc, { component: { name } })
  recorders.push(made)
  return made
}

async function failedRequest(
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number; error: Record<string, unknown> }> {
  const response = await fetch(`${main}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  })
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return { status: response.status, error }
}

describe('invalid requests', () => {
  test.each([
    ['POST', '/captures', undefined, 400, 'argument', /service/],
    ['POST', '/captures', '{', 400, 'request', /JSON/],
    ['POST', '/captures', '[]', 400, 'argument', /object/],
    ['POST', '/captures', '{"service":""}', 400, 'argument', /service/],
    ['POST', '/captures', '{"service":"a","what":1}', 400, 'argument', /unknown parameter "what"; use service, /],
    ['POST', '/captures', '{"service":"a","durationMs":-1}', 400, 'argument', /durationMs/],
    ['POST', '/captures', '{"service":"a","durationMs":1e9}', 400, 'argument', /at most 600 s/],
    ['POST', '/captures', '{"service":"a","traceId":"xyz"}', 400, 'argument', /32 hex digits/],
    ['POST', '/captures', `{"service":"a","spanId":"${'ab'.repeat(8)}"}`, 400, 'argument', /spanId requires traceId/],
    ['POST', '/captures', '{"service":"a","from":"yesterday"}', 400, 'argument', /not a time/],
    ['POST', '/captures', '{"service":"a","to":"now"}', 400, 'argument', /to requires from/],
    ['POST', '/captures', '{"service":"a","from":"now","to":"now-1m"}', 400, 'argument', /start before it ends/],
    ['POST', '/captures', '{"service":"a","all":true,"instance":"b"}', 400, 'argument', /exclude/],
    ['POST', '/captures', '{"service":"a","maxBytes":1000000000}', 400, 'argument', /maxBytes must be/],
    ['POST', '/captures', '{"service":"nobody"}', 404, 'not-found', /nobody/],
    ['GET', '/captures?limit=0', undefined, 400, 'argument', /limit/],
    ['GET', '/captures/none', undefined, 404, 'not-found', /unknown capture "none"/],
    ['GET', '/captures/none?wait=soon', undefined, 400, 'argument', /duration/],
    ['DELETE', '/captures/none', undefined, 404, 'not-found', /unknown capture/],
    ['GET', '/captures/none/profile', undefined, 404, 'not-found', /unknown capture/],
    ['GET', '/captures/none/profile?format=jpeg', undefined, 400, 'argument', /format/],
    ['POST', '/triggers', '{"name":"../x","rule":"SpanSlower(1)"}', 400, 'argument', /name/],
    ['POST', '/triggers', '{"name":"x","rule":"SpanSlower(1"}', 400, 'syntax', /rule: expected "\)"/],
    ['POST', '/triggers', '{"name":"x","rule":"SpanSlower(1)","percentage":0}', 400, 'argument', /percentage/],
    ['POST', '/triggers', '{"name":"x","rule":"SpanSlower(1)","coolDownMs":-1}', 400, 'argument', /coolDownMs/],
    ['POST', '/triggers', '{"name":"x","rule":"SpanSlower(1)","budgetPerHour":0}', 400, 'argument', /budgetPerHour/],
    [
      'POST',
      '/triggers',
      '{"name":"x","rule":"SpanSlower(1)","budgetPerHour":9999}',
      409,
      'limit',
      /budgetPerHour 9999 exceeds/,
    ],
    ['PUT', '/triggers/none', '{"rule":"SpanSlower(1)"}', 404, 'not-found', /unknown trigger "none"/],
    ['PUT', '/triggers/none', '{"name":"none","rule":"SpanSlower(1)"}', 400, 'argument', /unknown parameter "name"/],
    ['DELETE', '/triggers/none', undefined, 404, 'not-found', /unknown trigger/],
    ['POST', '/triggers/dry-run', '{"rule":"LogBody({(})"}', 400, 'syntax', /regular expression/],
    ['POST', '/triggers/dry-run', '{"rule":"Span(`a`)","from":"now","to":"now-1h"}', 400, 'argument', /range/],
    ['GET', '/triggers/history?before=x', undefined, 400, 'argument', /before/],
    ['POST', '/broker/events', '{}', 400, 'argument', /type/],
    ['POST', '/broker/events', '{"type":"x","text":"a","content":"YQ=="}', 400, 'argument', /exclude/],
    ['POST', '/broker/events', '{"type":"x","content":"?"}', 400, 'argument', /content/],
    [
      'POST',
      '/broker/events',
      `{"type":"x","params":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`,
      400,
      'invalid',
      /deeper/,
    ],
    ['POST', '/broker/events', '{"type":"x","category":"REQUEST"}', 404, 'route-not-found', /no rule/],
    [
      'POST',
      '/broker/events',
      '{"type":"x","category":"REQUEST","target":{"type":"Process","name":"gone"}}',
      502,
      'component-gone',
      /gone/,
    ],
    ['GET', '/broker/events?category=LETTER', undefined, 400, 'argument', /category/],
    ['PUT', '/captures', '{}', 404, 'not-found', /no such path/],
  ] as const)('%s %s %s', async (method, path, body, status, code, message) => {
    expect(await failedRequest(method, path, body)).toMatchObject({
      status,
      error: { code, message: expect.stringMatching(message) as string },
    })
  })

  test('include a second trigger of the same name, and one above the limit', async () => {
    await client.act('addTrigger', { name: 'twice', rule: 'SpanSlower(1)', enabled: false })
    await expect(client.act('addTrigger', { name: 'twice', rule: 'SpanSlower(1)' })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
    })
    for (let i = 1; i < 100; i++)
      await client.act('addTrigger', { name: `t${i}`, rule: 'SpanSlower(1)', enabled: false })
    await expect(client.act('addTrigger', { name: 'more', rule: 'SpanSlower(1)' })).rejects.toMatchObject({
      status: 409,
      code: 'limit',
    })
    for (const { name } of (await client.act('triggers', {})).triggers)
      await client.act('removeTrigger', {}, { of: name })
    expect((await client.act('triggers', {})).triggers).toEqual([])
  })

  test('report the position in an invalid rule', async () => {
    const { error } = await failedRequest('POST', '/triggers', '{"name":"x","rule":"Source(`a`) && Nothing(1)"}')
    expect(error['position']).toBe(15)
  })
})

test('lists components with their routes and load', async () => {
  const stream = await ComponentStream.subscribe(server.ports.otlpGrpc, {
    component: { name: 'routed', app: 'shop', id: 'r-1' },
    environment: 'eu',
    definition: {
      routes: [{ id: 0, rule: 'Path(`/profiles/{type}`)' }],
      profileTypes: ['cpu'],
      attributes: { zone: 'a' },
    },
  })
  const { components, broker } = await client.act('components', { service: 'routed', environment: 'eu' })
  expect(components).toMatchObject([
    {
      component: { type: 'Process', app: 'shop', name: 'routed', id: 'r-1', brokerId: broker.id },
      service: 'routed',
      instance: 'r-1',
      environment: 'eu',
      profileTypes: ['cpu'],
      attributes: { zone: 'a' },
      routes: [{ id: 0, rule: 'Path(`/profiles/{type}`)' }],
      defaultHandler: false,
      remote: false,
      capturing: false,
      load: { queued: 0, inFlight: 0, dropped: 0 },
    },
  ])
  expect(broker.mesh).toMatchObject({ kind: 'local', connected: true, peers: [] })
  expect((await client.act('components', { environment: 'us' })).components).toEqual([])
  stream.destroy()
})

test('waits for progress', async () => {
  const held = await TestRecorder.subscribe(server.ports.otlpGrpc, {
    component: { name: 'held' },
    onCapture: () => undefined,
  })
  recorders.push(held)
  const begun = await client.act('startCapture', { service: 'held', durationMs: 60_000 })
  await expect.poll(() => held.captures).toHaveLength(1)
  const { version } = await client.act('capture', {}, { of: begun.id })
  // Nothing changes meanwhile.
  expect((await client.act('capture', { after: version, wait: '50ms' }, { of: begun.id })).version).toBe(version)
  const waiting = client.act('capture', { after: version, wait: '30s' }, { of: begun.id })
  await client.act('cancelCapture', {}, { of: begun.id })
  expect((await waiting).version).toBeGreaterThan(version)
})

describe('a dry run', () => {
  async function send(signal: string, content: object): Promise<void> {
    const { status } = await post(`${otlp}/v1/${signal}`, Buffer.from(JSON.stringify(content)), {
      'content-type': JSON_TYPE,
    })
    expect(status).toBe(200)
  }
  const resource = (service: string, instance: string, more: Readonly<Record<string, string>> = {}) => ({
    attributes: attributesJson({ 'service.name': service, 'service.instance.id': instance, ...more }),
  })

  test('finds spans, logs and metrics that would have fired, by their own times', async () => {
    const now = BigInt(Date.now()) * 1_000_000n
    const minute = 60_000_000_000n
    const span = (i: number, ago: bigint, ms: bigint) => ({
      traceId: 'ee'.repeat(16),
      spanId: i.toString(16).padStart(16, '0'),
      name: 'GET /dry',
      kind: 2,
      status: { code: i % 2 === 0 ? 2 : 0 },
      startTimeUnixNano: String(now - ago),
      endTimeUnixNano: String(now - ago + ms * 1_000_000n),
      attributes: attributesJson({ 'http.route': '/dry' }),
    })
    const spans = [
      span(1, 30n * minute, 900n),
      span(2, 30n * minute - 1n, 900n),
      span(3, 10n * minute, 950n),
      span(4, 9n * minute, 10n),
    ]
    const older = span(5, 90n * minute, 900n)
    await send('traces', {
      resourceSpans: [
        { resource: resource('dry', 'a', { region: 'eu' }), scopeSpans: [{ spans: [...spans, older] }] },
        { resource: resource('dry', 'b'), scopeSpans: [{ spans: [span(6, 5n * minute, 2000n)] }] },
      ],
    })
    const logRecords = [9, 17].map(severityNumber => ({
      timeUnixNano: String(now - minute),
      severityNumber,
      body: { stringValue: 'dry as dust' },
    }))
    await send('logs', { resourceLogs: [{ resource: resource('dry', 'a'), scopeLogs: [{ logRecords }] }] })
    const points = [0.5, 0.97].map(asDouble => ({ timeUnixNano: String(now - minute), asDouble }))
    const metrics = [{ name: 'dry.load', gauge: { dataPoints: points } }]
    await send('metrics', { resourceMetrics: [{ resource: resource('dry', 'a'), scopeMetrics: [{ metrics }] }] })
    await server.store.settled()

    const slow = await client.act('dryRun', { rule: 'Source(`dry`) && SpanSlower(800)' })
    // Two at the same moment, so that a guard prevents one.
    expect(slow).toMatchObject({
      matched: 4,
      fired: 3,
      instances: 2,
      truncated: false,
      heldBack: [{ guard: 'cool-down', count: 1 }],
    })
    expect(slow.examined.log).toBeUndefined()
    expect(slow.examined.span).toBeGreaterThanOrEqual(5)
    expect(slow.examples.map(({ instance, description, heldBack }) => [instance, description, heldBack])).toEqual([
      ['b', 'span GET /dry, 2000 ms', undefined],
      ['a', 'span GET /dry, 950 ms', undefined],
      ['a', 'span GET /dry, 900 ms', 'cool-down'],
      ['a', 'span GET /dry, 900 ms', undefined],
    ])
    const matched = async (rule: string, more: object = {}) => (await client.act('dryRun', { rule, ...more })).matched
    expect(await matched('Source(`dry`) && SpanSlower(800)', { from: 'now-2h' })).toBe(5)
    expect(await matched('Source(`dry`) && SpanStatus(ERROR)')).toBe(3)
    expect(await matched('Attr(`region`, `eu`) && Attr(`http.route`, `/dry`) && SpanKind(SERVER)')).toBe(4)
    expect(await matched('Source(`dry`) && LogSeverity(ERROR)')).toBe(1)
    expect(await matched('LogBody({dry.*})')).toBe(2)
    expect(await matched('MetricAbove(`dry.load`, 0.9)')).toBe(1)
    expect(await matched('Source(`dry`)')).toBe(9)
    expect(await client.act('dryRun', { rule: 'SpanSlower(1) && LogSeverity(1)' })).toMatchObject({
      examined: {},
      matched: 0,
    })
    expect((await client.act('dryRun', { rule: 'Source(`dry`) && SpanSlower(800)', coolDownMs: 0 })).fired).toBe(4)
    const few = await client.act('dryRun', {
      rule: 'Source(`dry`) && SpanSlower(800)',
      coolDownMs: 0,
      budgetPerHour: 3,
    })
    expect(few).toMatchObject({ fired: 3, heldBack: [{ guard: 'own-budget', count: 1 }] })
    expect(few.examples[0]).toMatchObject({ instance: 'b', heldBack: 'own-budget' })
  })
})

describe('events', () => {
  test('are sent through the Broker and return the response', async () => {
    const echo = await ComponentStream.subscribe(server.ports.otlpGrpc, {
      component: { name: 'echo' },
      definition: { routes: [{ id: 0, rule: 'Path(`/say/{what}`)' }] },
    })
    echo.echo()
    const { event, response } = await client.act('sendEvent', {
      type: 'test.say',
      category: 'REQUEST',
      values: { path: '/say/hello' },
      params: { n: 7, list: [1, 'a', { b: true }] },
      contentType: 'text/plain',
      text: 'Grüße',
    })
    expect(event).toMatchObject({
      type: 'test.say',
      category: 'REQUEST',
      params: { n: 7, list: [1, 'a', { b: true }] },
    })
    expect(response).toMatchObject({
      parentId: event.id,
      category: 'RESPONSE',
      source: { name: 'echo' },
      contentBytes: 7,
    })
    expect(Buffer.from(response!.content ?? '', 'base64').toString()).toBe('Grüße')
    echo.destroy()
  })

  test('can be watched with the read scope', async () => {
    const watching = new AbortController()
    const passing = await client.watchEvents({ component: 'watched' }, { signal: watching.signal })
    const { stream } = await recorder('watched')
    await client.act('startCapture', { service: 'watched', durationMs: 10 })
    const seen: string[] = []
    for await (const { event, outcome } of passing) {
      if (event.type !== 'profiling.capture') continue
      seen.push(`${event.category} ${event.type} ${outcome}`)
      if (event.category === 'RESPONSE') break
    }
    expect(seen).toEqual(['REQUEST profiling.capture delivered', 'RESPONSE profiling.capture answered'])
    watching.abort()
    stream.destroy()
    await expect(client.watchEvents({ outcome: 'componentGone' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('component-gone') as string,
    })
  })

  test('are skipped and counted for a client that does not read', async () => {
    const sink = await ComponentStream.subscribe(server.ports.otlpGrpc, {
      component: { name: 'sink' },
      definition: { defaultHandler: true },
    })
    sink.onEvent = () => {}
    const socket = connect(Number(new URL(main).port), '127.0.0.1')
    socket.write('GET /api/v1/broker/events?component=sink HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await new Promise(resolve => socket.once('data', resolve))
    socket.pause()
    const text = 'x'.repeat(3500)
    // About 8 MB. The stream may hold 1 MB, and the sockets some more.
    for (let round = 0; round < 8; round++) {
      await Promise.all(
        Array.from({ length: 300 }, () =>
          client.act('sendEvent', {
            type: 'test.flood',
            target: { type: 'Process', name: 'sink' },
            contentType: 'text/plain',
            text,
          }),
        ),
      )
    }
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    socket.resume()
    // Send until the line arrives that reports skipped events.
    await vi.waitFor(
      async () => {
        await client.act('sendEvent', { type: 'test.last', target: { type: 'Process', name: 'sink' } })
        const missed = [
          ...Buffer.concat(chunks)
            .toString()
            .matchAll(/"missed":(\d+)/g),
        ].reduce((sum, [, n]) => sum + Number(n), 0)
        expect(missed).toBeGreaterThan(100)
      },
      { timeout: 60_000 },
    )
    expect(Buffer.concat(chunks).length).toBeLessThan(8_000_000)
    socket.destroy()
    sink.destroy()
  })

  test('have a limited number of watchers', async () => {
    const stops: AbortController[] = []
    const watches: Promise<unknown>[] = []
    for (let i = 0; i < 16; i++) {
      const stop = new AbortController()
      stops.push(stop)
      const response = await fetch(`${main}/api/v1/broker/events`, { signal: stop.signal })
      expect(response.status).toBe(200)
      watches.push(response.text().catch(() => undefined))
    }
    expect(await failedRequest('GET', '/broker/events')).toMatchObject({
      status: 429,
      error: { code: 'too-many-watchers' },
    })
    for (const stop of stops) stop.abort()
    await Promise.all(watches)
    const watched = async (): Promise<number> => {
      const stop = new AbortController()
      const { status } = await fetch(`${main}/api/v1/broker/events`, { signal: stop.signal })
      stop.abort()
      return status
    }
    await expect.poll(watched).toBe(200)
  })
})

test('ends watching and waiting with the server, and separates tenants', async () => {
  const other = mkdtempSync(join(tmpdir(), 'hearth-broker-access-'))
  const tokens = new Map<string, string>()
  const rows = (['read', 'capture', 'write', 'broker'] as const satisfies AccessScope[]).map(scope => {
    const { token, row } = makeToken({ name: scope, tenants: ['shop', 'bank'], scopes: [scope] })
    tokens.set(scope, token)
    return row
  })
  writeAccess(accessFileIn(other), { ...NO_ACCESS, tokens: rows } as Access)
  // The embedded engine has one data directory at a time.
  await server.close()
  const running = await startServer(other)
  server = running.server
  const of = (scope: AccessScope, tenant = 'shop') =>
    new HearthClient({ server: running.main, token: tokens.get(scope)!, tenant })
  const recording = await TestRecorder.subscribe(running.server.ports.otlpGrpc, {
    tenant: 'shop',
    token: tokens.get('broker')!,
    component: { name: 'pay' },
    onCapture: () => undefined,
  })
  // The read scope does not allow captures, and the capture scope does not allow reading.
  const forbidden = { status: 403, code: 'forbidden' }
  expect((await of('read').act('components', {})).components).toHaveLength(1)
  expect((await of('read', 'bank').act('components', {})).components).toEqual([])
  await expect(of('capture').act('components', {})).rejects.toMatchObject(forbidden)
  await expect(of('read').act('startCapture', { service: 'pay' })).rejects.toMatchObject(forbidden)
  await expect(of('read').act('addTrigger', { name: 'x', rule: 'SpanSlower(1)' })).rejects.toMatchObject(forbidden)
  await expect(of('read').act('sendEvent', { type: 'x' })).rejects.toMatchObject(forbidden)
  await expect(of('broker').act('startCapture', { service: 'pay' })).rejects.toMatchObject(forbidden)
  await expect(of('write').act('triggers', {})).rejects.toMatchObject(forbidden)
  await expect(of('capture', 'bank').act('startCapture', { service: 'pay' })).rejects.toMatchObject({ status: 404 })
  const begun = await of('capture').act('startCapture', { service: 'pay', durationMs: 600_000 })
  expect(begun.by).toBe('capture')
  await expect(of('read', 'bank').act('capture', {}, { of: begun.id })).rejects.toMatchObject({ status: 404 })
  await expect(of('capture', 'bank').act('cancelCapture', {}, { of: begun.id })).rejects.toMatchObject({ status: 404 })
  await of('capture').act('addTrigger', { name: 'x', rule: 'SpanSlower(1)' })
  expect((await of('read', 'bank').act('triggers', {})).triggers).toEqual([])

  const { version } = await of('read').act('capture', {}, { of: begun.id })
  const waiting = of('read')
    .act('capture', { after: version + 100, wait: '30s' }, { of: begun.id })
    .catch(() => undefined)
  const watching = await fetch(`${running.main}/api/v1/broker/events`, {
    headers: { authorization: `Bearer ${tokens.get('read')}` },
  })
  const lines = watching.text().catch(String)
  await running.server.close()
  await waiting
  // It was notified of the cancelled capture, and then of the end.
  expect(await lines).toContain('profiling.capture.cancel')
  recording.stream.destroy()
  rmSync(other, { recursive: true })
})

test('reports a server without a Broker', async () => {
  const other = mkdtempSync(join(tmpdir(), 'hearth-no-broker-'))
  await server.close()
  const running = await startServer(other, { broker: 'no' })
  server = running.server
  const response = await fetch(`${running.main}/api/v1/components`)
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'no-broker' } }])
  await running.server.close()
  rmSync(other, { recursive: true })
})
