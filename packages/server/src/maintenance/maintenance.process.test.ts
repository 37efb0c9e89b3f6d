// Backup, restore, migration, verification and repair with real processes. Each copy is killed in the middle and repeated.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allTables, datedTables } from '../store/schema/all-tables.ts'
import { flipBytes } from '../store/damage/testing/flip-bytes.ts'
import type { ClickHouseHttp } from '../store/testing/clickhouse-http.ts'
import { startClickHouseHttp } from '../store/testing/clickhouse-http.ts'
import { sendHttp } from '../testing/senders.ts'
import { sentRequest } from '../testing/sent-request.ts'
import { ServerProcess } from '../testing/server-process.ts'
import { ACCESS_KEY, S3StandIn } from './backup/testing/s3-stand-in.ts'

const HEARTH = fileURLToPath(new URL('../../../cli/bin/hearth.cjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'hearth-maintenance-'))
const data = join(directory, 'data')
const s3 = new S3StandIn()
let clickHouse: ClickHouseHttp
let server: ServerProcess
const flags = { data, 'self-profile': 'no', 'verify-period': '0s' } as const

beforeAll(async () => {
  await s3.open()
  clickHouse = await startClickHouseHttp({ directory: join(directory, 'clickhouse') })
  server = await ServerProcess.start(flags)
  await send(0, 36)
})
afterAll(async () => {
  await server.kill()
  await s3.close()
  await clickHouse.close()
  rmSync(directory, { recursive: true, force: true })
})

/** An insert of rows into the ClickHouse server. */
const INSERT = /^INSERT INTO `\w+` .*FORMAT Native/s

/** Runs a statement in the ClickHouse server and returns the lines of its response. */
async function runInClickHouse(database: string, sql: string): Promise<readonly string[]> {
  const query = new URLSearchParams({ database, query: sql })
  const authorization = `Basic ${Buffer.from('default:').toString('base64')}`
  const response = await fetch(`http://127.0.0.1:${clickHouse.port}/?${query.toString()}`, {
    headers: { authorization },
  })
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  return text.trim().split('\n')
}

async function send(from: number, to: number): Promise<void> {
  for (let n = from; n < to; n++) expect((await sendHttp(server, sentRequest(n))).status).toBe(200)
  await server.settled()
}

function admin(...parts: readonly string[]): {
  child: ChildProcess
  ended: Promise<{ code: number | null; text: string }>
} {
  const { accessKeyId, secretAccessKey } = ACCESS_KEY
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    NODE_OPTIONS: '',
  }
  const child = spawn(process.execPath, [HEARTH, 'admin', ...parts], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (text += piece.toString()))
  return { child, ended: once(child, 'close').then(() => ({ code: child.exitCode, text })) }
}

async function run(...parts: readonly string[]): Promise<string> {
  const { code, text } = await admin(...parts).ended
  expect([code, text]).toEqual([0, text])
  return text
}

/** Kills the command with -9 when `reached` is true. */
async function killWhen(reached: () => boolean, ...parts: readonly string[]): Promise<void> {
  const { child, ended } = admin(...parts)
  await expect.poll(() => reached() || child.exitCode !== null, { interval: 5 }).toBe(true)
  child.kill('SIGKILL')
  await ended
  expect(child.signalCode).toBe('SIGKILL')
}

/** Count and content of every table. */
async function contentOf(select: (sql: string) => Promise<readonly string[]>): Promise<readonly string[]> {
  const texts: string[] = []
  for (const { name } of allTables) {
    const final = datedTables.some(table => table.name === name) ? '' : ' FINAL'
    texts.push(`${name} ${(await select(`SELECT count(), sum(cityHash64(*)) FROM ${name}${final}`)).join()}`)
  }
  return texts
}

const contentIn = async (dataDirectory: string): Promise<readonly string[]> => {
  const other = await ServerProcess.start({ ...flags, data: dataDirectory })
  try {
    return await contentOf(sql => other.select(sql))
  } finally {
    await other.end()
  }
}

// Every command starts a process with the engine, and a busy machine takes minutes for all of them.
describe('hearth admin', { timeout: 600_000 }, () => {
  it('backs up to S3 while the server runs, also after a kill, and then only what has changed', async () => {
    s3.hold = method => method === 'PUT' && s3.requests.filter(request => request.startsWith('PUT')).length >= 4
    const { child, ended } = admin('backup', s3.address, '--data', data)
    await expect.poll(() => s3.held).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await ended
    expect([...s3.objects.keys()]).not.toContain('some/prefix/manifest.json')
    s3.hold = () => false
    expect(await run('backup', s3.address, '--data', data)).toMatch(/backed up \d+ rows in \d+ chunks/)
    expect(await run('backup', s3.address, '--data', data)).toContain('wrote 0 objects')
    await send(36, 42)
    const last = await run('backup', s3.address, '--data', data)
    const [, chunks, written] = /rows in (\d+) chunks.* wrote (\d+) objects/.exec(last) ?? []
    expect(Number(written)).toBeGreaterThan(0)
    expect(Number(written)).toBeLessThan(Number(chunks))
    // The objects of the interrupted backup are removed.
    expect(s3.objects.size).toBeLessThanOrEqual(Number(chunks) + 3)
  })

  it('restores a backup into a new directory, also after a kill', async () => {
    const restored = join(directory, 'restored')
    const isObject = (path: string): boolean => path.includes('/data/')
    const before = s3.requests.length
    s3.held = 0
    s3.hold = (method, path) =>
      method === 'GET' && isObject(path) && s3.requests.slice(before).filter(isObject).length >= 5
    await killWhen(() => s3.held > 0, 'restore', s3.address, '--data', restored)
    s3.hold = () => false
    expect(await run('restore', s3.address, '--data', restored)).toMatch(
      /restored \d+ rows in \d+ chunks; \d+ chunks were there already/,
    )
    const expected = await contentOf(sql => server.select(sql))
    expect(await contentIn(restored)).toEqual(expected)
    expect((await admin('restore', s3.address, '--data', data).ended).text).toContain('a server uses')
  })

  it('restores a backup into ClickHouse, also after a kill', async () => {
    const select = (sql: string): Promise<readonly string[]> =>
      runInClickHouse('restored', `SELECT toString(tuple(*)) FROM (${sql})`)
    const url = `clickhouse://127.0.0.1:${clickHouse.port}/restored`
    const place = ['--data', join(directory, 'beside-clickhouse'), '--store', url]
    const inserts = (): number => clickHouse.statements.filter(({ sql }) => INSERT.test(sql)).length
    await runInClickHouse('default', 'CREATE DATABASE restored')
    await killWhen(() => inserts() >= 3, 'restore', s3.address, ...place)
    expect(await run('restore', s3.address, ...place)).toMatch(
      /restored \d+ rows in \d+ chunks; \d+ chunks were there already/,
    )
    const expected = await contentOf(sql => server.select(sql))
    expect(await contentOf(select)).toEqual(expected)
  })

  it('detects a damaged object of a backup', async () => {
    const [name, object] = [...s3.objects].find(([key]) => key.includes('/data/')) ?? ['', Buffer.alloc(0)]
    const damaged = Buffer.from(object)
    damaged[damaged.length >> 1] ^= 1
    s3.objects.set(name, damaged)
    const { code, text } = await admin('restore', s3.address, '--data', join(directory, 'from-damaged')).ended
    expect([code, text]).toEqual([1, expect.stringMatching(/data\/\w+\.gz is damaged/) as string])
    s3.objects.set(name, object)
  })

  it('migrates to ClickHouse and back, also after kills', async () => {
    const expected = await contentOf(sql => server.select(sql))
    expect(await server.end()).toBe(0)
    const url = `clickhouse://127.0.0.1:${clickHouse.port}/default`
    const count = (pattern: RegExp): number => clickHouse.statements.filter(({ sql }) => pattern.test(sql)).length
    const inserts = count(INSERT)
    await killWhen(() => count(INSERT) >= inserts + 3, 'migrate', '--data', data, '--to', url)
    expect(await run('migrate', '--data', data, '--to', url)).toMatch(
      /copied \d+ rows in \d+ chunks; \d+ chunks were there already/,
    )

    const back = join(directory, 'back')
    const reads = count(/low_cardinality_allow_in_native_format/)
    await killWhen(
      () => count(/low_cardinality_allow_in_native_format/) >= reads + 3,
      'migrate',
      '--data',
      back,
      '--from',
      url,
    )
    await run('migrate', '--data', back, '--from', url)
    expect(await contentIn(back)).toEqual(expected)
    // Rows of another store are not mixed in.
    server = await ServerProcess.start(flags)
    await send(42, 48)
    await server.end()
    const { code, text } = await admin('migrate', '--data', data, '--from', url).ended
    expect([code, text]).toEqual([1, expect.stringContaining('the target has other rows') as string])
  })

  it('verifies a stopped and a running server, and recovers the intact rows of a damaged part', async () => {
    server = await ServerProcess.start(flags)
    expect(await run('verify', '--data', data)).toMatch(/^checked \d+ parts/)
    await server.select('SELECT 1')
    const [path] = await server.select(
      "SELECT path FROM system.parts WHERE active AND table = 'spans' ORDER BY rows DESC LIMIT 1",
    )
    const rows = await server.select('SELECT count() FROM spans')
    await server.end()
    flipBytes(join(path.slice(2, -2), 'data.bin'), 1e9)
    const { code, text } = await admin('verify', '--data', data).ended
    expect([code, text]).toEqual([1, expect.stringMatching(/part spans \S+: .*it is detached now/s) as string])
    expect((await admin('backup', join(directory, 'refused'), '--data', data).ended).text).toContain(
      'run `hearth admin repair` first',
    )
    server = await ServerProcess.start(flags)
    expect((await server.prepared()).codes).toEqual(['parts-broken'])
    const repaired = await run('repair', '--data', data)
    const [, recovered, lost] = /spans: recovered (\d+) rows, lost (\d+)/.exec(repaired) ?? []
    expect(Number(recovered) + Number(lost)).toBeGreaterThan(0)
    expect((await server.prepared()).codes).toEqual([])
    const after = await server.select('SELECT count() FROM spans')
    expect(Number(after[0].slice(1, -1))).toBe(Number(rows[0].slice(1, -1)) - Number(lost))
    expect(await run('verify', '--data', data)).toMatch(/^checked \d+ parts/)
  })
})
