// Tests the client over real sockets, against a server with prepared responses.
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ApiError, HearthClient, UnreachableError } from './index.ts'

interface Seen {
  readonly method: string | undefined
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const seen: Seen[] = []
let reply: (response: ServerResponse) => void
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    seen.push({
      method: request.method,
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    })
    reply(response)
  })
})
let url: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen.length = 0
  reply = responding(200, '{"services":[]}')
})

function responding(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => void response.writeHead(status, headers).end(body)
}

async function failure(result: Promise<unknown>): Promise<unknown> {
  return await result.then(
    () => expect.fail('no error'),
    (error: unknown) => error,
  )
}

test('HearthClient sends parameters in the query and credentials in headers', async () => {
  const client = new HearthClient({ server: `${url}/`, token: 'secret', tenant: 'shop' })
  expect(await client.query('services', { selector: '{a="ü&b"}', from: 'now-1h' })).toEqual({ services: [] })
  await client.query('series', { groupBy: ['a', 'b'], exemplars: 3 })
  const [first, second] = seen
  expect([first.method, new URL(first.url, url).pathname]).toEqual(['GET', '/api/v1/services'])
  expect(new URL(first.url, url).searchParams.get('selector')).toBe('{a="ü&b"}')
  expect(first.headers).toMatchObject({ authorization: 'Bearer secret', 'x-scope-orgid': 'shop' })
  expect(second.url).toBe('/api/v1/series?groupBy=a&groupBy=b&exemplars=3')
})

test('HearthClient sends a long selector by POST', async () => {
  const selector = `{a="${'x'.repeat(5000)}"}`
  await new HearthClient({ server: url }).query('top', { selector, limit: 5 })
  expect([seen[0].method, seen[0].url]).toEqual(['POST', '/api/v1/top'])
  expect(JSON.parse(seen[0].body.toString())).toEqual({ selector, limit: 5 })
})

test('HearthClient escapes names in paths', async () => {
  const client = new HearthClient({ server: url })
  await client.attributeValues('resource:a/b', { limit: 1 })
  const notes = [{ code: 'links', count: 2, message: 'folded has no place for »links«' }]
  reply = responding(200, 'bytes', { 'hearth-notes': encodeURIComponent(JSON.stringify(notes)) })
  const bytes = new TextEncoder().encode('bytes')
  expect(await client.profile('12-ab', { format: 'pprof' })).toEqual({ bytes, notes })
  expect(await client.export({ format: 'folded' })).toEqual({ bytes, notes })
  const file = await client.exportPieces({ format: 'folded' })
  const pieces: Uint8Array[] = []
  for await (const piece of file.pieces) pieces.push(piece)
  expect([file.notes, Buffer.concat(pieces).toString()]).toEqual([notes, 'bytes'])
  expect(seen.map(({ url: path }) => path)).toEqual([
    '/api/v1/attributes/resource%3Aa%2Fb/values?limit=1',
    '/api/v1/profiles/12-ab?format=pprof',
    '/api/v1/export?format=folded',
    '/api/v1/export?format=folded',
  ])
})

test('push sends a file with its service and attributes', async () => {
  const pushed = { format: 'pprof', profiles: 1, samples: 2, notes: [] }
  reply = responding(200, JSON.stringify(pushed))
  const options = { service: 'a b', attributes: { region: 'eu=1', zone: 'z' } }
  expect(await new HearthClient({ server: url }).push(Uint8Array.of(1, 0, 255), options)).toEqual(pushed)
  expect([...seen[0].body]).toEqual([1, 0, 255])
  const { pathname, searchParams } = new URL(seen[0].url, url)
  expect([pathname, searchParams.get('service'), searchParams.getAll('attribute')]).toEqual([
    '/v1/push',
    'a b',
    ['region=eu=1', 'zone=z'],
  ])
})

test('HearthClient throws ApiError if the server rejects a request', async () => {
  const client = new HearthClient({ server: url })
  reply = responding(400, '{"error":{"code":"syntax","message":"no }","position":7}}')
  const syntax = await failure(client.query('top', {}))
  expect(syntax).toBeInstanceOf(ApiError)
  expect(syntax).toMatchObject({ status: 400, code: 'syntax', message: 'no }', position: 7 })
  reply = responding(429, '{"error":{"code":"too-many-queries","message":"wait"}}', { 'retry-after': '2' })
  expect(await failure(client.query('top', {}))).toMatchObject({ status: 429, retryAfterSeconds: 2 })
  reply = responding(404, '{"error":"nothing is here"}')
  expect(await failure(client.query('top', {}))).toMatchObject({ status: 404, message: 'nothing is here' })
  reply = responding(400, '{"code":3,"message":"whose profile is it?"}')
  expect(await failure(client.push(new Uint8Array(1)))).toMatchObject({ status: 400, message: 'whose profile is it?' })
})

test('HearthClient throws UnreachableError for other servers and for none', async () => {
  const client = new HearthClient({ server: url })
  for (const [status, body] of [
    [200, '<html>'],
    [502, '<html>'],
    [404, 'null'],
    [404, '{}'],
  ] as const) {
    reply = responding(status, body)
    const error = await failure(client.query('top', {}))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error).toMatchObject({ server: url, message: expect.stringContaining('not a Hearth server') as string })
  }
  reply = response => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{')
    setTimeout(() => response.destroy(), 20)
  }
  expect(await failure(client.query('top', {}))).toMatchObject({
    message: expect.stringContaining('interrupted') as string,
  })
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const nobody = await failure(new HearthClient({ server: `http://127.0.0.1:${port}` }).query('top', {}))
  expect(nobody).toBeInstanceOf(UnreachableError)
  expect(nobody).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') as string })
})

test('HearthClient cancels a request when its signal aborts', async () => {
  reply = () => {}
  const leaving = new AbortController()
  const pending = failure(new HearthClient({ server: url }).query('top', {}, { signal: leaving.signal }))
  await expect.poll(() => seen.length).toBe(1)
  leaving.abort()
  expect(await pending).toMatchObject({ name: 'AbortError' })
})

describe('columns of a response', () => {
  test('are requested by name', async () => {
    reply = responding(200, '{"frames":[]}')
    const error = await failure(new HearthClient({ server: url }).columns('flameGraph', { nodes: 5 }))
    expect([seen[0].url, seen[0].headers.accept]).toEqual([
      '/api/v1/flamegraph?nodes=5',
      'application/vnd.hearth.columns',
    ])
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error).toMatchObject({
      message: expect.stringMatching(/not a Hearth server: .*within the header/) as string,
    })
    const selector = `{a="${'x'.repeat(5000)}"}`
    await failure(new HearthClient({ server: url }).columns('flameGraph', { selector }))
    expect([seen[1].method, seen[1].headers.accept]).toEqual(['POST', 'application/vnd.hearth.columns'])
  })
})

test('lists request one page at a time, only as far as they are read', async () => {
  const pages = [
    '{"profiles":[{"profile":"1"},{"profile":"2"}],"next":"a b"}',
    '{"profiles":[{"profile":"3"}],"next":"c"}',
    '{"profiles":[]}',
  ]
  reply = response => void response.end(pages[seen.length - 1])
  const client = new HearthClient({ server: url })
  const rows: string[] = []
  for await (const { profile } of client.everyProfile({ selector: 'x' })) rows.push(profile)
  expect(rows).toEqual(['1', '2', '3'])
  expect(seen.map(({ url: path }) => path)).toEqual([
    '/api/v1/profiles?selector=x',
    '/api/v1/profiles?selector=x&after=a+b',
    '/api/v1/profiles?selector=x&after=c',
  ])
  seen.length = 0
  for await (const { profile } of client.everyProfile({})) if (profile === '1') break
  expect(seen.length).toBe(1)
})

test('eventBlocks divides a range that has too many events', async () => {
  const ranges: string[] = []
  reply = response => {
    const { searchParams } = new URL(seen.at(-1)!.url, url)
    ranges.push(`${searchParams.get('from')} ${searchParams.get('to')}`)
    response.writeHead(422).end('{"error":{"code":"too-many-rows","message":"more than 1 events"}}')
  }
  const blocks = new HearthClient({ server: url }).eventBlocks({ from: 0n, to: 5n })
  expect(await failure(blocks.next())).toMatchObject({ code: 'too-many-rows' })
  expect(ranges).toEqual(['0 5', '0 2', '0 1'])
})
