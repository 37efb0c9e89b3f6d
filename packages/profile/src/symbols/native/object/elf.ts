// ELF, 32 and 64 bits, either byte order: sections, segments, build ids, links to debug files and function symbols.
import { ByteCursor, ImageBase } from '../byte-cursor.ts'
import { hexOf } from '../../../model/text/hex.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import type { SectionCodecs } from './section-codecs.ts'
import {
  SYMBOL_TEXTS_PER_BYTE,
  type FunctionSymbol,
  type ObjectFile,
  type Section,
  type Segment,
} from './object-file.ts'

const MACHINES: Readonly<Record<number, string>> = {
  3: 'i386',
  8: 'mips',
  20: 'ppc',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'x86_64',
  183: 'aarch64',
  243: 'riscv64',
  258: 'loongarch64',
}

const PT_LOAD = 1
const PT_NOTE = 4
const SHT_SYMTAB = 2
const SHT_NOTE = 7
const SHT_NOBITS = 8
const SHT_DYNSYM = 11
const SHF_EXECINSTR = 4
const SHF_COMPRESSED = 0x800
const SHN_XINDEX = 0xffff
const PN_XNUM = 0xffff
const NOTE_GNU_BUILD_ID = 3
const NOTE_GO_BUILD_ID = 4
const STT_NOTYPE = 0
const STT_FUNC = 2
const STT_FILE = 4
const STT_GNU_IFUNC = 10

/** The rank of a local symbol. */
const LOCAL = 0

/** Limits what a broken header can make the reader allocate. Chromium has 40 sections, a kernel some hundreds. */
const MAX_SECTIONS = 100_000
/** Notes are some hundred bytes, in a few places. */
const MAX_NOTE_BYTES = 1 << 20
const MAX_NOTE_PLACES = 1000
/** SHA-256 has 32 bytes, and Go's id is a text of about 90. */
const MAX_ID_BYTES = 256
/** A file has `.symtab` and `.dynsym`. */
const MAX_SYMBOL_TABLES = 16

interface Header {
  readonly wide: boolean
  readonly littleEndian: boolean
  readonly machine: number
}

interface RawSection {
  readonly nameOffset: number
  readonly type: number
  readonly flags: number
  readonly address: bigint
  readonly offset: number
  readonly size: number
  readonly link: number
  readonly entrySize: number
}

export function isElf(bytes: Uint8Array): boolean {
  return bytes.length > 16 && bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46
}

export function readElf(bytes: Uint8Array, codecs: SectionCodecs): ObjectFile {
  if (!isElf(bytes)) throw new SymbolFileError('ELF', 'no ELF header')
  const wide = bytes[4] === 2
  if (!wide && bytes[4] !== 1) throw new SymbolFileError('ELF', `unknown class ${bytes[4]}`, 4)
  const littleEndian = bytes[5] === 1
  if (!littleEndian && bytes[5] !== 2) throw new SymbolFileError('ELF', `unknown byte order ${bytes[5]}`, 5)
  const cursor = new ByteCursor('ELF', bytes, littleEndian).seek(18)
  const header: Header = { wide, littleEndian, machine: cursor.u16() }
  cursor.skip(4)
  cursor.skip(wide ? 8 : 4)
  const segmentsAt = cursor.size(wide)
  const sectionsAt = cursor.size(wide)
  cursor.skip(4 + 2)
  const segmentBytes = cursor.u16()
  let segmentCount = cursor.u16()
  const sectionBytes = cursor.u16()
  let sectionCount = cursor.u16()
  let namesIndex = cursor.u16()

  let raw: RawSection[] = []
  if (sectionsAt !== 0) {
    // Counts that do not fit 16 bits stand in section 0.
    const first = readSection(cursor.seek(sectionsAt), wide)
    if (sectionCount === 0) sectionCount = first.size
    if (namesIndex === SHN_XINDEX) namesIndex = first.link
    if (segmentCount === PN_XNUM) segmentCount = first.entrySize
    if (sectionCount > MAX_SECTIONS) throw cursor.error(`${sectionCount} sections are more than ${MAX_SECTIONS}`)
    raw = Array.from({ length: sectionCount }, (_, index) =>
      readSection(cursor.seek(sectionsAt + index * sectionBytes), wide),
    )
  }
  if (segmentCount > MAX_SECTIONS) throw cursor.error(`${segmentCount} segments are more than ${MAX_SECTIONS}`)
  const segments = readSegments(cursor, header, segmentsAt, segmentCount, segmentBytes)
  const names = raw[namesIndex]
  const nameCursor = new ByteCursor('ELF section names', names === undefined ? undefined : rawContent(bytes, names))
  const sections = raw.map((section): Section & { readonly raw: RawSection } => {
    const name = section.nameOffset < nameCursor.end ? nameCursor.textAt(section.nameOffset) : ''
    return {
      name,
      address: section.address,
      size: section.size,
      executable: (section.flags & SHF_EXECINSTR) !== 0,
      content: once(() => sectionContent(bytes, header, section, name, codecs)),
      raw: section,
    }
  })
  const base = new ImageBase(lowestAddress(segments, raw))
  const notes = readNotes(bytes, header, segments.notes, raw)
  return {
    format: 'elf',
    machine: MACHINES[header.machine] ?? `ELF machine ${header.machine}`,
    littleEndian,
    wide,
    base,
    sections,
    segments: segments.loads,
    ...notes,
    debugLink: readDebugLink(sections, littleEndian),
    supplement: readSupplement(sections),
    symbols: () => readSymbols(sections, header, base),
  }
}

function readSection(cursor: ByteCursor, wide: boolean): RawSection {
  const nameOffset = cursor.u32()
  const type = cursor.u32()
  const flags = cursor.size(wide)
  const address = wide ? cursor.u64() : BigInt(cursor.u32())
  const offset = cursor.size(wide)
  const size = cursor.size(wide)
  const link = cursor.u32()
  cursor.skip(4)
  cursor.skip(wide ? 8 : 4)
  return { nameOffset, type, flags, address, offset, size, link, entrySize: cursor.size(wide) }
}

interface Segments {
  readonly loads: readonly Segment[]
  readonly notes: readonly { readonly offset: number; readonly size: number }[]
}

function readSegments(cursor: ByteCursor, { wide }: Header, at: number, count: number, bytes: number): Segments {
  const loads: Segment[] = []
  const notes: { offset: number; size: number }[] = []
  for (let index = 0; at !== 0 && index < count; index++) {
    cursor.seek(at + index * bytes)
    const type = cursor.u32()
    let flags = wide ? cursor.u32() : 0
    const fileOffset = cursor.size(wide)
    const address = wide ? cursor.u64() : BigInt(cursor.u32())
    cursor.skip(wide ? 8 : 4)
    const fileSize = cursor.size(wide)
    const memorySize = cursor.size(wide)
    if (!wide) flags = cursor.u32()
    if (type === PT_LOAD) loads.push({ fileOffset, fileSize, address, memorySize, executable: (flags & 1) !== 0 })
    if (type === PT_NOTE) notes.push({ offset: fileOffset, size: fileSize })
  }
  return { loads, notes }
}

/** Relocatable files and debug files of the kernel have no segments. Their sections have addresses. */
function lowestAddress(segments: Segments, sections: readonly RawSection[]): bigint {
  const addresses = segments.loads.map(({ address }) => address)
  if (addresses.length === 0) {
    for (const { flags, address } of sections) if ((flags & 2) !== 0) addresses.push(address)
  }
  return addresses.reduce((lowest, address) => (address < lowest ? address : lowest), addresses[0] ?? 0n)
}

function rawContent(bytes: Uint8Array, { type, offset, size }: RawSection): Uint8Array {
  if (type === SHT_NOBITS) return bytes.subarray(0, 0)
  if (offset > bytes.length || size > bytes.length - offset) {
    throw new SymbolFileError('ELF', `a section of ${size} bytes ends outside the file`, offset)
  }
  return bytes.subarray(offset, offset + size)
}

function sectionContent(
  bytes: Uint8Array,
  { wide, littleEndian }: Header,
  section: RawSection,
  name: string,
  codecs: SectionCodecs,
): Uint8Array {
  const content = rawContent(bytes, section)
  if ((section.flags & SHF_COMPRESSED) !== 0 && section.type !== SHT_NOBITS) {
    const cursor = new ByteCursor(name, content, littleEndian)
    const kind = cursor.u32()
    if (wide) cursor.skip(4)
    const size = cursor.size(wide)
    cursor.skip(wide ? 8 : 4)
    const packed = content.subarray(cursor.at)
    if (kind === 1) return codecs.unzlib(packed, size)
    if (kind === 2) return codecs.unzstd(packed, size)
    throw cursor.error(`unknown section compression ${kind}`)
  }
  // Before SHF_COMPRESSED, compressed debug sections were marked by their name and the word ZLIB.
  if (name.startsWith('.zdebug_') && content.length > 12) {
    const cursor = new ByteCursor(name, content, false).seek(4)
    return codecs.unzlib(content.subarray(12), cursor.size(true))
  }
  return content
}

function readNotes(
  bytes: Uint8Array,
  { littleEndian }: Header,
  segments: Segments['notes'],
  sections: readonly RawSection[],
): { buildId: string | undefined; goBuildId: string | undefined } {
  let buildId: string | undefined
  let goBuildId: string | undefined
  const places = [
    ...sections.filter(({ type }) => type === SHT_NOTE).map(({ offset, size }) => ({ offset, size })),
    ...segments,
  ]
  for (const { offset, size } of places.slice(0, MAX_NOTE_PLACES)) {
    if (offset > bytes.length || size > bytes.length - offset || size > MAX_NOTE_BYTES) continue
    const cursor = new ByteCursor('ELF note', bytes.subarray(offset, offset + size), littleEndian)
    while (cursor.at + 12 <= cursor.end) {
      const nameBytes = cursor.u32()
      const contentBytes = cursor.u32()
      const type = cursor.u32()
      const padded = (length: number): number => Math.ceil(length / 4) * 4
      if (padded(nameBytes) + padded(contentBytes) > cursor.end - cursor.at) break
      const owner = String.fromCharCode(...cursor.take(padded(nameBytes)).subarray(0, Math.min(nameBytes, 8)))
      const content = cursor.take(padded(contentBytes)).subarray(0, contentBytes)
      if (contentBytes > MAX_ID_BYTES) continue
      if (owner === 'GNU\0' && type === NOTE_GNU_BUILD_ID) buildId ??= hexOf(content)
      if (owner === 'Go\0\0' && type === NOTE_GO_BUILD_ID) goBuildId ??= String.fromCharCode(...content)
    }
  }
  return { buildId, goBuildId }
}

function readDebugLink(sections: readonly Section[], littleEndian: boolean): ObjectFile['debugLink'] {
  const content = sections.find(({ name }) => name === '.gnu_debuglink')?.content()
  if (content === undefined || content.length < 8) return undefined
  const cursor = new ByteCursor('.gnu_debuglink', content, littleEndian)
  const name = cursor.text()
  cursor.seek(Math.min(cursor.end, Math.ceil(cursor.at / 4) * 4))
  return { name, crc: cursor.u32() }
}

function readSupplement(sections: readonly Section[]): ObjectFile['supplement'] {
  const content = sections.find(({ name }) => name === '.gnu_debugaltlink')?.content()
  if (content === undefined) return undefined
  const cursor = new ByteCursor('.gnu_debugaltlink', content)
  return { name: cursor.text(), buildId: hexOf(cursor.bytes.subarray(cursor.at, cursor.at + MAX_ID_BYTES)) }
}

function readSymbols(
  sections: readonly (Section & { readonly raw: RawSection })[],
  header: Header,
  base: ImageBase,
): FunctionSymbol[] {
  const symbols: FunctionSymbol[] = []
  const isTable = ({ raw }: { raw: RawSection }): boolean => raw.type === SHT_SYMTAB || raw.type === SHT_DYNSYM
  for (const section of sections.filter(isTable).slice(0, MAX_SYMBOL_TABLES)) {
    const { link, entrySize } = section.raw
    if (entrySize < 16) continue
    const names = new ByteCursor('ELF symbol names', sections[link]?.content(), true, SYMBOL_TEXTS_PER_BYTE)
    const cursor = new ByteCursor('ELF symbols', section.content(), header.littleEndian)
    // The local symbols of a source file follow the symbol with its name.
    let file: string | undefined
    for (let at = entrySize; at + entrySize <= cursor.end; at += entrySize) {
      const symbol = readSymbol(cursor.seek(at), header, base)
      if (symbol.nameOffset >= names.end) continue
      if (symbol.type === STT_FILE) file = names.textAt(symbol.nameOffset)
      if (!isNamedCode(symbol)) continue
      // A symbol without a type is code only in a section of code: start-up files in assembler have such symbols.
      if (symbol.type === STT_NOTYPE && sections[symbol.section]?.executable !== true) continue
      const name = withoutVersion(names.textAt(symbol.nameOffset))
      // ARM's mapping symbols ($a, $d, $x) mark kinds of bytes.
      if (name.startsWith('$') && symbol.type === STT_NOTYPE) continue
      const { start, size, rank } = symbol
      const place = sections[symbol.section]
      const limit = place === undefined ? start : base.distance(place.address) + place.size
      symbols.push({ name, start, size, limit, rank, ...(rank === LOCAL ? { file } : {}) })
    }
  }
  return symbols
}

/** `xdr_int@GLIBC_2.2.5` is a function of an older version of the library, `xdr_int@@GLIBC_2.5` of its default version. */
function withoutVersion(name: string): string {
  const at = name.indexOf('@')
  return at > 0 && /^@@?[\w.]+$/.test(name.slice(at)) ? name.slice(0, at) : name
}

interface RawSymbol {
  readonly nameOffset: number
  readonly type: number
  readonly section: number
  readonly start: number
  readonly size: number
  readonly rank: number
}

function isNamedCode({ nameOffset, type, section }: RawSymbol): boolean {
  return nameOffset !== 0 && section !== 0 && (type === STT_FUNC || type === STT_GNU_IFUNC || type === STT_NOTYPE)
}

function readSymbol(cursor: ByteCursor, { wide, machine }: Header, base: ImageBase): RawSymbol {
  const nameOffset = cursor.u32()
  let start = 0
  let size = 0
  if (!wide) {
    start = cursor.address(false, base)
    size = cursor.u32()
  }
  const info = cursor.u8()
  cursor.skip(1)
  const section = cursor.u16()
  if (wide) {
    start = cursor.address(true, base)
    size = cursor.size(true)
  }
  const type = info & 15
  // Bit 0 of an ARM function's address says that it is Thumb code.
  if (machine === 40 && type === STT_FUNC && start % 2 !== 0) start--
  const binding = info >> 4
  return { nameOffset, type, section, start, size, rank: binding === 1 ? 2 : binding === 2 ? 1 : LOCAL }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
