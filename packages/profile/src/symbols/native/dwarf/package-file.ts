// DWARF packages (.dwp): the split units of a program in one file. An index says which part of each section belongs to a unit.
//
//   .debug_cu_index   header   slots: unit id, row   sections of the columns   offsets, one row per unit   sizes, likewise
import { ByteCursor } from '../byte-cursor.ts'
import { sectionNamed, type ObjectFile, type Section } from '../object/object-file.ts'

const INDEX = '.debug_cu_index'

/** The sections of a column by its number. Both versions use the same numbers for the sections that are read. */
const SECTIONS: Readonly<Record<number, string>> = {
  1: '.debug_info.dwo',
  3: '.debug_abbrev.dwo',
  4: '.debug_line.dwo',
  6: '.debug_str_offsets.dwo',
  8: '.debug_rnglists.dwo',
}

export function isPackage(object: ObjectFile): boolean {
  return sectionNamed(object, INDEX) !== undefined
}

/** One unit of a package, as if it were a file of its own. Undefined if the package does not have it. Throws SymbolFileError. */
export function unitOfPackage(object: ObjectFile, id: bigint): ObjectFile | undefined {
  const cursor = new ByteCursor(INDEX, sectionNamed(object, INDEX)?.content(), object.littleEndian)
  if (cursor.end === 0) return undefined
  // Version 2 is GNU's, with 32 bits. Version 5 has 16, and padding.
  const [first, second] = [cursor.u16(), cursor.u16()]
  const version = object.littleEndian ? first : first === 0 ? second : first
  if (version !== 2 && version !== 5) throw cursor.error(`unknown version ${version} of the index`)
  const [columns, units, slots] = [cursor.u32(), cursor.u32(), cursor.u32()]
  const rows = 16 + slots * 8
  const table = rows + slots * 4
  const row = rowOf(cursor, slots, rows, id)
  if (row === undefined || row === 0 || row > units) return undefined
  const offsets = table + columns * 4 * row
  const sizes = table + columns * 4 * (units + row)
  const parts = new Map<string, readonly [from: number, size: number]>()
  for (let column = 0; column < columns; column++) {
    const name = SECTIONS[cursor.seek(table + column * 4).u32()]
    const from = cursor.seek(offsets + column * 4).u32()
    const size = cursor.seek(sizes + column * 4).u32()
    if (name !== undefined) parts.set(name, [from, size])
  }
  return { ...object, sections: object.sections.map(section => partOf(section, parts.get(section.name))) }
}

/** The hash table uses open addressing. Every slot is visited at most once, so a broken table cannot loop. */
function rowOf(cursor: ByteCursor, slots: number, rows: number, id: bigint): number | undefined {
  if (slots === 0 || (slots & (slots - 1)) !== 0) return undefined
  const mask = BigInt(slots - 1)
  const step = ((id >> 32n) & mask) | 1n
  let slot = id & mask
  for (let tried = 0; tried < slots; tried++) {
    const found = cursor.seek(16 + Number(slot) * 8).u64()
    const row = cursor.seek(rows + Number(slot) * 4).u32()
    if (found === id && row !== 0) return row
    if (found === 0n && row === 0) return undefined
    slot = (slot + step) & mask
  }
  return undefined
}

function partOf(section: Section, part: readonly [from: number, size: number] | undefined): Section {
  if (part === undefined) return section
  const [from, size] = part
  return { ...section, size, content: () => section.content().subarray(from, from + size) }
}
