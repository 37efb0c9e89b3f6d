// The HTTP transport over real sockets, with a store that only records requests.
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { nodeCodecs } from '@hearth/codecs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { retryDelayMs, rpcStatus, traces, tracesResponse } from '@hearth/signals'
import { RefusedError } from '../../store/keeper.ts'
import type { Receivers } from '../testing/receivers.ts'
import { startReceivers } from '../testing/receivers.ts'
import {
  logsProtobuf,
  metricsProtobuf,
  point,
  profilesProtobuf,
  span,
  tracesJson,
  tracesProtobuf,
} from '../testing/requests.ts'
import { JSON_TYPE, PROTOBUF, receivedResponse, post } from '../testing/senders.ts'

const MAX_BODY = 100_000
/** Enough for a busy machine. */
let at: Receivers
beforeAll(async () => {
  at = await startReceivers({ maxBody: MAX_BODY, maxInFlight: 400_000 })
})
afterAll(() => at.close())
afterEach(() => {
  at.kept.before = async () => {}
  at.events.length = 0
  if (at.admission.inFlightBytes !== 0) throw new Error('bytes of a finished request are still counted')
})

const sendTraces = (body: Uint8Array | string, headers: Record<string, string> = {}) =>
  post(`${at.http}/v1/traces`, body, { 'content-type': PROTOBUF, ...headers })

describe('OTLP over HTTP', () => {
  test.each([
    ['/v1development/profiles', 'profiles', profilesProtobuf()],
    ['/v1experimental/profiles', 'profiles', profilesProtobuf()],
    ['/v1/traces', 'traces', tracesProtobuf(span('a'))],
    ['/v1/logs', 'logs', logsProtobuf({})],
    ['/v1/metrics', 'metrics', metricsProtobuf(point(1))],
  ])('accepts %s', async (path, signal, body) => {
    const response = await post(`${at.http}${path}`, body, { 'content-type': PROTOBUF, 'user-agent': 'tester/1' })
    expect([response.status, response.type, response.body.length]).toEqual([200, PROTOBUF, 0])
    expect(at.kept.last).toMatchObject({ tenant: 'default', client: 'tester/1', bytes: body.length, rejected: 0 })
    expect(at.kept.last.payload.signal).toBe(signal)
    expect(at.kept.last.id).toHaveLength(16)
  })

  test('responds in the type of the request, whatever its parameters', async () => {
    for (const type of [JSON_TYPE, 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
      const response = await sendTraces(tracesJson(span('a')), { 'content-type': type })
      expect([response.status, response.type, response.text]).toEqual([200, JSON_TYPE, '{}'])
    }
    const other = await sendTraces(tracesProtobuf(span('a')), { 'content-type': 'application/protobuf' })
    expect([other.status, other.type]).toEqual([200, PROTOBUF])
  })

  test('accepts an empty request', async () => {
    expect((await sendTraces('')).status).toBe(200)
    expect((await sendTraces('{}', { 'content-type': JSON_TYPE })).text).toBe('{}')
    expect((await post(`${at.http}/v1development/profiles`, '', { 'content-type': PROTOBUF })).status).toBe(200)
    const json = await post(`${at.http}/v1development/profiles`, '{}', { 'content-type': JSON_TYPE })
    expect([json.status, json.text]).toEqual([200, '{}'])
  })

  test('recognizes a compressed request as the same', async () => {
    const body = tracesProtobuf(span('compressed'))
    const ids: string[] = []
    for (const [encoding, sent] of [
      ['identity', body],
      ['gzip', gzipSync(body)],
      ['zstd', nodeCodecs.zstd!(body)],
    ] as const) {
      expect((await sendTraces(sent, { 'content-encoding': encoding })).status).toBe(200)
      ids.push(Buffer.from(at.kept.last.id).toString('hex'))
      expect(at.kept.last.bytes).toBe(body.length)
    }
    expect(new Set(ids).size).toBe(1)
  })

  test('distinguishes the same bytes of another signal', async () => {
    await sendTraces('')
    const { id } = at.kept.last
    await post(`${at.http}/v1/logs`, '', { 'content-type': PROTOBUF })
    expect(at.kept.last.id).not.toEqual(id)
  })

  test('accepts a chunked body without an announced length', async () => {
    const body = tracesProtobuf(...Array.from({ length: 200 }, (_, i) => span(`span ${i}`)))
    const pieces = new ReadableStream({
      start(controller) {
        for (let p = 0; p < body.length; p += 1000) controller.enqueue(body.subarray(p, p + 1000))
        controller.close()
      },
    })
    const options = { method: 'POST', body: pieces, headers: { 'content-type': PROTOBUF }, duplex: 'half' } as const
    expect((await fetch(`${at.http}/v1/traces`, options)).status).toBe(200)
    expect(at.kept.last.payload).toEqual({ signal: 'traces', traces: traces.decode(body) })
  })
})

describe('partial success', () => {
  test('has counts and reasons, in the type of the request', async () => {
    const some = await sendTraces(tracesProtobuf(span('good'), span('bad', true)))
    expect(some.status).toBe(200)
    expect(tracesResponse.decode(some.body).partialSuccess).toEqual({
      rejectedSpans: 1n,
      errorMessage: 'resourceSpans[0].scopeSpans[0].spans[1]: traceId must be 16 bytes that are not all zero',
    })
    expect(at.kept.last.rejected).toBe(1)
    expect(at.events).toContain('rejected traces trace-id 1')
    const json = await sendTraces(tracesJson(span('bad', true)), { 'content-type': JSON_TYPE })
    expect(json.status).toBe(200)
    expect(JSON.parse(json.text)).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
  })
})

describe('refusals', () => {
  test('undecodable bodies get 400 with a Status, and nothing is stored', async () => {
    const before = at.kept.requests.length
    const protobuf = await sendTraces(Uint8Array.of(0x0a, 0xff))
    expect([protobuf.status, protobuf.type]).toEqual([400, PROTOBUF])
    const status = rpcStatus.decode(protobuf.body)
    expect(status.code).toBe(3)
    expect(status.message).toMatch(/OTLP traces: .* at byte/)
    const json = await sendTraces('{"resourceSpans":7}', { 'content-type': JSON_TYPE })
    expect([json.status, json.type]).toEqual([400, JSON_TYPE])
    expect(JSON.parse(json.text)).toMatchObject({
      code: 3,
      message: expect.stringContaining('resourceSpans') as string,
    })
    const profiles = await post(`${at.http}/v1development/profiles`, Uint8Array.of(1, 2, 3), {
      'content-type': PROTOBUF,
    })
    expect([profiles.status, rpcStatus.decode(profiles.body).code]).toEqual([400, 3])
    expect(at.kept.requests.length).toBe(before)
    expect(at.events.filter(event => event.startsWith('refused'))).toEqual([
      'refused traces undecodable',
      'refused traces undecodable',
      'refused profiles undecodable',
    ])
  })

  test('other types and encodings get 415', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'nonsense', '']) {
      const response = await sendTraces('x', { 'content-type': type })
      expect([type, response.status, response.type]).toEqual([type, 415, JSON_TYPE])
      expect(JSON.parse(response.text)).toMatchObject({ code: 12 })
    }
    const encoding = await sendTraces('x', { 'content-encoding': 'br' })
    expect([encoding.status, encoding.type, rpcStatus.decode(encoding.body).code]).toEqual([415, PROTOBUF, 12])
  })

  test('large bodies get 413: announced, received or decompressed', async () => {
    const large = Buffer.alloc(MAX_BODY + 1)
    const announced = await sendTraces(large)
    expect([announced.status, rpcStatus.decode(announced.body).code]).toEqual([413, 8])
    expect(rpcStatus.decode(announced.body).message).toMatch(/100001 bytes.*limit is 100000/)
    const endless = new ReadableStream({ pull: controller => controller.enqueue(Buffer.alloc(10_000)) })
    const options = { method: 'POST', body: endless, headers: { 'content-type': PROTOBUF }, duplex: 'half' } as const
    expect((await receivedResponse(await fetch(`${at.http}/v1/traces`, options))).status).toBe(413)
    const bomb = await sendTraces(gzipSync(large), { 'content-encoding': 'gzip' })
    expect([bomb.status, rpcStatus.decode(bomb.body).code]).toEqual([413, 8])
  })

  test('other paths and methods get 404 and 405', async () => {
    const response = await post(`${at.http}/v1/profiles`, '', { 'content-type': PROTOBUF })
    expect([response.status, JSON.parse(response.text)]).toMatchObject([404, { code: 12 }])
    expect(response.text).toContain('/v1development/profiles')
    const get = await receivedResponse(await fetch(`${at.http}/v1/traces?x=1`))
    expect([get.status, get.text]).toEqual([405, expect.stringContaining('/v1/traces requires POST')])
  })

  test('requests that the store rejects get 503 with Retry-After and RetryInfo', async () => {
    at.kept.before = () => Promise.reject(new RefusedError('queue-full', 2.5, 'the store is behind'))
    const response = await sendTraces(tracesProtobuf(span('a')))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3'])
    const status = rpcStatus.decode(response.body)
    expect([status.code, status.message, retryDelayMs(status)]).toEqual([14, 'the store is behind', 2500])
    expect(at.events).toContain('refused traces queue-full')
  })

  test('internal errors get 500, and only the log has the reason', async () => {
    at.kept.before = () => Promise.reject(new Error('internal secret'))
    const response = await sendTraces(tracesProtobuf(span('a')))
    expect([response.status, rpcStatus.decode(response.body)]).toEqual([
      500,
      { code: 13, message: 'internal error; see the server log', details: [] },
    ])
    expect(at.errors.splice(0)).toMatchObject([{ message: 'internal secret' }])
  })

  test('invalid tenants get 400', async () => {
    expect((await sendTraces('', { 'x-scope-orgid': '../x' })).status).toBe(400)
    expect((await sendTraces('', { 'x-scope-orgid': 'shop' })).status).toBe(200)
    expect(at.kept.last.tenant).toBe('shop')
  })
})

describe('bytes in flight', () => {
  test('refuses requests that do not fit, announced or not', async () => {
    let release = (): void => {}
    const held = new Promise<void>(resolve => (release = resolve))
    const body = tracesProtobuf({ ...span('a'), traceState: 'x'.repeat(80_000) })
    const arrived = new Promise<void>(resolve => {
      at.kept.before = () => {
        resolve()
        return held
      }
    })
    const first = sendTraces(body)
    await arrived
    // Besides the body, the memory that it takes when it is decoded.
    const inFlight = at.admission.inFlightBytes
    expect(inFlight).toBeGreaterThan(2 * body.length)
    const second = await sendTraces(body)
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    const pieces = new ReadableStream({ pull: controller => controller.enqueue(Buffer.alloc(10_000)) })
    const options = { method: 'POST', body: pieces, headers: { 'content-type': PROTOBUF }, duplex: 'half' } as const
    expect((await receivedResponse(await fetch(`${at.http}/v1/traces`, options))).status).toBe(503)
    const opened = await sendTraces(gzipSync(body), { 'content-encoding': 'gzip' })
    expect(opened.status).toBe(503)
    expect(at.admission.inFlightBytes).toBe(inFlight)
    release()
    expect((await first).status).toBe(200)
    expect((await sendTraces(body)).status).toBe(200)
  })

  test('releases the bytes of a sender that disconnects', async () => {
    const socket = connect(at.httpPort, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ncontent-length: 50000\r\n\r\nhalf`,
    )
    await expect.poll(() => at.admission.inFlightBytes).toBe(50_000)
    socket.destroy()
    await expect.poll(() => at.admission.inFlightBytes).toBe(0)
    await expect.poll(() => at.events).toEqual(['refused traces aborted'])
  })
})

describe('otlp-profiles-development-version', () => {
  const send = (version: string, path = '/v1development/profiles', body: Uint8Array = profilesProtobuf()) =>
    post(`${at.http}${path}`, body, { 'content-type': PROTOBUF, 'otlp-profiles-development-version': version })

  test('is accepted as 1', async () => {
    expect((await send('1')).status).toBe(200)
    expect((await send('1', '/v1/push?service=shop', Buffer.from('main 1'))).status).toBe(200)
  })

  test.each(['0', '01', '1.0', 'v1', '', '-1', '1, 1', '2', '99999999999999999999'])(
    'is rejected before decoding: %j',
    async version => {
      const response = await send(version, undefined, Buffer.from('not decoded'))
      expect(response.status).toBe(400)
      expect(rpcStatus.decode(response.body)).toMatchObject({
        code: 3,
        message: expect.stringContaining('otlp-profiles-development-version') as string,
      })
      expect((await send(version, '/v1/push?service=shop', Buffer.from('main 1'))).status).toBe(400)
    },
  )

  test('is ignored for other signals', async () => {
    expect((await send('2', '/v1/traces', new Uint8Array(0))).status).toBe(200)
  })
})

describe('CORS', () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/v1/traces`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,authorization,x-scope-orgid,otlp-profiles-development-version',
      },
    })
  const send = (url: string, origin: string, type = JSON_TYPE) =>
    post(`${url}/v1/traces`, '{}', { 'content-type': type, origin })

  test('is off by default', async () => {
    expect((await preflight(at.http, 'https://shop.example')).headers.get('access-control-allow-origin')).toBeNull()
    const response = await send(at.http, 'https://shop.example')
    expect([response.status, response.headers.has('access-control-allow-origin')]).toEqual([403, false])
  })

  test('refuses pages that send without a preflight, for pushes too', async () => {
    const before = at.kept.requests.length
    const pushed = await post(`${at.http}/v1/push?service=a`, 'a;b 1', { origin: 'https://evil.example' })
    expect([pushed.status, JSON.parse(pushed.text)]).toMatchObject([403, { code: 7 }])
    expect(at.kept.requests.length).toBe(before)
  })

  test('allows the configured origins, for refusals too', async () => {
    const open = await startReceivers({ corsOrigins: ['https://shop.example'] })
    try {
      const allowed = await preflight(open.http, 'https://shop.example')
      expect(allowed.status).toBe(204)
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://shop.example')
      expect(allowed.headers.get('access-control-allow-headers')).toContain('x-scope-orgid')
      expect(allowed.headers.get('access-control-allow-headers')).toContain('otlp-profiles-development-version')
      expect(allowed.headers.get('access-control-allow-methods')).toBe('POST')
      for (const type of [JSON_TYPE, 'text/plain'])
        expect((await send(open.http, 'https://shop.example', type)).headers.get('access-control-allow-origin')).toBe(
          'https://shop.example',
        )
      expect((await send(open.http, 'https://shop.example')).headers.get('access-control-expose-headers')).toBe(
        'Retry-After',
      )
      const other = await send(open.http, 'https://evil.example')
      expect([other.status, other.headers.has('access-control-allow-origin')]).toEqual([403, false])
      expect(open.kept.requests).toHaveLength(2)
      const denied = await preflight(open.http, 'https://evil.example')
      expect(denied.headers.get('access-control-allow-origin')).toBeNull()
    } finally {
      await open.close()
    }
  })

  test('allows every origin for *', async () => {
    const open = await startReceivers({ corsOrigins: ['*'] })
    try {
      const response = await send(open.http, 'https://any.example')
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        200,
        'https://any.example',
      ])
    } finally {
      await open.close()
    }
  })
})

test('shutdown finishes running requests and accepts no more', async () => {
  const ending = await startReceivers()
  let release = (): void => {}
  const held = new Promise<void>(resolve => (release = resolve))
  const arrived = new Promise<void>(resolve => {
    ending.kept.before = () => {
      resolve()
      return held
    }
  })
  const inFlight = post(`${ending.http}/v1/traces`, tracesProtobuf(span('last')), { 'content-type': PROTOBUF })
  await arrived
  const closed = ending.close()
  await expect
    .poll(() => post(`${ending.http}/v1/traces`, '', { 'content-type': PROTOBUF }).catch(() => 'refused'))
    .toBe('refused')
  release()
  expect((await inFlight).status).toBe(200)
  await closed
})
