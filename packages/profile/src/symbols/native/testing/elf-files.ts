// Builds small ELF files of both sizes and byte orders byte by byte: programs with Go's table of functions in each of its versions,
// with symbols, and with debug information as Go writes it.
import { join, number, placed, u16, u32, u64, zeroEnded, type Part } from './file-parts.ts'

export interface ElfKind {
  /** Whether it is a file of 64 bits. */
  readonly wide?: boolean
  readonly littleEndian?: boolean
}

export interface GoKind extends ElfKind {
  /** As the reader counts: 12 for Go 1.2 to 1.15, 116 for 1.16 and 1.17, 118 for 1.18 and 1.19, 120 for later ones. */
  readonly version?: 12 | 116 | 118 | 120
  /** The minor version of Go, for tables of version 120. From 26 on the data of inlined calls is in the table; 27 has more fields. */
  readonly release?: 20 | 26 | 27
  /** The address that the program states for the data of inlined calls, if it is wrong. */
  readonly wrongTree?: number
  /** The section with the table. Position-independent programs have it in one of data. */
  readonly section?: string
}

const TEXT = 0x401000
const TABLE = 0x402000
const TREE = 0x406000
/** The place of the data of inlined calls in the table. */
const TREE_IN_TABLE = 0x800
const NO_FUNCDATA = 0xffff_ffff

/**
 * A stripped Go program: `main.main` at 0x401000 with the lines 10, 12 and 30 of main.go, and `main.work` at 0x401040 with line 20.
 * Line 30 is that of `main.rounded`, which is inlined into line 12.
 */
export function goProgram(kind: GoKind = {}): Uint8Array {
  return elf(goSections(kind), kind)
}

/** As `goProgram`, with debug information of `main.main` only. */
export function goProgramWithDebugInfo(): Uint8Array {
  return elf([...goSections({}), ...debugSections()])
}

function goSections(kind: GoKind): ElfSection[] {
  const { version = 120, wide = true, littleEndian = true, section = '.gopclntab', release = 20, wrongTree } = kind
  const plain = goTable(kind)
  // One inlined call: `main.rounded`, called at the distance 0x10 from the start of the function.
  const inTable = String.fromCharCode(...plain).indexOf('main.rounded')
  const name = version === 12 ? inTable : 'main.main'.length + 'main.work'.length + 2
  const tree = join(...(version >= 120 ? [0, name, 0x10, 29] : [0, 0, 0, name, 0x10]).map(number(4, littleEndian)))
  const isInTable = release >= 26
  const content = isInTable
    ? placed([
        [0, plain],
        [TREE_IN_TABLE, tree],
      ])
    : plain
  const table = { name: section, flags: 2, address: TABLE, content }
  const data = { name: '.rodata', flags: 2, address: TREE, content: tree }
  if (version < 118) return [CODE, table, data]
  const gofunc = release === 27 ? 43 : version >= 120 ? 40 : 38
  const fields = new Map([
    [0, TABLE],
    [22, TEXT],
    [23, TEXT + 0x80],
    [gofunc, wrongTree ?? (isInTable ? TABLE + TREE_IN_TABLE : TREE)],
    [gofunc + 1, isInTable ? TABLE + content.length : 0],
  ])
  const pointer = number(wide ? 8 : 4, littleEndian)
  const module = join(...Array.from({ length: 64 }, (_, i) => pointer(fields.get(i) ?? 0)))
  return [
    CODE,
    table,
    { name: '.noptrdata', flags: 3, address: 0x404000, content: module },
    data,
    { name: '.go.buildinfo', flags: 3, address: 0x407000, content: new Uint8Array(16) },
  ]
}

function goTable({ version = 120, wide = true, littleEndian = true }: GoKind): Uint8Array {
  const word = number(4, littleEndian)
  const pointerBytes = wide ? 8 : 4
  const pointer = number(pointerBytes, littleEndian)
  const names = join(...['main.main', 'main.work', 'main.rounded'].map(zeroEnded))
  const file = zeroEnded('/src/main.go')
  // Pairs of a change of the value, with its sign in the lowest bit, and the length of the range. 0 ends a table. The files of version
  // 1.2 count from 1.
  const pcs = join(
    [0],
    [version === 12 ? 4 : 2, 0x40, 0],
    [22, 0x10, 4, 0x20, 36, 0x10, 0],
    [42, 0x40, 0],
    [0, 0x30, 2, 0x10, 0],
  )
  const magic = { 12: 0xffff_fffb, 116: 0xffff_fffa, 118: 0xffff_fff0, 120: 0xffff_fff1 }[version]
  const start = join(word(magic), [0, 0, 1, pointerBytes], pointer(2))

  /** The offsets of names and tables of pc in version 1.2 count from the header. */
  const functions = (from: number, namesAt: number, pcsAt: number): readonly [Uint8Array, Uint8Array] => {
    const describe = (entry: number, name: number, lines: number, startLine: number, inlined: boolean): Uint8Array => {
      const funcdata = version === 12 ? 5 : 4
      const fixed = join(
        version >= 118 ? word(entry) : pointer(TEXT + entry),
        ...[namesAt + name, 0, 0, 0, pcsAt + 1, pcsAt + lines, inlined ? 3 : 0].map(word),
        version >= 116 ? word(0) : [],
        version >= 120 ? word(startLine) : [],
        [0, 0, 0, inlined ? funcdata : 0],
        ...(inlined ? [0, 0, pcsAt + 14].map(word) : []),
      )
      if (!inlined) return fixed
      const tree = Array.from({ length: funcdata }, (_, i) => i === funcdata - 1)
      // Earlier versions have pointers, at a multiple of their size.
      return version >= 118
        ? join(fixed, ...tree.map(isTree => word(isTree ? 0 : NO_FUNCDATA)))
        : join(
            fixed,
            new Uint8Array((pointerBytes - (fixed.length % pointerBytes)) % pointerBytes),
            ...tree.map(isTree => pointer(isTree ? TREE : 0)),
          )
    }
    const main = describe(0, 0, 4, 9, true)
    const work = describe(0x40, 'main.main'.length + 1, 11, 19, false)
    const cell = version >= 118 ? word : pointer
    const entry = (distance: number): number => (version >= 118 ? 0 : TEXT) + distance
    const rowBytes = 5 * cell(0).length + (version === 12 ? 4 : 0)
    const rows = [entry(0), from + rowBytes, entry(0x40), from + rowBytes + main.length, entry(0x80)].map(cell)
    return [join(...rows), join(main, work)]
  }

  if (version === 12) {
    const [rows, described] = functions(start.length, 0, 0)
    const namesAt = start.length + rows.length + 4 + described.length
    const pcsAt = namesAt + names.length
    const fileAt = pcsAt + pcs.length
    const withOffsets = functions(start.length, namesAt, pcsAt)[1]
    const filesAt = fileAt + file.length
    return join(start, rows, word(filesAt), withOffsets, names, pcs, file, word(2), word(fileAt))
  }
  const header = join(start, pointer(1), version >= 118 ? pointer(TEXT) : [])
  const parts = [names, word(0), file, pcs, join(...functions(0, 0, 0))]
  let at = header.length + parts.length * pointerBytes
  const offsets = parts.map(part => {
    const from = at
    at += part.length
    return pointer(from)
  })
  return join(header, ...offsets, ...parts)
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
  const entry = join([2], zeroEnded('main.main'), u64(TEXT), [0x40])
  const content = join(u16(5), [1, 8], u32(0), unit, entry, [0])
  return [
    { name: '.debug_abbrev', flags: 0, address: 0, content: abbreviations },
    { name: '.debug_info', flags: 0, address: 0, content: join(u32(content.length), content) },
  ]
}

/** A program whose symbols are the local `helper` of helper.c at 0x401000 and `run` of a version at 0x401040. */
export function programWithSymbols(kind: ElfKind = {}): Uint8Array {
  const { wide = true, littleEndian = true } = kind
  const texts = ['helper.c', 'helper', 'run@@SHOP_1.0']
  const names = join([0], ...texts.map(zeroEnded))
  const half = number(2, littleEndian)
  const word = number(4, littleEndian)
  const pointer = number(wide ? 8 : 4, littleEndian)
  const symbol = (name: number, info: number, section: number, address: number, size: number): Part => {
    const place = [address, size].map(pointer)
    const about = join([info, 0], half(section))
    return wide ? join(word(name), about, ...place) : join(word(name), ...place, about)
  }
  const [file, helper] = [1, 1 + 'helper.c'.length + 1]
  const symbols = join(
    new Uint8Array(wide ? 24 : 16),
    symbol(file, 0x04, 0xfff1, 0, 0),
    symbol(helper, 0x02, 1, TEXT, 0x40),
    symbol(helper + 'helper'.length + 1, 0x12, 1, TEXT + 0x40, 0x40),
  )
  return elf(
    [
      CODE,
      { name: '.symtab', flags: 0, address: 0, content: symbols, type: 2, link: 3, entrySize: wide ? 24 : 16 },
      { name: '.strtab', flags: 0, address: 0, content: names },
    ],
    kind,
  )
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

const CODE: ElfSection = { name: '.text', flags: 6, address: TEXT, content: new Uint8Array(0x80) }

/** An ELF file with one executable segment at 0x400000, for x86-64, i386, s390x or 32-bit MIPS. */
function elf(given: readonly ElfSection[], { wide = true, littleEndian = true }: ElfKind = {}): Uint8Array {
  const half = number(2, littleEndian)
  const word = number(4, littleEndian)
  const pointer = number(wide ? 8 : 4, littleEndian)
  const [headerBytes, segmentBytes, sectionBytes] = wide ? [64, 56, 64] : [52, 32, 40]
  const machine = littleEndian ? (wide ? 62 : 3) : wide ? 22 : 8
  const names = join([0], ...given.map(({ name }) => zeroEnded(name)), zeroEnded('.shstrtab'))
  const all: readonly ElfSection[] = [...given, { name: '.shstrtab', flags: 0, address: 0, content: names }]
  let at = headerBytes + segmentBytes
  let nameAt = 1
  const headers: Part[] = [new Uint8Array(sectionBytes)]
  const contents: (readonly [number, Part])[] = []
  for (const { name, flags, address, content, type = 1, link = 0, entrySize = 0 } of all) {
    const place = [flags, address, at, content.length].map(pointer)
    headers.push(join(...[nameAt, type].map(word), ...place, ...[link, 0].map(word), ...[0, entrySize].map(pointer)))
    contents.push([at, content])
    nameAt += name.length + 1
    at += content.length
  }
  const start = [0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, littleEndian ? 1 : 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  const header = join(
    start,
    ...[2, machine].map(half),
    word(1),
    ...[TEXT, headerBytes, at].map(pointer),
    word(0),
    ...[headerBytes, segmentBytes, 1, sectionBytes, headers.length, headers.length - 1].map(half),
  )
  const place = [0, 0x400000, 0x400000, 0x10000, 0x10000].map(pointer)
  const segment = wide
    ? join(...[1, 5].map(word), ...place, pointer(0x1000))
    : join(word(1), ...place, word(5), pointer(0x1000))
  return placed([[0, header], [headerBytes, segment], ...contents, [at, join(...headers)]])
}
