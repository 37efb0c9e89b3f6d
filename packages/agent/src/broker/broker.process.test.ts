// The agent in separate processes, and a Broker that requests captures, over real sockets with a real profiler.
import { encodeOtlp, readOtlp } from '@hearth/profile'
import type { Profiles } from '@hearth/profile'
import type { Event } from '@hearth/broker'
import { Category, CONTENT_TYPE, EVENT_TYPE, errorOf, readDefinition } from '@hearth/broker'
import { describe, expect, test, vi } from 'vitest'
import { samplesOf, total, typesOf } from '../record/testing/stack-list.ts'
import type { Run } from './testing/captured-process.ts'
import {
  TTL,
  responseTo,
  requestCapture,
  capture,
  captureWith,
  failureOf,
  functionsIn,
  profilesOf,
  runProgram,
  telemetryWith,
  useBroker,
} from './testing/captured-process.ts'

const surroundings = useBroker()

/** Works half of the time, until SIGUSR2. */
const BUSY = `
const kept = []
function burnABit() {
  const until = performance.now() + 20
  let sum = 0
  while (performance.now() < until) for (let i = 0; i < 1000; i++) sum += Math.sqrt(i)
  return sum
}
function allocateABit() {
  kept.push(new Array(20000).fill(kept.length))
  if (kept.length > 50) kept.length = 0
}
const timer = setInterval(() => { burnABit(); allocateABit() }, 40)
process.once('SIGUSR2', () => clearInterval(timer))
console.log('busy')
`

function run(env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runProgram(surroundings, BUSY, env)
}

test('the agent registers its identity and the kinds it records', async () => {
  const { subscription, end } = await run()
  const [registration] = subscription.events
  expect(registration.source).toEqual({
    type: 'Process',
    app: 'shop',
    name: 'check-out',
    hash: '1.2.3',
    id: 'i-1',
    brokerId: '',
  })
  expect(registration.context).toMatchObject({
    platform: 'default',
    virtualEnvironment: 'prod',
    appDeployment: '1.2.3',
  })
  expect(subscription.metadata.get('token')).toEqual(['secret'])
  const definition = readDefinition(registration.content)
  expect(definition.profileTypes).toEqual(['cpu', 'wall', 'heap', 'events'])
  expect(definition.attributes).toMatchObject({ 'service.name': 'Check Out', 'service.instance.id': 'i-1' })
  expect(definition.routes[0].rule).toContain('/profiles/{profile_type:cpu|wall|heap|events}')
  // The subscription does not keep the process running.
  expect(await end()).toEqual({ by: 0, stdout: 'busy\n', stderr: '' })
})

describe('captures', () => {
  test('return every type, one after the other, and the exports continue', async () => {
    const { subscription, end } = await run()
    const parentSpan = { traceId: Buffer.alloc(16, 7), spanId: Buffer.alloc(8, 9), traceState: '', flags: 1 }
    const labels = { region: 'eu' }
    const request = requestCapture(
      subscription,
      { profile_type: 'cpu', duration_ms: 1000, reason: 'why not', labels },
      { parentSpan },
    )
    const response = await responseTo(subscription, request)
    const cpu = profilesOf(response)
    expect(typesOf(cpu)).toEqual(['cpu/nanoseconds'])
    expect(functionsIn(cpu)).toContain('burnABit')
    const id = Buffer.from(cpu.profiles.id(0)).toString('hex')
    expect(response.params).toEqual({
      profile_id: id,
      sample_count: cpu.samples.length,
      dropped: 0,
      truncated: false,
      frequency_hz: 100,
    })
    const { strings, attributes } = cpu.dictionary
    const marks = cpu.profiles.attributesOf(0).map(row => [strings.text(attributes.key(row)), attributes.value(row)])
    expect(Object.fromEntries(marks)).toEqual({
      region: 'eu',
      'profiling.capture.id': request.params['capture_id'],
      'profiling.capture.reason': 'why not',
    })
    const { spans, metrics } = await telemetryWith(subscription, ({ spans: list }) => list.length > 0)
    expect(spans[0]).toMatchObject({ name: 'capture cpu', status: undefined, flags: 1 })
    expect([...spans[0].traceId]).toEqual([...parentSpan.traceId])
    expect([...spans[0].parentSpanId]).toEqual([...parentSpan.spanId])
    expect(spans[0].attributes).toEqual([
      { key: 'profiling.capture.id', value: request.params['capture_id'] },
      { key: 'profiling.capture.type', value: 'cpu' },
      { key: 'profiling.capture.reason', value: 'why not' },
      { key: 'profile_id', value: id },
    ])
    expect(metrics.map(({ name, sum }) => [name, sum?.dataPoints[0].asInt])).toEqual([
      ['hearth.agent.captures', 1n],
      ['hearth.agent.captures.failed', 0n],
      ['hearth.agent.exports.dropped', 0n],
    ])

    const wall = profilesOf(await capture(subscription, { profile_type: 'wall', duration_ms: 200 }))
    expect(typesOf(wall)).toEqual(['wall/nanoseconds'])
    const heap = profilesOf(await capture(subscription, { profile_type: 'heap', duration_ms: 0 }))
    expect(typesOf(heap)).toContain('inuse_space/bytes')
    // There are events, because the event loop is late whenever the program burns CPU.
    const events = profilesOf(await capture(subscription, { profile_type: 'events', duration_ms: 500 }))
    expect(typesOf(events).every(type => /^(?:gc|event_loop_delay)\//.test(type))).toBe(true)
    expect(await failureOf(subscription, { profile_type: 'alloc' })).toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('recorded types: cpu, wall, heap, events') as string,
    })
    expect(await end()).toEqual({ by: 0, stdout: 'busy\n', stderr: '' })
    // Everything was exported too, once.
    const sent = surroundings.backend.received.map(({ body }) => readOtlp(body, {}).profiles)
    expect(sent.flatMap(typesOf)).toEqual(
      expect.arrayContaining(['cpu/nanoseconds', 'wall/nanoseconds', 'inuse_space/bytes']),
    )
    expect(sent.flatMap(functionsIn)).toContain('burnABit')
  })

  test('return the past, as far as it was recorded', async () => {
    const { subscription, end } = await run()
    // On a busy machine the program may not run at all for 300 ms.
    const { now, back, profiles } = await vi.waitFor(
      async () => {
        const until = BigInt(Date.now()) * 1_000_000n
        const range = { from_unix_nano: String(until - 300_000_000n), to_unix_nano: String(until) }
        return {
          now: until,
          back: range,
          profiles: profilesOf(await capture(subscription, { profile_type: 'wall', ...range })),
        }
      },
      { timeout: 60_000 },
    )
    expect(profiles.profiles.time(0)).toBeGreaterThanOrEqual(now - 301_000_000n)
    expect(profiles.profiles.time(0) + profiles.profiles.duration(0)).toBeLessThanOrEqual(now + 1_000_000n)
    const long = { from_unix_nano: '1', to_unix_nano: '2' }
    expect(await failureOf(subscription, { profile_type: 'wall', ...long })).toMatchObject({ kind: 'notFound' })
    const noSpan = { ...back, trace_id: 'ab'.repeat(16) }
    expect(await failureOf(subscription, { profile_type: 'wall', ...noSpan })).toMatchObject({ kind: 'notFound' })
    await end()
  })

  test('return allocations, which are exported too', async () => {
    const { subscription, end } = await run({ HEARTH_PROFILE_TYPES: 'allocations', HEARTH_EXPORT_INTERVAL: '150ms' })
    const profiles = await captureWith(subscription, { profile_type: 'alloc', duration_ms: 500 }, 'allocateABit')
    expect(typesOf(profiles)).toEqual(['alloc_space/bytes'])
    // Exports happened meanwhile. Captures and exports both contain all allocations.
    const allocated = (each: Profiles): bigint => total(samplesOf(each, 'alloc_space'))
    expect(allocated(profiles)).toBeGreaterThanOrEqual(160_000n)
    await end()
    const sent = surroundings.backend.received.map(({ body }) => readOtlp(body, {}).profiles)
    expect(sent.length).toBeGreaterThan(1)
    expect(sent.map(allocated).reduce((a, b) => a + b, 0n)).toBeGreaterThanOrEqual(allocated(profiles))
  })

  test('can be longer than the ring, and work without a ring', async () => {
    const { subscription, end } = await run({
      HEARTH_PROFILE_TYPES: 'wall',
      HEARTH_RING_SECONDS: '0',
      HEARTH_EXPORT_INTERVAL: '100ms',
    })
    const profiles = await captureWith(subscription, { profile_type: 'wall', duration_ms: 600 }, 'burnABit')
    expect(profiles.profiles.duration(0)).toBeGreaterThan(500_000_000n)
    await end()
  })

  test('that are too large lose timestamps, then stacks, and then go over OTLP', async () => {
    const { subscription, end } = await run()
    const { back, whole } = await vi.waitFor(
      async () => {
        const now = BigInt(Date.now()) * 1_000_000n
        const past = { profile_type: 'wall', from_unix_nano: '1', to_unix_nano: String(now - 50_000_000n) }
        const profiles = profilesOf(await capture(subscription, past))
        expect(samplesOf(profiles, 'wall').some(({ timestamps }) => timestamps.length > 0)).toBe(true)
        return { back: past, whole: profiles }
      },
      { timeout: 60_000, interval: 100 },
    )
    const size = encodeOtlp(whole).length
    const smaller = await capture(subscription, { ...back, max_bytes: size - 1 })
    expect(smaller.params).toMatchObject({ truncated: true, dropped: 0 })
    const added = samplesOf(profilesOf(smaller), 'wall')
    expect(added.every(({ timestamps }) => timestamps.length === 0)).toBe(true)
    expect(total(added)).toBe(total(samplesOf(whole, 'wall')))
    const stored = await capture(subscription, { profile_type: 'wall', duration_ms: 200, max_bytes: 10 })
    expect(stored.contentType).toBe(CONTENT_TYPE.json)
    const id = stored.params['profile_id'] as string
    expect(JSON.parse(Buffer.from(stored.content).toString())).toEqual({ profile_id: id, stored: true })
    // The backend has it already, because "stored" means acknowledged.
    const ids = surroundings.backend.received
      .map(({ body }) => readOtlp(body, {}).profiles.profiles)
      .flatMap(table => Array.from({ length: table.length }, (_, i) => Buffer.from(table.id(i)).toString('hex')))
    expect(ids.filter(each => each === id)).toHaveLength(1)
    await end()
  })

  test('that are too large fail without a backend', async () => {
    const { subscription, end } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
    const failure = await failureOf(subscription, { profile_type: 'wall', duration_ms: 200, max_bytes: 10 })
    expect(failure.kind).toBe('contentTooLarge')
    await end()
  })
})

describe('a second capture', () => {
  test('is rejected with a retry time until the first one is cancelled', async () => {
    const { subscription, end } = await run()
    const first = requestCapture(subscription, { capture_id: 'first', profile_type: 'cpu', duration_ms: 60_000 })
    const busy = await failureOf(subscription, { profile_type: 'cpu', duration_ms: 100 })
    expect(busy.kind).toBe('busy')
    expect(busy.retryAfterMs).toBeGreaterThan(1000)
    const cancel = (id: string): unknown =>
      subscription.push({
        category: Category.MESSAGE,
        type: EVENT_TYPE.captureCancel,
        params: { capture_id: id },
      })
    cancel('other')
    cancel('first')
    expect(errorOf(await responseTo(subscription, first))).toMatchObject({ message: 'the capture was cancelled' })
    const failed = await telemetryWith(subscription, ({ spans }) => spans.some(({ status }) => status?.code === 2))
    expect(failed.spans[0].status?.message).toBe('the capture was cancelled')
    // Long enough for a sample on a busy machine.
    profilesOf(await capture(subscription, { profile_type: 'cpu', duration_ms: 1000 }))
    await end()
  })
})

describe('an invalid request', () => {
  test('is rejected for its type, range, time to live or id', async () => {
    const { subscription, end } = await run()
    const cases: [Event['params'], Partial<Event>, string][] = [
      [{ profile_type: 'lock' }, {}, 'notFound'],
      [{}, {}, 'notFound'],
      [{ profile_type: 'cpu', duration_ms: 9000 }, { ttl: 10_000_000_000n }, 'invalid'],
      [{ profile_type: 'cpu', duration_ms: 1e9 }, { ttl: 2n ** 62n }, 'invalid'],
      [{ profile_type: 'cpu', duration_ms: 'x' }, {}, 'invalid'],
      [{ profile_type: 'cpu', from_unix_nano: '5', to_unix_nano: '4' }, {}, 'invalid'],
      [{ profile_type: 'cpu', from_unix_nano: '1.5' }, {}, 'invalid'],
      [{ profile_type: 'cpu', trace_id: 'xyz' }, {}, 'invalid'],
      [{ profile_type: 'heap', trace_id: 'ab'.repeat(16) }, {}, 'invalid'],
      [{ profile_type: 'cpu', thread_id: '1' }, {}, 'notFound'],
      [{}, { type: 'profiling.nonsense' }, 'notFound'],
    ]
    for (const [params, parts, kind] of cases) {
      expect([params, (await failureOf(subscription, params, parts)).kind]).toEqual([params, kind])
    }
    const limited = subscription.push(
      { type: EVENT_TYPE.capture, ttl: TTL, params: { profile_type: 'cpu', duration_ms: 2000 } },
      { env: { MAX_DURATION_MS: 1000 } },
    )
    expect(errorOf(await responseTo(subscription, limited))).toMatchObject({
      kind: 'invalid',
      message: 'duration_ms is 2000; it must be from 0 to 1000',
    })
    await end()
  })
})

describe('the application', () => {
  test('is not disturbed by an unreachable Broker', async () => {
    const away = surroundings.broker.address
    surroundings.broker.close()
    const ended = await surroundings.folder.run(`setTimeout(() => console.log('bye'), 300)`, {
      env: {
        HEARTH_BROKER_ENDPOINT: away,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${surroundings.backend.port}`,
      },
    })
    expect([ended.by, ended.stdout]).toEqual([0, 'bye\n'])
    expect(ended.stderr).toContain('cannot reach the Broker at')
    expect(ended.stderr.split('\n').length).toBeLessThan(4)
  })

  test('is not disturbed by a Broker that disconnects, sends invalid bytes or floods it', async () => {
    const { subscription, end } = await run()
    subscription.raw(Buffer.from('nonsense'))
    for (let i = 0; i < 2000; i++) requestCapture(subscription, { profile_type: 'cpu', duration_ms: 300 })
    await subscription.seen(event => errorOf(event)?.kind === 'busy')
    surroundings.broker.close()
    const ended = await end()
    expect([ended.by, ended.stdout]).toEqual([0, 'busy\n'])
  })
})
