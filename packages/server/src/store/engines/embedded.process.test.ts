// Tests of the embedded engine only: the lock on its directory, parts on disk, and shared threads.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EngineError } from '../engine.ts'
import { openEmbedded, sessionCounts } from './embedded.ts'

let directory = ''

beforeAll(async () => {
  // A directory name may contain any character.
  directory = await mkdtemp(join(tmpdir(), "hearth it's {a,b}*?&=%20 ü-"))
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

async function errorOf(work: Promise<unknown>): Promise<EngineError> {
  return (await work.then(
    () => new Error('it worked'),
    (error: unknown) => error,
  )) as EngineError
}

describe('embedded', () => {
  test('refuses a directory that another process has open, and opens it after that process is killed', async () => {
    const chdb = createRequire(import.meta.url).resolve('chdb')
    const code =
      'const s = new (require(process.argv[1]).Session)(process.argv[2]); s.query("SELECT 1"); console.log("open"); setInterval(() => {}, 1000)'
    const other = spawn(process.execPath, ['-e', code, chdb, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    const error = await errorOf(openEmbedded({ directory }))
    other.kill('SIGKILL')
    await once(other, 'exit')
    expect([error.name, error.fault]).toEqual(['EngineError', 'unavailable'])
    expect(error.message).toContain(`is in use by process ${other.pid}`)
    const engine = await openEmbedded({ directory })
    expect((await engine.select('SELECT 1 AS one')).column('one').number(0)).toBe(1)
    await engine.close()
  })

  test('refuses a second directory in one process', async () => {
    const engine = await openEmbedded({ directory })
    const error = await errorOf(openEmbedded({ directory: `${directory}-second` }))
    expect([error.fault, error.message.includes('has another one open')]).toEqual(['unavailable', true])
    await engine.close()
    await rm(`${directory}-second`, { recursive: true, force: true })
  })

  test('names a directory that it cannot create', async () => {
    const error = await errorOf(openEmbedded({ directory: '/dev/null/store' }))
    expect([error.fault, error.message]).toEqual(['unavailable', expect.stringContaining('/dev/null/store')])
  })

  test('reports a part that changed on disk as corrupt', async () => {
    const engine = await openEmbedded({ directory })
    await engine.command('CREATE TABLE broken (a UInt64) ENGINE = MergeTree ORDER BY a')
    // Few rows: the engine searches for a single flipped bit first, which takes seconds for a block of 64 KB.
    await engine.command('INSERT INTO broken SELECT sipHash64(number) FROM numbers(1000)')
    const found = await engine.select("SELECT path FROM system.parts WHERE table = 'broken' AND active")
    const part = found.column('path').text(0)
    const name = (await readdir(part)).find(file => file.endsWith('.bin')) ?? ''
    const file = await open(join(part, name), 'r+')
    await file.write(Buffer.alloc(64, 0xff), 0, 64, 1000)
    await file.close()
    expect((await errorOf(engine.select('SELECT sum(a) FROM broken'))).fault).toBe('corrupt')
    expect((await engine.select('SELECT 1 AS one')).rows).toBe(1)
    await engine.close()
  })

  test('reads files and cancels queries while more queries run than there are threads', async () => {
    const engine = await openEmbedded({ directory })
    const stop = new AbortController()
    const heavy = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'
    const faults = Promise.all(Array.from({ length: 10 }, () => errorOf(engine.select(heavy, { signal: stop.signal }))))
    // This would never resolve if the queries held all threads.
    expect((await readFile(new URL(import.meta.url))).length).toBeGreaterThan(0)
    stop.abort()
    expect((await faults).map(error => error.fault)).toEqual(Array.from({ length: 10 }, () => 'cancelled'))
    await engine.close()
  })

  test('does not mix rows of a failed query into other results', async () => {
    const engine = await openEmbedded({ directory, readers: 1 })
    const failing =
      'SELECT number AS one, throwIf(number = 1000000) FROM numbers(2000000) SETTINGS max_block_size = 10000'
    for (const ask of [
      () => engine.select(failing),
      async () => {
        for await (const block of engine.selectBlocks(failing)) expect(block.rows).toBeGreaterThan(0)
      },
    ]) {
      expect((await errorOf(ask())).code).toBe(395)
      const response = await engine.select('SELECT 1 AS one')
      expect([response.rows, response.column('one').number(0)]).toEqual([1, 1])
    }
    await engine.close()
  })

  test('rejects a path that the engine would read as a pattern', async () => {
    const engine = await openEmbedded({ directory })
    for (const file of ['/tmp/a*', '/tmp/a?', '/tmp/{a,b}', '/tmp/a.zip::b', '/tmp/\0']) {
      const error = await errorOf(engine.insert('t', { file, columns: ['a'] }, { token: 'x' }))
      expect(error.fault).toBe('refused')
    }
    await engine.close()
  })

  test('stays within its memory limit', async () => {
    const engine = await openEmbedded({ directory, engineMemoryBytes: 1_000_000_000 })
    const caches = await engine.select("SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'")
    expect(caches.column('value').text(0)).toBe('100000000')
    const error = await errorOf(engine.select('SELECT length(groupArray(number)) FROM numbers(1000000000)'))
    expect([error.fault, error.message]).toEqual(['limit', expect.stringContaining('total')])
    await engine.close()
  })

  test('cancels queries that would delay close() for too long', async () => {
    const engine = await openEmbedded({ directory, closeSeconds: 0.2, threads: 8 })
    const long = errorOf(engine.select('SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'))
    const forgotten = engine.selectBlocks('SELECT number FROM system.numbers')[Symbol.asyncIterator]()
    expect((await forgotten.next()).done).toBe(false)
    await engine.close()
    expect((await long).fault).toBe('cancelled')
    const again = await openEmbedded({ directory })
    await again.close()
  })

  test('also cancels queries that start while others are being cancelled', async () => {
    // Six sessions, as if there were threads for them. The pool has four by default.
    const engine = await openEmbedded({ directory, closeSeconds: 0.2, threads: 16 })
    const heavy = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'
    const faults = Promise.all(Array.from({ length: 6 }, () => errorOf(engine.select(heavy))))
    await engine.close()
    expect((await faults).map(error => error.fault)).toEqual(Array.from({ length: 6 }, () => 'cancelled'))
  })
})

test.each([
  [4, 1, 1],
  [1, 1, 1],
  [8, 4, 2],
  [16, 6, 2],
])('allows with %d threads %d queries and %d writers', (threads, readers, writers) => {
  expect(sessionCounts({ threads })).toEqual({ readers, writers })
})

test('limits requested sessions to the available threads', () => {
  expect(sessionCounts({ threads: 8, readers: 100, writers: 100 })).toEqual({ readers: 1, writers: 5 })
  expect(sessionCounts({ threads: 8, readers: 2, writers: 1 })).toEqual({ readers: 2, writers: 1 })
})
