// The S3 target of backups against the S3 of another project, which checks signatures, pages lists and reports errors its own way.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTarget } from '../../packages/server/src/maintenance/backup/open-target.ts'
import { RunningPeer, S3_GATEWAY, findPeer, freePort } from './peer.ts'

const gateway = findPeer(S3_GATEWAY)
const CREDENTIALS = { accessKeyId: 'hearth', secretAccessKey: 'a/secret+key=' }

describe.skipIf(gateway === undefined)('S3Target against the Versity S3 Gateway', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-s3-'))
  let running: RunningPeer
  let endpoint: string

  beforeAll(async () => {
    mkdirSync(join(directory, 'buckets', 'backups'), { recursive: true })
    // Buckets are folders. The sidecar keeps metadata where the file system has no extended attributes.
    mkdirSync(join(directory, 'metadata'))
    const port = await freePort()
    const { accessKeyId, secretAccessKey } = CREDENTIALS
    const server = ['--port', `127.0.0.1:${port}`, '--access', accessKeyId, '--secret', secretAccessKey]
    const backend = ['posix', '--sidecar', join(directory, 'metadata'), join(directory, 'buckets')]
    running = new RunningPeer(gateway!, [...server, '--region', 'eu-test-1', '--quiet', ...backend])
    endpoint = `http://127.0.0.1:${port}`
    await running.until(async () => (await fetch(endpoint)).status > 0)
  })
  afterAll(async () => {
    await running.stop()
    rmSync(directory, { recursive: true })
  })

  const open = (bucket = 'backups', credentials = CREDENTIALS) =>
    openTarget(`s3://${bucket}/some prefix/a+b?region=eu-test-1&endpoint=${encodeURIComponent(endpoint)}`, credentials)

  it('writes, replaces, reads, lists and removes objects', async () => {
    const target = open()
    const bytes = Buffer.alloc(3 * 2 ** 20, 'hearth')
    await target.write('data/first.gz', bytes)
    await target.write('manifest.json', Buffer.from('old'))
    await target.write('manifest.json', Buffer.from('new'))
    const read = await target.read('data/first.gz')
    expect(createHash('sha256').update(read!).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(Buffer.from((await target.read('manifest.json'))!).toString()).toBe('new')
    expect(await target.read('missing')).toBeUndefined()
    expect(await target.list()).toEqual(['data/first.gz', 'manifest.json'])
    await target.remove('data/first.gz')
    await target.remove('data/first.gz')
    expect(await target.list()).toEqual(['manifest.json'])
  })

  it('lists more objects than a page has', async () => {
    const target = open()
    const names = Array.from({ length: 1005 }, (_, i) => `many/${String(i).padStart(4, '0')}`)
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map(name => target.write(name, Buffer.from(name))))
    expect((await target.list()).filter(name => name.startsWith('many/'))).toEqual(names)
  })

  it('reports wrong credentials and a missing bucket', async () => {
    await expect(open('backups', { ...CREDENTIALS, secretAccessKey: 'wrong' }).list()).rejects.toThrow(/status 403 .+/)
    await expect(open('backups', { ...CREDENTIALS, accessKeyId: 'nobody' }).list()).rejects.toThrow(/status 40[34] .+/)
    await expect(open('elsewhere').write('x', Buffer.from('x'))).rejects.toThrow(/status 404 .*bucket/i)
    await expect(open('elsewhere').read('x')).rejects.toThrow(/status 404 .*bucket/i)
  })
})
