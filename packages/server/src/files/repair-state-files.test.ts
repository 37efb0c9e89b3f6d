import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repairStateFiles } from './repair-state-files.ts'
import { StateFile } from './state-file.ts'
import { stateFileProblems } from './state-problems.ts'

let directory: string
let quarantine: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-repair-'))
  quarantine = join(directory, 'quarantine')
})
afterEach(() => rmSync(directory, { recursive: true }))

const DAMAGE = '{"check":1,"con'

/** A file that was written twice. */
function twice(path: string): StateFile<number> {
  const file = new StateFile(join(directory, path), { parse: json => json as number })
  for (const n of [1, 2]) file.writeSync(n)
  return file
}

const contentOf = (file: StateFile<number>): unknown =>
  [
    file.read(),
    new StateFile(`${file.path}.previous`, {
      parse: json => json as number,
    }).read(),
  ].map(({ content, damage }) => damage ?? content)
const quarantined = (): readonly string[] =>
  readdirSync(quarantine).map(name => readFileSync(join(quarantine, name), 'utf8'))

describe('repairStateFiles', () => {
  it('replaces damaged and lost files by their previous versions', async () => {
    const files = ['access.json', 'symbols/tenants/shop/ab12/about.json', 'identity.json'].map(twice)
    writeFileSync(files[0].path, DAMAGE)
    writeFileSync(files[1].path, DAMAGE)
    rmSync(files[2].path)
    expect((await repairStateFiles(directory, quarantine)).map(step => step.split(/[:.]/)[0]).sort()).toEqual([
      'access',
      'access',
      'identity',
      'symbols/tenants/shop/ab12/about',
      'symbols/tenants/shop/ab12/about',
    ])
    expect(files.map(contentOf)).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ])
    expect(quarantined()).toEqual([DAMAGE, DAMAGE])
    expect(await stateFileProblems(directory, { content: true })).toEqual([])
  })

  it('replaces damaged previous versions by the files', async () => {
    const file = twice('access.json')
    writeFileSync(`${file.path}.previous`, DAMAGE)
    expect(await stateFileProblems(directory, { content: true })).toMatchObject([
      { file: 'access.json.previous', message: 'is not complete JSON' },
    ])
    expect(await repairStateFiles(directory, quarantine)).toEqual([
      expect.stringMatching(/^access\.json\.previous\.damaged-\S+: moved to /),
    ])
    expect(contentOf(file)).toEqual([2, 2])
    expect(await stateFileProblems(directory, { content: true })).toEqual([])
  })

  it('changes nothing if no version is intact', async () => {
    const { path } = twice('access.json')
    for (const each of [path, `${path}.previous`]) writeFileSync(each, DAMAGE)
    rmSync(twice('identity.json').path)
    writeFileSync(join(directory, 'identity.json.previous'), DAMAGE)
    const before = await stateFileProblems(directory, { content: true })
    expect(await repairStateFiles(directory, quarantine)).toEqual([])
    expect(await stateFileProblems(directory, { content: true })).toEqual(before)
    expect(before).toHaveLength(4)
  })

  it('moves a debug file whose description is damaged', async () => {
    const path = join(directory, 'symbols/tenants/shop/ab12.damaged-20261118T000000000Z-ab12')
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'file'), 'file')
    await repairStateFiles(directory, quarantine)
    expect(readFileSync(join(quarantine, readdirSync(quarantine)[0], 'file'), 'utf8')).toBe('file')
    expect(await stateFileProblems(directory, { content: true })).toEqual([])
  })

  it('changes nothing without damage', async () => {
    const file = twice('access.json')
    expect(await repairStateFiles(directory, quarantine)).toEqual([])
    expect(contentOf(file)).toEqual([2, 1])
  })
})
