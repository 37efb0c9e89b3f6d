import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Access } from './access-file.ts'
import {
  LiveAccess,
  NO_ACCESS,
  accessFileIn,
  isTenantName,
  openAccess,
  readAccess,
  writeAccess,
} from './access-file.ts'
import { Gatekeeper, isLoopback } from './gatekeeper.ts'
import type { TokenRow } from './tokens.ts'
import { findToken, isExpired, makeToken, rotateToken } from './tokens.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-access-'))
const file = accessFileIn(directory)
afterAll(() => rmSync(directory, { recursive: true }))
beforeEach(() => {
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
})

const fail = (error: Error): never => {
  throw error
}

function withTokens(...rows: readonly TokenRow[]): Gatekeeper {
  writeAccess(file, { ...NO_ACCESS, tokens: [...rows] } as Access)
  return new Gatekeeper(new LiveAccess(file, fail), true)
}

const writer = makeToken({ name: 'collector', tenants: ['shop'], scopes: ['write'] })
const credentials = (token: string, scopeOrgId?: string) => ({ authorization: `Bearer ${token}`, scopeOrgId })

describe('findToken', () => {
  test('accepts only the complete token', () => {
    expect(findToken([writer.row], writer.token)).toBe(writer.row)
    expect(
      findToken([writer.row], `${writer.token.slice(0, -1)}${writer.token.endsWith('A') ? 'B' : 'A'}`),
    ).toBeUndefined()
    expect(findToken([writer.row], writer.token.slice(0, -1))).toBeUndefined()
    expect(findToken([], writer.token)).toBeUndefined()
  })

  test('isExpired compares the expiry with the clock', () => {
    const { row } = makeToken({ name: '', tenants: ['a'], scopes: ['read'], expires: '2030-01-01T00:00:00.000Z' })
    expect(isExpired(row, Date.parse('2029-12-31T00:00:00Z'))).toBe(false)
    expect(isExpired(row, Date.parse('2030-01-01T00:00:00Z'))).toBe(true)
    expect(isExpired(writer.row, Infinity)).toBe(false)
  })

  test('rotateToken keeps permissions and lifetime, and ends the old token after the overlap', () => {
    const now = new Date('2030-01-01T00:00:00.000Z')
    const overlapEnds = new Date('2030-01-02T00:00:00.000Z')
    const monthly = { ...writer.row, created: '2029-12-10T00:00:00.000Z', expires: '2030-01-09T00:00:00.000Z' }
    const { old, next } = rotateToken(monthly, { overlapEnds }, now)
    expect(old).toEqual({ ...monthly, expires: '2030-01-02T00:00:00.000Z' })
    expect(next.row).toMatchObject({ name: 'collector', tenants: ['shop'], scopes: ['write'] })
    expect([next.row.id === old.id, next.row.expires]).toEqual([false, '2030-01-31T00:00:00.000Z'])
    // An overlap does not prolong a token.
    const ending = { ...monthly, expires: '2030-01-01T06:00:00.000Z' }
    expect(rotateToken(ending, { overlapEnds }, now).old.expires).toBe('2030-01-01T06:00:00.000Z')
    expect(rotateToken(writer.row, { overlapEnds }, now).next.row.expires).toBeUndefined()
  })

  test('finds tokens although no secret is stored', () => {
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    expect(readFileSync(file, 'utf8')).not.toContain(writer.token.split('_')[2])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('Gatekeeper', () => {
  test('without tokens allows loopback only', () => {
    const access = new LiveAccess(file, fail)
    const nobody = { authorization: undefined, scopeOrgId: undefined }
    expect(new Gatekeeper(access, true).identify(nobody, 'write').tenant).toBe('default')
    expect(new Gatekeeper(access, true).identify({ ...nobody, scopeOrgId: 'shop' }, 'read').tenant).toBe('shop')
    expect(() => new Gatekeeper(access, false).identify(nobody, 'write')).toThrow(/no token is configured/)
  })

  test('with tokens checks tenant and scope', () => {
    const gate = withTokens(writer.row)
    expect(gate.identify(credentials(writer.token), 'write')).toEqual({ tenant: 'shop', token: 'collector' })
    expect(gate.identify(credentials(writer.token, 'shop'), 'write').tenant).toBe('shop')
    expect(() => gate.identify(credentials(writer.token), 'read')).toThrow(/lacks the scope read/)
    expect(() => gate.identify(credentials(writer.token, 'bank'), 'write')).toThrow(/not valid for tenant 'bank'/)
    expect(() => gate.identify(credentials('hearth_000000000000_x'), 'write')).toThrow(/^invalid token/)
    expect(() => gate.identify({ authorization: undefined, scopeOrgId: 'shop' }, 'write')).toThrow(/^missing token/)
    expect(() => gate.identify(credentials(writer.token, '../x'), 'write')).toThrow(/X-Scope-OrgID/)
    const scopes = ['write', 'read'] as const
    expect(scopes.map(scope => gate.allows(credentials(writer.token), scope))).toEqual([true, false])
  })

  test('says that a token has expired only to callers that know its secret', () => {
    const { row, token } = makeToken({
      name: 'old',
      tenants: ['a'],
      scopes: ['read'],
      expires: '2020-01-01T00:00:00.000Z',
    })
    const gate = withTokens(row, writer.row)
    expect(() => gate.identify(credentials(token), 'read')).toThrow("token 'old' expired at 2020-01-01T00:00:00.000Z")
    expect(() => gate.identify(credentials(`${token.slice(0, -4)}AAAA`), 'read')).toThrow(/^invalid token/)
  })

  test('returns the permissions of the caller', () => {
    expect(withTokens(writer.row).grantOf(credentials(writer.token))).toEqual({
      kind: 'token',
      id: writer.row.id,
      name: 'collector',
      tenants: ['shop'],
      scopes: ['write'],
    })
    writeAccess(file, NO_ACCESS)
    rmSync(join(directory, 'access.required'))
    const nobody = { authorization: undefined, scopeOrgId: undefined }
    expect(new Gatekeeper(new LiveAccess(file, fail), true).grantOf(nobody)).toMatchObject({ kind: 'open' })
  })

  test('a revoked token stays revoked when the file is damaged afterwards', () => {
    const other = makeToken({ name: 'agent', tenants: ['shop'], scopes: ['write'] })
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row, other.row] } as Access)
    writeAccess(file, { ...NO_ACCESS, tokens: [other.row] } as Access)
    writeFileSync(file, '{"check":1,')
    // The damage is reported to the log.
    const gate = new Gatekeeper(new LiveAccess(file, () => undefined), true)
    expect(gate.identify(credentials(other.token), 'write').token).toBe('agent')
    expect(() => gate.identify(credentials(writer.token), 'write')).toThrow(/^invalid token/)
  })

  test.each([
    ['revoked', () => writeAccess(file, NO_ACCESS)],
    ['lost with its file', () => rmSync(file)],
    ['lost in an empty file', () => writeFileSync(file, '')],
  ])('stays closed after the last token is %s, until it is opened', (_, lose) => {
    const nobody = { authorization: undefined, scopeOrgId: undefined }
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    const live = new LiveAccess(file, fail)
    const running = new Gatekeeper(live, true)
    lose()
    // The running server notices it with its next check.
    expect(live.isClosed(Date.now() + 2000)).toBe(true)
    const restarted = new Gatekeeper(new LiveAccess(file, fail), true)
    for (const gate of [running, restarted]) {
      expect(() => gate.identify(nobody, 'write')).toThrow(/the server is closed.*hearth admin open --loopback/)
      expect(() => gate.identify(credentials(writer.token), 'write')).toThrow(/^invalid token/)
    }
    openAccess(file)
    expect(new Gatekeeper(new LiveAccess(file, fail), true).identify(nobody, 'write').tenant).toBe('default')
    expect(() => new Gatekeeper(new LiveAccess(file, fail), false).identify(nobody, 'write')).toThrow(/no token/)
  })

  test('stays closed if the file and its mark are deleted while the server runs', () => {
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    const live = new LiveAccess(file, fail)
    for (const name of readdirSync(directory).filter(name => name.startsWith('access'))) rmSync(join(directory, name))
    const now = Date.now()
    expect(live.isClosed(now + 2000)).toBe(true)
    expect(new LiveAccess(file, fail).isClosed()).toBe(true)
    openAccess(file)
    expect(live.isClosed(now + 4000)).toBe(false)
  })

  test('does not bring back revoked tokens or forget retention when the file is lost', () => {
    const retention = { shop: { logs: { ageMs: 1e12 } } }
    const row = { ...writer.row, tenants: ['shop'], scopes: [...writer.row.scopes] }
    writeAccess(file, { retention, tokens: [row] })
    writeAccess(file, { retention, tokens: [] })
    rmSync(file)
    expect(readAccess(file)).toEqual({ tokens: [], retention })
    expect(new LiveAccess(file, fail).isClosed()).toBe(true)
  })

  test('uses the previous version of a damaged file, also at the second start', () => {
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    writeFileSync(file, '{"check":1,')
    for (let start = 0; start < 2; start++) expect(readAccess(file).tokens.map(({ id }) => id)).toEqual([writer.row.id])
  })

  test('marks tokens of versions that wrote no mark', () => {
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    rmSync(join(directory, 'access.required'))
    void new LiveAccess(file, fail)
    rmSync(file)
    expect(new LiveAccess(file, fail).isClosed()).toBe(true)
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    expect(() => openAccess(file)).toThrow(/revoke them first/)
  })

  test('accepts a token for all tenants with a header, and a token as Basic password', () => {
    const all = makeToken({ name: 'all', tenants: ['*'], scopes: ['write', 'read'] })
    const gate = withTokens(all.row)
    expect(gate.identify(credentials(all.token), 'read').tenant).toBe('default')
    expect(gate.identify(credentials(all.token, 'bank'), 'read').tenant).toBe('bank')
    const basic = Buffer.from(`anyone:${all.token}`).toString('base64')
    expect(gate.identify({ authorization: `Basic ${basic}`, scopeOrgId: undefined }, 'read').token).toBe('all')
  })
})

describe('LiveAccess', () => {
  test('sees changes of the file, reports an invalid one and keeps the last valid state', () => {
    const errors: string[] = []
    const live = new LiveAccess(file, error => errors.push(error.message))
    expect(live.current(10_000).tokens).toHaveLength(0)
    writeAccess(file, { ...NO_ACCESS, tokens: [writer.row] } as Access)
    expect(live.current(10_500).tokens).toHaveLength(0)
    expect(live.current(11_500).tokens).toHaveLength(1)
    writeFileSync(file, '{"tokens": 1}')
    expect(live.current(13_000).tokens).toHaveLength(1)
    expect(errors[0]).toMatch(/access\.json: /)
    expect(() => readAccess(file)).toThrow(/access\.json/)
  })

  test('isTenantName checks tenant names', () => {
    expect(['a', 'team-1.eu_x'].every(isTenantName)).toBe(true)
    expect(['', '..', 'a/b', 'a b', "a'", 'x'.repeat(65)].some(isTenantName)).toBe(false)
  })

  test('isLoopback recognizes loopback addresses', () => {
    expect(['127.0.0.1', '127.1.2.3', '::1', 'localhost'].every(isLoopback)).toBe(true)
    expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example'].some(isLoopback)).toBe(false)
  })
})
