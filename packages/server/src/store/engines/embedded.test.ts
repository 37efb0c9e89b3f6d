// What only the embedded engine has: a directory that one process owns, parts on this machine's disk, threads to share.
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
  // A directory's name may have anything in it.
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
  test('a directory that another process has open is refused, and free again when that one is killed', async () => {
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

  test('a second directory in this process is refused', async () => {
    const engine = await openEmbedded({ directory })
    const error = await errorOf(openEmbedded({ directory: `${directory}-second` }))
    expect([error.fault, error.message.includes('in use')]).toEqual(['unavailable', true])
    await engine.close()
    await rm(`${directory}-second`, { recursive: true, force: true })
  })

  test('a directory that cannot be made is named', async () => {
    const error = await errorOf(openEmbedded({ directory: '/dev/null/store' }))
    expect([error.fault, error.message]).toEqual(['unavailable', expect.stringContaining('/dev/null/store')])
  })

  test('a part that has changed on disk is corrupt', async () => {
    const engine = await openEmbedded({ directory })
    await engine.command('CREATE TABLE broken (a UInt64) ENGINE = MergeTree ORDER BY a')
    // Few rows: the engine looks for a single flipped bit before it gives up, and over a block of 64 KB that takes seconds.
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

  test('files are read and queries ended while more queries run than there are threads', async () => {
    const engine = await openEmbedded({ directory })
    const stop = new AbortController()
    const heavy = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'
    const faults = Promise.all(Array.from({ length: 10 }, () => errorOf(engine.select(heavy, { signal: stop.signal }))))
    // Never comes, where the queries hold all threads.
    expect((await readFile(new URL(import.meta.url))).length).toBeGreaterThan(0)
    stop.abort()
    expect((await faults).map(error => error.fault)).toEqual(Array.from({ length: 10 }, () => 'cancelled'))
    await engine.close()
  })

  test('rows that a query gave before it failed are in no other answer', async () => {
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
      const answer = await engine.select('SELECT 1 AS one')
      expect([answer.rows, answer.column('one').number(0)]).toEqual([1, 1])
    }
    await engine.close()
  })

  test('a path that the engine would read as a pattern is refused before it is asked', async () => {
    const engine = await openEmbedded({ directory })
    for (const file of ['/tmp/a*', '/tmp/a?', '/tmp/{a,b}', '/tmp/a.zip::b', '/tmp/\0']) {
      const error = await errorOf(engine.insert('t', { file, columns: ['a'] }, { token: 'x' }))
      expect(error.fault).toBe('refused')
    }
    await engine.close()
  })

  test('the whole engine stays within its memory', async () => {
    const engine = await openEmbedded({ directory, engineMemoryBytes: 1_000_000_000 })
    const caches = await engine.select("SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'")
    expect(caches.column('value').text(0)).toBe('100000000')
    const error = await errorOf(engine.select('SELECT length(groupArray(number)) FROM numbers(1000000000)'))
    expect([error.fault, error.message]).toEqual(['limit', expect.stringContaining('total')])
    await engine.close()
  })

  test('queries that close() would wait for too long are ended', async () => {
    const engine = await openEmbedded({ directory, closeSeconds: 0.2, threads: 8 })
    const long = errorOf(engine.select('SELECT sum(sipHash64(number)) FROM numbers(1000000000000)'))
    const forgotten = engine.selectBlocks('SELECT number FROM system.numbers')[Symbol.asyncIterator]()
    expect((await forgotten.next()).done).toBe(false)
    await engine.close()
    expect((await long).fault).toBe('cancelled')
    const again = await openEmbedded({ directory })
    await again.close()
  })

  test('so are those that begin only when others have been ended', async () => {
    // Six, as if there were threads for them; the pool has four unless told.
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
])('with %d threads %d queries and %d writers at once', (threads, readers, writers) => {
  expect(sessionCounts({ threads })).toEqual({ readers, writers })
})

test('what is asked for is held within the threads', () => {
  expect(sessionCounts({ threads: 8, readers: 100, writers: 100 })).toEqual({ readers: 1, writers: 5 })
  expect(sessionCounts({ threads: 8, readers: 2, writers: 1 })).toEqual({ readers: 2, writers: 1 })
})
