// `hearth traces`, `hearth trace` and `hearth logs` with a real server.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ProfilesBuilder, difference, encodeOtlp, readProfile } from '@hearth/profile'
import type { Codec } from '@hearth/signals'
import { logs, metrics as metricsCodec, traces } from '@hearth/signals'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Outcome, Surroundings } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'
import { FakeTerminal } from '../../testing/fake-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-cli-signals-'))
const BEGIN = 1_700_000_000_000_000_000n
const MS = 1_000_000n
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const RANGE = ['--from', '1699999999', '--to', '1700000100']
let served: Serving

async function send(path: string, body: string | Uint8Array, type = 'application/json'): Promise<void> {
  const content = typeof body === 'string' ? body : new Uint8Array(body)
  const response = await fetch(`${served.otlp}${path}`, {
    method: 'POST',
    body: content,
    headers: { 'content-type': type },
  })
  expect(response.status).toBe(200)
}

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const resourceOf = (name: string) => ({ attributes: [text('service.name', name)] })

function spanJson(id: number, parent: number, name: string, from: bigint, to: bigint | undefined, status = 0): object {
  const hex = (number: number) => number.toString(16).padStart(16, '0')
  return {
    traceId: TRACE,
    spanId: hex(id),
    parentSpanId: parent === 0 ? '' : hex(parent),
    name,
    startTimeUnixNano: String(BEGIN + from * MS),
    endTimeUnixNano: to === undefined ? '0' : String(BEGIN + to * MS),
    status: { code: status, message: status === 2 ? 'no\u001b[31m stock' : '' },
  }
}

function profile(service = 'shop'): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'service.name', value: service }] })
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BEGIN })
  const frame = builder.location({ lines: [{ function: builder.function({ name: 'gc' }), line: 1 }] })
  for (const span of [1, 2, 2]) {
    const ids = [TRACE, span.toString(16).padStart(16, '0')].map(hex => new Uint8Array(Buffer.from(hex, 'hex')))
    builder.sample({ stack: builder.stack([frame]), values: [10_000_000n], link: builder.link(ids[0], ids[1]) })
  }
  return encodeOtlp(builder.build())
}

function logJson(ms: bigint, body: string, severityNumber: number): object {
  return { timeUnixNano: String(BEGIN + ms * MS), severityNumber, body: { stringValue: body }, traceId: TRACE }
}

const sendLogs = (...logRecords: readonly object[]): Promise<void> =>
  send('/v1/logs', JSON.stringify({ resourceLogs: [{ resource: resourceOf('shop'), scopeLogs: [{ logRecords }] }] }))

beforeAll(async () => {
  served = await startServing(join(folder, 'data'))
  const shop = [
    spanJson(1, 0, 'GET /cart', 0n, 120n),
    spanJson(2, 1, 'render', 90n, 120n, 2),
    spanJson(4, 1, 'mail', 60n, undefined),
  ]
  const resourceSpans = [
    { resource: resourceOf('shop'), scopeSpans: [{ spans: shop }] },
    { resource: resourceOf('db'), scopeSpans: [{ spans: [spanJson(3, 1, 'SELECT', 30n, 60n)] }] },
  ]
  await send('/v1/traces', JSON.stringify({ resourceSpans }))
  await send('/v1development/profiles', profile(), 'application/x-protobuf')
  await sendLogs(logJson(5n, 'begin', 9), logJson(70n, 'payment refused', 17), logJson(80n, 'done', 9))
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

function hearth(command: string, argv: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return runHearth([command, ...argv, '--server', served.main], surroundings)
}

test('hearth trace draws a waterfall', async () => {
  // Data is committed when it is acknowledged. Queries return it a moment later.
  await expect.poll(async () => (await hearth('trace', [TRACE])).stdout).toMatch(/4 spans[^]*SAMPLES/)
  const { stdout, stderr, status } = await hearth('trace', [TRACE])
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toBe(
    [
      `trace ${TRACE}: 4 spans in 2 services, 120 ms from 2023-11-14T22:13:20Z`,
      '',
      'SPAN                                         DURATION     SELF  SAMPLES      CPU  OVER TIME',
      'shop: GET /cart                                120 ms  60.0 ms        1  30.0 ms  ████████████████████████████████████████',
      '  db: SELECT                                  30.0 ms  30.0 ms                              ██████████',
      '  shop: mail                                     open                                                 ▸',
      '  shop: render  (error: no\\u{1b}[31m stock)   30.0 ms  30.0 ms        2  20.0 ms                                ██████████',
      '',
      'SAMPLES counts the span itself. Values include its descendants.',
      '1 span: no end, or one before the start; shown as of no length',
      '',
    ].join('\n'),
  )
  const part = await hearth('trace', [TRACE, '--span', '0000000000000002', '--json'])
  expect(JSON.parse(part.stdout)).toMatchObject({ traceId: TRACE, spans: [{ name: 'render', status: 'error' }] })
  const missing = await hearth('trace', ['ab'.repeat(16)])
  expect([missing.status, missing.stderr]).toEqual([
    1,
    `hearth: no trace ${'ab'.repeat(16)}\n  \`hearth traces\` lists traces.\n`,
  ])
  expect((await hearth('trace', ['xyz'])).stderr).toContain('32 hex digits')
})

test('hearth traces lists traces', async () => {
  const { stdout } = await hearth('traces', [...RANGE, '--service', 'db', '--samples', 'cpu | frame "gc"'])
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'TRACE                             START                 DURATION     SPAN  SPANS  ERRORS  SAMPLES  OPERATION',
    `${TRACE}  2023-11-14T22:13:20Z    120 ms  30.0 ms      4       1        3  db: SELECT`,
  ])
  expect((await hearth('traces', [...RANGE, '--min-duration', '1s'])).stdout).toBe('no traces match\n')
  expect((await hearth('traces', [...RANGE, '--function', 'gc', '--kind', 'unspecified'])).stdout).toContain(TRACE)
  expect((await hearth('traces', [...RANGE, '--function', 'nothing'])).stdout).toBe('no traces match\n')
  expect((await hearth('traces', [...RANGE, '--kind', 'server'])).stdout).toBe('no traces match\n')
  const json = await hearth('traces', [...RANGE, '{service.name="shop"}', '--json', '-n', '1'])
  expect(JSON.parse(json.stdout)).toMatchObject({ traces: [{ traceId: TRACE, spans: 4 }] })
  const wrong = await hearth('traces', [...RANGE, '{a='])
  expect([wrong.status, wrong.stderr.includes('^')]).toEqual([1, true])
})

describe('hearth traces --slow-vs-fast', () => {
  const ids = Array.from({ length: 4 }, (_, i) => (i + 1).toString(16).padStart(32, '0'))

  beforeAll(async () => {
    const spans = ids.map((traceId, i) => ({
      ...spanJson(1, 0, 'POST /orders', 1000n + 100n * BigInt(i), 1000n + 100n * BigInt(i) + (i === 3 ? 90n : 10n)),
      traceId,
    }))
    await send(
      '/v1/traces',
      JSON.stringify({ resourceSpans: [{ resource: resourceOf('shop'), scopeSpans: [{ spans }] }] }),
    )
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
    builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano: BEGIN })
    for (const [i, id] of ids.entries()) {
      const name = i === 3 ? 'rank' : 'read'
      const frame = builder.location({ lines: [{ function: builder.function({ name }), line: 1 }] })
      const link = builder.link(new Uint8Array(Buffer.from(id, 'hex')), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1))
      builder.sample({ stack: builder.stack([frame]), values: [BigInt(i + 1) * 10_000_000n], link })
    }
    await send('/v1development/profiles', encodeOtlp(builder.build()), 'application/x-protobuf')
    const isThere = async () =>
      expect((await hearth('traces', [...RANGE, '--function', 'rank'])).stdout).toContain(ids[3])
    await vi.waitFor(isThere, { timeout: 60_000, interval: 100 })
  })

  const rows = (stdout: string) =>
    stdout
      .split('\n')
      .filter(line => /rank|read/.test(line))
      .map(line => line.trim().split(/ {2,}/))

  test('splits by the duration of an operation', async () => {
    const { stdout, stderr } = await hearth('traces', [...RANGE, '--name', 'POST /orders', '--slow-vs-fast'])
    expect(stderr).toBe('')
    expect(stdout.split('\n')[0]).toBe('before: 3 fast traces; after: 1 slow trace, from 90.0 ms on')
    // 10, 20 and 30 ms in three fast requests, 40 ms in a slow one.
    expect(stdout).toContain('before  cpu: 20.0 ms in 1 profile, per request of 3\n')
    expect(stdout).toContain('change  +20.0 ms (+100%)\n')
    expect(rows(stdout)).toEqual([
      ['0 s', '40.0 ms', '+40.0 ms', '+200.0%', 'low', 'new', 'rank'],
      ['20.0 ms', '0 s', '-20.0 ms', '-100%', 'low', 'removed', 'read'],
    ])
    const by = await hearth('traces', [...RANGE, '--name', 'POST /orders', '--slow-vs-fast', '5ms'])
    expect(by.stderr).toContain('no trace with samples is faster than that')
  })

  test('compares the given traces, and prints JSON', async () => {
    const sets = ['--slow', ids[3], '--fast', ids[0], ids[1], '--profiles', 'cpu']
    const { stdout } = await hearth('traces', [...RANGE, ...sets, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      slow: { found: 1, traces: 1, traceIds: [ids[3]] },
      fast: { found: 2, traces: 2 },
      normalised: false,
      before: '15000000',
      after: '40000000',
      rows: [
        { presence: 'new', self: { before: '0', after: '40000000' }, significance: 'low' },
        { presence: 'vanished', self: { before: '15000000', after: '0' } },
      ],
    })
    expect(await hearth('traces', [...RANGE, '--slow', ids[3]])).toMatchObject({ status: 1 })
    expect(await hearth('traces', [...RANGE, '--slow-vs-fast'])).toMatchObject({
      status: 2,
      stderr: "hearth: --slow-vs-fast requires --name\n  Add the operation, such as --name 'POST /orders'.\n",
    })
  })
})

test('hearth trace --correct-clocks corrects clocks that differ', async () => {
  const traceId = 'c'.repeat(32)
  const of = (service: string, ...spans: readonly object[]) => ({
    resource: resourceOf(service),
    scopeSpans: [{ spans: spans.map(span => ({ ...span, traceId })) }],
  })
  const resourceSpans = [
    of('shop', spanJson(1, 0, 'GET /', 5000n, 5100n)),
    of('db', spanJson(2, 1, 'SELECT', 7000n, 7050n), spanJson(3, 2, 'read', 7000n, 7025n)),
  ]
  await send('/v1/traces', JSON.stringify({ resourceSpans }))
  await expect.poll(async () => (await hearth('trace', [traceId])).stdout).toContain('3 spans')
  const bars = (stdout: string) =>
    stdout
      .split('\n')
      .filter(line => line.includes('█'))
      .map(line => line.replace(/^[^█]*?( *█+)$/, '$1').trimEnd().length)
  const sent = await hearth('trace', [traceId])
  expect(sent.stdout).toContain('2.05 s from')
  const { stdout } = await hearth('trace', [traceId, '--correct-clocks'])
  expect(stdout).toContain('100 ms from')
  expect(stdout).toContain('moved into its parent')
  // In the middle of its parent, with its descendants.
  const [root, select, read] = bars(stdout)
  expect([root - select, select - read]).toEqual([10, 10])
})

describe('logs', () => {
  test('shows the last records, the newest last', async () => {
    const { stdout } = await hearth('logs', [...RANGE, '-n', '2'])
    expect(stdout).toBe(
      [
        `2023-11-14T22:13:20.070Z ERROR shop: payment refused trace=${TRACE}`,
        `2023-11-14T22:13:20.080Z INFO  shop: done trace=${TRACE}`,
        '',
      ].join('\n'),
    )
    const found = await hearth('logs', [
      ...RANGE,
      '--text',
      'REFUSED',
      '-i',
      '--severity',
      'warn',
      '--trace',
      TRACE,
      '--json',
    ])
    expect(JSON.parse(found.stdout)).toMatchObject({ logs: [{ body: { stringValue: 'payment refused' } }] })
    expect((await hearth('logs', [...RANGE, '--text', 'nothing'])).stdout).toBe('no log records match\n')
    expect(await hearth('logs', [...RANGE, '--regex', '('])).toMatchObject({ status: 1 })
    expect(await hearth('logs', ['--follow', '--json'])).toMatchObject({ status: 2 })
  })
  test('follows new records until Ctrl-C', async () => {
    const terminal = new FakeTerminal()
    const argv = ['logs', '--follow', '--every', '20ms', '--from', '1699999999', '--server', served.main]
    const ended = terminal.run([...argv, '--severity', 'error'])
    await expect.poll(() => terminal.written).toContain('payment refused')
    await sendLogs(logJson(90n, 'refused again', 18), logJson(91n, 'below the severity', 9))
    await expect.poll(() => terminal.written).toContain('refused again')
    await sendLogs(logJson(95n, 'and again', 21))
    await expect.poll(() => terminal.written).toContain('and again')
    await sendLogs(logJson(80n, 'late with an earlier time', 17))
    await expect.poll(() => terminal.written).toContain('late with an earlier time')
    terminal.pressCtrlC()
    expect(await ended).toBe(0)
    const lines = terminal.written.split('\n').filter(line => line.includes('shop: '))
    expect(lines.map(line => /shop: (.*) trace/.exec(line)?.[1])).toEqual([
      'payment refused',
      'refused again',
      'and again',
      'late with an earlier time',
    ])
  })
})

describe('export', () => {
  const resource = { ...resourceOf('exported'), droppedAttributesCount: 2 }
  const scope = { name: 'lib', version: '1', attributes: [text('a', 'b')] }
  const time = { timeUnixNano: String(BEGIN) }
  const span = {
    ...spanJson(7, 6, 'send', 1n, 2n, 2),
    traceState: 'vendor=1',
    flags: 0x301,
    kind: 4,
    droppedEventsCount: 1,
    links: [{ traceId: TRACE, spanId: '00000000000000ff', traceState: 'a=b', flags: 0x101, droppedAttributesCount: 3 }],
    events: [{ ...time, name: 'retry', droppedAttributesCount: 4 }],
  }
  const record = { ...logJson(1n, 'exported', 9), flags: 1, droppedAttributesCount: 5, eventName: 'e' }
  const metrics = [
    { name: 'a', gauge: { dataPoints: [{ ...time, asInt: '-9007199254740993' }] } },
    {
      name: 'b',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [{ ...time, count: '3', sum: 0, bucketCounts: ['1', '2'], explicitBounds: [0.5], min: 0, max: 1 }],
      },
    },
  ]
  const SENT = {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] },
    logs: { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] },
    metrics: { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] },
  }
  const CODECS = { traces, logs, metrics: metricsCodec }
  const SELECTED = ['{service.name="exported"}', ...RANGE]

  beforeAll(async () => {
    for (const [signal, body] of Object.entries(SENT)) await send(`/v1/${signal}`, JSON.stringify(body))
    await send('/v1development/profiles', profile('exported'), 'application/x-protobuf')
  })

  test.each(['traces', 'logs', 'metrics'] as const)('writes %s equal to what was sent', async signal => {
    const codec = CODECS[signal] as Codec<unknown>
    const sent = codec.decodeJson(Buffer.from(JSON.stringify(SENT[signal])))
    const exported = async (name: string): Promise<Buffer> => {
      const output = join(folder, name)
      const argv = [...SELECTED, '--signal', signal, '-o', output]
      await expect.poll(async () => (await hearth('export', argv)).stderr).toBe('')
      return readFileSync(output)
    }
    expect(codec.decode(await exported(`${signal}.otlp`))).toEqual(sent)
    expect(codec.decode(gunzipSync(await exported(`${signal}.otlp.gz`)))).toEqual(sent)
    expect(codec.decodeJson(await exported(`${signal}.json`))).toEqual(sent)
    const again = join(folder, `${signal}-again.otlp`)
    expect(await runHearth(['convert', join(folder, `${signal}.json`), '-o', again])).toMatchObject({ status: 0 })
    expect(readFileSync(again)).toEqual(readFileSync(join(folder, `${signal}.otlp`)))
  })

  test.each(['otlp', 'otlp.json'])('writes profiles equal to what was sent: %s', async extension => {
    const output = join(folder, `profiles.${extension}`)
    const argv = [...SELECTED, '--signal', 'profiles', '-o', output]
    await expect.poll(async () => (await hearth('export', argv)).stderr).toBe('')
    const sent = readProfile(profile('exported')).profiles
    expect(difference(readProfile(readFileSync(output)).profiles, sent)).toBeUndefined()
  })

  test('reports an empty result', async () => {
    const argv = ['{service.name="nowhere"}', ...RANGE, '--signal', 'metrics', '-o', join(folder, 'none.otlp')]
    expect(await hearth('export', argv)).toMatchObject({ status: 1, stderr: 'hearth: no metrics match\n' })
  })

  test('rejects other formats', async () => {
    const argv = ['--signal', 'logs', '--format', 'pprof', '-o', join(folder, 'logs.pb')]
    expect(await hearth('export', argv)).toMatchObject({ status: 2 })
  })
})
