// The status of a complete server after valid and invalid requests over real sockets.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HearthClient } from '@hearth/client'
import { afterAll, afterEach, expect, test } from 'vitest'
import { encodeGeneration } from '../../profile/src/formats/otlp/testing/encode-generation.ts'
import { richProfiles } from '../../profile/src/model/testing/rich-profiles.ts'
import { NO_ACCESS, accessFileIn, writeAccess } from './access/access-file.ts'
import { makeToken } from './access/tokens.ts'
import { status as statusEndpoint } from './api/v1/status/status.ts'
import { span, tracesProtobuf } from './receive/testing/requests.ts'
import type { RunningServer } from './receive/testing/running-server.ts'
import { startServer } from './receive/testing/running-server.ts'
import { PROTOBUF, post } from './receive/testing/senders.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-status-'))
let at: RunningServer
afterEach(() => at.server.close())
afterAll(() => rmSync(directory, { recursive: true }))

test('status reports traffic, limits, retention and the store', async () => {
  at = await startServer(directory, {
    'tenant-limits': 'shop=slots:3',
    'query-nodes': '5000',
    retention: 'profiles=2d,1GiB',
  })
  const send = (path: string, body: Uint8Array) =>
    post(`${at.otlp}${path}`, body, { 'content-type': PROTOBUF, 'user-agent': 'otelcol/0.139.0 (linux)' })
  const traces = tracesProtobuf(span('good'))
  const profiles = richProfiles()
  expect((await send('/v1development/profiles', encodeGeneration(profiles, 'v1.11'))).status).toBe(200)
  expect((await send('/v1/traces', traces)).status).toBe(200)
  expect((await send('/v1/traces', traces)).status).toBe(200)
  expect((await send('/v1/traces', Uint8Array.of(255))).status).toBe(400)
  await at.server.store.settled()
  const client = new HearthClient({ server: at.main })
  const status = await client.query('status', {})
  statusEndpoint.response.parse(status)
  const { server } = status
  expect(status).toMatchObject({ version: 'test', ready: true, problems: [], tenant: 'default' })
  expect(status.limits).toMatchObject({ nodes: 5000, running: 8 })
  expect(status.retention[0]).toEqual({ signal: 'profiles', seconds: 172_800, bytes: 2 ** 30 })
  const { http, otlpGrpc, otlpHttp } = at.server.ports
  expect(status.receivers.map(({ host, port, tls }) => [host, port, tls])).toEqual(
    [http, otlpGrpc, otlpHttp].map(port => ['127.0.0.1', port, false]),
  )
  expect(server?.traffic.map(({ signal, requests }) => [signal, requests])).toEqual([
    ['profiles', 1],
    ['traces', 2],
    ['logs', 0],
    ['metrics', 0],
  ])
  expect(server?.samples.received).toBe(profiles.samples.length)
  expect(server?.samples.perSecond).toBeGreaterThan(0)
  expect(server?.generations).toEqual([{ client: 'otelcol/0.139.0', generation: 'v1.11', requests: 1 }])
  expect(server?.transports).toContainEqual({ signal: 'traces', transport: 'http', encoding: 'protobuf', requests: 2 })
  expect(server?.refused).toMatchObject([{ signal: 'traces', requests: 1 }])
  expect(server?.duplicates).toBe(1)
  expect(server?.store.kind).toBe('embedded')
  // If measuring the store timed out, it is repeated ten seconds later.
  await expect
    .poll(async () => (await client.query('status', {})).server?.store.tables, { interval: 500 })
    .toContainEqual({ table: 'profiles', bytes: expect.toSatisfy(bytes => bytes > 0) as number })
  expect(server?.queue.journalGroups).toBe(0)
  const shop = await new HearthClient({ server: at.main, tenant: 'shop' }).query('status', {})
  expect([shop.tenant, shop.limits.running]).toEqual(['shop', 3])
})

test('status shows server-wide figures only with the scope admin', async () => {
  const reader = makeToken({ name: 'reader', tenants: ['shop'], scopes: ['read'] })
  const admin = makeToken({ name: 'admin', tenants: ['*'], scopes: ['read', 'admin'] })
  const writer = makeToken({ name: 'writer', tenants: ['*'], scopes: ['write'] })
  const rows = [reader, admin, writer].map(({ row }) => ({
    ...row,
    tenants: [...row.tenants],
    scopes: [...row.scopes],
  }))
  writeAccess(accessFileIn(directory), { ...NO_ACCESS, tokens: rows })
  at = await startServer(directory)
  const query = (token?: string) =>
    new HearthClient({ server: at.main, ...(token === undefined ? {} : { token }) }).query('status', {})
  expect(await query(reader.token)).not.toHaveProperty('server')
  expect((await query(reader.token)).tenant).toBe('shop')
  expect(await query(admin.token)).toHaveProperty('server.store')
  await expect(query(writer.token)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  await expect(query()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
})
