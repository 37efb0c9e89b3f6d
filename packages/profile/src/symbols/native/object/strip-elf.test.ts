import { describe, expect, it } from 'vitest'
import { readSymbols } from '../read-symbols.ts'
import { bytesOf } from '../testing/fuzz-symbols.ts'
import { programs } from '../testing/generated/programs.ts'
import { goProgram } from '../testing/elf-files.ts'
import { sectionCodecs } from './section-codecs.ts'
import { readElf } from './elf.ts'
import { stripElf } from './strip-elf.ts'

describe('stripElf', () => {
  for (const name of ['dwarf5', 'dwarf4', 'compressed'] as const) {
    it(`keeps every name, line and build id of ${name}, and drops its code`, () => {
      const bytes = bytesOf(programs[name])
      const stripped = stripElf(bytes)
      expect(stripped.length).toBeLessThan(bytes.length)
      const [before, after] = [readSymbols(bytes), readSymbols(stripped)]
      expect(after.index).toEqual(before.index)
      expect(after.buildId).toBe(before.buildId)
      expect(after.object?.segments).toEqual(before.object?.segments)
      const code = readElf(stripped, sectionCodecs(undefined)).sections.find(section => section.name === '.text')
      expect(code?.content().length).toBe(0)
      expect(stripElf(stripped)).toEqual(stripped)
    })
  }

  it('keeps the function table of Go, with its inlined calls', () => {
    for (const kind of [{}, { version: 12 }, { version: 118 }, { release: 27, section: '.data.rel.ro' }] as const) {
      const bytes = goProgram(kind)
      expect(readSymbols(stripElf(bytes)).index).toEqual(readSymbols(bytes).index)
    }
  })

  it('drops the debug information of variables', () => {
    const bytes = bytesOf(programs.dwarf5)
    const sizes = (file: Uint8Array) =>
      new Map(readElf(file, sectionCodecs(undefined)).sections.map(({ name, content }) => [name, content().length]))
    expect(sizes(bytes).get('.debug_loclists')).toBeGreaterThan(0)
    expect(sizes(stripElf(bytes)).get('.debug_loclists')).toBe(0)
    expect(sizes(stripElf(bytes)).get('.debug_info')).toBe(sizes(bytes).get('.debug_info'))
  })

  it('leaves other files as they are', () => {
    const bytes = new TextEncoder().encode('ffffffff81000000 T _text\n')
    expect(stripElf(bytes)).toBe(bytes)
  })

  it('rejects sections outside the file with a typed error, and never reads beyond it', () => {
    const bytes = bytesOf(programs.dwarf5)
    for (let length = 0; length < bytes.length; length += 97) {
      try {
        stripElf(bytes.slice(0, length))
      } catch (error) {
        expect((error as Error).name).toBe('SymbolFileError')
      }
    }
  })
})
