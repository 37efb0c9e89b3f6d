import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LiveAccess, NO_ACCESS, accessFileIn, writeAccess } from '../access/access-file.ts'
import { Gatekeeper } from '../access/gatekeeper.ts'
import type { TokenRow } from '../access/tokens.ts'
import { makeToken } from '../access/tokens.ts'
import { Metrics } from '../observe/metrics.ts'
import type { Readiness } from './http-server.ts'
import { HttpServer } from './http-server.ts'
import { addMcp } from './mcp.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-api-'))
afterAll(() => rmSync(directory, { recursive: true }))

let readiness: () => Readiness = () => ({ ready: true, problems: [] })
const errors: unknown[] = []
const metrics = new Metrics()

async function start(...tokens: readonly TokenRow[]): Promise<{ server: HttpServer; url: string }> {
  const file = accessFileIn(directory)
  writeAccess(file, {
    ...NO_ACCESS,
    tokens: tokens.map(row => ({ ...row, tenants: [...row.tenants], scopes: [...row.scopes] })),
  })
  const gatekeeper = new Gatekeeper(new LiveAccess(file, () => {}), true)
  const server = new HttpServer({
    gatekeeper,
    metrics,
    readiness: () => readiness(),
    version: '1.2.3',
    site: { host: '127.0.0.1' },
    tls: undefined,
    onError: error => errors.push(error),
    addRoutes: app => addMcp(app, { gatekeeper, version: '1.2.3' }),
  })
  return { server, url: `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}` }
}

describe('without tokens', () => {
  let server: HttpServer
  let url: string
  beforeAll(async () => {
    ;({ server, url } = await start())
  })
  afterAll(() => server.close(1000))
  beforeEach(() => {
    errors.length = 0
  })
  afterEach(() => {
    readiness = () => ({ ready: true, problems: [] })
  })

  test('/healthz responds with the version', async () => {
    const response = await fetch(`${url}/healthz`)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  })

  test('/readyz lists problems and since when they exist', async () => {
    const fine = await fetch(`${url}/ready`)
    expect([fine.status, await fine.json()]).toEqual([200, { ready: true, problems: [] }])
    const problems = [{ code: 'disk-low', message: 'no space left', since: '2026-01-01T00:00:00.000Z' }]
    readiness = () => ({ ready: false, problems })
    const bad = await fetch(`${url}/ready`)
    expect([bad.status, await bad.json()]).toEqual([503, { ready: false, problems }])
    // The process is alive all the same.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  test('/metrics returns current gauges', async () => {
    let looks = 0
    metrics.watch(() => metrics.backlogGroups.set(++looks))
    metrics.watch(() => Promise.reject(new Error('one that fails')))
    metrics.rejected.inc({ signal: 'traces', reason: 'trace-id' }, 2)
    const first = await fetch(`${url}/metrics`)
    expect(first.headers.get('content-type')).toMatch(/^text\/plain/)
    const text = await first.text()
    expect(text).toContain('hearth_journal_groups 1\n')
    expect(text).toContain('hearth_rejected_items_total{signal="traces",reason="trace-id"} 2\n')
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('hearth_journal_groups 2\n')
  })

  test('returns 404 for other paths and hides internal errors', async () => {
    const response = await fetch(`${url}/nothing`)
    expect([response.status, await response.json()]).toEqual([404, { error: 'not found' }])
    readiness = () => {
      throw new Error('internal secret')
    }
    const fault = await fetch(`${url}/readyz`)
    expect([fault.status, await fault.json()]).toEqual([500, { error: 'internal server error; see the server log' }])
    expect(errors).toMatchObject([{ message: 'internal secret' }])
  })
})

test('with tokens: health is public, and metrics require the admin scope', async () => {
  const admin = makeToken({ name: 'boss', tenants: ['*'], scopes: ['admin'] })
  const writer = makeToken({ name: 'collector', tenants: ['shop'], scopes: ['write', 'read'] })
  const { server, url } = await start(admin.row, writer.row)
  const get = (path: string, token?: string) =>
    fetch(`${url}${path}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
  expect((await get('/healthz')).status).toBe(200)
  expect((await get('/readyz')).status).toBe(200)
  const nobody = await get('/metrics')
  expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  const other = await get('/metrics', writer.token)
  expect([other.status, await other.json()]).toEqual([403, { error: "token 'collector' lacks the scope admin" }])
  expect((await get('/metrics', admin.token)).status).toBe(200)
  await server.close(1000)
})

test('/mcp distinguishes a missing token from a missing scope', async () => {
  const writer = makeToken({ name: 'collector', tenants: ['shop'], scopes: ['write'] })
  const { server, url } = await start(writer.row)
  const nobody = await fetch(`${url}/mcp`, { method: 'POST' })
  expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  const other = await fetch(`${url}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${writer.token}` } })
  expect([other.status, await other.json()]).toEqual([403, { error: "token 'collector' lacks the scope read" }])
  await server.close(1000)
})
