// Drops the parts of an ELF file that name no function, file or line: code, data, and the debug information of variables. Symbols, Go's
// tables and build ids stay. The headers of segments stay as they are, so that addresses of running processes can still be converted.
import { ByteCursor } from '../byte-cursor.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { isElf } from './elf.ts'

const SHT_NULL = 0
const SHT_NOTE = 7
const SHT_NOBITS = 8
const SHF_ALLOC = 2
const ALIGN = 16

/** Sections that are loaded into memory and have names of functions or of files. */
const KEPT = /^\.(?:(?:data\.rel\.ro\.)?gopclntab|symtab|strtab|shstrtab|dynsym|dynstr|gnu_debug.*|debug_.*|zdebug_.*)$/

/** Go's own table says which calls were inlined by data in these sections. Debug information says it too. */
const KEPT_OF_GO = /^\.(?:rodata|noptrdata|data|data\.rel\.ro(?:\.go\.func)?|go\.(?:module|func))$/

/** Places and types of variables, frames, macros, and indexes for debuggers. */
const UNUSED =
  /^\.z?debug_(?:loc|loclists|frame|macro|macinfo|types|aranges|names|(?:gnu_)?pub(?:names|types))(?:\.dwo)?$|^\.gdb_index$/

interface Kept {
  /** The offset of the section's header. */
  readonly header: number
  readonly offset: number
  readonly size: number
}

/** Returns the same bytes if they are not ELF, or have no sections. */
export function stripElf(bytes: Uint8Array): Uint8Array {
  if (!isElf(bytes)) return bytes
  const wide = bytes[4] === 2
  const cursor = new ByteCursor('ELF', bytes, bytes[5] === 1)
  const sectionsAt = cursor.seek(wide ? 40 : 32).size(wide)
  const headersEnd = endOfSegmentHeaders(cursor, wide)
  const stride = cursor.seek(wide ? 58 : 46).u16()
  const count = cursor.u16()
  const names = cursor.u16()
  if (sectionsAt === 0 || count === 0 || headersEnd > bytes.length) return bytes
  const read = (index: number): { name: number; type: number; flags: number; offset: number; size: number } => {
    cursor.seek(sectionsAt + index * stride)
    const [name, type] = [cursor.u32(), cursor.u32()]
    const flags = cursor.size(wide)
    cursor.skip(wide ? 8 : 4)
    return { name, type, flags, offset: cursor.size(wide), size: cursor.size(wide) }
  }
  if (names >= count) return bytes
  const table = read(names)
  const text = new ByteCursor('ELF section names', bytes.subarray(table.offset, table.offset + table.size))
  const sections = Array.from({ length: count }, (_, index) => {
    const section = read(index)
    return { ...section, text: section.name < text.end ? text.textAt(section.name) : '', index }
  })
  const has = (name: RegExp): boolean => sections.some(section => name.test(section.text))
  const needsDataOfGo = has(/^\.go\.buildinfo$|gopclntab$/) && !has(/^\.z?debug_info$/)
  const kept: Kept[] = []
  const dropped: number[] = []
  for (const { text: name, type, flags, offset, size, index } of sections) {
    const header = sectionsAt + index * stride
    if (type === SHT_NULL || type === SHT_NOBITS) continue
    const isLoaded = (flags & SHF_ALLOC) !== 0
    const isNeeded = type === SHT_NOTE || KEPT.test(name) || (needsDataOfGo && KEPT_OF_GO.test(name))
    if ((isLoaded && !isNeeded) || UNUSED.test(name)) {
      dropped.push(header)
      continue
    }
    if (offset > bytes.length || size > bytes.length - offset)
      throw new SymbolFileError('ELF', `a section of ${size} bytes ends outside the file`, offset)
    kept.push({ header, offset, size })
  }
  return written(bytes, wide, { headersEnd, sectionsAt, sectionBytes: stride * count, kept, dropped })
}

interface Parts {
  readonly headersEnd: number
  readonly sectionsAt: number
  readonly sectionBytes: number
  readonly kept: readonly Kept[]
  readonly dropped: readonly number[]
}

function written(bytes: Uint8Array, wide: boolean, parts: Parts): Uint8Array {
  const { headersEnd, sectionsAt, sectionBytes, kept, dropped } = parts
  const aligned = (at: number): number => Math.ceil(at / ALIGN) * ALIGN
  let end = aligned(headersEnd)
  const places = kept.map(({ size }) => {
    const at = end
    end = aligned(at + size)
    return at
  })
  const output = new Uint8Array(end + sectionBytes)
  output.set(bytes.subarray(0, headersEnd))
  for (const [k, { offset, size }] of kept.entries()) output.set(bytes.subarray(offset, offset + size), places[k])
  output.set(bytes.subarray(sectionsAt, sectionsAt + sectionBytes), end)
  const view = new DataView(output.buffer)
  const littleEndian = bytes[5] === 1
  const setSize = (at: number, value: number): void => {
    if (wide) view.setBigUint64(at, BigInt(value), littleEndian)
    else view.setUint32(at, value, littleEndian)
  }
  setSize(wide ? 40 : 32, end)
  const moved = (header: number): number => end + header - sectionsAt
  for (const [k, { header }] of kept.entries()) setSize(moved(header) + (wide ? 24 : 16), places[k])
  for (const header of dropped) view.setUint32(moved(header) + 4, SHT_NOBITS, littleEndian)
  return output
}

function endOfSegmentHeaders(cursor: ByteCursor, wide: boolean): number {
  const at = cursor.seek(wide ? 32 : 28).size(wide)
  const bytes = cursor.seek(wide ? 54 : 42).u16()
  const count = cursor.u16()
  return at === 0 ? (wide ? 64 : 52) : Math.max(wide ? 64 : 52, at + bytes * count)
}
