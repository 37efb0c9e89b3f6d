// Captures over real sockets and the real store: components that respond, fail, send garbage, vanish and respond too late.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BrokerError, CONTENT_TYPE } from '@hearth/broker'
import type { Capture, StartCaptureRequest } from '@hearth/client'
import { ApiError, HearthClient } from '@hearth/client'
import { nodeCodecs } from '@hearth/codecs'
import { ProfilesBuilder, encodeOtlp, readProfile } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startServer } from '../../receive/testing/running-server.ts'
import type { HearthServer } from '../../server.ts'
import type { TestRecorderOptions } from '../testing/recorder.ts'
import { TestRecorder, profileOf } from '../testing/recorder.ts'

let directory: string
let server: HearthServer
let client: HearthClient
const recorders: TestRecorder[] = []
/** Generous, because the machine may be busy. */
const WAIT = { timeout: 60_000, interval: 100 }

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-captures-'))
  await open()
})

async function open(): Promise<void> {
  const running = await startServer(directory, { 'broker-event-size': '1MiB', 'capture-grace': '5s' })
  server = running.server
  client = new HearthClient({ server: running.main })
}

afterEach(async () => {
  for (const { stream } of recorders.splice(0)) stream.destroy()
  await vi.waitFor(async () => {
    const { components } = await client.act('components', {})
    if (components.length > 0) throw new Error(`${components.length} are still subscribed`)
  }, WAIT)
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

async function recorder(options: TestRecorderOptions = {}): Promise<TestRecorder> {
  const made = await TestRecorder.subscribe(server.ports.otlpGrpc, options)
  recorders.push(made)
  return made
}

async function start(request: Partial<StartCaptureRequest> = {}): Promise<Capture> {
  return await client.act('startCapture', { service: 'checkout', durationMs: 100, ...request })
}

async function ended(id: string): Promise<Capture> {
  let last: Capture | undefined
  for await (const capture of client.followCapture(id)) last = capture
  return last!
}

async function captured(request: Partial<StartCaptureRequest> = {}): Promise<Capture> {
  return await ended((await start(request)).id)
}

/** Queries with the capture's own selector. */
async function framesOf({ selector, from, to }: Capture): Promise<readonly string[]> {
  const { rows } = await client.query('top', { selector, from: from!, to: to! })
  return rows.map(({ frame, total }) => `${frame.name} ${total}`).toSorted()
}

async function sumOf(format: string, id: string): Promise<{ profiles: number; sum: bigint }> {
  const { bytes } = await client.captureProfile(id, { format })
  const { profiles } = readProfile(bytes, { codecs: nodeCodecs })
  const sum = profiles.samples.values.signed().reduce((all, value) => all + value, 0n)
  return { profiles: profiles.profiles.length, sum }
}

test('a capture reports the sampling rate and notes of an instance', async () => {
  const params = { frequency_hz: 1000, notes: ['at 1000 instead of 5000 Hz', 7, 'x'.repeat(1000)] }
  await recorder({ onCapture: () => ({ content: profileOf('work'), params }) })
  const { instances } = await captured({ type: 'cpu', durationMs: 50, frequencyHz: 5000 })
  expect(instances[0]).toMatchObject({
    frequencyHz: 1000,
    notes: ['at 1000 instead of 5000 Hz', 'x'.repeat(300)],
  })
})

test('a capture passes all parameters to one instance and stores its profile before it ends', async () => {
  const only = await recorder({
    component: { app: 'shop' },
    environment: 'prod',
    definition: { attributes: { region: 'eu' } },
  })
  const capture = await captured({
    type: 'cpu',
    durationMs: 250,
    frequencyHz: 200,
    labels: { Region: 'eu' },
    reason: 'a test',
    maxBytes: 500_000,
  })
  expect(capture).toMatchObject({ state: 'finished', answered: 1, failed: 0, by: 'anyone', reason: 'a test' })
  const [event] = only.captures
  expect(event.params).toEqual({
    capture_id: capture.id,
    profile_type: 'cpu',
    duration_ms: 250,
    frequency_hz: 200,
    timestamps: true,
    reason: 'a test',
    max_bytes: 500_000,
    labels: { Region: 'eu' },
  })
  expect(event.values).toEqual({ path: '/profiles/cpu', method: 'CAPTURE', header: { Region: ['eu'] } })
  // At least two seconds more than the recording.
  expect(event.ttl).toBeGreaterThanOrEqual(2_250_000_000n)
  expect(Buffer.from(event.parentSpan!.spanId).toString('hex')).toBe(capture.span.spanId)

  const [instance] = capture.instances
  expect(instance).toMatchObject({
    instance: only.id,
    service: 'checkout',
    namespace: 'shop',
    environment: 'prod',
    state: 'answered',
    samples: 1,
  })
  expect(instance.profileIds).toHaveLength(1)
  expect(await framesOf(capture)).toEqual(['main 10000000', 'work 10000000'])

  // The component identifies the resource, and the capture adds its id and reason.
  const { profiles } = await client.query('profiles', {
    selector: capture.selector,
    from: capture.from!,
    to: capture.to!,
  })
  expect(profiles).toMatchObject([{ service: 'checkout', profileId: instance.profileIds[0] }])
  for (const key of [
    `resource:service.instance.id="${only.id}"`,
    'resource:deployment.environment.name="prod"',
    'profiling.capture.reason="a test"',
  ]) {
    const found = await client.query('profiles', { selector: `{${key}}`, from: capture.from!, to: capture.to! })
    expect(found.profiles.map(({ profileId }) => profileId)).toEqual(instance.profileIds)
  }
  // The list contains it.
  expect((await client.act('captures', {})).captures[0]).toEqual(capture)
})

test('a profile keeps its own id, service and attributes', async () => {
  const id = new Uint8Array(16).fill(7)
  await recorder({
    onCapture: () => ({
      content: profileOf('own', {
        id,
        service: 'checkout-eu',
        attributes: { 'profiling.capture.reason': 'mine', host: 'a' },
      }),
    }),
  })
  const capture = await captured()
  expect(capture.instances[0].profileIds).toEqual(['07'.repeat(16)])
  const selector = '{service.name="checkout-eu", profiling.capture.reason="mine", host="a"}'
  const { profiles } = await client.query('profiles', { selector, from: capture.from!, to: capture.to! })
  expect(profiles).toHaveLength(1)
})

test('a capture picks the instance with the lowest load', async () => {
  const silent = await recorder({ onCapture: () => undefined })
  const first = await start({ durationMs: 60_000 })
  await vi.waitFor(() => expect(silent.captures).toHaveLength(1), WAIT)
  const idle = await recorder()
  const capture = await captured()
  expect(capture.instances.map(({ instance }) => instance)).toEqual([idle.id])
  const { components } = await client.act('components', {})
  const capturing = new Map(components.map(({ instance, capturing: is }) => [instance, is]))
  expect([capturing.get(silent.id), capturing.get(idle.id)]).toEqual([true, false])
  await client.act('cancelCapture', {}, { of: first.id })
  await ended(first.id)
})

test('a capture of all instances reports failures and merges the rest', async () => {
  await recorder({ onCapture: () => ({ content: profileOf('work', { value: 5 }) }) })
  await recorder({ onCapture: () => ({ content: profileOf('rest', { value: 7 }) }) })
  const broken = await recorder({
    onCapture: () => {
      throw new BrokerError('unexpected', 'the profiler is broken')
    },
  })
  await recorder({ component: { name: 'other' } })
  const capture = await captured({ all: true })
  expect(capture).toMatchObject({ state: 'finished', answered: 2, failed: 1 })
  expect(capture.instances).toHaveLength(3)
  const failed = capture.instances.find(({ state }) => state === 'failed')
  expect(failed).toMatchObject({
    instance: broken.id,
    error: { code: 'unexpected', message: 'the profiler is broken' },
    profileIds: [],
  })
  expect(await framesOf(capture)).toEqual(['main 12', 'rest 7', 'work 5'])
  expect(await sumOf('pprof', capture.id)).toEqual({ profiles: 1, sum: 12n })
  // OTLP keeps them apart.
  expect(await sumOf('otlp', capture.id)).toEqual({ profiles: 2, sum: 12n })
  const merged = await client.captureProfile(capture.id, { format: 'otlp', merge: true })
  expect(readProfile(merged.bytes, { codecs: nodeCodecs }).profiles.profiles.length).toBe(1)
})

test('environment and instance select the components', async () => {
  const eu = await recorder({ environment: 'eu' })
  const us = await recorder({ environment: 'us' })
  expect((await captured({ all: true, environment: 'eu' })).instances.map(({ instance }) => instance)).toEqual([eu.id])
  expect((await captured({ instance: us.id })).instances.map(({ instance }) => instance)).toEqual([us.id])
  for (const [request, message] of [
    [{ environment: 'mars' }, /not subscribed in environment "mars"; subscribed in: eu, us/],
    [{ instance: 'none' }, /no instance "none"; available: /],
    [{ type: 'lock' }, /cannot record "lock"; available: cpu, heap/],
    [{ service: 'nobody' }, /no component of "nobody" is subscribed; services: checkout/],
  ] as const) {
    await expect(start(request)).rejects.toMatchObject({
      status: 404,
      code: 'not-found',
      message: expect.stringMatching(message) as string,
    })
  }
})

test('a look-back capture requests a time range of one trace', async () => {
  const only = await recorder()
  const capture = await captured({
    from: '1790000000000000001',
    to: '1790000000500000003',
    traceId: 'AB'.repeat(16),
    spanId: 'cd'.repeat(8),
  })
  expect(only.captures[0].params).toMatchObject({
    from_unix_nano: '1790000000000000001',
    to_unix_nano: '1790000000500000003',
    trace_id: 'ab'.repeat(16),
    span_id: 'cd'.repeat(8),
  })
  expect(capture.lookBack).toEqual({ from: '1790000000000000001', to: '1790000000500000003' })
  // The capture's span is a child of the span that the samples belong to.
  expect(capture.span).toMatchObject({ traceId: 'ab'.repeat(16), parentSpanId: 'cd'.repeat(8) })
})

test('trace and profile link to each other', async () => {
  await recorder()
  const [traceId, spanId] = ['1234567890abcdef1234567890abcdef', '1234567890abcdef']
  const request = { service: 'checkout', durationMs: 10 }
  const begun = await client.act('startCapture', request, { traceparent: `00-${traceId}-${spanId}-01` })
  const capture = await ended(begun.id)
  const { spans } = await client.trace(traceId)
  // The spans of the Broker may be there already.
  const span = spans.find(({ name }) => name === 'capture')!
  expect(span).toMatchObject({ parentSpanId: spanId, spanId: capture.span.spanId })
  const attributes = new Map(span.attributes!.map(({ key, value }) => [key, value.stringValue]))
  expect(attributes.get('profile_id')).toBe(capture.instances[0].profileIds[0])
  expect(attributes.get('profiling.capture.id')).toBe(capture.id)
  const selector = `{profiling.capture.trace_id="${traceId}", profiling.capture.span_id="${spanId}"}`
  const { profiles } = await client.query('profiles', { selector, from: capture.from!, to: capture.to! })
  expect(profiles.map(({ profileId }) => profileId)).toEqual(capture.instances[0].profileIds)
})

test('cancelling a capture ends it at once and notifies the component', async () => {
  const silent = await recorder({ onCapture: () => undefined })
  const { id } = await start({ durationMs: 60_000 })
  await vi.waitFor(() => expect(silent.captures).toHaveLength(1), WAIT)
  await client.act('cancelCapture', {}, { of: id })
  expect(await ended(id)).toMatchObject({ state: 'cancelled', answered: 0, instances: [{ state: 'cancelled' }] })
  await vi.waitFor(() => expect(silent.cancels.map(({ params }) => params)).toEqual([{ capture_id: id }]), WAIT)
  // Samples recorded until then still arrive and are stored.
  silent.stream.respond(silent.captures[0], { contentType: CONTENT_TYPE.profiles, content: profileOf('partial') })
  await vi.waitFor(async () => {
    const capture = await client.act('capture', {}, { of: id })
    expect(capture.instances).toMatchObject([{ late: true, samples: 1 }])
    expect(await framesOf(capture)).toEqual(['main 10000000', 'partial 10000000'])
  }, WAIT)
})

test.each([
  [
    'busy',
    () => {
      throw new BrokerError('busy', 'another capture is going on', { retryAfterMs: 1500 })
    },
    { code: 'busy', message: 'another capture is going on', retryAfterMs: 1500 },
  ],
  ['invalid bytes', () => ({ content: Buffer.from([0x0a, 0xff, 0xff]) }), { code: 'invalid' }],
  ['indexes out of range', () => ({ content: badDictionary() }), { code: 'invalid' }],
  ['a missing zero row', () => ({ content: Buffer.from('120b12095a0712050801120102', 'hex') }), { code: 'invalid' }],
  [
    'no profiles',
    () => ({ content: encodeOtlp(new ProfilesBuilder().build()) }),
    { code: 'not-found', message: 'the response contains no profiles' },
  ],
  [
    'stored without an id',
    () => ({ contentType: CONTENT_TYPE.json, content: Buffer.from('{"stored":true}') }),
    { code: 'invalid' },
  ],
] as const)('a capture fails and stores nothing when the response is: %s', async (_name, onCapture, error) => {
  await recorder({ onCapture: onCapture as NonNullable<TestRecorderOptions['onCapture']> })
  const before = await storedProfiles()
  const capture = await captured()
  expect(capture).toMatchObject({
    state: 'failed',
    answered: 0,
    failed: 1,
    instances: [{ state: 'failed', error, profileIds: [] }],
  })
  await expect(client.captureProfile(capture.id)).rejects.toMatchObject({ status: 404 })
  await server.store.settled()
  expect(await storedProfiles()).toBe(before)
})

async function storedProfiles(): Promise<bigint> {
  const block = await server.store.engine.select('SELECT count() AS count FROM profiles')
  return block.column('count').bigint(0)
}

function badDictionary(): Uint8Array {
  // A sample that refers to stack 9 of an empty dictionary.
  return Buffer.from('0a0a12081206120408091801', 'hex')
}

test('a capture reports truncation and dropped samples', async () => {
  await recorder({
    onCapture: () => ({ content: profileOf('big'), params: { truncated: true, dropped: 12, sample_count: 1 } }),
  })
  expect((await captured()).instances).toMatchObject([
    { truncated: true, dropped: 12, samples: 1, bytes: profileOf('big').length },
  ])
})

test('a response larger than maxBytes is rejected', async () => {
  await recorder({ onCapture: () => ({ content: profileOf('x'.repeat(2000)) }) })
  expect((await captured({ maxBytes: 1000 })).instances).toMatchObject([
    { state: 'failed', error: { code: 'content-too-large' } },
  ])
})

test('a profile that the component stored over OTLP belongs to the capture', async () => {
  const id = 'ab'.repeat(16)
  await recorder({
    onCapture: () => ({
      contentType: CONTENT_TYPE.json,
      content: Buffer.from(JSON.stringify({ profile_id: id, stored: true })),
      params: { sample_count: 40 },
    }),
  })
  expect((await captured()).instances).toMatchObject([{ state: 'answered', profileIds: [id], samples: 40 }])
})

test('a capture fails at once when the component vanishes', async () => {
  const vanishing = await recorder({ onCapture: () => undefined })
  const { id } = await start({ durationMs: 600_000 })
  await vi.waitFor(() => expect(vanishing.captures).toHaveLength(1), WAIT)
  vanishing.stream.destroy()
  expect(await ended(id)).toMatchObject({ state: 'failed', instances: [{ error: { code: 'component-gone' } }] })
})

test('a late response is stored and marked as late', async () => {
  const slow = await recorder({ onCapture: () => undefined })
  const { id } = await start({ from: 'now-1s' })
  const capture = await ended(id)
  expect(capture).toMatchObject({ state: 'failed', instances: [{ error: { code: 'timeout' } }] })
  await vi.waitFor(() => expect(slow.cancels).toHaveLength(1), WAIT)
  slow.stream.respond(slow.captures[0], { contentType: CONTENT_TYPE.profiles, content: profileOf('late') })
  await vi.waitFor(async () => {
    const now = await client.act('capture', {}, { of: id })
    expect(now.instances[0]).toMatchObject({ late: true, samples: 1 })
    expect(await framesOf(now)).toEqual(['late 10000000', 'main 10000000'])
  }, WAIT)
})

test('an unrequested profile is stored', async () => {
  const sending = await recorder()
  sending.stream.send({
    type: 'profiling.profile',
    category: 1,
    target: await broker(),
    contentType: CONTENT_TYPE.profiles,
    content: profileOf('unrequested'),
    params: { reason: 'continuous' },
  })
  await vi.waitFor(
    async () => {
      const { rows } = await client.query('top', { selector: '{profiling.capture.reason="continuous"}' })
      expect(rows.map(({ frame }) => frame.name)).toContain('unrequested')
    },
    { timeout: 60_000 },
  )
})

async function broker() {
  const {
    broker: { id },
  } = await client.act('components', {})
  return { type: 'Broker', app: '', name: 'hearth', hash: 'test', id, brokerId: id }
}

test('the number of concurrent captures is limited', async () => {
  await recorder({ onCapture: () => undefined })
  const going: Capture[] = []
  const refused = await (async () => {
    for (let i = 0; i < 100; i++) {
      try {
        going.push(await start({ durationMs: 60_000 }))
      } catch (error) {
        return error
      }
    }
    return undefined
  })()
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ status: 429, code: 'busy', retryAfterSeconds: 5 })
  expect(going).toHaveLength(32)
  for (const { id } of going) await client.act('cancelCapture', {}, { of: id })
  for (const { id } of going) await ended(id)
})

test('captures and their profiles survive a restart', async () => {
  await recorder()
  const capture = await captured()
  for (const { stream } of recorders.splice(0)) stream.destroy()
  await server.close()
  await open()
  expect(await client.act('capture', {}, { of: capture.id })).toEqual(capture)
  expect(await sumOf('pprof', capture.id)).toEqual({ profiles: 1, sum: 10_000_000n })
})

test('running captures are cancelled when the server shuts down', async () => {
  const silent = await recorder({ onCapture: () => undefined })
  const { id } = await start({ durationMs: 600_000 })
  await vi.waitFor(() => expect(silent.captures).toHaveLength(1), WAIT)
  await server.close()
  await open()
  expect(await client.act('capture', {}, { of: id })).toMatchObject({ state: 'cancelled' })
})
