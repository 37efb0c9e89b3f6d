import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Outcome } from '../../testing/run-hearth.ts'
import { runHearth } from '../../testing/run-hearth.ts'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'hearth-admin-'))
})
afterEach(() => rmSync(data, { recursive: true }))

function admin(...argv: readonly string[]): Promise<Outcome> {
  return runHearth(['admin', ...argv], { env: { HEARTH_DATA: data } })
}

function file(): string {
  return readFileSync(join(data, 'access.json'), 'utf8')
}

async function create(...argv: readonly string[]): Promise<{ readonly token: string; readonly id: string }> {
  const { status, stdout, stderr } = await admin('token', 'create', ...argv)
  expect([status, stderr]).toEqual([0, expect.stringContaining('shown only now')])
  const match = /^(hearth_([0-9a-f]{12})_[\w-]{32})\n$/.exec(stdout)
  if (match === null) throw new Error(`not a token: ${stdout}`)
  return { token: match[1], id: match[2] }
}

describe('token', () => {
  test('create prints the token once, and keeps none of its secret', async () => {
    const { token, id } = await create('--name', 'collector', '--expires', '90d')
    const secret = token.slice(-32)
    expect(file()).toContain(id)
    expect(file()).not.toContain(secret)
    expect(statSync(join(data, 'access.json')).mode & 0o777).toBe(0o600)
    const [kept] = (JSON.parse(file()) as { tokens: { created: string; expires: string; tenants: string[] }[] }).tokens
    expect(kept).toMatchObject({ id, name: 'collector', tenants: ['default'], scopes: ['write'] })
    expect(Date.parse(kept.expires) - Date.parse(kept.created)).toBeCloseTo(90 * 86_400_000, -4)
    for (const argv of [
      ['token', 'list'],
      ['token', 'list', '--json'],
    ]) {
      const { status, stdout } = await admin(...argv)
      expect([status, stdout]).toEqual([0, expect.stringContaining(id)])
      expect(stdout).not.toContain(secret)
      expect(stdout).not.toContain('Sha256')
    }
  })

  test('list has one row each', async () => {
    expect((await admin('token', 'list')).stdout).toBe(`There are no tokens in ${data}.\n`)
    const one = await create('--name', 'grafana\u001b[2J', '--tenant', 'shop', 'depot', '--scope', 'read', 'admin')
    const two = await create('--tenant', '*')
    const { stdout } = await admin('token', 'list')
    const [titles, ...rows] = stdout.trimEnd().split('\n')
    expect(titles.split(/ {2,}/)).toEqual(['ID', 'NAME', 'TENANTS', 'SCOPES', 'CREATED', 'EXPIRES'])
    expect(rows[0]).toMatch(
      new RegExp(`^${one.id}  grafana\\S+  shop depot  read admin  2\\d{3}-\\d\\d-\\d\\d  never$`),
    )
    expect(rows[1]).toMatch(new RegExp(`^${two.id} +\\*  +write `))
    expect(stdout).not.toContain('\u001b')
    const json = JSON.parse((await admin('token', 'list', '--json')).stdout) as { id: string; scopes: string[] }[]
    expect(json.map(({ id, scopes }) => [id, scopes])).toEqual([
      [one.id, ['read', 'admin']],
      [two.id, ['write']],
    ])
  })

  test('revoke ends one, and says so of the last', async () => {
    const one = await create()
    const two = await create()
    expect(await admin('token', 'revoke', one.id)).toMatchObject({
      status: 0,
      stdout: `The token ${one.id} has ended.\n`,
    })
    expect(file()).not.toContain(one.id)
    const { status, stderr } = await admin('token', 'revoke', one.id)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^hearth: there is no token '\w+' in .*\n {2}`hearth admin token list`/),
    ])
    expect((await admin('token', 'revoke', two.id)).stdout).toContain('It was the last one')
  })

  test.each([
    [['--tenant', 'a b'], /'a b' cannot name a tenant\n {2}A tenant has 1 to 64/],
    [['--tenant', '..'], /'\.\.' cannot name a tenant/],
    [['--tenant', 'x'.repeat(65)], /cannot name a tenant/],
    [['--scope', 'root'], /--scope: there is no 'root'\n {2}There are write, read, admin, broker, capture\./],
    [['--expires', '90'], /--expires: '90' is not a duration; write/],
    [['--expires', '0s'], /--expires: '0s' is no time at all/],
    [['--expires', '99999999999w'], /longer than a century/],
    [['--expires', '-1d'], /--expires/],
    [['--bad'], /unknown option '--bad'\n {2}`hearth admin token create --help` explains the command\./],
    [['--tenant'], /argument missing\n {2}`hearth admin token create --help`/],
  ])('create %j is wrong usage, and changes nothing', async (argv, message) => {
    const { status, stdout, stderr } = await admin('token', 'create', ...argv)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })

  test('--data wins over the variable, and is made where it is not there', async () => {
    const other = join(data, 'deep', 'er')
    await create('--data', other)
    expect(existsSync(join(other, 'access.json'))).toBe(true)
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })

  test('a file that is broken or forbidden is named, and left as it is', async () => {
    for (const [text, message] of [
      ['{', /access\.json: .*JSON/],
      ['{"tokens":[{"id":"x"}],"retention":{}}', /access\.json: tokens\.0\.id: /],
    ] as const) {
      writeFileSync(join(data, 'access.json'), text)
      for (const argv of [
        ['token', 'list'],
        ['token', 'create'],
        ['retention', 'set', 'a', '7d'],
      ]) {
        const { status, stdout, stderr } = await admin(...argv)
        expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
        expect(stderr).not.toContain('mistake in hearth')
      }
      expect(file()).toBe(text)
    }
    rmSync(join(data, 'access.json'))
    writeFileSync(join(data, 'plain'), '')
    const { status, stderr } = await admin('token', 'create', '--data', join(data, 'plain'))
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^hearth: .*plain/)])
  })
})

describe('retention', () => {
  test('set, list, set again, clear', async () => {
    expect((await admin('retention', 'list')).stdout).toBe(`No tenant in ${data} has a retention of its own.\n`)
    expect(await admin('retention', 'set', 'shop', 'profiles=7d,10GiB', 'traces=2d')).toMatchObject({
      status: 0,
      stdout: 'shop keeps profiles=7d,10737418240B traces=2d\n',
    })
    await admin('retention', 'set', 'depot', 'profiles=36h logs=forever')
    expect((await admin('retention', 'list')).stdout).toBe(
      'TENANT  KEEPS\n' + 'shop    profiles=7d,10737418240B traces=2d\n' + 'depot   profiles=36h logs=forever\n',
    )
    await admin('retention', 'set', 'shop', '1w')
    expect((await admin('retention', 'list')).stdout).toContain('shop    profiles=7d traces=7d logs=7d metrics=7d\n')
    expect((await admin('retention', 'clear', 'shop')).stdout).toBe('shop keeps what the server keeps\n')
    expect(JSON.parse(file())).toEqual({
      tokens: [],
      retention: { depot: { profiles: { ageMs: 129_600_000 }, logs: {} } },
    })
  })

  test('tokens and retention do not touch one another', async () => {
    const { id } = await create()
    await admin('retention', 'set', 'shop', '7d')
    expect((await admin('token', 'list')).stdout).toContain(id)
    await admin('token', 'revoke', id)
    expect((await admin('retention', 'list')).stdout).toContain('shop')
  })

  test.each([
    [['set', 'shop', 'profile=7d'], 2, /unknown signal 'profile'; expected one of profiles, traces, logs, metrics/],
    [['set', 'shop', 'profiles=7'], 2, /'7' is not a duration/],
    [['set', 'shop', 'profiles=1m'], 2, /the minimum is 1h/],
    [['set', 'shop', 'profiles=0B'], 2, /must not be 0/],
    [['set', 'sh/op', '7d'], 2, /'sh\/op' cannot name a tenant/],
    [['set', 'shop'], 2, /missing required argument 'keep'\n {2}`hearth admin retention set --help` explains/],
    [['clear', 'shop'], 1, /'shop' has no retention of its own/],
    [['clear', 'constructor'], 1, /'constructor' has no retention of its own/],
  ])('%j is refused', async (argv, expected, message) => {
    const { status, stdout, stderr } = await admin('retention', ...argv)
    expect([status, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)])
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })
})

describe('groups of commands', () => {
  test('help themselves', async () => {
    for (const argv of [[], ['token'], ['retention']]) {
      const alone = await admin(...argv)
      const asked = await admin(...argv, '--help')
      expect([alone.status, alone.stdout, asked.status]).toEqual([2, '', 0])
      expect(alone.stderr).toBe(asked.stdout)
    }
  })

  test('say where the list is when there is no such command', async () => {
    expect((await admin('tokens')).stderr).toBe(
      "hearth: unknown command 'tokens' (Did you mean token?)\n  `hearth admin --help` lists the commands.\n",
    )
    expect((await admin('token', 'make')).stderr).toContain('`hearth admin token --help` lists the commands.')
  })
})
