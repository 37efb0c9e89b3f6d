// Mach-O, 32 and 64 bits, thin or universal: UUID, sections and function symbols.
import { ByteCursor, ImageBase } from '../byte-cursor.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { hexOf } from '../../../model/text/hex.ts'
import {
  SYMBOL_TEXTS_PER_BYTE,
  type FunctionSymbol,
  type ObjectFile,
  type Section,
  type Segment,
} from './object-file.ts'

const MAGIC_32 = 0xfeed_face
const MAGIC_64 = 0xfeed_facf
const UNIVERSAL = 0xcafe_babe
const MACHINES: Readonly<Record<number, string>> = {
  7: 'i386',
  0x100_0007: 'x86_64',
  12: 'arm',
  0x100_000c: 'aarch64',
}
const COMMAND = { segment: 1, symbols: 2, segment64: 0x19, uuid: 0x1b } as const
const EXECUTE = 4
const STAB = 0xe0
const IN_SECTION = 0x0e
const EXTERNAL = 1
const MAX_COMMANDS = 10_000

export function isMachO(bytes: Uint8Array): boolean {
  if (bytes.length < 32) return false
  const magic = new ByteCursor('Mach-O', bytes).u32()
  return magic === MAGIC_32 || magic === MAGIC_64 || isUniversal(bytes)
}

/** Java classes have the same magic number. Their next number is a version above 40, not a count of architectures. */
function isUniversal(bytes: Uint8Array): boolean {
  const cursor = new ByteCursor('Mach-O', bytes, false)
  return cursor.u32() === UNIVERSAL && cursor.u32() < 20
}

/** Reads a Mach-O file. `machine` picks an architecture of a universal file; the first one is the default. */
export function readMachO(bytes: Uint8Array, machine?: string): ObjectFile {
  return readThin(isUniversal(bytes) ? slice(bytes, machine) : bytes)
}

function readThin(bytes: Uint8Array): ObjectFile {
  const cursor = new ByteCursor('Mach-O', bytes)
  const magic = cursor.u32()
  if (magic !== MAGIC_64 && magic !== MAGIC_32) throw new SymbolFileError('Mach-O', 'no Mach-O header', 0)
  const wide = magic === MAGIC_64
  const cpu = cursor.u32()
  cursor.skip(8)
  const count = cursor.u32()
  if (count > MAX_COMMANDS) throw cursor.error(`${count} load commands`)
  cursor.seek(wide ? 32 : 28)
  const sections: Section[] = []
  const segments: Segment[] = []
  let buildId: string | undefined
  let symbols: SymbolTable | undefined
  for (let i = 0; i < count; i++) {
    const at = cursor.at
    const command = cursor.u32()
    const size = cursor.u32()
    if (size < 8) throw cursor.error(`a load command of ${size} bytes`)
    if (command === COMMAND.segment || command === COMMAND.segment64) {
      readSegment(cursor, wide, at + size, segments, sections)
    } else if (command === COMMAND.uuid) buildId = hexOf(cursor.take(16))
    else if (command === COMMAND.symbols) {
      symbols = { at: cursor.u32(), count: cursor.u32(), names: cursor.u32(), nameBytes: cursor.u32() }
    }
    cursor.seek(at + size)
  }
  const mapped = segments.filter(({ fileSize }) => fileSize > 0)
  const base = new ImageBase(mapped.reduce((low, s) => (s.address < low ? s.address : low), mapped[0]?.address ?? 0n))
  return {
    format: 'mach-o',
    machine: MACHINES[cpu] ?? `Mach-O CPU ${cpu}`,
    littleEndian: true,
    wide,
    base,
    sections,
    segments,
    buildId,
    goBuildId: undefined,
    debugLink: undefined,
    supplement: undefined,
    symbols: () => (symbols === undefined ? [] : readSymbols(cursor, symbols, wide, base, sections)),
  }
}

function slice(bytes: Uint8Array, machine: string | undefined): Uint8Array {
  const cursor = new ByteCursor('Mach-O', bytes, false).seek(4)
  const parts = Array.from({ length: cursor.u32() }, () => {
    const cpu = cursor.u32()
    cursor.skip(4)
    const part = { machine: MACHINES[cpu], offset: cursor.u32(), size: cursor.u32() }
    cursor.skip(4)
    return part
  })
  const part = parts.find(candidate => candidate.machine === machine) ?? parts.at(0)
  if (part === undefined) throw cursor.error('a universal file without architectures')
  return cursor.seek(part.offset).take(part.size)
}

function readSegment(cursor: ByteCursor, wide: boolean, end: number, segments: Segment[], sections: Section[]): void {
  cursor.skip(16)
  const address = wide ? cursor.u64() : BigInt(cursor.u32())
  const memorySize = cursor.size(wide)
  const fileOffset = cursor.size(wide)
  const fileSize = cursor.size(wide)
  cursor.skip(4)
  const executable = (cursor.u32() & EXECUTE) !== 0
  const count = cursor.u32()
  cursor.skip(4)
  segments.push({ fileOffset, fileSize, address, memorySize, executable })
  if (count * (wide ? 80 : 68) > end - cursor.at) throw cursor.error(`${count} sections end outside their segment`)
  for (let i = 0; i < count; i++) {
    const name = fixedText(cursor.take(16))
    cursor.skip(16)
    const start = wide ? cursor.u64() : BigInt(cursor.u32())
    const size = cursor.size(wide)
    const offset = cursor.u32()
    cursor.skip(12)
    const flags = cursor.u32()
    cursor.skip(wide ? 12 : 8)
    // Zero-filled sections have no bytes in the file.
    const isEmpty = (flags & 0xff) === 1
    const { bytes } = cursor
    const content = (): Uint8Array => (isEmpty ? bytes.subarray(0, 0) : bytes.subarray(offset, offset + size))
    sections.push({ name, address: start, size, executable, content })
  }
}

function fixedText(bytes: Uint8Array): string {
  const zero = bytes.indexOf(0)
  return String.fromCharCode(...(zero < 0 ? bytes : bytes.subarray(0, zero)))
}

interface SymbolTable {
  readonly at: number
  readonly count: number
  readonly names: number
  readonly nameBytes: number
}

function readSymbols(
  cursor: ByteCursor,
  table: SymbolTable,
  wide: boolean,
  base: ImageBase,
  sections: readonly Section[],
): FunctionSymbol[] {
  const symbols: FunctionSymbol[] = []
  const bytes = wide ? 16 : 12
  if (table.count * bytes > cursor.end - table.at) throw cursor.error(`${table.count} symbols end outside the file`)
  const names = new ByteCursor(
    'Mach-O symbol names',
    cursor.seek(table.names).take(table.nameBytes),
    true,
    SYMBOL_TEXTS_PER_BYTE,
  )
  for (let i = 0; i < table.count; i++) {
    cursor.seek(table.at + i * bytes)
    const nameOffset = cursor.u32()
    const type = cursor.u8()
    // Sections count from 1.
    const section: Section | undefined = sections[cursor.u8() - 1]
    cursor.skip(2)
    const start = cursor.address(wide, base)
    if ((type & STAB) !== 0 || (type & IN_SECTION) !== IN_SECTION || section?.executable !== true) continue
    if (nameOffset >= names.end) continue
    // Compilers put an underscore before names of C.
    const name = names.textAt(nameOffset).replace(/^_/, '')
    const limit = base.distance(section.address) + section.size
    if (name !== '') symbols.push({ name, start, size: 0, limit, rank: (type & EXTERNAL) === 0 ? 0 : 2 })
  }
  return symbols
}
