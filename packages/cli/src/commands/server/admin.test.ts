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

/** The content of the file, without its checksum. */
function content(): unknown {
  return (JSON.parse(file()) as { readonly content: unknown }).content
}

async function create(...argv: readonly string[]): Promise<{ readonly token: string; readonly id: string }> {
  const { status, stdout, stderr } = await admin('token', 'create', ...argv)
  expect([status, stderr]).toEqual([0, expect.stringContaining('shown only once')])
  const match = /^(hearth_([0-9a-f]{12})_[\w-]{32})\n$/.exec(stdout)
  if (match === null) throw new Error(`not a token: ${stdout}`)
  return { token: match[1], id: match[2] }
}

describe('token', () => {
  test('create prints the token once and stores only a hash', async () => {
    const { token, id } = await create('--name', 'collector', '--expires', '90d')
    const secret = token.slice(-32)
    expect(file()).toContain(id)
    expect(file()).not.toContain(secret)
    expect(statSync(join(data, 'access.json')).mode & 0o777).toBe(0o600)
    const [kept] = (content() as { tokens: { created: string; expires: string; tenants: string[] }[] }).tokens
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

  test('create says which server accepts the token if its data directory is new', async () => {
    const other = join(data, 'typo')
    const { stderr } = await admin('token', 'create', '--data', other)
    expect(stderr).toContain(
      `The data directory ${other} is new. Only a server with \`--data ${other}\` accepts the token.`,
    )
    expect((await admin('token', 'create', '--data', other)).stderr).not.toContain('is new')
  })

  test('list prints one row per token', async () => {
    expect((await admin('token', 'list')).stdout).toBe(`No tokens in ${data}.\n`)
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

  test('revoke revokes a token, and warns about the last one', async () => {
    const one = await create()
    const two = await create()
    expect(await admin('token', 'revoke', one.id)).toMatchObject({
      status: 0,
      stdout: `Revoked the token ${one.id}.\n`,
    })
    expect(file()).not.toContain(one.id)
    const { status, stderr } = await admin('token', 'revoke', one.id)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^hearth: no token '\w+' in .*\n {2}`hearth admin token list`/),
    ])
    expect((await admin('token', 'revoke', two.id)).stdout).toContain('This was the last token')
  })

  test('rotate replaces a token and keeps the old one for the overlap', async () => {
    const { id } = await create('--name', 'collector', '--tenant', 'shop', '--expires', '30d')
    const { status, stdout, stderr } = await admin('token', 'rotate', id, '--overlap', '2h')
    expect([status, stderr]).toEqual([0, expect.stringContaining(`The token ${id} stays valid until 2`)])
    const next = /^hearth_([0-9a-f]{12})_[\w-]{32}\n$/.exec(stdout)?.[1]
    const { tokens } = content() as { tokens: { id: string; name: string; expires: string }[] }
    expect(tokens.map(token => [token.id, token.name])).toEqual([
      [id, 'collector'],
      [next, 'collector'],
    ])
    const [left, renewed] = tokens.map(({ expires }) => Date.parse(expires) - Date.now())
    expect([left, renewed]).toEqual([expect.closeTo(2 * 3_600_000, -5), expect.closeTo(30 * 86_400_000, -5)])
    expect((await admin('token', 'rotate', 'ffffffffffff')).stderr).toContain("no token 'ffffffffffff'")
  })

  test('open is needed after the last token is gone', async () => {
    const { id } = await create()
    expect((await admin('open', '--loopback')).stderr).toMatch(/has a token\n {2}Revoke them first/)
    await admin('token', 'revoke', id)
    expect(existsSync(join(data, 'access.required'))).toBe(true)
    expect((await admin('open')).stderr).toContain('--loopback')
    expect(existsSync(join(data, 'access.required'))).toBe(true)
    expect(await admin('open', '--loopback')).toMatchObject({
      status: 0,
      stdout: 'The server accepts requests of this machine without a token.\n',
    })
    expect(existsSync(join(data, 'access.required'))).toBe(false)
  })

  test('audit lists every change, with who made it', async () => {
    expect((await admin('audit')).stdout).toBe(`No entries in the audit log of ${data}.\n`)
    const { token, id } = await create('--name', 'ci', '--scope', 'read')
    await admin('token', 'rotate', id)
    await admin('retention', 'set', 'shop', 'logs=2d')
    await admin('token', 'revoke', id)
    const { stdout } = await admin('audit', '--json')
    const entries = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { action: string; actor: string; details: Record<string, string> })
    expect(entries.map(({ action }) => action)).toEqual([
      'token-revoked',
      'retention-changed',
      'token-rotated',
      'token-created',
    ])
    expect(entries[3]).toMatchObject({ details: { id, name: 'ci', tenants: 'default', scopes: 'read' } })
    expect(entries[3].actor).toMatch(/^user ./)
    expect(stdout).not.toContain(token.slice(-32))
    const table = (await admin('audit', '--action', 'token-rotated', '--since', '1h')).stdout.trimEnd().split('\n')
    expect(table).toEqual([
      expect.stringMatching(/^TIME +ACTION +ACTOR +DETAILS$/),
      expect.stringMatching(new RegExp(`^2\\S+Z  token-rotated  user \\S+ .*replaces=${id} name=ci`)),
    ])
    expect((await admin('audit', '--tenant', 'shop')).stdout).toContain('retention=logs=2d')
    expect((await admin('audit', '--action', 'x')).stderr).toContain("--action: unknown action 'x'")
  })

  test.each([
    [['--tenant', 'a b'], /'a b' is not a valid tenant name\n {2}Use 1 to 64/],
    [['--tenant', '..'], /'\.\.' is not a valid tenant name/],
    [['--tenant', 'x'.repeat(65)], /is not a valid tenant name/],
    [['--scope', 'root'], /--scope: unknown scope 'root'\n {2}Scopes: write, read, admin, broker, capture\./],
    [['--expires', '90'], /--expires: '90' is not a duration; write/],
    [['--expires', '0s'], /--expires: '0s' is zero/],
    [['--expires', '99999999999w'], /longer than a century/],
    [['--expires', '-1d'], /--expires/],
    [['--bad'], /unknown option '--bad'\n {2}`hearth admin token create --help` explains the command\./],
    [['--tenant'], /argument missing\n {2}`hearth admin token create --help`/],
  ])('create %j fails and changes nothing', async (argv, message) => {
    const { status, stdout, stderr } = await admin('token', 'create', ...argv)
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)])
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })

  test('--data overrides the variable, and the directory is created', async () => {
    const other = join(data, 'deep', 'er')
    await create('--data', other)
    expect(existsSync(join(other, 'access.json'))).toBe(true)
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })

  test('a broken or unreadable file is named and not changed', async () => {
    for (const [text, message] of [
      ['{', /access\.json is not complete JSON/],
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
        expect(stderr).not.toContain('bug in hearth')
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
  test('is set, listed, set again and cleared', async () => {
    expect((await admin('retention', 'list')).stdout).toBe(`No tenant in ${data} has its own retention.\n`)
    expect(await admin('retention', 'set', 'shop', 'profiles=7d,10GiB', 'traces=2d')).toMatchObject({
      status: 0,
      stdout: 'retention of shop: profiles=7d,10737418240B traces=2d\n',
    })
    await admin('retention', 'set', 'depot', 'profiles=36h logs=forever')
    expect((await admin('retention', 'list')).stdout).toBe(
      'TENANT  KEEPS\n' + 'shop    profiles=7d,10737418240B traces=2d\n' + 'depot   profiles=36h logs=forever\n',
    )
    await admin('retention', 'set', 'shop', '1w')
    expect((await admin('retention', 'list')).stdout).toContain('shop    profiles=7d traces=7d logs=7d metrics=7d\n')
    expect((await admin('retention', 'clear', 'shop')).stdout).toBe('retention of shop: that of the server\n')
    expect(content()).toEqual({
      tokens: [],
      retention: { depot: { profiles: { ageMs: 129_600_000 }, logs: {} } },
    })
  })

  test('does not change tokens, and vice versa', async () => {
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
    [['set', 'sh/op', '7d'], 2, /'sh\/op' is not a valid tenant name/],
    [['set', 'shop'], 2, /missing required argument 'keep'\n {2}`hearth admin retention set --help` explains/],
    [['clear', 'shop'], 1, /'shop' has no retention in/],
    [['clear', 'constructor'], 1, /'constructor' has no retention in/],
  ])('%j is rejected', async (argv, expected, message) => {
    const { status, stdout, stderr } = await admin('retention', ...argv)
    expect([status, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)])
    expect(existsSync(join(data, 'access.json'))).toBe(false)
  })
})

describe('backup and restore', () => {
  test.each([
    [['backup', 's3://backups/hearth'], /^hearth: S3 requires credentials; set AWS_ACCESS_KEY_ID and /],
    [['backup', 's3://b/hearth'], /^hearth: s3:\/\/b\/hearth: the bucket is missing\n/],
    [['restore', 'none'], /^hearth: \S*none has no backup\n/],
    [['restore', 'file/none'], /^hearth: \S*manifest\.json: a part of the path is not a directory\n/],
  ])('%j names the cause of its failure', async ([command, place], message) => {
    writeFileSync(join(data, 'file'), '')
    const target = place.startsWith('s3:') ? place : join(data, place)
    expect(await admin(command, target)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(message) as string,
    })
  })
})

describe('groups of commands', () => {
  test('print their help', async () => {
    for (const argv of [[], ['token'], ['retention']]) {
      const alone = await admin(...argv)
      const help = await admin(...argv, '--help')
      expect([alone.status, alone.stdout, help.status]).toEqual([2, '', 0])
      expect(alone.stderr).toBe(help.stdout)
    }
  })

  test('suggest --help for an unknown command', async () => {
    expect((await admin('tokens')).stderr).toBe(
      "hearth: unknown command 'tokens' (Did you mean token?)\n  `hearth admin --help` lists the commands.\n",
    )
    expect((await admin('token', 'make')).stderr).toContain('`hearth admin token --help` lists the commands.')
  })
})
