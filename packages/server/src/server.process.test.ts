// A complete server: start and shutdown, access, TLS, health and metrics, over real sockets with the real engine.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, status } from '@grpc/grpc-js'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { traces } from '@hearth/signals'
import { encodeGeneration } from '../../profile/src/formats/otlp/testing/encode-generation.ts'
import { richProfiles } from '../../profile/src/model/testing/rich-profiles.ts'
import type { Access } from './access/access-file.ts'
import { NO_ACCESS, accessFileIn, openAccess, writeAccess } from './access/access-file.ts'
import type { NewToken } from './access/tokens.ts'
import { makeToken } from './access/tokens.ts'
import { ConfigError } from './config/load-config.ts'
import { SILENT } from './observe/log.ts'
import { hasOpenssl, makeCertificate } from './receive/testing/certificates.ts'
import { span, tracesProtobuf } from './receive/testing/requests.ts'
import type { RunningServer } from './receive/testing/running-server.ts'
import { configFor, idOf, startServer } from './receive/testing/running-server.ts'
import { GrpcSender, PROTOBUF, post } from './receive/testing/senders.ts'
import { storedTraces } from './receive/testing/stored-content.ts'
import { HearthServer } from './server.ts'
import { UnknownRequestError, readRequestTraces } from './store/testing/read-request.ts'

// The engine allows one directory per process, so the servers use it one after the other.
const directory = mkdtempSync(join(tmpdir(), 'hearth-operations-'))
let at: RunningServer
afterEach(async () => {
  await at.server.close()
  writeAccess(accessFileIn(directory), NO_ACCESS)
  openAccess(accessFileIn(directory))
})
afterAll(() => rmSync(directory, { recursive: true }))

function allow(...tokens: readonly NewToken[]): void {
  const rows = tokens.map(({ row }) => ({ ...row, tenants: [...row.tenants], scopes: [...row.scopes] }))
  writeAccess(accessFileIn(directory), { ...NO_ACCESS, tokens: rows } satisfies Access)
}

const bearer = ({ token }: NewToken): Record<string, string> => ({ authorization: `Bearer ${token}` })
/** For polls: a started server is ready when the data of the first queries is read. */
const readiness = async (): Promise<readonly unknown[]> => {
  const response = await fetch(`${at.main}/readyz`)
  return [response.status, await response.json()]
}
const sendTraces = (body: Uint8Array, headers: Record<string, string> = {}) =>
  post(`${at.otlp}/v1/traces`, body, { 'content-type': PROTOBUF, ...headers })

describe('start and shutdown', () => {
  test('shutdown completes and commits all requests in progress', async () => {
    at = await startServer(directory, { 'commit-window': '300s' })
    const bodies = Array.from({ length: 20 }, (_, i) => tracesProtobuf(span(`last ${i}`)))
    const sender = new GrpcSender(at.server.ports.otlpGrpc)
    const responses = bodies.map((body, i) =>
      i % 2 === 0 ? sendTraces(body).then(response => response.status) : sender.export('traces', body).then(() => 200),
    )
    await expect.poll(() => at.server.store.state().inFlightRequests).toBe(20)
    const closed = at.server.close()
    expect(await Promise.all(responses)).toEqual(bodies.map(() => 200))
    await closed
    await expect(fetch(`${at.main}/healthz`)).rejects.toThrow(/fetch failed/)
    expect((await sender.refusal('traces', bodies[0])).code).toBe(status.UNAVAILABLE)
    sender.close()
    at = await startServer(directory)
    await at.server.store.settled()
    for (const body of bodies) {
      const back = await readRequestTraces(at.server.store.engine, 'default', idOf('traces', body))
      expect(back).toEqual(storedTraces(traces.decode(body)))
    }
    // After the restart, duplicates are still detected.
    expect((await sendTraces(bodies[0])).status).toBe(200)
    await at.server.store.settled()
    const rows = await at.server.store.engine.select(
      'SELECT count() AS n FROM spans WHERE request = {id:FixedString(16)}',
      { parameters: { id: idOf('traces', bodies[0]) } },
    )
    expect(rows.column('n').bigint(0)).toBe(1n)
  })

  test("the main port accepts pushes of Pyroscope's clients", async () => {
    at = await startServer(directory)
    const folded = new TextEncoder().encode('main;work 7\nmain 1\n')
    const response = await post(
      `${at.main}/ingest?name=shop.cpu%7Bregion%3Deu%7D&from=1700000000&until=1700000010`,
      folded,
    )
    expect(response.status).toBe(200)
    await at.server.store.settled()
    const found = await at.server.store.engine.select("SELECT service, total FROM profiles WHERE service = 'shop'")
    expect(found.rows).toBe(1)
    // 8 samples at the default rate of 100 Hz, in nanoseconds.
    expect(found.column('total').bigint(0)).toBe(80_000_000n)
  })

  test('a public address requires a token', async () => {
    at = await startServer(directory)
    const elsewhere = join(directory, 'elsewhere')
    for (const host of ['0.0.0.0', '::']) {
      const started = HearthServer.start({ config: configFor(elsewhere, { host }), log: SILENT, version: '' })
      await expect(started).rejects.toThrow(ConfigError)
      await expect(started).rejects.toThrow(/requires a token; create one with `hearth admin token create/)
    }
    expect(existsSync(join(elsewhere, 'store'))).toBe(false)
  })

  test('a port in use is reported, and everything started before is closed', async () => {
    at = await startServer(directory)
    const taken = String(at.server.ports.otlpGrpc)
    await at.server.close()
    // Another process may have the port for a moment.
    const other = await vi.waitFor(() => startServer(directory, { 'otlp-grpc-port': taken }), { timeout: 60_000 })
    await other.server.close()
    const blocker = await startBlocker()
    await expect(startServer(directory, { 'otlp-http-port': String(blocker.port) })).rejects.toThrow(/EADDRINUSE/)
    await expect(startServer(directory, { 'otlp-grpc-port': String(blocker.port) })).rejects.toThrow(
      /^OTLP over gRPC: .*EADDRINUSE/,
    )
    blocker.close()
    at = await startServer(directory)
    await expect.poll(readiness).toEqual([200, { ready: true, problems: [] }])
  })
})

async function startBlocker(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as { port: number }).port, close: () => server.close() }
}

describe('access', () => {
  const writer = makeToken({ name: 'collector', tenants: ['shop', 'stock'], scopes: ['write'] })
  const everywhere = makeToken({ name: 'gateway', tenants: ['*'], scopes: ['write'] })
  const reader = makeToken({ name: 'dashboard', tenants: ['shop'], scopes: ['read'] })
  const admin = makeToken({ name: 'boss', tenants: ['*'], scopes: ['admin'] })
  const body = tracesProtobuf(span('guarded'))

  test('tokens are checked over both transports', async () => {
    allow(writer, everywhere, reader, admin)
    at = await startServer(directory)
    const sender = new GrpcSender(at.server.ports.otlpGrpc)
    const both = async (headers: Record<string, string>): Promise<readonly [number, number]> => [
      (await sendTraces(body, headers)).status,
      await sender.export('traces', body, headers).then(
        () => status.OK,
        (error: unknown) => (error as { code: number }).code,
      ),
    ]
    const OK = [200, status.OK]
    const unknown = [401, status.UNAUTHENTICATED]
    const forbidden = [403, status.PERMISSION_DENIED]
    expect(await both({})).toEqual(unknown)
    expect(await both({ authorization: 'Bearer nonsense' })).toEqual(unknown)
    expect(await both({ authorization: `Bearer ${writer.token.slice(0, -1)}` })).toEqual(unknown)
    expect(await both({ 'x-scope-orgid': 'shop' })).toEqual(unknown)
    expect(await both(bearer(reader))).toEqual(forbidden)
    expect(await both(bearer(admin))).toEqual(forbidden)
    expect(await both(bearer(writer))).toEqual(OK)
    expect(await both({ authorization: `Basic ${Buffer.from(`x:${writer.token}`).toString('base64')}` })).toEqual(OK)
    expect(await both({ ...bearer(writer), 'x-scope-orgid': 'stock' })).toEqual(OK)
    expect(await both({ ...bearer(writer), 'x-scope-orgid': 'bank' })).toEqual(forbidden)
    expect(await both({ ...bearer(writer), 'x-scope-orgid': "a' OR 1" })).toEqual([400, status.INVALID_ARGUMENT])
    expect(await both({ ...bearer(everywhere), 'x-scope-orgid': 'bank' })).toEqual(OK)
    const refused = await sendTraces(body)
    expect([refused.headers.get('www-authenticate'), refused.type]).toEqual(['Bearer', PROTOBUF])
    expect((await post(`${at.otlp}/v1/push?service=a`, 'a;b 1\n')).status).toBe(401)
    sender.close()

    await at.server.store.settled()
    const { engine } = at.server.store
    for (const tenant of ['shop', 'stock', 'bank'])
      expect(await readRequestTraces(engine, tenant, idOf('traces', body))).toEqual(storedTraces(traces.decode(body)))
    await expect(readRequestTraces(engine, 'default', idOf('traces', body))).rejects.toThrow(UnknownRequestError)
    const rows = await engine.select('SELECT DISTINCT tenant FROM requests WHERE request = {id:FixedString(16)}', {
      parameters: { id: idOf('traces', body) },
    })
    expect(rows.rows).toBe(3)

    // The log contains no secrets.
    const secrets = [writer, everywhere, reader, admin].map(({ token }) => token.slice(-32))
    for (const line of at.log) for (const secret of secrets) expect(line).not.toContain(secret)
  })

  test('created and revoked tokens take effect without a restart', async () => {
    allow(writer, everywhere)
    at = await startServer(directory)
    expect((await sendTraces(body, bearer(writer))).status).toBe(200)
    allow(everywhere, reader)
    await expect.poll(async () => (await sendTraces(body, bearer(writer))).status).toBe(401)
    expect((await sendTraces(body, bearer(reader))).status).toBe(403)
    expect((await sendTraces(body, bearer(everywhere))).status).toBe(200)
  })
})

describe('health and metrics', () => {
  test('metrics report received and rejected requests and the store', async () => {
    at = await startServer(directory)
    const metrics = async (): Promise<string> => (await fetch(`${at.main}/metrics`)).text()
    await expect.poll(readiness).toEqual([200, { ready: true, problems: [] }])
    const rich = richProfiles()
    const profiles = (generation: 'v1.8' | 'v1.11', client: string) =>
      post(`${at.otlp}/v1development/profiles`, encodeGeneration(rich, generation), {
        'content-type': PROTOBUF,
        'user-agent': client,
      })
    await profiles('v1.11', 'profiler/2 (linux)')
    await profiles('v1.11', 'profiler/2 (linux)')
    await profiles('v1.8', 'OpenTelemetry Collector/0.139.0 (linux)')
    const stated = { 'content-type': PROTOBUF, 'user-agent': 'next/1', 'otlp-profiles-development-version': '1' }
    await post(`${at.otlp}/v1development/profiles`, encodeGeneration(rich, 'v1.8'), stated)
    await sendTraces(tracesProtobuf(span('counted'), span('bad', true)))
    await sendTraces(Uint8Array.of(0x0a, 0xff))
    await post(`${at.otlp}/v1/push?service=shop`, 'main;run 5\n', { 'user-agent': 'curl/8' })
    await at.server.store.settled()
    const text = await metrics()
    for (const line of [
      'hearth_profile_generations_total{generation="v1.11",client="profiler/2"} 2',
      'hearth_profile_generations_total{generation="v1.8",client="OpenTelemetry Collector/0.139.0"} 1',
      'hearth_profile_generations_total{generation="folded",client="curl/8"} 1',
      'hearth_profile_generations_total{generation="v1.8",client="next/1",version="1"} 1',
      'hearth_rejected_items_total{signal="traces",reason="trace-id"} 1',
      'hearth_refused_requests_total{signal="traces",reason="undecodable"} 1',
      'hearth_requests_total{signal="traces",transport="http",encoding="protobuf"} 1',
      'hearth_duplicate_requests_total 2',
      'hearth_ready 1',
      'hearth_queries{state="running"} 0',
      'hearth_questions{state="running"} 0',
      'hearth_in_flight_bytes 0',
      'hearth_receiving_bytes 0',
      'hearth_journal_groups 0',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).toMatch(/hearth_rows_total\{table="spans"\} 1\n/)
    expect(text).toMatch(/hearth_disk_free_bytes [1-9]/)
    expect(text).toMatch(/hearth_commit_seconds_count [1-9]/)
    // If measuring the store timed out, it is repeated ten seconds later.
    await expect.poll(metrics, { interval: 500 }).toMatch(/hearth_store_bytes\{table="spans"\} [1-9]/)
  })
})

describe.skipIf(!hasOpenssl())('TLS', () => {
  test('works on all three ports with client certificates', async () => {
    const server = makeCertificate(directory, 'server')
    const client = makeCertificate(directory, 'client')
    at = await startServer(directory, {
      'tls-cert': server.certFile,
      'tls-key': server.keyFile,
      'tls-client-ca': client.certFile,
    })
    const send = (url: string, method: string, own: object): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request(url, { method, ca: server.cert, headers: { 'content-type': PROTOBUF }, ...own })
        sent.on('response', response => resolve(response.resume().statusCode)).on('error', reject)
        sent.end()
      })
    const own = { cert: client.cert, key: client.key }
    for (const [url, method] of [
      [`${at.otlp}/v1/traces`, 'POST'],
      [`${at.main}/healthz`, 'GET'],
    ] as const) {
      expect(await send(url, method, own)).toBe(200)
      await expect(send(url, method, {})).rejects.toThrow(/alert|socket hang up|ECONNRESET|EPIPE/)
      await expect(fetch(url.replace('https', 'http'), { method })).rejects.toThrow(/fetch failed/)
    }
    const port = at.server.ports.otlpGrpc
    const known = new GrpcSender(port, {}, credentials.createSsl(server.cert, client.key, client.cert), 'localhost')
    expect(await known.export('traces', new Uint8Array(0))).toHaveLength(0)
    known.close()
    const nobody = new GrpcSender(port, {}, credentials.createSsl(server.cert), 'localhost')
    expect((await nobody.refusal('traces', new Uint8Array(0))).code).toBe(status.UNAVAILABLE)
    nobody.close()
  })
})
