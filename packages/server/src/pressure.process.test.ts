// The real server under pressure: a store slower than its senders, a full disk, a lost ClickHouse, damaged files. It rejects
// requests in time with a reason, and everything it acknowledged is stored in the end.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEmbedded } from './store/engines/embedded.ts'
import { startClickHouseHttp } from './store/testing/clickhouse-http.ts'
import { openClickHouse } from './store/engines/clickhouse.ts'
import { checkStore } from './testing/check-store.ts'
import { Senders, sendHttp } from './testing/senders.ts'
import type { SentRequest } from './testing/sent-request.ts'
import { identified, sentRequest } from './testing/sent-request.ts'
import type { Flags } from './testing/server-process.ts'
import { ServerProcess } from './testing/server-process.ts'
import { TcpGate } from './testing/tcp-gate.ts'

const MIB = 2 ** 20
let directory: string
let server: ServerProcess | undefined

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-pressure-'))
})
afterEach(async () => {
  if (server?.alive === true) await server.kill()
  await rm(directory, { recursive: true, force: true })
})

async function start(flags: Flags = {}): Promise<ServerProcess> {
  server = await ServerProcess.start({ data: directory, 'commit-window': '20ms', 'disk-reserve': '1MiB', ...flags })
  return server
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(20)
}

/** Ends the server and checks its store. */
async function expectStored(sent: readonly SentRequest[], where = directory): Promise<void> {
  expect(await server?.end()).toBe(0)
  const engine = await openEmbedded({ directory: join(where, 'store') })
  try {
    await checkStore(engine, sent, 10)
  } finally {
    await engine.close()
  }
}

/** Sends `count` requests, one after the other. */
async function sendAll(to: ServerProcess, count: number): Promise<SentRequest[]> {
  const sent = Array.from({ length: count }, (_, n) => sentRequest(n))
  for (const request of sent) expect(await sendHttp(to, request)).toMatchObject({ status: 200 })
  return sent
}

test(
  'with a slow store the server rejects with a retry time, bounds its memory and still runs queries',
  { timeout: 120_000 },
  async () => {
    const running = await start({ 'max-backlog': '1MiB', 'max-in-flight': '4MiB' })
    const [first] = await sendAll(running, 1)
    const idle = running.memory('VmRSS')
    running.slow(2000)
    const accepted: SentRequest[] = [first]
    const refusals = new Set<string>()
    let n = 1
    const end = Date.now() + 6000
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (Date.now() < end) {
          const request = largeLogs(n++)
          const { status, retryAfter, text } = await sendHttp(running, request)
          if (status === 200) accepted.push(request)
          else {
            refusals.add(`${status} ${/the store is too slow|too many requests/.exec(text)?.[0] ?? text}`)
            expect(retryAfter).toBeGreaterThanOrEqual(1)
            expect(retryAfter).toBeLessThanOrEqual(30)
            await sleep(5)
          }
        }
      }),
    )
    // If queries waited for inserts of eight seconds each, twenty of them would exceed the test's timeout.
    running.slow(8000)
    for (let i = 0; i < 20; i++) expect(await running.select('SELECT count() FROM requests')).toHaveLength(1)
    const readiness = await running.readiness()
    expect(readiness).toMatchObject({ status: 503, ready: false })
    expect(readiness.codes).toContain('backlog-full')
    expect([...refusals]).toEqual(expect.arrayContaining(['503 the store is too slow']))
    // 16 senders of 100 kB each could have filled hundreds of megabytes.
    expect(running.memory('VmHWM') - idle).toBeLessThan(400 * MIB)
    running.slow(0)
    await waitReady(running)
    await expectStored(accepted)
  },
)

async function waitReady(running: ServerProcess): Promise<void> {
  await until(async () => (await running.readiness()).status === 200)
}

/** About 100 kB that do not compress. */
function largeLogs(n: number): SentRequest {
  // Every sixth request of sent-request.ts has logs.
  const request = sentRequest(n * 6 + 3)
  const text = Buffer.from(request.body).toString()
  const padding = randomBytes(50_000).toString('hex')
  return { ...request, ...identified('logs', Buffer.from(text.replace('record 0', `record 0 ${padding}`))) }
}

describe('with a full disk the server', () => {
  test('reports it, rejects requests, and continues when there is space again', async context => {
    const disk = join(directory, 'disk')
    try {
      execFileSync('mkdir', [disk])
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', disk], { stdio: 'pipe' })
    } catch {
      process.stdout.write('Skipped: cannot mount a small file system here.\n')
      context.skip()
    }
    try {
      const running = await start({ data: disk, 'disk-reserve': '32MiB' })
      const senders = new Senders(8, sentRequest, 20)
      senders.aim(running)
      await until(() => senders.acknowledged.length > 50)
      // First below the reserve, as if by another program's files, then to the last byte, which the store itself hits.
      const filler = join(disk, 'filler')
      await fillDisk(filler, disk, 16 * MIB)
      await until(async () => (await running.readiness()).codes.includes('disk-low'))
      expect(await running.readiness()).toMatchObject({ status: 503, ready: false })
      const refused = await sendHttp(running, sentRequest(1_000_000))
      expect(refused.status).toBe(503)
      expect(refused.retryAfter).toBeGreaterThanOrEqual(1)
      expect(refused.text).toMatch(/disk/)
      await rm(filler)
      const before = senders.acknowledged.length
      await until(() => senders.acknowledged.length > before + 50)
      await fillDisk(filler, disk, 0)
      await until(async () => (await running.readiness()).status === 503)
      await sleep(1000)
      await rm(filler)
      await waitReady(running)
      await senders.finish()
      // Inserts are retried with growing pauses while the disk is full. At the end of the server the rest would stay in the journal.
      await until(async () => !(await readdir(join(disk, 'journal'))).some(name => /^\d+$/.test(name)))
      expect(senders.faults).toEqual([])
      expect(running.log).toMatch(/the disk is almost full|cannot write the journal/)
      await expectStored(senders.acknowledged, disk)
    } finally {
      if (server?.alive === true) await server.kill()
      execFileSync('umount', ['-l', disk])
    }
  })
})

async function fillDisk(file: string, disk: string, leave: number): Promise<void> {
  const handle = await open(file, 'w')
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(disk)
      const bytes = Math.min(MIB, bavail * bsize - leave)
      if (bytes <= 0) return
      await handle.write(Buffer.alloc(bytes, 7))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await handle.close()
  }
}

test('acknowledged requests wait for a lost ClickHouse and arrive later', async () => {
  const behind = await startClickHouseHttp({ directory: join(directory, 'clickhouse') })
  const gate = await TcpGate.open(behind.port)
  const url = `clickhouse://default@127.0.0.1:${gate.port}/default`
  try {
    const running = await start({ store: url })
    const sent = await sendAll(running, 12)
    await gate.shut()
    for (let n = 12; n < 40; n++) {
      const request = sentRequest(n)
      expect(await sendHttp(running, request)).toMatchObject({ status: 200 })
      sent.push(request)
    }
    await until(async () => (await running.readiness()).codes.includes('engine-unavailable'))
    // The server still accepts requests, because the journal has room.
    expect(await running.readiness()).toMatchObject({ status: 200, ready: true })
    expect(running.log).toContain('cannot insert into the store; rows wait in the journal')
    // Also after a kill: the next start finds the acknowledged requests in the journal.
    await running.kill()
    await expect(ServerProcess.start({ data: directory, store: url })).rejects.toThrow(
      /ECONNREFUSED|unavailable|connect/,
    )
    await gate.reopen()
    const again = await start({ store: url })
    for (const request of sent) expect(await sendHttp(again, request)).toMatchObject({ status: 200 })
    expect(await again.end()).toBe(0)
    const engine = await openClickHouse({ url })
    try {
      await checkStore(engine, sent, 5)
    } finally {
      await engine.close()
    }
  } finally {
    await gate.shut()
    await behind.close()
  }
})

test('after a restart the server is ready when everything acknowledged can be queried', async () => {
  // Each request is a group of its own, and none is inserted before the kill.
  const running = await start({ 'commit-window': '0ms' })
  running.slow(3_600_000)
  const sent = await sendAll(running, 40)
  await running.kill()
  const again = await start()
  await until(async () => {
    const { status, codes } = await again.readiness()
    expect(status).toBe(codes.length === 0 ? 200 : 503)
    return status === 200
  })
  expect(await again.select('SELECT count() FROM requests')).toEqual([`(${sent.length})`])
  await expectStored(sent)
})

test('with damaged store files the server starts, reports the loss and serves the rest', async () => {
  const running = await start()
  await sendAll(running, 12)
  expect(await running.end()).toBe(0)
  const [logs, spans, points, profiles] = await dataFilesOf('logs', 'spans', 'metric_points', 'profiles')
  await truncate(logs, 20)
  await rm(spans)
  await writeFile(join(points, '../checksums.txt'), '')
  const changed = await open(profiles, 'r+')
  await changed.write(Buffer.alloc(64, 0xff), 0, 64, 40)
  await changed.close()
  const again = await start()
  const { status, problems } = await again.prepared()
  expect(status).toBe(200)
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['parts-broken']))
  for (const table of ['logs', 'spans', 'metric_points']) {
    const damaged = `a part of ${table} is damaged`
    expect(problems.filter(({ message }) => message.includes(damaged))).toHaveLength(1)
    expect(again.log).toContain(damaged)
  }
  // Changed bytes are found by a query, which responds from the other parts.
  await again.select('SELECT * FROM profiles')
  const after = await again.readiness()
  expect(after.codes).toEqual(Array.from({ length: 4 }, () => 'parts-broken'))
  expect(after.problems.some(({ message }) => message.includes('a part of profiles is damaged'))).toBe(true)
  expect(await again.select('SELECT count() FROM requests')).toEqual(['(12)'])
  expect(await again.select('SELECT count() > 0 FROM stacks')).toEqual(['(1)'])
  expect(await sendHttp(again, sentRequest(15))).toMatchObject({ status: 200 })
  expect(await again.end()).toBe(0)
})

/** A data file of each table's largest active part. */
async function dataFilesOf(...tables: readonly string[]): Promise<readonly string[]> {
  const engine = await openEmbedded({ directory: join(directory, 'store') })
  try {
    return await Promise.all(
      tables.map(async table => {
        const parts = await engine.select(
          `SELECT path FROM system.parts WHERE active AND database = currentDatabase() AND table = '${table}' ORDER BY rows DESC`,
        )
        const path = parts.column('path').text(0)
        const names = await readdir(path)
        return join(path, names.find(name => name === 'data.bin') ?? names.find(name => name.endsWith('.bin')) ?? '')
      }),
    )
  } finally {
    await engine.close()
  }
}
