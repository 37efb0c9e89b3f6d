// `hearth admin delete` and `hearth admin redaction` with a real server, and redaction of what it receives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ServerProcess } from '../../../../server/src/testing/server-process.ts'
import type { Outcome } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'

const data = mkdtempSync(join(tmpdir(), 'hearth-admin-delete-'))
const rules = join(data, 'rules.yaml')
let server: ServerProcess
let url: string

const RANGE = ['--from', '1699999999', '--to', '1700000100']
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

function admin(...argv: readonly string[]): Promise<Outcome> {
  return runHearth(['admin', ...argv, '--server', url])
}

beforeAll(async () => {
  server = await ServerProcess.start({
    data,
    'self-profile': 'no',
    redaction: '[{name: mail, action: remove, key: user.email}]',
  })
  url = `http://127.0.0.1:${server.ports.http}`
  const logRecords = ['ada', 'eve'].map(user => ({
    timeUnixNano: '1700000000000000000',
    body: { stringValue: 'card 4111111111111111' },
    attributes: [text('user.id', user), text('user.email', `${user}@example.com`)],
  }))
  const resource = { attributes: [text('service.name', 'shop')] }
  const response = await fetch(`http://127.0.0.1:${server.ports.otlpHttp}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
  })
  if (!response.ok) throw new Error(await response.text())
  await server.settled()
})
afterAll(async () => {
  await server?.end()
  rmSync(data, { recursive: true, force: true })
})

describe('a server with redaction rules', () => {
  it('stores nothing that they remove, and counts it', async () => {
    expect(await server.select("SELECT count() FROM logs WHERE has(attribute_keys, 'user.email')")).toEqual(['(0)'])
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('hearth_redactions_total{signal="logs",rule="mail"} 2')
  })
})

describe('redaction', () => {
  it('counts what rules would change in stored data', async () => {
    writeFileSync(rules, "[{name: cards, action: remove, valuePattern: '4[0-9]{15}'}, {action: hash, key: user.id}]")
    const { status, stdout } = await admin('redaction', '--rules', rules, ...RANGE)
    expect([status, stdout.split('\n').map(line => line.trim().split(/ {2,}/))]).toEqual([
      0,
      expect.arrayContaining([
        ['RULE', 'TABLE', 'KEY', 'COUNT'],
        ['cards', 'logs', '2'],
        ['rule 2', 'logs', 'user.id', '2'],
      ]),
    ])
    writeFileSync(rules, '[{action: erase}]')
    expect((await admin('redaction', '--rules', rules, ...RANGE)).stderr).toContain('rules: rule 1, action')
  })
})

describe('delete', () => {
  it('counts, asks for confirmation, deletes, and is in the audit log', async () => {
    const selection = ['delete', '{user.id="ada"}', ...RANGE]
    expect((await admin(...selection, '--dry-run')).stdout).toMatch(/logs +1\n/)
    expect(await admin(...selection)).toMatchObject({ status: 2, stderr: expect.stringContaining('--yes') as string })
    expect((await admin(...selection, '--yes', '--no-wait')).stdout).toMatch(/^Deletion [0-9a-f]{12} has started\.\n$/)
    await vi.waitFor(
      async () => {
        const { deletions } = (await (await fetch(`${url}/api/v1/deletions`)).json()) as { deletions: object[] }
        expect(deletions).toMatchObject([{ state: 'deleted', remaining: 0, rows: { logs: 1 } }])
      },
      { timeout: 60_000, interval: 100 },
    )
    expect((await admin(...selection, '--dry-run')).stdout).toMatch(/logs +0\n/)
    expect(await server.select('SELECT count() FROM logs')).toEqual(['(1)'])
    const { stdout } = await runHearth(['admin', 'audit', '--data', data, '--action', 'deletion-started'])
    expect(stdout).toMatch(/deletion-started +anyone .*selector=\{user\.id="ada"\}/)
  })
})
