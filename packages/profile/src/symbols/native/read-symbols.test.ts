import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { sectionCodecs } from './object/section-codecs.ts'
import { readElf } from './object/elf.ts'
import { readSymbols } from './read-symbols.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { programs, truth } from './testing/generated/programs.ts'

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
}

function framesAt(index: SymbolIndex, address: bigint): string {
  return index
    .lookup(address)
    .map(({ name, file, line, column }) => `${name} ${file}:${line}:${column}`)
    .join(' < ')
}

/** Addresses and frames as the index has them, in the form of the recorded truth. */
function describeIndex(index: SymbolIndex): string[] {
  return truth.map(line => {
    const address = line.slice(0, line.indexOf(':'))
    return `${address}: ${framesAt(index, BigInt(address))}`
  })
}

describe('readSymbols', () => {
  for (const name of ['dwarf5', 'dwarf4', 'compressed'] as const) {
    it(`gives every instruction of ${name} the frames that llvm-symbolizer gives`, () => {
      const { index, dwarf, buildId } = readSymbols(bytesOf(programs[name]))
      expect(dwarf).toEqual({ units: 1, missingSplitUnits: 0, brokenUnits: 0, firstError: undefined })
      expect(buildId).toMatch(/^[0-9a-f]{40}$/)
      expect(describeIndex(SymbolIndex.open(index))).toEqual(truth)
    })
  }

  it('reads split debug information, and reports it where the file is missing', () => {
    const split = readElf(bytesOf(programs.split5Dwo), sectionCodecs(undefined))
    const { index, dwarf } = readSymbols(bytesOf(programs.split5), { splitUnit: () => split })
    expect(dwarf?.missingSplitUnits).toBe(0)
    expect(describeIndex(SymbolIndex.open(index))).toEqual(truth)
    const without = readSymbols(bytesOf(programs.split5))
    expect(without.dwarf?.missingSplitUnits).toBe(1)
    expect(SymbolIndex.open(without.index).lookup(0x401000n)[0].name).toBe('_ZNK4shop4Cart5totalEv')
  })

  it('finds nothing in a stripped binary, and names in its mini debug information', () => {
    expect(SymbolIndex.open(readSymbols(bytesOf(programs.stripped)).index).lookup(0x401000n)).toEqual([])
    const { index } = readSymbols(bytesOf(programs.miniDebugInfo))
    expect(
      SymbolIndex.open(index)
        .lookup(0x401000n)
        .map(({ name }) => name),
    ).toEqual(['_ZNK4shop4Cart5totalEv'])
  })

  it('reads perf maps, in which a later line replaces an earlier one', () => {
    const { format, index } = readSymbols(
      encodeUtf8('7f0010 10 LazyCompile:~old\n7f0040 20 stub\n7f0010 18 *new a.js:3\n'),
    )
    const symbols = SymbolIndex.open(index)
    expect(format).toBe('perf-map')
    expect(symbols.lookup(0x7f0020n)[0].name).toBe('*new a.js:3')
    expect(symbols.lookup(0x7f0028n)).toEqual([])
    expect(symbols.lookup(0x7f005fn)[0].name).toBe('stub')
  })

  it('reads kernel symbols above 2^53 exactly, and rejects hidden ones', () => {
    const text = 'ffffffff81000000 T _stext\nffffffff81000007 t do_work\nffffffffc0000001 t probe\t[nvme]\n'
    const { format, index } = readSymbols(encodeUtf8(text))
    const symbols = SymbolIndex.open(index)
    expect(format).toBe('kallsyms')
    expect(symbols.lookup(0xffffffff81000006n)[0].name).toBe('_stext')
    expect(symbols.lookup(0xffffffff81000007n)[0].name).toBe('do_work')
    expect(symbols.lookup(0xffffffffc0000010n)[0].name).toBe('probe [nvme]')
    const hidden = text.replace(/^f{8}\w{8}/gm, '0'.repeat(16))
    expect(() => readSymbols(encodeUtf8(hidden))).toThrow(/all addresses are 0; read \/proc\/kallsyms as root/)
  })

  it('reads Breakpad files with inlined calls', () => {
    const { format, buildId, index } = readSymbols(
      encodeUtf8(
        [
          'MODULE Linux x86_64 6EDC6ACDB282125843FD59DA9C81BD830 app',
          'FILE 0 main.cc',
          'FILE 1 price.h',
          'INLINE_ORIGIN 0 rounded(long)',
          'FUNC 1000 20 0 checkout(int)',
          'INLINE 0 12 0 0 1008 8',
          '1000 8 11 0',
          '1008 8 4 1',
          '1010 10 13 0',
          'PUBLIC 2000 0 _start',
        ].join('\n'),
      ),
    )
    const symbols = SymbolIndex.open(index)
    expect([format, buildId]).toEqual(['breakpad', '6edc6acdb282125843fd59da9c81bd830'])
    expect(framesAt(symbols, 0x1007n)).toBe('checkout(int) main.cc:11:0')
    expect(framesAt(symbols, 0x1008n)).toBe('rounded(long) price.h:4:0 < checkout(int) main.cc:12:0')
    expect(framesAt(symbols, 0x1010n)).toBe('checkout(int) main.cc:13:0')
    expect(framesAt(symbols, 0x2004n)).toBe('_start :0:0')
  })

  it('rejects other files by name', () => {
    expect(() => readSymbols(encodeUtf8('hello'))).toThrow('symbols: not ELF, Mach-O, PE')
    expect(() => readSymbols(bytesOf(programs.dwarf5).subarray(0, 80))).toThrow(/ELF/)
  })

  it('throws SymbolFileError or returns an index for every truncated or changed file', () => {
    const whole = bytesOf(programs.dwarf5)
    let seed = 1
    const random = (below: number): number => (seed = (Math.imul(seed, 48271) >>> 0) % 0x7fffffff) % below
    for (let round = 0; round < 300; round++) {
      const bytes = whole.slice(0, round % 3 === 0 ? random(whole.length) : whole.length)
      for (let i = 0; i < 4 && bytes.length > 0; i++) bytes[random(bytes.length)] = random(256)
      try {
        SymbolIndex.open(readSymbols(bytes).index).lookup(0x401000n)
      } catch (error) {
        expect(error).toHaveProperty('name', 'SymbolFileError')
      }
    }
  })
})
