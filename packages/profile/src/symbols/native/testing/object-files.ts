// Builds small Mach-O, PE and jitdump files byte by byte, so that the tests need no compiler of another system.
import { encodeUtf8 } from '../../../wire/utf8.ts'

type Part = ArrayLike<number>

const number =
  (bytes: number, littleEndian: boolean) =>
  (value: number | bigint): Part => {
    const digits = Array.from({ length: bytes }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn))
    return littleEndian ? digits : digits.reverse()
  }

const u16 = number(2, true)
const u32 = number(4, true)
const u64 = number(8, true)
const fixed = (text: string, bytes: number): Part => [...encodeUtf8(text), ...new Uint8Array(bytes)].slice(0, bytes)
const zeroEnded = (text: string): Part => [...encodeUtf8(text), 0]
const join = (...parts: readonly Part[]): Uint8Array => Uint8Array.from(parts.flatMap(part => Array.from(part)))

/** Joins parts that begin at given offsets. */
function placed(parts: readonly (readonly [number, Part])[]): Uint8Array {
  const file = new Uint8Array(Math.max(...parts.map(([at, part]) => at + part.length)))
  for (const [at, part] of parts) file.set(Array.from(part), at)
  return file
}

export const MACH_O_BASE = 0x1_0000_0000n
export const MACH_O_UUID = '000102030405060708090a0b0c0d0e0f'

interface MachOSymbol {
  readonly name: string
  readonly type: number
  readonly section: number
  readonly address: bigint
}

/**
 * `main` (external) is at 0x1000 after the base and `helper` (local) at 0x1040, in a section of 0x80 bytes. The others are no
 * functions: a symbol of data, one of another library, and one for debuggers.
 */
export function machO({ wide = true, cpu = 0x100_0007 } = {}): Uint8Array {
  const base = wide ? MACH_O_BASE : 0x1000_0000n
  const word = wide ? u64 : u32
  const symbols: readonly MachOSymbol[] = [
    { name: '_main', type: 0x0f, section: 1, address: base + 0x1000n },
    { name: '_helper', type: 0x0e, section: 1, address: base + 0x1040n },
    { name: '_table', type: 0x0f, section: 2, address: base + 0x2000n },
    { name: '_puts', type: 0x01, section: 0, address: 0n },
    { name: '_odd', type: 0x0f, section: 0, address: base + 0x1020n },
    { name: 'main.c', type: 0x64, section: 1, address: base + 0x1000n },
  ]
  const section = (name: string, segment: string, address: bigint, size: number): Uint8Array =>
    join(
      fixed(name, 16),
      fixed(segment, 16),
      word(address),
      word(size),
      ...[0x400, 4, 0, 0, 0, 0, 0].map(u32),
      ...(wide ? [u32(0)] : []),
    )
  const segment = (name: string, address: bigint, size: number, access: number, sections: Uint8Array): Uint8Array => {
    const count = sections.length / (wide ? 80 : 68)
    const rest = [fixed(name, 16), word(address), word(0x1000), word(0), word(size), ...[7, access, count, 0].map(u32)]
    const body = join(...rest, sections)
    return join(u32(wide ? 0x19 : 1), u32(8 + body.length), body)
  }
  const text = section('__text', '__TEXT', base + 0x1000n, 0x80)
  const data = section('__data', '__DATA', base + 0x2000n, 0x80)
  const segments = join(
    segment('__PAGEZERO', 0n, 0, 0, new Uint8Array(0)),
    segment('__TEXT', base, 0x1000, 5, text),
    segment('__DATA', base + 0x2000n, 0x1000, 3, data),
  )
  const uuid = join(
    u32(0x1b),
    u32(24),
    Uint8Array.from({ length: 16 }, (_, i) => i),
  )
  const symbolBytes = wide ? 16 : 12
  const header = wide ? 32 : 28
  const symbolsAt = header + segments.length + uuid.length + 24
  const namesAt = symbolsAt + symbols.length * symbolBytes
  let names = join([0])
  const table = symbols.map(({ name, type, section: place, address }) => {
    const at = names.length
    names = join(names, zeroEnded(name))
    return join(u32(at), [type, place], u16(0), word(address))
  })
  const symbolTable = [2, 24, symbolsAt, symbols.length, namesAt, names.length].map(u32)
  const commands = join(segments, uuid, ...symbolTable)
  const start = [wide ? 0xfeed_facf : 0xfeed_face, cpu, 3, 2, 5, commands.length, 0].map(u32)
  return join(...start, ...(wide ? [u32(0)] : []), commands, ...table, names)
}

/** A universal file of several architectures. `cpu` is the number that the header states. */
export function universal(slices: readonly { readonly cpu: number; readonly bytes: Uint8Array }[]): Uint8Array {
  const big = number(4, false)
  let at = 8 + slices.length * 20
  const headers: Part[] = []
  for (const { cpu, bytes } of slices) {
    headers.push(...[cpu, 0, at, bytes.length, 0].map(big))
    at += bytes.length
  }
  return join(big(0xcafe_babe), big(slices.length), ...headers, ...slices.map(({ bytes }) => bytes))
}

export const PE_BASE = 0x1_4000_0000n
export const PE_SIGNATURE = '0123456789abcdef00112233445566771'
/** The first three numbers of a signature are little-endian. */
const PE_SIGNATURE_BYTES = join(u32(0x0123_4567), ...[0x89ab, 0xcdef].map(u16), [
  0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
])

/**
 * Code is at 0x1000 after the base, 0x100 bytes. It has the COFF symbols `a_function_with_a_long_name` at 0x1000 and `helper`
 * at 0x1040, and the exported function `Exported` at 0x1080. Two symbols are no functions of this file.
 */
export function pe({ wide = true } = {}): Uint8Array {
  const base = wide ? PE_BASE : 0x40_0000n
  const optionalBytes = (wide ? 112 : 96) + 16 * 8
  const names = join(u32(0), zeroEnded('.a_long_section'), zeroEnded('a_function_with_a_long_name'))
  const coffName = (text: string): Part => fixed(text, 8)
  const coff = (name: Part, value: number, section: number, storage: number, aux = 0): Part =>
    join(name, u32(value), u16(section), u16(0x20), [storage, aux])
  const symbols = [
    coff(join(u32(0), u32(4 + '.a_long_section'.length + 1)), 0, 1, 2),
    coff(coffName('helper'), 0x40, 1, 3, 1),
    new Uint8Array(18),
    coff(coffName('puts'), 0x20, 0, 2),
    coff(coffName('absolute'), 0x30, 0xffff, 2),
  ]
  const section = (name: string, rva: number, size: number, at: number, flags: number): Part =>
    join(fixed(name, 8), ...[size, rva, size, at, 0, 0, 0, flags].map(u32))
  const sections = [
    section('.text', 0x1000, 0x100, 0x400, 0x6000_0020),
    section('.rdata', 0x2000, 0x200, 0x500, 0x4000_0040),
    section('/4', 0x3000, 0x10, 0x700, 0x4000_0040),
    section('//AAAA', 0x4000, 0x10, 0x700, 0x4000_0040),
  ]
  const directories = placed([
    [0, join(u32(0x2000), u32(0x80))],
    [6 * 8, join(u32(0x2100), u32(28))],
    [16 * 8 - 1, [0]],
  ])
  const optional = placed([
    [0, u16(wide ? 0x20b : 0x10b)],
    [wide ? 24 : 28, wide ? u64(base) : u32(base)],
    [wide ? 112 : 96, directories],
  ])
  const header = join(
    fixed('PE', 4),
    ...[wide ? 0x8664 : 0x14c, sections.length].map(u16),
    ...[0, 0x800, symbols.length].map(u32),
    ...[optionalBytes, 0].map(u16),
  )
  // Two names, the second of which is forwarded to another library: its address is inside the table.
  const exported = placed([
    [0, join(...[0, 0, 0, 0, 1, 2, 2, 0x2028, 0x2030, 0x2038].map(u32))],
    [0x28, join(u32(0x1080), u32(0x2060))],
    [0x30, join(u32(0x2040), u32(0x2050))],
    [0x38, join(u16(0), u16(1))],
    [0x40, zeroEnded('Exported')],
    [0x50, zeroEnded('Forwarded')],
    [0x60, zeroEnded('other.Function')],
  ])
  const debug = join(...[0, 0, 0, 2, 24, 0x2120, 0x620].map(u32))
  const codeView = join(fixed('RSDS', 4), PE_SIGNATURE_BYTES, u32(1), zeroEnded('app.pdb'))
  return placed([
    [0, fixed('MZ', 2)],
    [0x3c, u32(0x40)],
    [0x40, join(header, optional, ...sections)],
    [0x500, exported],
    [0x600, debug],
    [0x620, codeView],
    [0x800, join(...symbols, names)],
  ])
}

/** A record of a jitdump file, without its prefix. */
export interface JitRecord {
  readonly id: number
  readonly body: (word: typeof u32, long: typeof u64) => readonly Part[]
}

export const jitLoad = (name: string, address: number, size: number, index: number): JitRecord => ({
  id: 0,
  body: (word, long) => [
    ...[1, 1].map(word),
    ...[address, address, size, index].map(long),
    zeroEnded(name),
    new Uint8Array(size),
  ],
})

export const jitMove = (from: number, to: number, index: number): JitRecord => ({
  id: 1,
  body: (word, long) => [...[1, 1].map(word), ...[from, from, to, 16, index].map(long)],
})

/** `file` is undefined if it is that of the line before. */
export const jitLines = (
  address: number,
  lines: readonly (readonly [address: number, line: number, file?: string])[],
): JitRecord => ({
  id: 2,
  body: (word, long) => [
    ...[address, lines.length].map(long),
    ...lines.flatMap(([at, line, file]) => [
      long(at),
      word(line),
      word(0),
      file === undefined ? [0xff, 0] : zeroEnded(file),
    ]),
  ],
})

export const jitClose: JitRecord = { id: 3, body: () => [] }

export function jitdump(records: readonly JitRecord[], littleEndian = true): Uint8Array {
  const word = number(4, littleEndian)
  const long = number(8, littleEndian)
  const header = [...[0x4a69_5444, 1, 40, 62, 0, 1].map(word), ...[0, 0].map(long)]
  return join(
    ...header,
    ...records.map(({ id, body }) => {
      const content = join(...body(word, long))
      return join(word(id), word(16 + content.length), long(0), content)
    }),
  )
}

/**
 * A stripped Go program for x86-64: `main.main` at 0x401000 with the lines 10 and 12 of main.go, and `main.work` at 0x401040
 * with line 20.
 */
export function goProgram(): Uint8Array {
  return elf(goSections())
}

/** As `goProgram`, with debug information of `main.main` only. */
export function goProgramWithDebugInfo(): Uint8Array {
  return elf([...goSections(), ...debugSections()])
}

function goSections(): ElfSection[] {
  const names = join(zeroEnded('main.main'), zeroEnded('main.work'))
  const files = zeroEnded('/src/main.go')
  // Pairs of a change of the value, with its sign in the lowest bit, and the length of the range. 0 ends a table.
  const pcs = join([0], [2, 0x40, 0], [22, 0x10, 4, 0x30, 0], [42, 0x40, 0])
  const tables = { file: 1, mainLines: 4, workLines: 9 }
  const describe = (entry: number, name: number, lines: number, start: number): Part =>
    join(...[entry, name, 0, 0, 0, tables.file, lines, 0, 0, start].map(u32), [0, 0, 0, 0])
  const main = describe(0, 0, tables.mainLines, 9)
  const rows = [0, 20, 0x40, 20 + main.length, 0x80].map(u32)
  const functions = join(...rows, main, describe(0x40, 'main.main'.length + 1, tables.workLines, 19))
  const headerBytes = 8 + 8 * 8
  const places = [names, u32(0), files, pcs, functions]
  let at = headerBytes
  const offsets = places.map(part => {
    const from = at
    at += part.length
    return from
  })
  const table = join([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8], ...[2, 1, 0x401000, ...offsets].map(u64), ...places)
  return [CODE, { name: '.gopclntab', flags: 2, address: 0x402000, content: table }]
}

/** Debug information as Go writes it: texts are in the entries. `main.main` is at 0x401000 and has 0x40 bytes. */
export function programWithTextsInEntries(): Uint8Array {
  return elf([CODE, ...debugSections()])
}

function debugSections(): ElfSection[] {
  const string = 0x08
  // A compile unit with name, directory and producer, and a subprogram with name, start and length.
  const unitAttributes = [0x03, string, 0x1b, string, 0x25, string, 0, 0]
  const functionAttributes = [0x03, string, 0x11, 0x01, 0x12, 0x0f, 0, 0]
  const abbreviations = join([1, 0x11, 1, ...unitAttributes], [2, 0x2e, 0, ...functionAttributes], [0])
  const unit = join([1], ...['main', '.', 'Go cmd/compile'].map(zeroEnded))
  const entry = join([2], zeroEnded('main.main'), u64(0x401000), [0x40])
  const content = join(u16(5), [1, 8], u32(0), unit, entry, [0])
  return [
    { name: '.debug_abbrev', flags: 0, address: 0, content: abbreviations },
    { name: '.debug_info', flags: 0, address: 0, content: join(u32(content.length), content) },
  ]
}

/** A program whose symbols are the local `helper` of helper.c at 0x401000 and `run` of a version at 0x401040. */
export function programWithSymbols(): Uint8Array {
  const texts = ['helper.c', 'helper', 'run@@SHOP_1.0']
  const names = join([0], ...texts.map(zeroEnded))
  const symbol = (name: number, info: number, section: number, address: number, size: number): Part =>
    join(u32(name), [info, 0], u16(section), u64(address), u64(size))
  const [file, helper] = [1, 1 + 'helper.c'.length + 1]
  const symbols = join(
    new Uint8Array(24),
    symbol(file, 0x04, 0xfff1, 0, 0),
    symbol(helper, 0x02, 1, 0x401000, 0x40),
    symbol(helper + 'helper'.length + 1, 0x12, 1, 0x401040, 0x40),
  )
  return elf([
    CODE,
    { name: '.symtab', flags: 0, address: 0, content: symbols, type: 2, link: 3, entrySize: 24 },
    { name: '.strtab', flags: 0, address: 0, content: names },
  ])
}

interface ElfSection {
  readonly name: string
  readonly flags: number
  readonly address: number
  readonly content: Uint8Array
  readonly type?: number
  readonly link?: number
  readonly entrySize?: number
}

const CODE: ElfSection = { name: '.text', flags: 6, address: 0x401000, content: new Uint8Array(0x80) }

/** An ELF file for x86-64 with one executable segment at 0x400000. */
function elf(given: readonly ElfSection[]): Uint8Array {
  const names = join([0], ...given.map(({ name }) => zeroEnded(name)), zeroEnded('.shstrtab'))
  const all: readonly ElfSection[] = [...given, { name: '.shstrtab', flags: 0, address: 0, content: names }]
  let at = 64 + 56
  let nameAt = 1
  const headers: Part[] = [new Uint8Array(64)]
  const contents: (readonly [number, Part])[] = []
  for (const { name, flags, address, content, type = 1, link = 0, entrySize = 0 } of all) {
    const place = [flags, address, at, content.length].map(u64)
    headers.push(join(...[nameAt, type].map(u32), ...place, ...[link, 0].map(u32), ...[0, entrySize].map(u64)))
    contents.push([at, content])
    nameAt += name.length + 1
    at += content.length
  }
  const start = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const header = join(start, ...[2, 62].map(u16), u32(1), ...[0x401000, 64, at].map(u64), u32(0))
  const counts = [64, 56, 1, 64, headers.length, headers.length - 1].map(u16)
  const segment = join(u32(1), u32(5), ...[0, 0x400000, 0x400000, 0x10000, 0x10000, 0x1000].map(u64))
  return placed([[0, join(header, ...counts)], [64, segment], ...contents, [at, join(...headers)]])
}
