import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuditLog, appendAudit, readAudit } from './audit-log.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-audit-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const day = (text: string): number => Date.parse(`${text}T12:00:00Z`)
const fail = (error: unknown): never => {
  throw error
}

function logAt(clock: () => number, keepMs = 1e12): AuditLog {
  return new AuditLog({ dataDirectory: directory, keepMs, onError: fail, now: clock })
}

describe('AuditLog', () => {
  it('returns entries of the server and of commands, the latest first', async () => {
    let now = day('2026-01-30')
    const log = logAt(() => now)
    log.add({ action: 'sign-in', actor: 'ada', tenant: 'shop', address: '127.0.0.1' })
    appendAudit(directory, { action: 'token-revoked', actor: 'user root', details: { id: '1' } }, day('2026-01-31'))
    now = day('2026-02-01')
    log.add({ action: 'sign-out', actor: 'ada', tenant: 'shop' })
    const all = await log.read({ limit: 10 })
    expect(all.map(({ action }) => action)).toEqual(['sign-out', 'token-revoked', 'sign-in'])
    expect(all[2]).toEqual({
      time: '2026-01-30T12:00:00.000Z',
      action: 'sign-in',
      actor: 'ada',
      tenant: 'shop',
      address: '127.0.0.1',
    })
    expect(await log.read({ limit: 2 })).toEqual(all.slice(0, 2))
    expect(await log.read({ limit: 9, action: 'sign-in' })).toEqual(all.slice(2))
    expect(await log.read({ limit: 9, from: day('2026-01-31'), to: day('2026-01-31') })).toEqual(all.slice(1, 2))
    expect(await log.read({ limit: 9, isVisible: ({ tenant }) => tenant === undefined })).toEqual(all.slice(1, 2))
    expect(statSync(join(directory, 'audit', 'audit-2026-01.ndjson')).mode & 0o777).toBe(0o600)
  })

  it('deletes months that are older than the retention', async () => {
    let now = day('2026-01-10')
    const log = logAt(() => now, 31 * 86_400_000)
    for (const time of ['2026-01-10', '2026-02-10', '2026-03-10']) {
      now = day(time)
      log.add({ action: 'sign-in', actor: 'ada' })
    }
    await log.settled()
    expect(readdirSync(join(directory, 'audit'))).toEqual(['audit-2026-02.ndjson', 'audit-2026-03.ndjson'])
  })

  it('limits failed sign-ins per minute and the length of texts', async () => {
    let now = day('2026-01-10')
    const log = logAt(() => now)
    for (let i = 0; i < 100; i++) log.add({ action: 'sign-in-failed', actor: 'x'.repeat(10_000) })
    now += 60_000
    log.add({ action: 'sign-in-failed', actor: 'ada' })
    expect(await log.read({ limit: 1000 })).toHaveLength(61)
    expect(readFileSync(join(directory, 'audit', 'audit-2026-01.ndjson')).length).toBeLessThan(61 * 1024)
  })

  it('skips a line that a crash cut', async () => {
    appendAudit(directory, { action: 'sign-in', actor: 'ada' }, day('2026-01-10'))
    const file = join(directory, 'audit', 'audit-2026-01.ndjson')
    writeFileSync(file, `{"time":"2026-01\n${readFileSync(file, 'utf8')}`)
    expect(await readAudit(directory, { limit: 5 })).toHaveLength(1)
  })
})
