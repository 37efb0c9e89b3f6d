// The exporter over gRPC, against a server built with @grpc/grpc-js.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js'
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js'
import { contentEqual, readOtlp } from '@hearth/profile'
import { afterEach, expect, test } from 'vitest'
import { configure } from '../configuration/configure.ts'
import type { Settings } from '../configuration/options.ts'
import type { ProfilesExporter } from './exporter.ts'
import { openExporter } from './open-exporter.ts'
import { someProfiles } from './testing/some-profiles.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

type Reply = Uint8Array | { readonly code: status; readonly details: string; readonly metadata?: Metadata }

interface Backend {
  readonly endpoint: string
  readonly received: { readonly body: Uint8Array; readonly metadata: Metadata }[]
  stop(): void
}

const PATH = '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export'

async function backend(replies: readonly Reply[] = [], port = 0): Promise<Backend> {
  const left = [...replies]
  const received: { readonly body: Uint8Array; readonly metadata: Metadata }[] = []
  const server = new Server()
  const bytes = (message: Uint8Array): Buffer => Buffer.from(message)
  const method = { path: PATH, requestStream: false, responseStream: false } as const
  const codec = {
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  }
  server.addService(
    { export: { ...method, ...codec } },
    {
      export: (call: ServerUnaryCall<Buffer, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
        received.push({ body: call.request, metadata: call.metadata })
        const reply = left.shift() ?? new Uint8Array(0)
        if (reply instanceof Uint8Array) done(null, reply) // eslint-disable-line unicorn/no-null
        else done(reply)
      },
    },
  )
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    ),
  )
  const stop = (): void => server.forceShutdown()
  closers.push(stop)
  return { endpoint: `http://127.0.0.1:${bound}`, received, stop }
}

const problems: string[] = []
const onProblem = (problem: string): void => void problems.push(problem)

function exporterTo(settings: Settings): ProfilesExporter {
  problems.length = 0
  const configuration = configure({ protocol: 'grpc', ...settings }, {}, onProblem)
  const exporter = openExporter(configuration, { serviceName: 'shop', version: '0.1.0', onProblem })
  closers.push(() => exporter.shutdown())
  return exporter
}

test.each(['none', 'gzip'] as const)('a request with compression %s arrives unchanged', async compression => {
  const at = await backend()
  const exporter = exporterTo({ endpoint: at.endpoint, compression, headers: { 'X-Scope-OrgID': 'home' } })
  exporter.send(someProfiles('one', 1000))
  exporter.send(someProfiles('two'))
  await exporter.flush(60_000)
  expect(problems).toEqual([])
  expect(at.received).toHaveLength(2)
  const [one, two] = at.received
  expect(contentEqual(readOtlp(one.body, {}).profiles, someProfiles('one', 1000))).toBe(true)
  expect(contentEqual(readOtlp(two.body, {}).profiles, someProfiles('two'))).toBe(true)
  expect(one.metadata.get('x-scope-orgid')).toEqual(['home'])
  expect(one.metadata.get('otlp-profiles-development-version')).toEqual(['1'])
  expect(String(one.metadata.get('user-agent')[0])).toContain('hearth-agent/0.1.0')
})

test('partial success is reported', async () => {
  // partial_success { rejected_profiles: 3, error_message: "old" }
  const at = await backend([Buffer.from('0a0708031203' + Buffer.from('old').toString('hex'), 'hex')])
  const exporter = exporterTo({ endpoint: at.endpoint })
  exporter.send(someProfiles())
  await exporter.flush(60_000)
  expect(problems).toEqual([expect.stringContaining('rejected 3 profiles: old')])
  expect(exporter.dropped).toBe(0)
})

test('a gzip-compressed response is read, as grpc-go sends it', async () => {
  const partial = gzipSync(Buffer.from('0a0708031203' + Buffer.from('old').toString('hex'), 'hex'))
  const replies = [partial, gzipSync('')]
  const server = createHttp2Server()
  server.on('stream', stream => {
    const message = replies.shift()!
    const prefix = Buffer.from([1, 0, 0, 0, message.length])
    stream.respond({ 'content-type': 'application/grpc', 'grpc-encoding': 'gzip' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.resume().on('end', () => stream.end(Buffer.concat([prefix, message])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  const exporter = exporterTo({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  exporter.send(someProfiles())
  exporter.send(someProfiles())
  await exporter.flush(60_000)
  expect(problems).toEqual([expect.stringContaining('rejected 3 profiles: old')])
  expect(replies).toEqual([])
})

/** google.rpc.Status with a RetryInfo of 50 ms. */
function withRetryInfo(): Metadata {
  const any = Buffer.concat([
    Buffer.from([0x0a, 40]),
    Buffer.from('type.googleapis.com/google.rpc.RetryInfo'),
    Buffer.from([0x12, 7, 0x0a, 5, 0x10, 0x80, 0xe1, 0xeb, 0x17]),
  ])
  const metadata = new Metadata()
  metadata.set('grpc-status-details-bin', Buffer.concat([Buffer.from([0x08, 8, 0x1a, any.length]), any]))
  return metadata
}

test('retryable codes are retried, and RESOURCE_EXHAUSTED only with a retry delay', async () => {
  const at = await backend([
    { code: status.RESOURCE_EXHAUSTED, details: 'full', metadata: withRetryInfo() },
    { code: status.UNAVAILABLE, details: 'away', metadata: withRetryInfo() },
    new Uint8Array(0),
    { code: status.RESOURCE_EXHAUSTED, details: 'too large' },
    { code: status.INVALID_ARGUMENT, details: 'broken – ünd odd' },
  ])
  const exporter = exporterTo({ endpoint: at.endpoint })
  for (let i = 0; i < 3; i++) exporter.send(someProfiles())
  await exporter.flush(20_000)
  expect(at.received).toHaveLength(5)
  expect(exporter.dropped).toBe(2)
  expect(problems).toEqual([
    expect.stringContaining('gRPC status 8: full'),
    expect.stringContaining('gRPC status 8: too large'),
    expect.stringContaining('gRPC status 3: broken – ünd odd'),
  ])
})

test('a server that was unavailable receives everything when it is back', async () => {
  const first = await backend()
  const exporter = exporterTo({ endpoint: first.endpoint })
  exporter.send(someProfiles('one'))
  await exporter.flush(60_000)
  first.stop()
  exporter.send(someProfiles('two'))
  await exporter.flush(60_000)
  expect(problems.length).toBeGreaterThan(0)
  const back = await backend([], Number(new URL(first.endpoint).port))
  await exporter.flush(60_000)
  expect(back.received).toHaveLength(1)
  expect(exporter.dropped).toBe(0)
})

test.each([
  ['never responds', '', /no response within 100 ms|closed/],
  ['speaks HTTP/1', 'HTTP/1.1 400 Bad Request\r\n\r\n', /./],
  ['sends garbage', '\0\x01\x02\x03'.repeat(100), /./],
])('a server that %s causes no exception', async (_, response, why) => {
  const server = createServer(socket => {
    socket.on('error', () => {})
    if (response !== '') socket.write(response, 'latin1')
    closers.push(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const exporter = exporterTo({ endpoint, timeoutMillis: 100 })
  exporter.send(someProfiles())
  await exporter.flush(60_000)
  expect(problems[0]).toMatch(why)
  await exporter.shutdown()
  // Late errors would come now.
  await sleep(50)
})
