// The gRPC transport over real sockets, with a store that only records requests.
import type { StatusObject } from '@grpc/grpc-js'
import { Metadata, compressionAlgorithms, status } from '@grpc/grpc-js'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http2'
import { connect } from 'node:http2'
import { deflateSync, gzipSync } from 'node:zlib'
import { nodeCodecs } from '@hearth/codecs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { retryDelayMs, rpcStatus, tracesResponse } from '@hearth/signals'
import { RefusedError } from '../../store/keeper.ts'
import type { Receivers } from '../testing/receivers.ts'
import { startReceivers } from '../testing/receivers.ts'
import { logsProtobuf, metricsProtobuf, point, profilesProtobuf, span, tracesProtobuf } from '../testing/requests.ts'
import { snappyLiterals } from '../testing/literal-compression.ts'
import { GrpcSender, SERVICES } from '../testing/senders.ts'

const MAX_BODY = 100_000
let at: Receivers
let sender: GrpcSender
beforeAll(async () => {
  at = await startReceivers({ maxBody: MAX_BODY, maxInFlight: 400_000 })
  sender = new GrpcSender(at.grpcPort)
})
afterAll(async () => {
  sender.close()
  await at.close()
})
afterEach(() => {
  at.kept.before = async () => {}
  at.events.length = 0
  if (at.admission.inFlightBytes !== 0) throw new Error('bytes of a finished request are still counted')
})

const good = tracesProtobuf(span('a'))

test.each([
  ['profiles', 'profiles', profilesProtobuf()],
  ['oldProfiles', 'profiles', profilesProtobuf()],
  ['traces', 'traces', good],
  ['logs', 'logs', logsProtobuf({})],
  ['metrics', 'metrics', metricsProtobuf(point(1))],
] as const)('accepts %s', async (service, signal, body) => {
  expect(await sender.export(service, body, { 'x-scope-orgid': 'shop' })).toHaveLength(0)
  expect(at.kept.last).toMatchObject({ tenant: 'shop', bytes: body.length, rejected: 0, payload: { signal } })
  expect(at.kept.last.client).toMatch(/^grpc-node-js\//)
})

test('accepts an empty request', async () => {
  for (const service of ['profiles', 'traces', 'logs', 'metrics'] as const)
    expect(await sender.export(service, new Uint8Array(0))).toHaveLength(0)
})

test('accepts requests compressed with gzip', async () => {
  const zipping = new GrpcSender(at.grpcPort, { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip })
  const body = tracesProtobuf(...Array.from({ length: 100 }, (_, i) => span(`span ${i}`)))
  expect(await zipping.export('traces', body)).toHaveLength(0)
  expect(at.kept.last.bytes).toBe(body.length)
  // Small on the wire, too large after decompression.
  const bomb = await zipping.refusal('traces', Buffer.alloc(MAX_BODY + 1))
  expect(bomb.code).toBe(status.RESOURCE_EXHAUSTED)
  zipping.close()
})

test('checks the version of profiles before decoding', async () => {
  const name = 'otlp-profiles-development-version'
  expect(await sender.export('profiles', profilesProtobuf(), { [name]: '1' })).toHaveLength(0)
  for (const version of ['2', '01', 'x', '1, 1']) {
    const refusal = await sender.refusal('profiles', Buffer.from('not decoded'), { [name]: version })
    expect([refusal.code, refusal.details.includes(name)]).toEqual([status.INVALID_ARGUMENT, true])
  }
  const repeated = new Metadata()
  repeated.add(name, '1')
  repeated.add(name, '1')
  await expect(sender.call(`/${SERVICES.profiles}/Export`, profilesProtobuf(), repeated)).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
  })
  expect(await sender.export('traces', new Uint8Array(0), { [name]: '2' })).toHaveLength(0)
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['zstd', (bytes: Uint8Array) => nodeCodecs.zstd!(bytes)],
  ['snappy', snappyLiterals],
] as const)('accepts requests compressed with %s, which the writer decompresses', async (encoding, compress) => {
  const body = tracesProtobuf(...Array.from({ length: 100 }, (_, i) => span(`span ${i}`)))
  expect(await sendCompressed(encoding, compress(body))).toBe(String(status.OK))
  expect(at.kept.last.bytes).toBe(body.length)
  expect(at.writer.lastEncoding).toBe(encoding)
  expect(await sendCompressed(encoding, Buffer.from('nonsense'))).toBe(String(status.INVALID_ARGUMENT))
  if (encoding !== 'snappy')
    expect(await sendCompressed(encoding, compress(Buffer.alloc(MAX_BODY + 1)))).toBe(String(status.RESOURCE_EXHAUSTED))
  expect(await sendCompressed('br', body)).toBe(String(status.UNIMPLEMENTED))
})

/** Sends a compressed message, which grpc-js cannot, and returns the status. */
async function sendCompressed(encoding: string, content: Uint8Array): Promise<string> {
  const session = connect(`http://127.0.0.1:${at.grpcPort}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${SERVICES.traces}/Export`,
    'content-type': 'application/grpc',
    'grpc-encoding': encoding,
    te: 'trailers',
  })
  const header = Buffer.of(1, 0, 0, 0, 0)
  header.writeUInt32BE(content.length, 1)
  stream.end(Buffer.concat([header, content]))
  let code: string | undefined
  const read = (headers: IncomingHttpHeaders): void => {
    const value = headers['grpc-status']
    if (value !== undefined) code = String(value)
  }
  stream.on('response', read).on('trailers', read).resume()
  await once(stream, 'close')
  session.close()
  return code ?? 'none'
}

test('ends a call whose request does not arrive in time, and no complete one', async () => {
  const strict = await startReceivers({ clientTimeoutMs: 200 })
  let release = (): void => undefined
  // This request is complete, but stored only after the other call has ended.
  const held = new Promise<void>(resolve => (release = resolve))
  strict.kept.before = () => held
  const complete = new GrpcSender(strict.grpcPort)
  const stored = complete.export('traces', good)
  const session = connect(`http://127.0.0.1:${strict.grpcPort}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${SERVICES.traces}/Export`,
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  // A message of 1000 bytes, of which one arrives now and then.
  stream.write(Buffer.of(0, 0, 0, 3, 232))
  const timer = setInterval(() => stream.write('x'), 20)
  const closed = once(stream, 'close')
  const [headers] = (await once(stream.resume(), 'response')) as [IncomingHttpHeaders]
  expect(headers).toMatchObject({
    'grpc-status': String(status.DEADLINE_EXCEEDED),
    'grpc-message': encodeURI('the request was not complete after 0.2 s'),
  })
  await closed
  clearInterval(timer)
  release()
  expect(await stored).toHaveLength(0)
  complete.close()
  session.destroy()
  await strict.close()
})

test('reports rejected items as partial success', async () => {
  const response = await sender.export('traces', tracesProtobuf(span('bad', true), span('good')))
  expect(tracesResponse.decode(response).partialSuccess).toMatchObject({ rejectedSpans: 1n })
  expect(at.kept.last).toMatchObject({ rejected: 1 })
})

describe('refusals', () => {
  test('undecodable requests get INVALID_ARGUMENT', async () => {
    const error = await sender.refusal('traces', Uint8Array.of(0x0a, 0xff))
    expect(error.code).toBe(status.INVALID_ARGUMENT)
    expect(error.details).toMatch(/OTLP traces: .* at byte/)
    expect(at.events).toEqual(['refused traces undecodable'])
  })

  test('large requests get RESOURCE_EXHAUSTED', async () => {
    const error = await sender.refusal('traces', Buffer.alloc(MAX_BODY + 1))
    expect(error.code).toBe(status.RESOURCE_EXHAUSTED)
  })

  test('requests that the store rejects get UNAVAILABLE and RetryInfo', async () => {
    at.kept.before = () => Promise.reject(new RefusedError('disk-full', 30, 'no space left'))
    const error = await sender.refusal('traces', good)
    expect([error.code, error.details]).toEqual([status.UNAVAILABLE, 'no space left'])
    const [details] = error.metadata.get('grpc-status-details-bin')
    const told = rpcStatus.decode(details as Buffer)
    expect([told.code, retryDelayMs(told)]).toEqual([status.UNAVAILABLE, 30_000])
    expect(at.events).toContain('refused traces disk-full')
  })

  test('concurrent requests beyond the memory limit get UNAVAILABLE', async () => {
    let release = (): void => {}
    const held = new Promise<void>(resolve => (release = resolve))
    const body = tracesProtobuf({ ...span('a'), traceState: 'x'.repeat(80_000) })
    const arrived = new Promise<void>(resolve => {
      at.kept.before = () => {
        resolve()
        return held
      }
    })
    const first = sender.export('traces', body)
    await arrived
    const error = await sender.refusal('traces', body)
    expect(error.code).toBe(status.UNAVAILABLE)
    release()
    await first
  })

  test('internal errors are not revealed', async () => {
    at.kept.before = () => Promise.reject(new Error('internal secret'))
    const error = await sender.refusal('traces', good)
    expect([error.code, error.details]).toEqual([status.INTERNAL, 'internal error; see the server log'])
    expect(at.errors.splice(0)).toHaveLength(1)
  })

  test('invalid tenants and unknown methods get an error', async () => {
    expect((await sender.refusal('logs', new Uint8Array(0), { 'x-scope-orgid': 'a b' })).code).toBe(
      status.INVALID_ARGUMENT,
    )
    await expect(sender.call('/opentelemetry.Nothing/Export', good)).rejects.toMatchObject({
      code: status.UNIMPLEMENTED,
    })
  })
})

test('refuses a sender without access before it sends a message', async () => {
  const metadata = new Metadata()
  const asIs = (bytes: Buffer): Buffer => bytes
  metadata.set('x-scope-orgid', 'a b')
  const path = `/${SERVICES.traces}/Export`
  const stream = sender.client.makeClientStreamRequest(path, asIs, asIs, metadata, () => {})
  const ended = await new Promise<StatusObject>(resolve => stream.on('status', resolve))
  expect(ended.code).toBe(status.INVALID_ARGUMENT)
  expect(at.events).toEqual(['refused traces access'])
})

test('finishes running calls at shutdown', async () => {
  const ending = await startReceivers()
  const last = new GrpcSender(ending.grpcPort)
  let release = (): void => {}
  const held = new Promise<void>(resolve => (release = resolve))
  const arrived = new Promise<void>(resolve => {
    ending.kept.before = () => {
      resolve()
      return held
    }
  })
  const inFlight = last.export('traces', good)
  await arrived
  const closed = ending.close()
  release()
  expect(await inFlight).toHaveLength(0)
  await closed
  expect((await last.refusal('traces', good)).code).toBe(status.UNAVAILABLE)
  last.close()
})
