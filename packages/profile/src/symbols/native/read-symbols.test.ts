import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { ByteCursor } from './byte-cursor.ts'
import { sectionCodecs } from './object/section-codecs.ts'
import { readElf } from './object/elf.ts'
import { readSymbols } from './read-symbols.ts'
import { SymbolIndex } from './index/symbol-index.ts'
import { readMachO } from './object/mach-o.ts'
import { SymbolFileError } from './symbol-file-error.ts'
import { bytesOf, fuzzSymbols, symbolFiles } from './testing/fuzz-symbols.ts'
import { programs, truth } from './testing/generated/programs.ts'
import {
  goProgram,
  goProgramWithDebugInfo,
  programWithSymbols,
  programWithTextsInEntries,
} from './testing/elf-files.ts'
import {
  jitClose,
  jitdump,
  jitLines,
  jitLoad,
  jitMove,
  MACH_O_BASE,
  MACH_O_UUID,
  machO,
  pe,
  PE_BASE,
  PE_SIGNATURE,
  universal,
} from './testing/object-files.ts'

function framesAt(index: SymbolIndex, address: bigint): string {
  return index
    .lookup(address)
    .map(({ name, file, line, column }) => `${name} ${file}:${line}:${column}`)
    .join(' < ')
}

/** The innermost names at distances from `base`, empty where there is none. */
function namesAt(index: Uint8Array, distances: readonly number[], base = 0n): string[] {
  const symbols = SymbolIndex.open(index)
  return distances.map(distance => symbols.lookup(base + BigInt(distance)).at(0)?.name ?? '')
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

  it('reads split debug information from a package of several units', () => {
    const split = readElf(bytesOf(programs.split5Package), sectionCodecs(undefined))
    const { index, dwarf } = readSymbols(bytesOf(programs.split5), { package: split })
    expect(dwarf?.missingSplitUnits).toBe(0)
    expect(describeIndex(SymbolIndex.open(index))).toEqual(truth)
  })

  it('finds the code of the function around an address, with the calls inlined into it', () => {
    const symbols = SymbolIndex.open(readSymbols(bytesOf(programs.dwarf5)).index)
    const outermost = (address: bigint): string | undefined => symbols.lookup(address).at(-1)?.name
    const addresses = truth.map(line => BigInt(line.slice(0, line.indexOf(':'))))
    const named = addresses.filter(address => outermost(address) !== undefined)
    expect(named.length).toBeGreaterThan(20)
    for (const address of named) {
      const code = symbols.functionAround(address)!
      expect(code.name).toBe(outermost(address))
      expect(code.start <= address && address < code.end).toBe(true)
      // The limits are exact: the neighbours belong to other functions.
      expect(symbols.functionAround(code.start - 1n)?.start).not.toBe(code.start)
      expect(symbols.functionAround(code.end)?.start).not.toBe(code.start)
    }
    expect(symbols.functionAround(0n)).toBeUndefined()
    expect(symbols.functionAround(2n ** 63n)).toBeUndefined()
  })

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

  it('reads the functions of Mach-O files of 64 and 32 bits', () => {
    const { format, buildId, object, index } = readSymbols(machO())
    expect([format, buildId, object?.machine]).toEqual(['mach-o', MACH_O_UUID, 'x86_64'])
    expect(object?.base.address).toBe(MACH_O_BASE)
    const names = namesAt(index, [0x1000, 0x1020, 0x103f, 0x1040, 0x107f, 0x1080, 0x2000], MACH_O_BASE)
    expect(names).toEqual(['main', 'main', 'main', 'helper', 'helper', '', ''])
    const narrow = readSymbols(machO({ wide: false, cpu: 7 }))
    expect(narrow.object?.machine).toBe('i386')
    expect(namesAt(narrow.index, [0x1000, 0x1040], 0x1000_0000n)).toEqual(['main', 'helper'])
  })

  it('picks an architecture of a universal Mach-O file', () => {
    const thin = machO()
    const both = universal([
      { cpu: 7, bytes: machO({ wide: false, cpu: 7 }) },
      { cpu: 0x100_0007, bytes: thin },
    ])
    expect(readSymbols(both).object?.machine).toBe('i386')
    expect(readMachO(both, 'x86_64').base.address).toBe(MACH_O_BASE)
    // A file that contains itself must not be opened for ever.
    const nested = universal([{ cpu: 7, bytes: universal([{ cpu: 7, bytes: thin }]) }])
    expect(() => readSymbols(nested)).toThrow('Mach-O: no Mach-O header at byte 0')
  })

  it('rejects Mach-O files whose parts end outside of them', () => {
    const sections = machO()
    new DataView(sections.buffer).setUint32(32 + 72 + 64, 1000, true)
    expect(() => readSymbols(sections)).toThrow('1000 sections end outside their segment')
    const cut = machO().subarray(0, 400)
    expect(() => readSymbols(cut)).toThrow(SymbolFileError)
  })

  it('reads COFF symbols, exports and the PDB signature of PE files of 64 and 32 bits', () => {
    const { format, buildId, object, index } = readSymbols(pe())
    expect([format, buildId, object?.machine]).toEqual(['pe', PE_SIGNATURE, 'x86_64'])
    expect(object?.sections.map(({ name }) => name)).toEqual(['.text', '.rdata', '.a_long_section', '//AAAA'])
    const names = namesAt(index, [0x1000, 0x103f, 0x1040, 0x1080, 0x10ff, 0x1100, 0x2060], PE_BASE)
    const long = 'a_function_with_a_long_name'
    expect(names).toEqual([long, long, 'helper', 'Exported', 'Exported', '', ''])
    const narrow = readSymbols(pe({ wide: false }))
    expect(narrow.object?.machine).toBe('i386')
    expect(namesAt(narrow.index, [0x1000, 0x1080], 0x40_0000n)).toEqual([long, 'Exported'])
  })

  it('reads jitdump files of both byte orders, with lines, moved and replaced code', () => {
    const records = [
      jitLoad('old', 0x1000, 16, 1),
      jitLines(0x1000, [
        [0x1000, 3, 'a.js'],
        [0x1008, 4],
      ]),
      jitLoad('run', 0x1000, 16, 2),
      jitLoad('moved', 0x2000, 16, 3),
      jitMove(0x2000, 0x3000, 3),
      jitClose,
      jitLoad('after the end', 0x5000, 16, 4),
    ]
    for (const littleEndian of [true, false]) {
      const { format, index } = readSymbols(jitdump(records, littleEndian))
      const symbols = SymbolIndex.open(index)
      expect(format).toBe('jitdump')
      expect(framesAt(symbols, 0x1007n)).toBe('run a.js:3:0')
      expect(framesAt(symbols, 0x1008n)).toBe('run a.js:4:0')
      expect(namesAt(index, [0x1010, 0x2000, 0x300f, 0x5000])).toEqual(['', '', 'moved', ''])
    }
  })

  it('reads jitdump files of running programs up to their incomplete end', () => {
    const whole = jitdump([jitLoad('run', 0x1000, 16, 1), jitLoad('cut', 0x2000, 16, 2)])
    for (let end = whole.length - 76; end < whole.length; end++) {
      const [first, second] = namesAt(readSymbols(whole.subarray(0, end)).index, [0x1000, 0x2000])
      expect([end, first, second]).toEqual([end, 'run', ''])
    }
    // The size of the last record is right, but its content is not.
    const broken = jitdump([jitLoad('run', 0x1000, 16, 1), { id: 0, body: word => [word(1)] }])
    expect(namesAt(readSymbols(broken).index, [0x1000])).toEqual(['run'])
  })

  for (const version of [12, 116, 118, 120] as const) {
    for (const [wide, littleEndian] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ]) {
      const kind = `${wide ? 64 : 32} bits, ${littleEndian ? 'little' : 'big'}-endian`
      it(`reads the functions and lines of stripped Go programs of table version ${version}, ${kind}`, () => {
        const symbols = SymbolIndex.open(readSymbols(goProgram({ version, wide, littleEndian })).index)
        expect(framesAt(symbols, 0x401000n)).toBe('main.main /src/main.go:10:0')
        expect(framesAt(symbols, 0x401010n)).toBe('main.main /src/main.go:12:0')
        expect(framesAt(symbols, 0x401030n)).toBe('main.rounded /src/main.go:30:0 < main.main /src/main.go:12:0')
        expect(framesAt(symbols, 0x401040n)).toBe('main.work /src/main.go:20:0')
        expect(framesAt(symbols, 0x401080n)).toBe('')
      })
    }
  }

  it('finds the inlined calls of Go where its releases have them', () => {
    for (const release of [20, 26, 27] as const) {
      for (const wide of [true, false]) {
        const symbols = SymbolIndex.open(readSymbols(goProgram({ release, wide })).index)
        expect(framesAt(symbols, 0x401030n)).toBe('main.rounded /src/main.go:30:0 < main.main /src/main.go:12:0')
      }
    }
  })

  it('reads the functions of Go if the data of inlined calls is broken', () => {
    // The pointer leads to the header of the table.
    const symbols = SymbolIndex.open(readSymbols(goProgram({ wrongTree: 0x402000 })).index)
    expect(framesAt(symbols, 0x401030n)).toBe('main.main /src/main.go:30:0')
    expect(framesAt(symbols, 0x401040n)).toBe('main.work /src/main.go:20:0')
  })

  it('finds the table of Go in sections of data of both byte orders', () => {
    for (const section of ['.rodata', '.data.rel.ro', '.data.rel.ro.gopclntab']) {
      for (const littleEndian of [true, false]) {
        const symbols = SymbolIndex.open(readSymbols(goProgram({ section, littleEndian })).index)
        expect(framesAt(symbols, 0x401040n)).toBe('main.work /src/main.go:20:0')
      }
    }
  })

  it('reads the source file of local symbols, and names without the version of the library', () => {
    for (const [kind, machine] of [
      [{}, 'x86_64'],
      [{ littleEndian: false }, 's390x'],
      [{ wide: false }, 'i386'],
      [{ wide: false, littleEndian: false }, 'mips'],
    ] as const) {
      const { index, object } = readSymbols(programWithSymbols(kind))
      const symbols = SymbolIndex.open(index)
      expect(object?.machine).toBe(machine)
      expect(framesAt(symbols, 0x401000n)).toBe('helper helper.c:0:0')
      expect(framesAt(symbols, 0x401040n)).toBe('run :0:0')
    }
  })

  it('fills the gaps of the debug information of Go programs from the table of the runtime', () => {
    const { index, dwarf } = readSymbols(goProgramWithDebugInfo())
    expect(dwarf).toMatchObject({ units: 1, brokenUnits: 0 })
    expect(namesAt(index, [0x401000, 0x40103f, 0x401040])).toEqual(['main.main', 'main.main', 'main.work'])
  })

  it('reads debug information whose texts are in the entries, as Go writes it', () => {
    const { index, dwarf } = readSymbols(programWithTextsInEntries())
    expect(dwarf).toMatchObject({ units: 1, brokenUnits: 0 })
    expect(namesAt(index, [0x401000, 0x40103f, 0x401040])).toEqual(['main.main', 'main.main', ''])
  })

  it('limits the work and the texts of small files whose parts refer to one another many times', () => {
    const inlines = Array.from({ length: 3000 }, (_, i) => `INLINE ${i} 1 0 0 ${(0x1000 + i).toString(16)} 2000`)
    const lines = Array.from({ length: 3000 }, () => '1000 2000 1 0')
    const text = ['MODULE Linux x86_64 A app', 'FUNC 1000 2000 0 f', ...inlines, ...lines].join('\n')
    expect(() => readSymbols(encodeUtf8(text))).toThrow('Breakpad: parts of the file are used too many times')
    const names = new ByteCursor('names', new Uint8Array(1 << 20).fill(0x61).with(-1, 0), true, 4)
    for (let i = 0; i < 20; i++) names.textAt(i)
    expect(() => names.textAt(0)).toThrow('names: texts overlap too often at byte 0')
    const elf = bytesOf(programs.dwarf5)
    // 2^63 segments of 0 bytes: e_phnum is in section 0.
    const view = new DataView(elf.buffer)
    view.setUint16(54, 0, true)
    view.setUint16(56, 0xffff, true)
    view.setBigUint64(Number(view.getBigUint64(40, true)) + 56, 2n ** 63n, true)
    expect(() => readSymbols(elf)).toThrow(/segments are more than 100000/)
  })

  it('throws SymbolFileError or returns an index for every broken file', () => {
    const { failure, read, rejected } = fuzzSymbols(symbolFiles(), 1, runs => runs < 2000)
    expect(failure).toBeUndefined()
    expect(read).toBeGreaterThan(100)
    expect(rejected).toBeGreaterThan(100)
  })
})
