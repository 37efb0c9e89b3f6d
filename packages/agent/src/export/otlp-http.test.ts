// The exporter over HTTP, on real sockets: what a backend receives, and that no failure reaches the application.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { contentEqual, readOtlp, readOtlpJson } from '@hearth/profile'
import { afterEach, describe, expect, test } from 'vitest'
import type { Destination } from '../configuration/options.ts'
import { configure } from '../configuration/configure.ts'
import { compressor } from './compress.ts'
import { HttpTransport } from './http-transport.ts'
import { openExporter } from './open-exporter.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import type { ProfilesExporter } from './exporter.ts'
import type { Reply } from './testing/http-backend.ts'
import { HttpBackend } from './testing/http-backend.ts'
import { someProfiles } from './testing/some-profiles.ts'
import { encodeOtlp } from '@hearth/profile'
import type { QueueLimits } from './payload-queue.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const problems: string[] = []
const onProblem = (problem: string): void => void problems.push(problem)

function exporterTo(variables: Readonly<Record<string, string>>): ProfilesExporter {
  problems.length = 0
  const configuration = configure({}, variables, onProblem)
  const exporter = openExporter(configuration, { serviceName: 'shop', version: '0.1.0', onProblem })
  closers.push(() => exporter.shutdown())
  return exporter
}

async function backend(...replies: readonly Reply[]): Promise<HttpBackend> {
  const started = await HttpBackend.start(replies)
  closers.push(() => started.stop())
  return started
}

/** Retries within milliseconds. */
function quick(url: string, more: Partial<Destination> = {}, limits?: QueueLimits): OtlpExporter {
  problems.length = 0
  const { destination: plain } = configure({ endpoint: url, compression: 'none' }, {}, onProblem)
  const destination = { ...plain, ...more }
  const exporter = new OtlpExporter({
    transport: new HttpTransport(destination, 'test', onProblem),
    encode: encodeOtlp,
    compress: compressor(destination.compression),
    destination: url,
    onProblem,
    backOff: { firstMillis: 5, maxMillis: 20 },
    ...(limits && { limits }),
  })
  closers.push(() => exporter.shutdown())
  return exporter
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5)
}

describe('a request', () => {
  test.each([
    ['http/protobuf', 'gzip'],
    ['http/protobuf', 'zstd'],
    ['http/protobuf', 'none'],
    ['http/json', 'gzip'],
    ['http/json', 'none'],
  ])('%s with %s', async (protocol, compression) => {
    const at = await backend()
    const exporter = exporterTo({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${at.port}/base`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
    })
    exporter.send(someProfiles('one'))
    exporter.send(someProfiles('two'))
    await exporter.flush(60_000)
    expect(at.received.map(({ url }) => url)).toEqual(Array(2).fill('/base/v1development/profiles'))
    const [first, second] = at.received
    expect(first.headers).toMatchObject({
      'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
      authorization: 'Bearer secret',
      'user-agent': 'hearth-agent/0.1.0',
      'otlp-profiles-development-version': '1',
    })
    expect(first.headers['content-encoding']).toBe(compression === 'none' ? undefined : compression)
    const read = protocol === 'http/json' ? readOtlpJson : readOtlp
    expect(contentEqual(read(first.body, {}).profiles, someProfiles('one'))).toBe(true)
    expect(contentEqual(read(second.body, {}).profiles, someProfiles('two'))).toBe(true)
    expect(problems).toEqual([])
    expect(exporter.dropped).toBe(0)
  })
})

// Beside the sources is no built file for the thread.
test.each(['gzip', 'none'] as const)('an exporter whose thread cannot start sends by itself, %s', async compression => {
  const at = await backend()
  problems.length = 0
  const configuration = configure({ endpoint: `http://127.0.0.1:${at.port}`, compression }, {}, onProblem)
  const options = { serviceName: 'shop', version: '0.1.0', onProblem, inThread: true }
  const exporter = openExporter(configuration, options)
  closers.push(() => exporter.shutdown())
  for (const name of ['one', 'two']) exporter.send(someProfiles(name))
  await exporter.flush(60_000)
  expect(at.received).toHaveLength(2)
  expect(contentEqual(readOtlp(at.received[1].body, {}).profiles, someProfiles('two'))).toBe(true)
  expect([exporter.dropped, problems]).toEqual([0, []])
})

describe('responses', () => {
  test('that are retryable are retried after the time in Retry-After', async () => {
    const at = await backend({ status: 503, headers: { 'retry-after': '1' } }, { status: 502 }, { status: 429 })
    const exporter = quick(`http://127.0.0.1:${at.port}`)
    const begin = Date.now()
    exporter.send(someProfiles())
    await until(() => at.received.length === 4)
    expect(Date.now() - begin).toBeGreaterThanOrEqual(1000)
    await exporter.flush(60_000)
    expect(exporter.dropped).toBe(0)
    expect(new Set(at.received.map(({ body }) => Buffer.from(body).toString('hex'))).size).toBe(1)
    expect(problems).toEqual([expect.stringContaining('failed (status 503)')])
  })

  test.each([400, 401, 404, 413, 500, 301])('with status %i are final', async status => {
    const at = await backend({ status, headers: { 'content-type': 'application/json' }, body: '{"message":"go away"}' })
    const exporter = quick(`http://127.0.0.1:${at.port}`)
    exporter.send(someProfiles('rejected'))
    exporter.send(someProfiles('taken'))
    await exporter.flush(60_000)
    expect(at.received).toHaveLength(2)
    expect(exporter.dropped).toBe(1)
    expect(problems).toEqual([expect.stringContaining(`status ${status}: go away`)])
  })

  test('with partial success are reported and not retried', async () => {
    const body = JSON.stringify({ partialSuccess: { rejectedProfiles: '2', errorMessage: 'too old' } })
    const at = await backend({ headers: { 'content-type': 'application/json' }, body })
    const exporter = quick(`http://127.0.0.1:${at.port}`)
    exporter.send(someProfiles())
    await exporter.flush(60_000)
    expect(at.received).toHaveLength(1)
    expect(exporter.dropped).toBe(0)
    expect(problems).toEqual([expect.stringContaining('rejected 2 profiles: too old')])
  })

  test('with a pause longer than a flush end the flush, and the pause is kept', async () => {
    const at = await backend({ status: 429, headers: { 'retry-after': '100' } })
    const exporter = quick(`http://127.0.0.1:${at.port}`)
    exporter.send(someProfiles())
    await exporter.flush(50_000)
    await exporter.flush(50_000)
    expect(at.received).toHaveLength(1)
  })
})

describe('an unavailable backend', () => {
  test('receives everything when it is back', async () => {
    const first = await HttpBackend.start()
    const { port } = first
    await first.stop()
    const exporter = quick(`http://127.0.0.1:${port}`)
    exporter.send(someProfiles('one'))
    exporter.send(someProfiles('two'))
    // Ends at once, because nothing can be sent.
    await exporter.flush(60_000)
    const back = await HttpBackend.start([], port)
    closers.push(() => back.stop())
    await until(() => back.received.length === 2)
    expect(exporter.dropped).toBe(0)
    expect(problems).toEqual([expect.stringContaining('ECONNREFUSED')])
  })

  test('makes a full queue drop the oldest payload', async () => {
    const first = await HttpBackend.start()
    const { port } = first
    await first.stop()
    const exporter = quick(`http://127.0.0.1:${port}`, {}, { count: 2, bytes: 2 ** 20 })
    for (const name of ['one', 'two', 'three', 'four']) exporter.send(someProfiles(name))
    expect(exporter.dropped).toBe(2)
    const back = await HttpBackend.start([], port)
    closers.push(() => back.stop())
    await until(() => back.received.length === 2)
    expect(
      back.received.map(({ body }) => /one|two|three|four/.exec(Buffer.from(body).toString('latin1'))![0]),
    ).toContain('four')
  })
})

async function rawServer(serve: (socket: Socket) => void): Promise<string> {
  const server: Server = createServer(socket => {
    socket.on('error', () => {})
    serve(socket)
    closers.push(() => Promise.resolve(socket.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => Promise.resolve(server.close()))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a keep-alive connection that closes during the next request is replaced without a warning', async () => {
  let connections = 0
  let accepted = 0
  const at = await rawServer(socket => {
    connections++
    let requests = 0
    socket.on('data', chunk => {
      if (!chunk.includes('POST ')) return
      // Responds only to the first request of a connection.
      if (++requests > 1) return void socket.destroy()
      accepted++
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  const exporter = quick(`http://${at}`)
  for (const name of ['one', 'two', 'three']) {
    exporter.send(someProfiles(name))
    await exporter.flush(30_000)
  }
  expect([connections, accepted, exporter.dropped, problems]).toEqual([3, 3, 0, []])
})

describe('no exception is thrown for', () => {
  const silent = (): void => {}
  const responding = (text: string) => (socket: Socket) => socket.once('data', () => socket.end(text))
  test.each<[string, 'http' | 'https', (socket: Socket) => void, RegExp]>([
    ['garbage', 'http', responding('\0\x01\x02 what?\r\n\r\n'), /Parse Error/],
    ['no response at all', 'http', silent, /no response within 100 ms/],
    ['half a response', 'http', responding('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'), /aborted|closed/],
    ['a reset', 'http', socket => socket.once('data', () => socket.resetAndDestroy()), /ECONNRESET|socket hang up/],
    ['no TLS', 'https', responding('HTTP/1.1 200 OK\r\n\r\n'), /SSL|wrong version|packet length/i],
    ['a body without end', 'http', socket => socket.once('data', () => endless(socket)), /./],
  ])('%s', async (_, scheme, serve, why) => {
    // The others must not time out.
    const timeoutMillis = serve === silent ? 100 : 30_000
    const exporter = quick(`${scheme}://${await rawServer(serve)}`, { timeoutMillis })
    exporter.send(someProfiles())
    await exporter.flush(60_000)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems[0]).toMatch(why)
    await exporter.shutdown()
  })

  test('an unknown host', async () => {
    const exporter = quick('http://no-such-host.invalid:4318', { timeoutMillis: 2000 })
    exporter.send(someProfiles())
    await exporter.flush(60_000)
    expect(problems).toEqual([expect.stringMatching(/ENOTFOUND|EAI_AGAIN|no response/)])
  })

  test('profiles that cannot be encoded', async () => {
    const exporter = quick('http://127.0.0.1:1')
    exporter.send(undefined as unknown as ReturnType<typeof someProfiles>)
    await exporter.flush(100)
    expect(exporter.dropped).toBe(1)
  })

  test('profiles after shutdown, which count as dropped', async () => {
    const exporter = quick(`http://${await rawServer(silent)}`)
    exporter.send(someProfiles())
    exporter.send(someProfiles())
    const flushed = exporter.flush(60_000)
    await exporter.shutdown()
    await flushed
    exporter.send(someProfiles())
    expect(exporter.dropped).toBe(2)
  })
})

function endless(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999999999\r\n\r\n')
  const chunk = Buffer.alloc(65_536, ' ')
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk)) {
      // Until the client closes the connection.
    }
  }
  socket.on('drain', more)
  more()
}
