// Builds small Mach-O, PE and jitdump files byte by byte, so that the tests need no compiler of another system.
import { fixed, join, number, placed, u16, u32, u64, zeroEnded, type Part } from './file-parts.ts'

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
