// Tests requests to the querier: errors in Connect's form, tokens and tenants, clients that disconnect, and the older
// /render.
import { request as httpRequest } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { callTree } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { codecOf } from '@hearth/signals'
import { NO_ACCESS, accessFileIn, openAccess, writeAccess } from '../../access/access-file.ts'
import { makeToken } from '../../access/tokens.ts'
import { EngineError } from '../../store/engine.ts'
import type { PlainProfile } from '../../query/testing/plain-profiles.ts'
import { NO_SCOPE, START, oneProfile } from '../../query/testing/plain-profiles.ts'
import { matchingSamples } from '../../query/testing/fits.ts'
import { parseSelector } from '../../query/selector/parse-selector.ts'
import { SELECT_MERGE_STACKTRACES_REQUEST, SELECT_MERGE_STACKTRACES_RESPONSE } from '../messages/querier-messages.ts'
import type { Clients, Json } from '../testing/connect-clients.ts'
import { clientsOf } from '../testing/connect-clients.ts'
import { pathsOfLevels, pathsOfProfiles } from '../testing/flame-paths.ts'
import { CPU_ID, modestProfiles } from '../testing/modest-profiles.ts'
import type { QuerierServer } from '../testing/querier-server.ts'
import { startQuerier } from '../testing/querier-server.ts'
import { flameGraph } from '../../query/trees/flame-graph.ts'

/** Tests replace this query to block it or to make it fail. */
vi.mock(import('../../query/trees/flame-graph.ts'), async importOriginal => {
  const module = await importOriginal()
  return { ...module, flameGraph: vi.fn<typeof module.flameGraph>(module.flameGraph) }
})
const mockedFlameGraph = vi.mocked(flameGraph)

const SECOND = 1_000_000_000n
const BEGIN = START / 1_000_000n
const NOW = Number(BEGIN) + 60_000
const profiles = modestProfiles(60, 5)
const STACKTRACES = '/querier.v1.QuerierService/SelectMergeStacktraces'
const RANGE = { start: String(BEGIN), end: String(BEGIN + 59_999n) }
const ALL: Json = { profileTypeID: CPU_ID, labelSelector: '{}', ...RANGE }

let server: QuerierServer
let clients: Clients

beforeAll(async () => {
  server = await startQuerier(NOW)
  await server.store.keep('default', profiles)
  await server.store.keep('other', profiles.slice(0, 3))
  clients = clientsOf(server.url, server.grpcUrl)
})
afterEach(() => {
  mockedFlameGraph.mockReset()
})
afterAll(() => server.close())

const selected = (text: string) =>
  oneProfile(matchingSamples(profiles, parseSelector(text), { from: START, to: START + 60n * SECOND }))

async function post(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  const type = { 'content-type': 'application/json' }
  const content = new Uint8Array(Buffer.from(body))
  const response = await fetch(server.url + path, { method: 'POST', body: content, headers: { ...type, ...headers } })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

async function failed(path: string, body: string | Buffer, headers?: Readonly<Record<string, string>>) {
  const { status, bytes, headers: sent } = await post(path, body, headers)
  expect(sent.get('content-type')).toMatch(/^application\/json/)
  return { status, ...(JSON.parse(bytes.toString()) as { code: string; message: string }) }
}

describe('rejected requests', () => {
  test.each<readonly [what: string, method: string, request: Json, code: string, message: RegExp]>([
    [
      'a selector',
      'SelectMergeStacktraces',
      { ...ALL, labelSelector: '{a="b' },
      'InvalidArgument',
      /closing " at position 3/,
    ],
    [
      'an operator',
      'SelectMergeStacktraces',
      { ...ALL, labelSelector: '{a=="b"}' },
      'InvalidArgument',
      /at position 3/,
    ],
    [
      'a regex',
      'SelectMergeStacktraces',
      { ...ALL, labelSelector: '{a=~"("}' },
      'InvalidArgument',
      /regular expression.* at position 4/,
    ],
    ['a type', 'SelectMergeStacktraces', { ...ALL, profileTypeID: 'cpu' }, 'InvalidArgument', /five parts/],
    ['no type', 'SelectSeries', { ...ALL, profileTypeID: '', step: 10 }, 'InvalidArgument', /five parts/],
    ['a range', 'SelectMergeStacktraces', { ...ALL, end: '1' }, 'InvalidArgument', /ends before it begins/],
    ['a time', 'SelectMergeStacktraces', { ...ALL, start: '-1' }, 'InvalidArgument', /milliseconds since 1970/],
    [
      'a far time',
      'SelectMergeStacktraces',
      { ...ALL, start: '9223372036854775807', end: '9223372036854775807' },
      'InvalidArgument',
      /milliseconds since 1970/,
    ],
    [
      'a billion nodes',
      'SelectMergeStacktraces',
      { ...ALL, maxNodes: '1000000000' },
      'InvalidArgument',
      /limit is 100000/,
    ],
    ['fewer than no nodes', 'SelectMergeProfile', { ...ALL, maxNodes: '-1' }, 'InvalidArgument', /max_nodes is -1/],
    ['a format', 'SelectMergeStacktraces', { ...ALL, format: 9 }, 'InvalidArgument', /format 9/],
    [
      'a trace',
      'SelectMergeStacktraces',
      { ...ALL, traceIdSelector: ['zz'] },
      'InvalidArgument',
      /"zz" is not the id of a trace/,
    ],
    [
      'a span',
      'SelectMergeSpanProfile',
      { ...ALL, spanSelector: ['0'.repeat(17)] },
      'InvalidArgument',
      /16 hex digits/,
    ],
    ['no span', 'SelectMergeSpanProfile', ALL, 'InvalidArgument', /names no span/],
    [
      'a profile',
      'SelectMergeStacktraces',
      { ...ALL, profileIdSelector: ['x'] },
      'InvalidArgument',
      /"x" is not the id of a profile; use a UUID/,
    ],
    [
      'too many ids',
      'SelectMergeStacktraces',
      { ...ALL, profileIdSelector: Array.from({ length: 1001 }, () => 'x') },
      'InvalidArgument',
      /1001 ids/,
    ],
    ['no step', 'SelectSeries', ALL, 'InvalidArgument', /a step of 0 seconds/],
    ['a step below nothing', 'SelectSeries', { ...ALL, step: -1 }, 'InvalidArgument', /a step of -1 seconds/],
    ['a step that never comes', 'SelectSeries', { ...ALL, step: 'NaN' }, 'InvalidArgument', /a step of NaN seconds/],
    ['too many steps', 'SelectHeatmap', { ...ALL, start: '0', step: 1 }, 'InvalidArgument', /limit is 11000/],
    [
      'too many labels',
      'SelectSeries',
      { ...ALL, step: 10, groupBy: 'a,b,c,d,e,f,g,h,i'.split(',') },
      'InvalidArgument',
      /group_by/,
    ],
    ['a label without a name', 'LabelValues', RANGE, 'InvalidArgument', /name of the label is missing/],
    ['a diff of one', 'Diff', { left: ALL }, 'InvalidArgument', /left and right/],
    [
      'too many matchers',
      'LabelNames',
      { matchers: [`{${Array.from({ length: 28 }, (_, i) => `a${i}="b"`).join()}}`] },
      'InvalidArgument',
      /matchers/,
    ],
  ])('%s', async (_what, method, request, code, message) => {
    for (const client of Object.values(clients) as Clients['gRPC'][]) {
      const error = await client(method, request).then(
        () => undefined,
        (reason: unknown) => ConnectError.from(reason),
      )
      expect(error?.rawMessage).toMatch(message)
      expect(Code[error?.code ?? 0]).toBe(code)
    }
  })

  test('rejects broken bodies', async () => {
    expect(await failed(STACKTRACES, '{"start": tomorrow}')).toMatchObject({ status: 400, code: 'invalid_argument' })
    expect(await failed(STACKTRACES, '{"start": "1e99"}')).toMatchObject({ status: 400, code: 'invalid_argument' })
    const proto = { 'content-type': 'application/proto' }
    const broken = await failed(STACKTRACES, Buffer.from([0x0a, 0xff]), proto)
    expect(broken).toMatchObject({ status: 400, code: 'invalid_argument' })
    expect(broken.message).toMatch(/byte/)
    expect(await failed(STACKTRACES, '{}', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await failed(STACKTRACES, '{}', { 'content-type': 'application/grpc-web' })).toMatchObject({ status: 415 })
    const large = JSON.stringify({ labelSelector: 'x'.repeat(2 ** 20) })
    expect(await failed(STACKTRACES, large)).toMatchObject({ code: 'resource_exhausted' })
    expect(await failed(STACKTRACES, gzipSync(large), { 'content-encoding': 'gzip' })).toMatchObject({
      code: 'resource_exhausted',
    })
    expect(await failed(STACKTRACES, '{}', { 'connect-timeout-ms': 'soon' })).toMatchObject({
      code: 'invalid_argument',
    })
  })

  test('reports unknown methods', async () => {
    const unknown = { status: 501, code: 'unimplemented' }
    expect(await failed('/settings.v1.SettingsService/Get', '{}')).toMatchObject(unknown)
    const bytes = Buffer.alloc(0)
    expect(await failed('/version.v1.Version/Version', bytes, { 'content-type': 'application/proto' })).toMatchObject(
      unknown,
    )
  })

  test('ignores unknown fields and accepts both names of a field', async () => {
    const body = { ...ALL, profileTypeID: undefined, profile_typeID: CPU_ID, async: { requestId: 'a' }, later: [1] }
    const { status, bytes } = await post(STACKTRACES, JSON.stringify(body))
    expect(status).toBe(200)
    const { flamegraph } = JSON.parse(bytes.toString()) as { flamegraph: { total: string } }
    expect(flamegraph.total).toBe(String(callTree(selected(''), 0).sum))
  })
})

test('rejects values that cannot be added up', async () => {
  const one: PlainProfile = {
    resource: { 'service.name': 'shop' },
    scope: NO_SCOPE,
    type: 'cpu',
    unit: 'ns',
    time: START,
    attributes: {},
    samples: [{ frames: [{ name: 'main' }], values: [2n ** 63n - 1n] }],
  }
  await server.store.keep('large', [one, { ...one, time: START + 1n }])
  const cumulative = { 'hearth.profile.aggregation_temporality': 'cumulative' }
  await server.store.keep('mixed', [one, { ...one, attributes: cumulative }])
  const body = JSON.stringify({ ...ALL, profileTypeID: 'process_cpu:cpu:nanoseconds::' })
  const large = await failed(STACKTRACES, body, { 'x-scope-orgid': 'large' })
  expect(large).toMatchObject({ status: 400, code: 'out_of_range' })
  expect(large.message).toContain('18446744073709551614')
  const mixed = await failed(STACKTRACES, body, { 'x-scope-orgid': 'mixed' })
  expect(mixed).toMatchObject({ status: 400, code: 'failed_precondition' })
  expect(mixed.message).toMatch(/cumulative/)
})

test('compresses requests and responses', async () => {
  const requests = codecOf(SELECT_MERGE_STACKTRACES_REQUEST, 'request')
  const responses = codecOf(SELECT_MERGE_STACKTRACES_RESPONSE, 'response')
  const body = JSON.stringify({ ...ALL, format: 'PROFILE_FORMAT_PPROF' })
  const message = requests.encode(requests.decodeJson(Buffer.from(body)))
  // fetch decompresses responses itself, so the test uses http.
  const { status, encoding, bytes } = await new Promise<{
    status: number | undefined
    encoding: string | undefined
    bytes: Buffer
  }>(resolve => {
    const headers = {
      'content-type': 'application/proto',
      'content-encoding': 'gzip',
      'accept-encoding': 'gzip',
      'connect-protocol-version': '1',
    }
    const sent = httpRequest(server.url + STACKTRACES, { method: 'POST', headers }, response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          encoding: response.headers['content-encoding'],
          bytes: Buffer.concat(parts),
        }),
      )
    })
    sent.end(gzipSync(message))
  })
  expect([status, encoding]).toEqual([200, 'gzip'])
  const { pprof } = responses.decode(gunzipSync(bytes))
  const sum = pprof?.profile?.sample.reduce((all, { value }) => all + value[0], 0n)
  expect(sum).toBe(callTree(selected(''), 0).sum)
})

describe('access', () => {
  const totalFor = async (headers: Readonly<Record<string, string>>) => {
    const { status, bytes } = await post(STACKTRACES, JSON.stringify(ALL), headers)
    if (status !== 200) return (JSON.parse(bytes.toString()) as { code: string }).code
    return (JSON.parse(bytes.toString()) as { flamegraph: { total?: string } }).flamegraph.total ?? '0'
  }

  test('shows tenants only their own data', async () => {
    const own = String(callTree(selected(''), 0).sum)
    expect(await totalFor({})).toBe(own)
    expect(await totalFor({ 'x-scope-orgid': 'anonymous' })).toBe(own)
    const other = await totalFor({ 'x-scope-orgid': 'other' })
    expect([own, '0']).not.toContain(other)
    expect(await totalFor({ 'x-scope-orgid': 'nobody' })).toBe('0')
    const headers = new Headers({ 'x-scope-orgid': 'other' })
    const { flamegraph } = await clients.gRPC('SelectMergeStacktraces', ALL, { headers })
    expect((flamegraph as Json)['total']).toBe(other)
  })

  test('requires a token if tokens are configured', async () => {
    const reader = makeToken({ name: 'reader', tenants: ['other'], scopes: ['read'] })
    const writer = makeToken({ name: 'writer', tenants: ['other'], scopes: ['write'] })
    const file = accessFileIn(server.directory)
    writeAccess(file, { ...NO_ACCESS, tokens: [reader.row, writer.row] } as typeof NO_ACCESS)
    try {
      await expect.poll(() => totalFor({})).toBe('unauthenticated')
      expect(await totalFor({ authorization: `Bearer ${writer.token}` })).toBe('permission_denied')
      expect(await totalFor({ authorization: `Bearer ${reader.token}` })).toMatch(/^\d+$/)
      const rendered = await fetch(`${server.url}/pyroscope/render?query=${CPU_ID}`)
      expect(rendered.status).toBe(401)
      const error = await clients.gRPC('ProfileTypes', {}).catch((reason: unknown) => ConnectError.from(reason))
      expect((error as ConnectError).code).toBe(Code.Unauthenticated)
    } finally {
      writeAccess(file, NO_ACCESS)
      openAccess(file)
      await expect.poll(() => totalFor({})).toMatch(/^\d+$/)
    }
  })
})

describe('clients that disconnect', () => {
  /** A query that ends only when its signal fires, as queries of the engine do. */
  function endless(): Promise<void> {
    return new Promise(resolve => {
      mockedFlameGraph.mockImplementation(
        (_context, { signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              resolve()
              reject(new EngineError('cancelled', 0, 'the query was cancelled'))
            })
          }),
      )
    })
  }

  test.each(['Connect JSON', 'gRPC'] as const)('by %s end their query', async transport => {
    const ended = endless()
    const gone = new AbortController()
    const pending = clients[transport]('SelectMergeStacktraces', ALL, { signal: gone.signal })
    await expect.poll(() => server.gate.state.running).toBe(1)
    gone.abort()
    await expect(pending).rejects.toThrow(/abort|cancel/i)
    await ended
    await expect.poll(() => server.gate.state.running).toBe(0)
  })

  test.each(['Connect JSON', 'gRPC'] as const)('by %s get an error after their time limit', async transport => {
    const ended = endless()
    const pending = clients[transport]('SelectMergeStacktraces', ALL, { timeoutMs: 3000 })
    const error = await pending.catch((reason: unknown) => ConnectError.from(reason))
    expect((error as ConnectError).code).toBe(Code.DeadlineExceeded)
    await ended
  })

  test("reports a query that exceeds the engine's limits", async () => {
    mockedFlameGraph.mockRejectedValue(new EngineError('limit', 241, 'memory'))
    expect(await failed(STACKTRACES, JSON.stringify(ALL))).toMatchObject({ status: 429, code: 'resource_exhausted' })
  })

  test('logs internal errors and does not send them to the client', async () => {
    mockedFlameGraph.mockRejectedValue(new Error('a secret'))
    const { status, message } = await failed(STACKTRACES, JSON.stringify(ALL))
    expect([status, message]).toEqual([500, 'the server failed; its log says why'])
    expect(server.errors.splice(0)).toMatchObject([{ message: 'a secret' }])
  })
})

describe('/render', () => {
  const get = async (path: string, query: Readonly<Record<string, string>>) => {
    const response = await fetch(`${server.url}${path}?${new URLSearchParams(query).toString()}`)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }
  const times = { from: String(BEGIN), until: 'now' }

  interface Rendered {
    readonly version: number
    readonly flamebearer: { names: string[]; levels: number[][]; numTicks: number; maxSelf: number }
    readonly metadata: Readonly<Record<string, unknown>>
    readonly timeline: TimelineJson
    readonly groups: Readonly<Record<string, TimelineJson>>
    readonly leftTicks: number
    readonly rightTicks: number
  }
  interface TimelineJson {
    readonly startTime: number
    readonly samples: readonly number[]
    readonly durationDelta: number
  }
  const sumOf = ({ samples }: TimelineJson) => samples.reduce((a, b) => a + b, 0)

  test.each(['/render', '/pyroscope/render'])('%s', async path => {
    const query = `${CPU_ID}{service_name="checkout"}`
    const { status, text } = await get(path, { query, ...times, groupBy: 'region', maxNodes: '4096' })
    expect(status).toBe(200)
    const { version, flamebearer, metadata, timeline, groups } = JSON.parse(text) as Rendered
    expect(version).toBe(1)
    const expected = selected('{service.name="checkout"}')
    const levels = flamebearer.levels.map(row => row.map(BigInt))
    expect(pathsOfLevels(flamebearer.names, levels)).toEqual(pathsOfProfiles(expected))
    const total = Number(callTree(expected, 0).sum)
    expect(flamebearer.numTicks).toBe(total)
    expect(metadata).toEqual({ format: 'single', spyName: 'unknown', sampleRate: 1e9, units: 'samples', name: 'cpu' })
    expect([timeline.startTime, timeline.durationDelta]).toEqual([Number(BEGIN) / 1000, 15])
    expect(timeline.samples).toHaveLength(5)
    expect(sumOf(timeline)).toBe(total)
    expect(Object.values(groups).reduce((sum, group) => sum + sumOf(group), 0)).toBe(total)
    expect(Object.keys(groups)).toContain('eu-1')
  })

  test('averages the profiles of a step', async () => {
    const { text } = await get('/render', { query: `${CPU_ID}{}`, ...times, aggregation: 'average' })
    const { timeline } = JSON.parse(text) as Rendered
    const ofLast = profiles.filter(({ time }) => time > START + 45n * SECOND)
    const last = matchingSamples(ofLast, parseSelector(''), { from: START, to: START + 60n * SECOND })
    expect(timeline.samples[4]).toBeCloseTo(Number(callTree(oneProfile(last), 0).sum) / ofLast.length, 6)
  })

  test('/render-diff compares two selections', async () => {
    const [left, right] = ['{service_name="checkout"}', '{service_name!="checkout"}']
    const sides = { leftQuery: CPU_ID + left, rightQuery: CPU_ID + right }
    const range = { leftFrom: times.from, leftUntil: 'now', rightFrom: 'now-1m', rightUntil: times.until }
    const { text } = await get('/pyroscope/render-diff', { ...sides, ...range })
    const { flamebearer, metadata, leftTicks, rightTicks } = JSON.parse(text) as Rendered
    const both = [selected('{service.name="checkout"}'), selected('{service.name!="checkout"}')]
    const levels = flamebearer.levels.map(row => row.map(BigInt))
    expect(pathsOfLevels(flamebearer.names, levels, 2)).toEqual(pathsOfProfiles(...both))
    expect([leftTicks, rightTicks]).toEqual(both.map(side => Number(callTree(side, 0).sum)))
    expect(metadata['format']).toBe('double')
  })

  test('returns DOT, and values of labels', async () => {
    const dot = await get('/pyroscope/render', { query: `${CPU_ID}{}`, ...times, format: 'dot' })
    expect([dot.type, dot.text.slice(0, 13)]).toEqual(['text/vnd.graphviz; charset=utf-8', 'digraph "cpu"'])
    const values = await get('/pyroscope/label-values', { label: 'service_name', ...times })
    expect(JSON.parse(values.text)).toEqual(['cart', 'checkout'])
  })

  test.each([
    ['/render', {}, /query is missing/],
    ['/render', { query: 'app.cpu{}' }, /five parts/],
    ['/render', { query: `${CPU_ID}{a="` }, /position/],
    ['/render', { query: CPU_ID, from: 'yesterday' }, /from 'yesterday' is not a time/],
    ['/render', { query: CPU_ID, format: 'svg' }, /json and dot/],
    ['/render', { query: CPU_ID, maxNodes: 'many' }, /maxNodes/],
    ['/render', { query: CPU_ID, aggregation: 'median' }, /sum or average/],
    ['/render-diff', { leftQuery: CPU_ID }, /rightQuery is missing/],
    ['/label-values', {}, /name of the label is missing/],
  ] as const)('%s %j', async (path, query, message) => {
    const { status, text } = await get(path, query)
    expect(status).toBe(400)
    const { code, message: said } = JSON.parse(text) as { code: string; message: string }
    expect(code).toBe('invalid_argument')
    expect(said).toMatch(message)
  })
})

test('only the expected query failed with an internal error', () => expect(server.errors).toEqual([]))
