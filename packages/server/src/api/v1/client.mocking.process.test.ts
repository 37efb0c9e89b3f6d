// The client and the API over real sockets with the real engine. Columns equal JSON, paging is complete while data arrives,
// and exports are streamed.
import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { ColumnarName, NodeColumns, Operations } from '@hearth/client'
import { HearthClient } from '@hearth/client'
import type { FrameTable, ValueColumns } from '@hearth/profile'
import { COLUMNS_MEDIA_TYPE, decodeColumns, exactSum, frameRow, readProfile } from '@hearth/profile'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { NO_SCOPE } from '../../query/testing/plain-profiles.ts'
import type { PlainProfile } from '../../query/testing/plain-profiles.ts'
import { status as statusEndpoint } from './status/status.ts'
import { PREFIX, endpoints } from './endpoints.ts'
import { apiDocument } from './openapi.ts'
import type { ApiServer } from './testing/api-server.ts'
import { TEST_FROM, TEST_RANGE, TEST_TO, openApiServer } from './testing/api-server.ts'
import { TEST_SERVER_STATUS } from './testing/test-status.ts'
import * as run from '../../query/testing/queries.ts'
import type * as exportModule from '../../query/profiles/export-profiles.ts'
import { exportProfiles } from '../../query/profiles/export-profiles.ts'
import { flameGraph } from '../../query/trees/flame-graph.ts'

/** Tests replace these queries to block them or to make them fail. */
vi.mock(import('../../query/trees/flame-graph.ts'), async importOriginal => {
  const module = await importOriginal()
  return { ...module, flameGraph: vi.fn<typeof module.flameGraph>(module.flameGraph) }
})
vi.mock(import('../../query/profiles/export-profiles.ts'), async importOriginal => {
  const module = await importOriginal()
  return { ...module, exportProfiles: vi.fn<typeof module.exportProfiles>(module.exportProfiles) }
})
const mockedFlameGraph = vi.mocked(flameGraph)
const mockedExport = vi.mocked(exportProfiles)
const original = await vi.importActual<typeof exportModule>('../../query/profiles/export-profiles.ts')

let server: ApiServer
let client: HearthClient
const forTenant = (tenant: string) => new HearthClient({ server: server.url, tenant })

/** Sums above 2^53 and above 64 bits, addresses without names, lines. */
const BIG = 2n ** 62n + 1n
function profile(values: readonly bigint[], more: Partial<PlainProfile> = {}): PlainProfile {
  const samples = values.map((value, i) => ({
    frames: [
      { name: 'main', file: 'a.c', line: 3 },
      { name: `f${i}`, mapping: '/lib/ü.so', type: 'native' },
    ],
    values: [value],
  }))
  return { resource: {}, scope: NO_SCOPE, type: 'cpu', unit: 'ns', time: TEST_FROM, attributes: {}, samples, ...more }
}

beforeAll(async () => {
  server = await openApiServer({
    limits: { exportSamples: 10_000 },
    unreadBytes: 20_000_000,
    tenants: { tight: { nodes: 3, rows: 2 }, few: { rows: 3 }, hasty: { seconds: 0.2 } },
  })
  client = new HearthClient({ server: server.url })
  await server.at.keep('big', [profile([BIG, BIG, -5n]), profile([BIG, 2n ** 53n + 1n])])
})
afterAll(async () => {
  await server.close()
})
afterEach(() => {
  mockedFlameGraph.mockReset()
  mockedExport.mockReset()
})

/** Other tests cover traces. */
type OfProfiles = Exclude<ColumnarName, 'trace' | 'compareTraces'>

describe('columns equal JSON', () => {
  const requests: { readonly [Name in OfProfiles]: readonly Operations[Name]['request'][] } = {
    flameGraph: [{}, { by: 'line', order: 'leaf-first' }, { by: 'address', inlined: false }, { nodes: 5 }],
    top: [{}, { by: 'line', limit: 3 }],
    sandwich: [{ function: 'gc' }],
    diff: [
      { beforeFrom: TEST_RANGE.from, beforeTo: TEST_RANGE.to, selector: '{service.name="cart"}', beforeSelector: '' },
      {
        beforeFrom: TEST_RANGE.from,
        beforeTo: TEST_RANGE.to,
        selector: '{service.name="cart"}',
        beforeSelector: '',
        normalise: true,
      },
    ],
    events: [{}, { selector: '{service.name="checkout"}', by: 'file' }],
    heatMap: [{ rows: 10 }],
  }

  /** Columns in the form of JSON. */
  const texts = (near: Float64Array, exact: BigInt64Array | undefined) =>
    Array.from(near, (value, i) => (exact === undefined ? String(value) : String(exactSum(value, exact[i]))))
  const framesOf = (frames: FrameTable) => frames.name.map((_, i) => frameRow(frames, i))
  const sumsOf = ({ self, total, selfExact, totalExact }: ValueColumns) => ({
    self: texts(self, selfExact),
    total: texts(total, totalExact),
  })
  const nodesOf = (nodes: NodeColumns) => ({
    parent: [...nodes.parent],
    frame: [...nodes.frame],
    hiddenChildren: [...nodes.hiddenChildren],
    ...sumsOf(nodes),
  })
  const without = <T extends object>(value: T, ...keys: string[]) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key) && !key.endsWith('Exact')))
  const tree = <T extends { frames: FrameTable; nodes: NodeColumns }>(value: T) => ({
    ...value,
    frames: framesOf(value.frames),
    nodes: nodesOf(value.nodes),
  })
  const asJson: { readonly [Name in OfProfiles]: (from: HearthClient, request: never) => Promise<object> } = {
    flameGraph: async (from, request) => tree(await from.columns('flameGraph', request)),
    top: async (from, request) => {
      const { rows, ...rest } = await from.columns('top', request)
      const { self, total } = sumsOf(rows)
      const list = framesOf(rows.frame).map((frame, i) => ({ frame, self: self[i], total: total[i] }))
      return { ...rest, rows: list }
    },
    sandwich: async (from, request) => {
      const response = await from.columns('sandwich', request)
      return { ...response, callers: tree(response.callers), callees: tree(response.callees) }
    },
    diff: async (from, request) => {
      const { before, after, frames, nodes, ...rest } = await from.columns('diff', request)
      const { parent, frame, hiddenChildren, presence } = nodes
      return {
        ...rest,
        before: { ...without(before), ...sumsOf(before) },
        after: { ...without(after), ...sumsOf(after) },
        frames: framesOf(frames),
        nodes: {
          parent: [...parent],
          frame: [...frame],
          hiddenChildren: [...hiddenChildren],
          presence: [...presence],
          selfDelta: texts(nodes.selfDelta, nodes.selfDeltaExact),
          totalDelta: texts(nodes.totalDelta, nodes.totalDeltaExact),
        },
      }
    },
    events: async (from, request) => {
      const { time, value, frames, ...rest } = await from.columns('events', request)
      const { thread, kind, node, state, cpu, link, parent, frame } = rest
      return {
        ...rest,
        thread: [...thread],
        kind: [...kind],
        time: Array.from(time, String),
        value: Array.from(value, String),
        node: [...node],
        state: [...state],
        cpu: [...cpu],
        link: [...link],
        parent: [...parent],
        frame: [...frame],
        frames: framesOf(frames),
      }
    },
    heatMap: async (from, request) => {
      const { x, y, count, value, ...rest } = await from.columns('heatMap', request)
      return { ...rest, x: [...x], y: [...y], count: [...count], value: [...value] }
    },
  }

  for (const name of Object.keys(requests) as OfProfiles[]) {
    test(`in responses of ${name}`, async () => {
      for (const request of requests[name]) {
        for (const tenant of ['default', 'big', 'nobody']) {
          if (name === 'sandwich' && tenant !== 'default') continue
          const whole = {
            ...TEST_RANGE,
            ...request,
            ...(tenant === 'default' ? {} : { selector: '', beforeSelector: undefined }),
          }
          const complete = name === 'diff' ? whole : without(whole, 'beforeSelector')
          const from = forTenant(tenant)
          const json = await from.query(name, complete as never)
          expect(await asJson[name](from, complete as never)).toEqual(json)
          endpoints.find(endpoint => endpoint.name === name)!.response!.parse(json)
        }
      }
    })
  }

  test('returns sums above 64 bits', async () => {
    const { nodes, overflow, sum } = await forTenant('big').columns('flameGraph', TEST_RANGE)
    const expected = 3n * BIG - 5n + 2n ** 53n + 1n
    expect([overflow, sum]).toEqual([true, String(expected)])
    expect(exactSum(nodes.total[0], nodes.totalExact?.[0])).toBe(expected)
  })
})

describe('forms of a response', () => {
  const path = `${PREFIX}/flamegraph?from=1600000000&to=1600000060`
  const plain = (headers: Record<string, string>, at = path) =>
    fetch(`${server.url}${at}`, { headers: { 'accept-encoding': 'identity', ...headers } })

  test('have different tags and set Vary', async () => {
    const tags = new Set<string>()
    for (const accept of ['application/json', COLUMNS_MEDIA_TYPE]) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { accept, 'accept-encoding': encoding }
        const response = await plain(headers)
        const tag = response.headers.get('etag') ?? ''
        tags.add(tag)
        expect(response.headers.get('vary')).toBe('accept, accept-encoding, authorization, x-scope-orgid')
        expect(response.headers.get('content-type')).toContain(accept)
        await response.arrayBuffer()
        expect((await plain({ ...headers, 'if-none-match': tag })).status).toBe(304)
        expect((await plain({ 'if-none-match': tag, accept: 'text/html', 'accept-encoding': 'deflate' })).status).toBe(
          accept === 'application/json' && encoding === 'identity' ? 304 : 200,
        )
      }
    }
    expect(tags.size).toBe(6)
  })

  test.each([
    ['*/*', false],
    ['application/json', false],
    [`${COLUMNS_MEDIA_TYPE};q=0`, false],
    [`${COLUMNS_MEDIA_TYPE};q=0.5, application/json`, false],
    [`application/json;q=0.5, ${COLUMNS_MEDIA_TYPE.toUpperCase()}`, true],
    [`text/html, ${COLUMNS_MEDIA_TYPE}, */*;q=0.1`, true],
  ])('accept: %s', async (accept, columns) => {
    const response = await plain({ accept })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (columns) expect(decodeColumns(bytes).columns.has('nodes.parent')).toBe(true)
    else expect(JSON.parse(new TextDecoder().decode(bytes))).toHaveProperty('nodes')
  })

  test('decompress to the same content', async () => {
    const at = `${PREFIX}/flamegraph?${new URLSearchParams(TEST_RANGE).toString()}`
    const raw = async (headers: Record<string, string>) => {
      const socket = connect(server.port, '127.0.0.1')
      const lines = Object.entries({ host: '127.0.0.1', connection: 'close', ...headers }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      socket.write(`GET ${at} HTTP/1.0\r\n${lines.join('\r\n')}\r\n\r\n`)
      const chunks: Buffer[] = []
      socket.on('data', chunk => chunks.push(chunk))
      await once(socket, 'close')
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      return { head: all.subarray(0, end).toString().toLowerCase(), body: all.subarray(end + 4) }
    }
    for (const accept of ['application/json', COLUMNS_MEDIA_TYPE]) {
      const whole = await raw({ accept })
      expect(whole.head).not.toContain('content-encoding')
      const gzip = await raw({ accept, 'accept-encoding': 'gzip' })
      expect(gzip.head).toContain('content-encoding: gzip')
      expect(gunzipSync(gzip.body)).toEqual(whole.body)
      const brotli = await raw({ accept, 'accept-encoding': 'gzip, br' })
      expect(brotli.head).toContain('content-encoding: br')
      expect(brotliDecompressSync(brotli.body)).toEqual(whole.body)
      expect(brotli.body.length).toBeLessThan(whole.body.length)
      expect((await raw({ accept, 'accept-encoding': 'br;q=0, gzip;q=0' })).body).toEqual(whole.body)
    }
  })
})

describe('paging', () => {
  test('returns all profiles while more arrive', async () => {
    const at = (offset: bigint, name: string) =>
      profile([1n], { time: TEST_FROM + offset, resource: { 'service.name': name } })
    await server.at.keep(
      'paged',
      Array.from({ length: 10 }, (_, i) => at(BigInt(i), `old${i}`)),
      1,
    )
    const seen: string[] = []
    for await (const row of forTenant('paged').everyProfile({ ...TEST_RANGE, limit: 3 })) {
      seen.push(row.service)
      // Later profiles sort before the current page, earlier ones after it.
      if (seen.length === 4) await server.at.keep('paged', [at(100n, 'later'), at(0n, 'earlier')], 1)
    }
    expect(seen.filter(name => name.startsWith('old'))).toEqual(Array.from({ length: 10 }, (_, i) => `old${9 - i}`))
    expect(seen.filter(name => name === 'earlier').length).toBe(1)
    expect(seen).not.toContain('later')
  })

  test('returns all keys and values of attributes while more arrive', async () => {
    const names = ['ä', 'z', '', 'a', 'aa', 'b', '\u{1F525}', '\uFFFD', 'a\0', '5']
    const keep = (values: readonly unknown[]) =>
      server.at.keep(
        'valued',
        values.map(value =>
          profile([1n], { resource: { key: value as string }, attributes: { [`k${String(value)}`]: 5n } }),
        ),
      )
    await keep([...names, 5n, 5.5, true])
    const from = forTenant('valued')
    const whole = await from.attributeValues('key', TEST_RANGE)
    expect([whole.values.length, whole.truncated, whole.next]).toEqual([13, false, undefined])
    for (const limit of [1, 2, 3, 12, 13]) {
      const values = []
      for await (const value of from.everyAttributeValue('key', { ...TEST_RANGE, limit })) values.push(value)
      expect(values).toEqual(whole.values)
    }
    const keys: string[] = []
    for await (const { key } of from.everyAttribute({ ...TEST_RANGE, prefix: 'k', limit: 2 })) {
      keys.push(key)
      // One sorts before the current page, one after it.
      if (keys.length === 4) await keep(['!', 'zz'])
    }
    expect(keys).toEqual(
      (await from.query('attributes', { ...TEST_RANGE, prefix: 'k' })).attributes
        .map(({ key }) => key)
        .filter(key => key !== 'k!'),
    )
    expect(keys).toContain('kzz')
  })

  test('returns events of a range that is too large for one response', async () => {
    const timed = (i: number): PlainProfile => {
      const time = TEST_FROM + BigInt(i) * 1_000_000_000n
      const samples = [{ frames: [{ name: `f${i}` }], values: [], timestamps: [time, time + 5n] }]
      return profile([], { time, duration: 1_000_000_000n, samples })
    }
    await server.at.keep('few', [0, 1, 2, 30, 59].map(timed))
    await server.at.keep('many', [0, 1, 2, 30, 59].map(timed))
    const range = { from: TEST_FROM, to: TEST_TO }
    await expect(forTenant('few').query('events', TEST_RANGE)).rejects.toMatchObject({
      status: 422,
      code: 'too-many-rows',
    })
    const times: bigint[] = []
    let blocks = 0
    for await (const block of forTenant('few').eventBlocks(range)) {
      times.push(...block.time)
      blocks++
    }
    const whole = await forTenant('many').query('events', TEST_RANGE)
    expect(whole.time.length).toBe(10)
    expect(times.map(String)).toEqual([...whole.time].sort())
    expect(blocks).toBeGreaterThan(2)
  })
})

describe('streamed exports', () => {
  test.each(['otlp', 'otlp-json', 'folded'])('equal the complete file: %s', async format => {
    const stream = await client.exportStream({ ...TEST_RANGE, format })
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    const file = await client.export({ ...TEST_RANGE, format })
    const [streamed, whole] = [readProfile(bytes), readProfile(file.bytes)]
    expect(streamed.format.name).toBe(format)
    expect(streamed.profiles.samples.length).toBe(whole.profiles.samples.length)
    expect(streamed.profiles.samples.length).toBeGreaterThan(20)
  })

  test('are rejected before they start', async () => {
    await expect(client.exportStream({ ...TEST_RANGE, format: 'pprof' })).rejects.toMatchObject({ status: 400 })
    await expect(client.exportStream({ from: '0', to: '1' })).rejects.toMatchObject({ status: 404 })
  })

  test('hold a query slot while they are read, and end when the reader disconnects', async () => {
    let made = 0
    let ended = false
    mockedExport.mockImplementation(async function* (context, query) {
      try {
        for await (const set of original.exportProfiles(context, query)) {
          for (;;) {
            made++
            yield set
          }
        }
      } finally {
        ended = true
      }
    })
    const leaving = new AbortController()
    const stream = await client.exportStream(TEST_RANGE, { signal: leaving.signal })
    const reader = stream.getReader()
    await reader.read()
    expect(server.gate.state.running).toBe(1)
    // The client stops reading, so that the server stops producing.
    let before = -1
    await expect
      .poll(
        () => {
          const stalled = made === before
          before = made
          return stalled
        },
        { interval: 200, timeout: 60_000 },
      )
      .toBe(true)
    expect(ended).toBe(false)
    leaving.abort()
    await expect.poll(() => [ended, server.gate.state.running]).toEqual([true, 0])
  })

  test('break off if they fail on the way', async () => {
    let sets = 1
    mockedExport.mockImplementation(async function* (context, query) {
      for await (const set of original.exportProfiles(context, query)) for (let i = 0; i < sets; i++) yield set
      throw new Error('half way')
    })
    // Before the first byte, the error can still be the response.
    await expect(client.exportStream(TEST_RANGE)).rejects.toMatchObject({ status: 500, code: 'failed' })
    expect(server.errors.splice(0)).toMatchObject([{ message: 'half way' }])
    sets = 1000
    const stream = await client.exportStream(TEST_RANGE)
    await expect(new Response(stream).arrayBuffer()).rejects.toThrow('terminated')
    await expect.poll(() => server.errors.splice(0)).toMatchObject([{ message: 'half way' }])
  })
})

describe('disconnecting cancels the query in the engine', () => {
  const MARK = 'hearth-test-slow'
  const running = async () => {
    const found = await server.at.store.engine.select(
      `SELECT count() AS n FROM system.processes WHERE query LIKE '%${MARK}%' AND query NOT LIKE '%system.processes%'`,
    )
    return found.column('n').number(0)
  }
  /** A query that takes minutes. */
  function slow(): void {
    mockedFlameGraph.mockImplementation(async (_, { signal, limits }) => {
      const { maxSeconds = 0 } = limits ?? {}
      await server.at.store.engine.select(
        `SELECT sum(sipHash64(number)) AS sum FROM numbers(1000000000000) /* ${MARK} */`,
        { ...(signal === undefined ? {} : { signal }), maxSeconds },
      )
      throw new Error('it has an end')
    })
  }
  const REQUEST = `GET ${PREFIX}/flamegraph HTTP/1.1\r\nhost: localhost\r\n\r\n`

  test.each(['destroyed', 'half closed'])('a connection that is %s', async how => {
    slow()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(REQUEST)
    await expect.poll(running).toBe(1)
    expect(server.gate.state.running).toBe(1)
    if (how === 'destroyed') socket.destroy()
    else socket.end()
    await expect.poll(running).toBe(0)
    await expect.poll(() => server.gate.state).toEqual({ running: 0, waiting: 0 })
    socket.destroy()
    mockedFlameGraph.mockReset()
    expect((await client.query('flameGraph', TEST_RANGE)).profiles).toBeGreaterThan(0)
  })

  test('for a fetch that is aborted', async () => {
    slow()
    const leaving = new AbortController()
    const pending = client.query('flameGraph', {}, { signal: leaving.signal })
    const failed = pending.then(
      () => 'answered',
      (error: Error) => error.name,
    )
    await expect.poll(running).toBe(1)
    leaving.abort()
    expect(await failed).toBe('AbortError')
    await expect.poll(running).toBe(0)
  })

  test('for a time limit', async () => {
    slow()
    await expect(forTenant('hasty').query('flameGraph', {})).rejects.toMatchObject({ status: 422, code: 'limit' })
    await expect.poll(running).toBe(0)
  })

  /** A tree larger than the buffers of a socket: 14 MB of JSON. */
  async function large(): Promise<void> {
    const big = await run.flameGraph(server.at.queries, { tenant: 'default', from: TEST_FROM, to: TEST_TO })
    const parent = new Int32Array(2_000_000).fill(-1)
    const frame = new Uint32Array(parent.length)
    const values = new Float64Array(parent.length)
    mockedFlameGraph.mockResolvedValue({
      ...big,
      parent,
      frame,
      hiddenChildren: frame,
      self: values,
      total: values,
    })
  }

  test('for a client that disconnects within a large response', async () => {
    await large()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(REQUEST)
    await once(socket, 'data')
    socket.destroy()
    mockedFlameGraph.mockReset()
    expect((await client.query('flameGraph', TEST_RANGE)).profiles).toBeGreaterThan(0)
  })

  test('limits unread responses per tenant', async () => {
    await large()
    const sockets = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')]
    for (const socket of sockets) {
      socket.write(REQUEST)
      await once(socket, 'readable')
    }
    mockedFlameGraph.mockReset()
    const refused = { status: 429, code: 'too-many-queries', retryAfterSeconds: 10 }
    await expect(client.query('services', TEST_RANGE)).rejects.toMatchObject(refused)
    expect((await forTenant('big').query('services', TEST_RANGE)).services.length).toBe(1)
    for (const socket of sockets) socket.destroy()
    const load = () => client.query('services', TEST_RANGE).catch((error: unknown) => error)
    await expect.poll(load).toHaveProperty('services')
  })
})

test('applies the limits of a tenant', async () => {
  await server.at.keep('tight', [profile([1n, 2n])])
  const tight = forTenant('tight')
  expect((await tight.query('flameGraph', TEST_RANGE)).nodes.parent.length).toBe(3)
  await expect(tight.query('flameGraph', { ...TEST_RANGE, nodes: 4 })).rejects.toMatchObject({
    status: 400,
    code: 'argument',
  })
  await expect(tight.query('top', { ...TEST_RANGE, limit: 4 })).rejects.toMatchObject({ status: 400 })
  await server.at.keep('tight', [profile([1n, 2n, 3n])])
  await expect(tight.query('flameGraph', TEST_RANGE)).rejects.toMatchObject({ status: 422, code: 'too-many-rows' })
  expect((await tight.query('status', {})).limits).toMatchObject({ nodes: 3, rows: 2, running: 8 })
})

test('returns the status', async () => {
  const status = await client.query('status', {})
  statusEndpoint.response.parse(status)
  expect(status).toMatchObject({ version: 'test', ready: true, tenant: 'default', server: TEST_SERVER_STATUS })
  expect(status.retention).toEqual([
    { signal: 'profiles', seconds: 2_592_000, bytes: 50 * 2 ** 30 },
    { signal: 'traces' },
    { signal: 'logs' },
    { signal: 'metrics' },
  ])
})

test('accepts and returns what the OpenAPI document describes, on every endpoint', async () => {
  const [row] = (await client.query('profiles', { ...TEST_RANGE, limit: 1 })).profiles
  const document = apiDocument()
  for (const { name, path, method, response, columns = false } of endpoints) {
    // broker/broker.test.ts covers the endpoints of the Broker.
    if (method !== undefined) continue
    // This needs data points, see logs-and-metrics.test.ts.
    if (name === 'metricSeries') continue
    // These need spans, see trace-ledger.process.test.ts.
    if (name === 'traceLedger' || name === 'ledger') continue
    const [one, other] = ['01'.repeat(16), '02'.repeat(16)]
    const at = path.replace('{key}', 'service.name').replace('{profile}', row.profile).replace('{trace}', one)
    const withoutRange = ['status', 'profile', 'trace', 'source', 'dataRange']
    const query = new URLSearchParams({
      ...(withoutRange.includes(name) ? {} : TEST_RANGE),
      ...(name === 'source' ? { file: 'main.go' } : {}),
      ...(name === 'sandwich' || name === 'disassembly' ? { function: 'gc' } : {}),
      ...(name === 'redactionDryRun' ? { rules: '[{"key":"region","action":"remove"}]' } : {}),
      ...(name === 'compareTraces' ? { slow: one, fast: other } : {}),
      ...(name.startsWith('signalAttribute') ? { signal: 'traces' } : {}),
    })
    const { content } = document.paths[`${PREFIX}${path}`].get!.responses['200'] as { content: object }
    for (const type of Object.keys(content)) {
      const found = await fetch(`${server.url}${PREFIX}${at}?${query.toString()}`, { headers: { accept: type } })
      expect([name, found.status, found.headers.get('content-type')?.split(';')[0]]).toEqual([name, 200, type])
      if (type === 'application/json') response!.parse(await found.json())
      else if (type === COLUMNS_MEDIA_TYPE) decodeColumns(new Uint8Array(await found.arrayBuffer()))
      else readProfile(new Uint8Array(await found.arrayBuffer()))
    }
    expect(Object.keys(content)).toEqual(
      response === undefined
        ? ['application/octet-stream']
        : ['application/json', ...(columns ? [COLUMNS_MEDIA_TYPE] : [])],
    )
  }
})

test('nothing above is logged as a server error', () => {
  expect([server.errors, server.gate.state]).toEqual([[], { running: 0, waiting: 0 }])
})
