// PE (Windows): the signature of its PDB as build id, sections, exported functions and COFF symbols.
import { ByteCursor, ImageBase } from '../byte-cursor.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { SYMBOL_TEXTS_PER_BYTE, type FunctionSymbol, type ObjectFile, type Section } from './object-file.ts'

const MACHINES: Readonly<Record<number, string>> = { 0x14c: 'i386', 0x8664: 'x86_64', 0xaa64: 'aarch64' }
const PE32_PLUS = 0x20b
const CODE = 0x2000_0000
const FUNCTION_TYPE = 0x20
const STORAGE_EXTERNAL = 2
const STORAGE_STATIC = 3
const CODEVIEW = 2
const MAX_EXPORTS = 1_000_000
/** Windows loads images of up to 96 sections. */
const MAX_SECTIONS = 1000
const MAX_DEBUG_ENTRIES = 64

interface PeSection extends Section {
  readonly rva: number
  readonly fileOffset: number
  readonly fileSize: number
}

export function isPe(bytes: Uint8Array): boolean {
  if (bytes.length < 0x40 || bytes[0] !== 0x4d || bytes[1] !== 0x5a) return false
  const at = new ByteCursor('PE', bytes).seek(0x3c).u32()
  return at + 4 <= bytes.length && bytes[at] === 0x50 && bytes[at + 1] === 0x45 && bytes[at + 2] === 0
}

export function readPe(bytes: Uint8Array): ObjectFile {
  if (!isPe(bytes)) throw new SymbolFileError('PE', 'no PE header', 0)
  const cursor = new ByteCursor('PE', bytes, true, SYMBOL_TEXTS_PER_BYTE)
  cursor.seek(cursor.seek(0x3c).u32() + 4)
  const machine = cursor.u16()
  const sectionCount = cursor.u16()
  if (sectionCount > MAX_SECTIONS) throw cursor.error(`${sectionCount} sections are more than ${MAX_SECTIONS}`)
  cursor.skip(4)
  const symbolsAt = cursor.u32()
  const symbolCount = cursor.u32()
  const optionalBytes = cursor.u16()
  cursor.skip(2)
  const optional = cursor.at
  const wide = cursor.u16() === PE32_PLUS
  const imageBase = wide ? cursor.seek(optional + 24).u64() : BigInt(cursor.seek(optional + 28).u32())
  const directoriesAt = optional + (wide ? 112 : 96)
  const stringsAt = symbolsAt + symbolCount * 18
  const sections = readSections(
    cursor.seek(optional + optionalBytes),
    sectionCount,
    imageBase,
    symbolsAt === 0 ? 0 : stringsAt,
  )
  const directory = (index: number): { rva: number; size: number } => {
    cursor.seek(directoriesAt + index * 8)
    return { rva: cursor.u32(), size: cursor.u32() }
  }
  const base = new ImageBase(imageBase)
  return {
    format: 'pe',
    machine: MACHINES[machine] ?? `PE machine ${machine}`,
    littleEndian: true,
    wide,
    base,
    sections,
    segments: sections.map(({ fileOffset, fileSize, address, size, executable }) => ({
      fileOffset,
      fileSize,
      address,
      memorySize: size,
      executable,
    })),
    buildId: readPdbSignature(bytes, sections, directory(6)),
    goBuildId: undefined,
    debugLink: undefined,
    supplement: undefined,
    symbols: () => [
      ...readCoffSymbols(cursor, sections, symbolsAt, symbolCount, stringsAt),
      ...readExports(bytes, sections, directory(0)),
    ],
  }
}

function readSections(cursor: ByteCursor, count: number, imageBase: bigint, stringsAt: number): PeSection[] {
  const { bytes } = cursor
  return Array.from({ length: count }, () => {
    const raw = String.fromCharCode(...cursor.take(8)).replace(/\0.*$/, '')
    const size = cursor.u32()
    const rva = cursor.u32()
    const fileSize = cursor.u32()
    const fileOffset = cursor.u32()
    cursor.skip(12)
    const executable = (cursor.u32() & CODE) !== 0
    const after = cursor.at
    // Names longer than 8 bytes, as those of debug sections, are an offset into the string table.
    const name = /^\/\d+$/.test(raw) && stringsAt > 0 ? cursor.textAt(stringsAt + Number(raw.slice(1))) : raw
    cursor.seek(after)
    const content = (): Uint8Array => bytes.subarray(fileOffset, fileOffset + Math.min(fileSize, size))
    return { name, address: imageBase + BigInt(rva), size, executable, content, rva, fileOffset, fileSize }
  })
}

function at(bytes: Uint8Array, sections: readonly PeSection[], rva: number): ByteCursor | undefined {
  const section = sections.find(s => rva >= s.rva && rva < s.rva + s.fileSize)
  return section && new ByteCursor('PE', bytes).seek(rva - section.rva + section.fileOffset)
}

/** The GUID of the PDB in its usual order, and its age. */
function readPdbSignature(
  bytes: Uint8Array,
  sections: readonly PeSection[],
  { rva, size }: { rva: number; size: number },
): string | undefined {
  const end = Math.min(size, MAX_DEBUG_ENTRIES * 28)
  for (let i = 0; rva !== 0 && i + 28 <= end; i += 28) {
    const entry = at(bytes, sections, rva + i)
    if (entry === undefined) return undefined
    entry.skip(12)
    if (entry.u32() !== CODEVIEW) continue
    entry.skip(8)
    const data = new ByteCursor('PE', bytes).seek(entry.u32())
    if (data.u32() !== 0x5344_5352) continue
    const digits = (value: number, width: number): string => value.toString(16).padStart(width, '0')
    const head = digits(data.u32(), 8) + digits(data.u16(), 4) + digits(data.u16(), 4)
    const tail = Array.from(data.take(8), byte => digits(byte, 2)).join('')
    return head + tail + data.u32().toString(16)
  }
  return undefined
}

function readCoffSymbols(
  cursor: ByteCursor,
  sections: readonly PeSection[],
  from: number,
  count: number,
  stringsAt: number,
): FunctionSymbol[] {
  const symbols: FunctionSymbol[] = []
  if (from === 0 || count * 18 > cursor.end - from) return symbols
  for (let i = 0; i < count; i++) {
    cursor.seek(from + i * 18)
    const raw = cursor.take(8)
    const value = cursor.u32()
    // Sections count from 1. 0 is a symbol of another file.
    const section: PeSection | undefined = sections[cursor.u16() - 1]
    const type = cursor.u16()
    const storage = cursor.u8()
    i += cursor.u8()
    if (section?.executable !== true || type !== FUNCTION_TYPE) continue
    if (storage !== STORAGE_EXTERNAL && storage !== STORAGE_STATIC) continue
    const isLong = raw[0] === 0 && raw[1] === 0 && raw[2] === 0 && raw[3] === 0
    const offset = raw[4] | (raw[5] << 8) | (raw[6] << 16) | (raw[7] << 24)
    const name = isLong ? cursor.textAt(stringsAt + offset) : String.fromCharCode(...raw).replace(/\0.*$/, '')
    const limit = section.rva + section.size
    symbols.push({ name, start: section.rva + value, size: 0, limit, rank: storage === STORAGE_EXTERNAL ? 2 : 0 })
  }
  return symbols
}

function readExports(
  bytes: Uint8Array,
  sections: readonly PeSection[],
  { rva, size }: { rva: number; size: number },
): FunctionSymbol[] {
  const table = rva === 0 ? undefined : at(bytes, sections, rva)
  if (table === undefined) return []
  table.skip(20)
  table.skip(4)
  const nameCount = table.u32()
  const [functions, names, ordinals] = [table.u32(), table.u32(), table.u32()]
  if (nameCount > MAX_EXPORTS) throw table.error(`${nameCount} exports`)
  const symbols: FunctionSymbol[] = []
  const texts = new ByteCursor('PE', bytes, true, SYMBOL_TEXTS_PER_BYTE)
  for (let i = 0; i < nameCount; i++) {
    const ordinal = at(bytes, sections, ordinals + i * 2)?.u16()
    const nameRva = at(bytes, sections, names + i * 4)?.u32()
    if (ordinal === undefined || nameRva === undefined) break
    const start = at(bytes, sections, functions + ordinal * 4)?.u32()
    const nameAt = at(bytes, sections, nameRva)?.at
    const name = nameAt === undefined ? undefined : texts.textAt(nameAt)
    // An address inside the table itself is the name of a function in another library.
    if (start === undefined || name === undefined || (start >= rva && start < rva + size)) continue
    const section = sections.find(s => start >= s.rva && start < s.rva + s.size)
    if (section?.executable === true) {
      symbols.push({ name, start, size: 0, limit: section.rva + section.size, rank: 1 })
    }
  }
  return symbols
}
