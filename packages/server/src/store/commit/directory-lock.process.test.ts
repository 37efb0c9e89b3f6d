import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DirectoryInUseError, lockDirectory } from './directory-lock.ts'
import { LogLines } from './testing/open-queue.ts'

let directory = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hearth-lock-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

test('lockDirectory allows one lock at a time, for short and long paths', async () => {
  const deep = join(directory, 'd'.repeat(60), 'e'.repeat(60))
  await mkdir(deep, { recursive: true })
  for (const path of [directory, deep]) {
    const log = new LogLines()
    const lock = await lockDirectory(path, log)
    await expect(lockDirectory(path, log)).rejects.toThrow(DirectoryInUseError)
    await lock.release()
    const again = await lockDirectory(path, log)
    await again.release()
    expect((await readdir(path)).filter(name => name.startsWith('lock'))).toEqual([])
    expect(log.lines).toEqual([])
  }
})

test('lockDirectory takes over the lock of a killed process, once', async () => {
  const path = JSON.stringify(join(directory, 'lock'))
  const script = `require('net').createServer().listen(${path}, () => console.log('locked'))`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  await expect(lockDirectory(directory, new LogLines())).rejects.toThrow(DirectoryInUseError)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await readdir(directory)).toEqual(['lock'])
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory, new LogLines())))
  const locks = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
  expect(locks.length).toBe(1)
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(DirectoryInUseError)
  await expect(lockDirectory(directory, new LogLines())).rejects.toThrow(DirectoryInUseError)
  await locks[0].release()
})

test('lockDirectory ignores a file that is not a socket', async () => {
  await writeFile(join(directory, 'lock'), '')
  const lock = await lockDirectory(directory, new LogLines())
  await lock.release()
})
