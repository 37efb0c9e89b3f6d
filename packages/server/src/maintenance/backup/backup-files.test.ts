import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeState } from '../../files/state-file.ts'
import { backUpFile, filesToBackUp, isBackedUp, lostFiles, restoreFiles } from './backup-files.ts'
import { hashOf } from './manifest.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-backup-files-'))
afterAll(() => rmSync(directory, { recursive: true }))

const KEPT = {
  'access.json': '{}',
  'access.required': 'yes',
  'redaction.key': 'secret',
  'audit/audit-2026-11.ndjson': '{}\n',
  'broker/triggers-default.json': '[]',
  'journal/refused/0000000007/spans.native': 'rows',
  'symbols/tenants/shop/ab12/file': 'x'.repeat(33 * 2 ** 20),
}
const LEFT_OUT = [
  'access.json.previous',
  'access.json.damaged-20261118T000000000Z-ab12',
  'control.json',
  'journal/0000000008/spans.native',
  'journal/counter.json',
  'quarantine/parts/spans/data.bin',
  'restoring-x/spans.native',
  'sessions.json',
  'store/data/default/spans/data.bin',
  'symbols/shared/ab12/file',
]

function fill(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

describe('the files of a backup', () => {
  it('are all files but those of the store, of the process, caches and earlier versions', async () => {
    const data = join(directory, 'data')
    fill(data, { ...KEPT, ...Object.fromEntries(LEFT_OUT.map(path => [path, 'x'])) })
    const paths = await filesToBackUp(data)
    expect(paths).toEqual(Object.keys(KEPT).sort())

    const objects = new Map<string, Uint8Array>()
    const write = async (content: Uint8Array): Promise<{ sha256: string; bytes: number }> => {
      const sha256 = hashOf(content)
      objects.set(sha256, Buffer.from(content))
      return { sha256, bytes: content.length }
    }
    const stored = (await Promise.all(paths.map(path => backUpFile(data, path, [], write)))).flat()
    expect(stored).toHaveLength(paths.length + 1)
    // Files that have not changed are not read again.
    const again = await Promise.all(paths.map(path => backUpFile(data, path, stored, () => expect.fail('read again'))))
    expect(again.flat()).toEqual(stored)

    const restored = join(directory, 'restored')
    fill(restored, { 'redaction.key': 'its own' })
    await restoreFiles(restored, stored, async ({ sha256 }) => objects.get(sha256)!)
    const contents = Object.fromEntries(paths.map(path => [path, readFileSync(join(restored, path), 'utf8')]))
    expect(contents).toEqual({ ...KEPT, 'redaction.key': 'its own' })
    expect(statSync(join(restored, 'access.json')).mode & 0o777).toBe(0o600)
  })

  it('lack damaged and missing state files that have a previous version', async () => {
    const data = join(directory, 'damaged')
    const intact = encodeState([])
    fill(data, {
      'access.json': '{"check":1,"con',
      'access.json.previous': intact,
      'broker/triggers-default.json': intact,
      'broker/triggers-default.json.previous': '{"check":1,"con',
      'broker/triggers-default.json.damaged-20261118T000000000Z-ab12': '{"check":1,"con',
      'saved/views-default.json.previous': intact,
      'journal/counter.json': '{"check":1,"con',
    })
    expect(await lostFiles(data)).toEqual(['access.json', 'saved/views-default.json'])
  })

  it.each(['../evil', '/etc/passwd', 'a/../../evil', 'store/x', 'a\\b', ''])('cannot be %j', async path => {
    expect(isBackedUp(path)).toBe(false)
    const file = { path, sha256: '0'.repeat(64), bytes: 1 }
    await expect(restoreFiles(directory, [file], async () => Buffer.from('x'))).rejects.toThrow('unknown file')
  })
})
