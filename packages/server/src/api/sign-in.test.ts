// Sign-in with tokens, and at a real identity provider on loopback.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LiveAccess, NO_ACCESS, accessFileIn, writeAccess } from '../access/access-file.ts'
import { AuditLog } from '../access/audit-log.ts'
import { parseClaimRules } from '../access/claim-rules.ts'
import { Gatekeeper } from '../access/gatekeeper.ts'
import { OidcSignIn } from '../access/oidc.ts'
import { Sessions } from '../access/sessions.ts'
import type { IdentityProvider } from '../access/testing/identity-provider.ts'
import { CLIENT_ID, CLIENT_SECRET, TestBrowser, startIdentityProvider } from '../access/testing/identity-provider.ts'
import { makeToken } from '../access/tokens.ts'
import { Metrics } from '../observe/metrics.ts'
import { createQueryContext } from '../query/query-context.ts'
import { sameThread } from '../query/testing/same-thread.ts'
import type { Engine } from '../store/engine.ts'
import { HttpServer } from './http-server.ts'
import { addSignIn } from './sign-in.ts'
import { addApiV1 } from './v1/add-api-v1.ts'
import { QueryGate } from './v1/limits/query-gate.ts'
import { apiTasks } from './v1/query-tasks.ts'
import { testStatus } from './v1/testing/test-status.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-sign-in-'))
const audit = new AuditLog({
  dataDirectory: directory,
  keepMs: 1e12,
  onError: error => {
    throw error
  },
})
const { row, token } = makeToken({
  name: 'ci',
  tenants: ['shop'],
  scopes: ['read'],
  expires: '2100-01-01T00:00:00.000Z',
})
const RULES = parseClaimRules(
  'groups:shop-team=tenants:shop,scopes:read+capture groups:admins=tenants:*,scopes:read+admin',
)
const GROUPS: Readonly<Record<string, readonly string[]>> = { ada: ['shop-team'], grace: ['admins'], eve: ['others'] }

let server: HttpServer
let url: string
let provider: IdentityProvider
let oidc: OidcSignIn
let sessions: Sessions
const faults: unknown[] = []

beforeAll(async () => {
  const file = accessFileIn(directory)
  writeAccess(file, { ...NO_ACCESS, tokens: [{ ...row, tenants: [...row.tenants], scopes: [...row.scopes] }] })
  sessions = new Sessions(directory, 3_600_000)
  const gatekeeper = new Gatekeeper(new LiveAccess(file, () => {}), true, sessions)
  const gate = new QueryGate()
  const threads = sameThread(createQueryContext({} as Engine), apiTasks)
  const onError = (error: unknown): void => void faults.push(error)
  server = new HttpServer({
    gatekeeper,
    metrics: new Metrics(),
    readiness: () => ({ ready: true, problems: [] }),
    version: 'test',
    tls: undefined,
    site: { host: '127.0.0.1' },
    onError,
    addRoutes: app => {
      addApiV1(app, { threads, gatekeeper, gate, status: testStatus(gate), onError, audit, sessions })
      addSignIn(app, {
        oidc: { start: uri => oidc.start(uri), finish: (at, pending) => oidc.finish(at, pending) } as OidcSignIn,
        sessions,
        audit,
        onError,
      })
    },
  })
  url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`
  provider = await startIdentityProvider(`${url}/auth/callback`, login => ({
    email: `${login}@example.com`,
    email_verified: true,
    groups: GROUPS[login],
  }))
  oidc = newSignIn(provider.issuer)
})
afterAll(async () => {
  await server.close(1000)
  await provider.close()
  await audit.settled()
  rmSync(directory, { recursive: true })
})

function newSignIn(issuer: string, clientSecret = CLIENT_SECRET): OidcSignIn {
  return new OidcSignIn({ issuer, clientId: CLIENT_ID, clientSecret, scopes: 'openid email groups', rules: RULES })
}

const latest = async () => (await audit.read({ limit: 1 }))[0]
const withToken = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })
const session = `/api/v1/session`

describe('sign-in with a token', () => {
  it('shows the tenant, the scopes and the expiry of a valid token, and records it', async () => {
    const response = await fetch(url + session, { method: 'POST', ...withToken(token) })
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        required: true,
        methods: ['token', 'oidc'],
        caller: {
          kind: 'token',
          name: 'ci',
          tenant: 'shop',
          tenants: ['shop'],
          scopes: ['read'],
          expires: '2100-01-01T00:00:00.000Z',
        },
      },
    ])
    expect(await latest()).toMatchObject({ action: 'sign-in', actor: 'ci', address: '127.0.0.1' })
    expect((await fetch(url + session, { method: 'DELETE', ...withToken(token) })).status).toBe(200)
    expect(await latest()).toMatchObject({ action: 'sign-out', actor: 'ci' })
  })

  it('rejects a wrong token and records it without the token', async () => {
    const wrong = `${token.slice(0, -4)}AAAA`
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(url + session, { method, ...withToken(wrong) })
      expect([method, response.status, await response.json()]).toEqual([
        method,
        401,
        { error: { code: 'unauthenticated', message: 'invalid token; send Authorization: Bearer TOKEN' } },
      ])
    }
    expect(await latest()).toMatchObject({ action: 'sign-in-failed' })
    expect(JSON.stringify(await audit.read({ limit: 100 }))).not.toContain(wrong)
  })

  it('tells a stranger how to sign in, and nothing else', async () => {
    const response = await fetch(url + session)
    expect([response.status, await response.json()]).toEqual([200, { required: true, methods: ['token', 'oidc'] }])
    expect((await fetch(`${url}/api/v1/status`)).status).toBe(401)
    expect((await fetch(`${url}/api/v1/audit`)).status).toBe(401)
    expect((await fetch(`${url}/api/v1/audit`, withToken(token))).status).toBe(403)
  })
})

const isEnd = (address: string): boolean => address.startsWith(url) && !address.includes('/auth/')

async function signedIn(login: string, path = '/'): Promise<TestBrowser> {
  const browser = new TestBrowser()
  const end = await browser.signIn(`${url}/auth/sign-in?return=${encodeURIComponent(path)}`, login, isEnd)
  expect(end).toBe(new URL(path, url).href)
  return browser
}

describe('sign-in at an identity provider', () => {
  it('maps claims to tenants and scopes, and returns to the page', async () => {
    const ada = await signedIn('ada', '/logs?from=now-1h')
    const { caller } = (await (await ada.visit(url + session)).json()) as { caller: Record<string, unknown> }
    expect(caller).toMatchObject({
      kind: 'person',
      name: 'ada@example.com',
      tenant: 'shop',
      tenants: ['shop'],
      scopes: ['read', 'capture'],
    })
    expect(Date.parse(String(caller['expires'])) - Date.now()).toBeGreaterThan(3_500_000)
    expect((await ada.visit(`${url}/api/v1/status`)).status).toBe(200)
    expect((await ada.visit(`${url}/api/v1/audit`)).status).toBe(403)
    const other = { headers: { 'x-scope-orgid': 'bank' } }
    const refused = await ada.visit(`${url}/api/v1/status`, other)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining("ada@example.com is not valid for tenant 'bank'"),
    ])
    expect(await latest()).toMatchObject({ action: 'sign-in', actor: 'ada@example.com', details: { kind: 'person' } })
  })

  it('lets administrators read the audit log', async () => {
    const grace = await signedIn('grace')
    const response = await grace.visit(`${url}/api/v1/audit?action=sign-in&limit=1`)
    const { entries } = (await response.json()) as { entries: { actor: string }[] }
    expect(entries.map(({ actor }) => actor)).toEqual(['grace@example.com'])
    expect((await grace.visit(`${url}/metrics`)).status).toBe(200)
  })

  it('lets administrators create tokens that can only send data of their tenant', async () => {
    const body = JSON.stringify({ name: 'checkout' })
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-scope-orgid': 'shop' } }
    const ada = await signedIn('ada')
    expect((await ada.visit(`${url}/api/v1/tokens`, request)).status).toBe(403)
    const grace = await signedIn('grace')
    const response = await grace.visit(`${url}/api/v1/tokens`, request)
    expect(response.status).toBe(201)
    const created = (await response.json()) as { readonly id: string; readonly token: string }
    expect(await latest()).toMatchObject({ action: 'token-created', tenant: 'shop', details: { id: created.id } })
    expect(JSON.stringify(await audit.read({ limit: 100 }))).not.toContain(created.token)
    const signedInAs = await fetch(url + session, { method: 'POST', ...withToken(created.token) })
    expect(await signedInAs.json()).toMatchObject({
      caller: { name: 'checkout', tenants: ['shop'], scopes: ['write'] },
    })
    expect((await fetch(`${url}/api/v1/status`, withToken(created.token))).status).toBe(403)
  })

  it('signs out, and the old cookie opens nothing', async () => {
    const ada = await signedIn('ada')
    expect(await (await ada.visit(url + session, { method: 'DELETE' })).json()).toEqual({ signedOut: true })
    expect((await ada.visit(`${url}/api/v1/status`)).status).toBe(401)
    expect(await latest()).toMatchObject({ action: 'sign-out', actor: 'ada@example.com' })
  })

  it('refuses a person whom no rule grants access', async () => {
    const eve = new TestBrowser()
    const callback = await eve.signIn(`${url}/auth/sign-in`, 'eve', address =>
      address.startsWith(`${url}/auth/callback`),
    )
    const response = await eve.visit(callback)
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('no rule of oidc-access grants access to eve@example.com'),
    ])
    expect((await eve.visit(`${url}/api/v1/status`)).status).toBe(401)
    expect(await latest()).toMatchObject({ action: 'sign-in-failed', actor: 'eve@example.com' })
  })

  it('rejects requests of other sites, although they have the cookie', async () => {
    const ada = await signedIn('ada')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      expect((await ada.visit(`${url}/api/v1/status`, { headers })).status).toBe(403)
    // A page of another port on the same host is another origin, although browsers attach its cookies.
    const headers = { origin: 'http://127.0.0.1:1' }
    expect((await ada.visit(`${url}/api/v1/status`, { headers })).status).toBe(403)
  })

  it('keeps sessions over a restart, without storing their ids', async () => {
    const id = sessions.create({ subject: '1', name: 'ada', tenants: ['shop'], scopes: ['read'] })
    expect(new Sessions(directory, 1000).find(id)).toMatchObject({ kind: 'person', name: 'ada' })
    expect(readFileSync(join(directory, 'sessions.json'), 'utf8')).not.toContain(id)
    expect(sessions.find(id, Date.now() + 3_600_001)).toBeUndefined()
    expect(sessions.find(`${id.slice(0, -1)}!`)).toBeUndefined()
  })

  it('uses the previous version of a damaged file of sessions, in which nobody is signed in again', () => {
    const person = { subject: '1', name: 'ada', tenants: ['shop'], scopes: ['read'] } as const
    const gone = sessions.create(person)
    const kept = sessions.create(person)
    sessions.end(gone)
    const file = join(directory, 'sessions.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ada"', '"eve"'))
    const read = new Sessions(directory, 1000)
    expect(read.find(kept)).toMatchObject({ name: 'ada' })
    expect(read.find(gone)).toBeUndefined()
    expect(readdirSync(directory).some(name => name.startsWith('sessions.json.damaged-'))).toBe(true)
  })

  it('rejects a response that belongs to another sign-in', async () => {
    const victim = new TestBrowser()
    await victim.visit(`${url}/auth/sign-in`)
    const attacker = new TestBrowser()
    const callback = await attacker.signIn(`${url}/auth/sign-in`, 'grace', address =>
      address.startsWith(`${url}/auth/callback`),
    )
    // The attacker's code in the browser of the victim: the state differs.
    expect((await victim.visit(callback)).status).toBe(400)
    expect((await new TestBrowser().visit(callback)).status).toBe(400)
    const forged = new URL(callback)
    forged.searchParams.set('code', 'x'.repeat(40))
    expect((await attacker.visit(forged.href)).status).toBe(400)
  })

  it('never redirects to another site', async () => {
    for (const path of ['//evil.example', String.raw`/\evil.example`, 'https://evil.example', '/\tx']) {
      const browser = new TestBrowser()
      const end = await browser.signIn(`${url}/auth/sign-in?return=${encodeURIComponent(path)}`, 'ada', isEnd)
      expect(end).toBe(`${url}/`)
    }
  })

  it('reports a wrong client secret and an unreachable provider', async () => {
    oidc = newSignIn(provider.issuer, 'wrong')
    const browser = new TestBrowser()
    const callback = await browser.signIn(`${url}/auth/sign-in`, 'ada', address =>
      address.startsWith(`${url}/auth/callback`),
    )
    const refused = await browser.visit(callback)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('invalid_client')])
    oidc = newSignIn('http://127.0.0.1:1')
    const response = await browser.visit(`${url}/auth/sign-in`)
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('provider is unreachable')])
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(faults).toHaveLength(1)
    oidc = newSignIn(provider.issuer)
    await signedIn('ada')
  })
})
