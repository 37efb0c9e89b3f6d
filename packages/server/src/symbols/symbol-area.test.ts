import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AboutFile } from './about-file.ts'
import { SymbolArea } from './symbol-area.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-area-'))
let folder: string
let tests = 0
beforeEach(() => (folder = join(directory, `area-${tests++}`)))
afterAll(() => rmSync(directory, { recursive: true }))

function about(number: number, more: Partial<AboutFile> = {}): AboutFile {
  const id = number.toString(16).padStart(32, '0')
  const sizes = { fileBytes: 60, indexBytes: 40, created: number, segments: [] }
  return {
    id,
    name: `f${number}`,
    source: 'upload',
    buildIds: [`id${number}`],
    format: 'elf',
    quality: 'lines',
    ...sizes,
    ...more,
  }
}

/** A folder with the files of an upload. */
function incoming(): string {
  const path = mkdtempSync(join(directory, 'incoming-'))
  for (const name of ['file', 'index']) writeFileSync(join(path, name), name)
  return path
}

describe('SymbolArea', () => {
  it('finds files by any build id, also after it is opened again', async () => {
    const area = new SymbolArea({ folder, maxBytes: 1000, whenFull: 'reject' })
    await area.add(incoming(), about(1, { buildIds: ['gnu', 'hash'] }))
    for (const open of [area, new SymbolArea({ folder, maxBytes: 1000, whenFull: 'reject' })]) {
      expect(open.find(['hash', 'other']).map(file => file.about.name)).toEqual(['f1'])
      expect(open.find(['other'])).toEqual([])
      expect(open.bytes).toBe(100)
    }
  })

  it('rejects files beyond its limit, and frees space when one is removed', async () => {
    const area = new SymbolArea({ folder, maxBytes: 250, whenFull: 'reject' })
    await area.add(incoming(), about(1))
    await area.add(incoming(), about(2))
    await expect(area.add(incoming(), about(3))).rejects.toMatchObject({ code: 'quota' })
    // The same content replaces itself.
    await area.add(incoming(), about(2))
    expect(await area.remove(about(1).id)).toBe(true)
    expect(await area.remove(about(1).id)).toBe(false)
    await area.add(incoming(), about(3))
    expect(area.bytes).toBe(200)
  })

  it('drops the files that were not used for the longest time if it is a cache', async () => {
    const area = new SymbolArea({ folder, maxBytes: 250, whenFull: 'drop' })
    await area.add(incoming(), about(1))
    await area.add(incoming(), about(2))
    area.find(['id1'])
    await area.add(incoming(), about(3))
    expect(area.files.map(file => file.about.name)).toEqual(['f1', 'f3'])
    expect(existsSync(join(folder, about(2).id))).toBe(false)
  })

  it('keeps uploads with a damaged description', async () => {
    const open = (): SymbolArea => new SymbolArea({ folder, maxBytes: 1000, whenFull: 'reject' })
    const area = open()
    await area.add(incoming(), about(1))
    await area.add(incoming(), about(2))
    const path = (number: number): string => join(folder, about(number).id, 'about.json')
    writeFileSync(path(1), readFileSync(path(1), 'utf8').replace('"f1"', '"f0"'))
    for (const damaged of [path(2), `${path(2)}.previous`]) writeFileSync(damaged, '{')
    // Twice, because the first start moves damaged files.
    for (const again of [open(), open()]) expect(again.files.map(file => file.about.name)).toEqual(['f1'])
    const [kept] = readdirSync(folder).filter(name => name.startsWith(`${about(2).id}.damaged-`))
    expect(readFileSync(join(folder, kept, 'file'), 'utf8')).toBe('file')
    expect(await area.remove(about(1).id)).toBe(true)
    expect(readdirSync(folder)).toEqual([kept])
  })

  it('removes folders without a valid description if it is a cache, and the rest of a deleted upload', () => {
    mkdirSync(join(folder, 'half'), { recursive: true })
    writeFileSync(join(folder, 'half', 'about.json'), '{')
    const area = new SymbolArea({ folder, maxBytes: 250, whenFull: 'drop' })
    expect([area.files, existsSync(join(folder, 'half'))]).toEqual([[], false])
    mkdirSync(join(folder, 'deleted'))
    writeFileSync(join(folder, 'deleted', 'file'), 'file')
    expect(new SymbolArea({ folder, maxBytes: 250, whenFull: 'reject' }).files).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })
})
