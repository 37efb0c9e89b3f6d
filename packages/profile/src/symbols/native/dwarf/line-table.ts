// Line programs (DWARF 2 to 5): which line of which file an instruction comes from.
//
//   address   0x10    0x14    0x18    0x20
//   row         0       1       2     end of sequence     row 1 holds for 0x14 ≤ address < 0x18
import type { ByteCursor } from '../byte-cursor.ts'
import { FORM } from './constants.ts'
import type { DebugFile, UnitHeader } from './debug-file.ts'

interface LineRows {
  readonly count: number
  /** Distances from the image base. Ascending inside a sequence. */
  readonly addresses: Float64Array
  readonly files: Int32Array
  /** -1 marks the end of a sequence. */
  readonly lines: Int32Array
  readonly columns: Int32Array
}

export interface DwarfLineTable {
  readonly rows: LineRows
  /** Full paths by the number that rows and entries use. */
  readonly paths: readonly string[]
}

export const END_OF_SEQUENCE = -1

const STANDARD = {
  copy: 1,
  advancePc: 2,
  advanceLine: 3,
  setFile: 4,
  setColumn: 5,
  constAddPc: 8,
  fixedAdvancePc: 9,
} as const

const EXTENDED = { endSequence: 1, setAddress: 2, defineFile: 3 } as const
const CONTENT = { path: 1, directory: 2 } as const

interface Header {
  readonly minimumInstruction: number
  readonly lineBase: number
  readonly lineRange: number
  readonly opcodeBase: number
  readonly operandCounts: Uint8Array
  readonly program: number
  readonly end: number
  readonly paths: string[]
  readonly directories: readonly string[]
  readonly isWide: boolean
}

/** Reads the table at `offset` of .debug_line. `directory` is that of the compilation, for relative paths. */
export function readLineTable(file: DebugFile, unit: UnitHeader, offset: number, directory: string): DwarfLineTable {
  const cursor = file.section('line').seek(offset)
  const header = readHeader(file, cursor, unit, directory)
  file.work.spend(header.end - offset)
  return { rows: runProgram(file, cursor, header, unit.addressBytes === 8, directory), paths: header.paths }
}

function readHeader(file: DebugFile, cursor: ByteCursor, unit: UnitHeader, directory: string): Header {
  let length = cursor.u32()
  const isWide = length === 0xffff_ffff
  if (isWide) length = cursor.size(true)
  const end = cursor.at + length
  if (end > cursor.end) throw cursor.truncated()
  const version = cursor.u16()
  if (version < 2 || version > 5) throw cursor.error(`unknown version ${version} of a line program`)
  if (version >= 5) cursor.skip(2)
  const headerBytes = cursor.size(isWide)
  const program = cursor.at + headerBytes
  const minimumInstruction = cursor.u8()
  if (version >= 4) cursor.skip(1)
  cursor.skip(1)
  const lineBase = cursor.i8()
  const lineRange = cursor.u8()
  const opcodeBase = cursor.u8()
  if (lineRange === 0) throw cursor.error('a line range of 0')
  const operandCounts = cursor.take(Math.max(0, opcodeBase - 1))
  const { directories, paths } =
    version >= 5 ? readTables5(file, cursor, unit, isWide, directory) : readTables(cursor, directory)
  return {
    minimumInstruction,
    lineBase,
    lineRange,
    opcodeBase,
    operandCounts,
    program,
    end,
    paths,
    directories,
    isWide,
  }
}

function readTables(cursor: ByteCursor, directory: string): { directories: string[]; paths: string[] } {
  const directories = [directory]
  for (let name = cursor.text(); name !== ''; name = cursor.text()) directories.push(joinPath(directory, name))
  const paths = ['']
  for (let name = cursor.text(); name !== ''; name = cursor.text()) {
    paths.push(joinPath(directories[cursor.uleb()] ?? '', name))
    cursor.skipLeb()
    cursor.skipLeb()
  }
  return { directories, paths }
}

function readTables5(
  file: DebugFile,
  cursor: ByteCursor,
  unit: UnitHeader,
  isWide: boolean,
  directory: string,
): { directories: string[]; paths: string[] } {
  const directories = readEntries(file, cursor, unit, isWide).map(({ path }) => joinPath(directory, path))
  const paths = readEntries(file, cursor, unit, isWide).map(entry =>
    joinPath(directories[entry.directory] ?? directory, entry.path),
  )
  return { directories, paths }
}

function readEntries(
  file: DebugFile,
  cursor: ByteCursor,
  unit: UnitHeader,
  isWide: boolean,
): { path: string; directory: number }[] {
  const formats = Array.from({ length: cursor.u8() }, () => [cursor.uleb(), cursor.uleb()] as const)
  const count = cursor.uleb()
  // An entry has at least one byte if it has any field.
  if (formats.length === 0 || count > cursor.end - cursor.at) {
    if (count === 0) return []
    throw cursor.error(`${count} files are more than the section can hold`)
  }
  return Array.from({ length: count }, () => {
    let path = ''
    let directory = 0
    for (const [content, form] of formats) {
      if (content === CONTENT.path) path = readText(file, cursor, form, isWide)
      else if (content === CONTENT.directory) directory = readNumber(cursor, form)
      else skipValue(cursor, form, unit, isWide)
    }
    return { path, directory }
  })
}

function readText(file: DebugFile, cursor: ByteCursor, form: number, isWide: boolean): string {
  switch (form) {
    case FORM.string:
      return cursor.text()
    case FORM.lineStrp:
      return file.section('line_str').textAt(cursor.size(isWide))
    case FORM.strp:
      return file.section('str').textAt(cursor.size(isWide))
    case FORM.strpSup:
    case FORM.gnuStrpAlt: {
      const offset = cursor.size(isWide)
      return file.supplement?.section('str').textAt(offset) ?? ''
    }
    default:
      throw cursor.error(`unknown form 0x${form.toString(16)} of a path`)
  }
}

function readNumber(cursor: ByteCursor, form: number): number {
  if (form === FORM.udata) return cursor.uleb()
  if (form === FORM.data1) return cursor.u8()
  if (form === FORM.data2) return cursor.u16()
  if (form === FORM.data4) return cursor.u32()
  throw cursor.error(`unknown form 0x${form.toString(16)} of a directory`)
}

function skipValue(cursor: ByteCursor, form: number, unit: UnitHeader, isWide: boolean): void {
  if (form === FORM.data16) cursor.skip(16)
  else if (form === FORM.data8) cursor.skip(8)
  else if (form === FORM.block) cursor.skip(cursor.uleb())
  else if (form === FORM.string) cursor.skipText()
  else if (form === FORM.lineStrp || form === FORM.strp) cursor.size(isWide)
  else readNumber(cursor, form)
}

function joinPath(directory: string, name: string): string {
  if (directory === '' || name.startsWith('/') || /^[A-Za-z]:[\\/]/.test(name)) return name
  if (name === '') return directory
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`
}

/** Grows as rows come. One program of Chromium has some hundred thousand rows. */
class RowColumns implements LineRows {
  count = 0
  addresses = new Float64Array(256)
  files = new Int32Array(256)
  lines = new Int32Array(256)
  columns = new Int32Array(256)

  add(address: number, file: number, line: number, column: number): void {
    if (this.count === this.addresses.length) this.#grow()
    this.addresses[this.count] = address
    this.files[this.count] = file
    this.lines[this.count] = line
    this.columns[this.count++] = column
  }

  #grow(): void {
    const length = this.count * 2
    const addresses = new Float64Array(length)
    addresses.set(this.addresses)
    this.addresses = addresses
    for (const name of ['files', 'lines', 'columns'] as const) {
      const grown = new Int32Array(length)
      grown.set(this[name])
      this[name] = grown
    }
  }
}

function runProgram(file: DebugFile, cursor: ByteCursor, header: Header, wide: boolean, directory: string): LineRows {
  const rows = new RowColumns()
  const { minimumInstruction, lineBase, lineRange, opcodeBase, operandCounts, end, paths, directories } = header
  const constAdd = Math.floor((255 - opcodeBase) / lineRange) * minimumInstruction
  let address = 0
  let fileNumber = 1
  let line = 1
  let column = 0
  cursor.seek(header.program)
  while (cursor.at < end) {
    const opcode = cursor.u8()
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase
      address += Math.floor(adjusted / lineRange) * minimumInstruction
      line += lineBase + (adjusted % lineRange)
      rows.add(address, fileNumber, line, column)
      continue
    }
    switch (opcode) {
      case 0: {
        const length = cursor.uleb()
        const next = cursor.at + length
        if (length === 0) break
        const extended = cursor.u8()
        if (extended === EXTENDED.endSequence) {
          rows.add(address, fileNumber, END_OF_SEQUENCE, 0)
          address = 0
          fileNumber = 1
          line = 1
          column = 0
        } else if (extended === EXTENDED.setAddress) {
          address = cursor.address(length === 9 || (length !== 5 && wide), file.base)
        } else if (extended === EXTENDED.defineFile) {
          const name = cursor.text()
          paths.push(joinPath(directories[cursor.uleb()] ?? directory, name))
        }
        cursor.seek(next)
        break
      }
      case STANDARD.copy:
        rows.add(address, fileNumber, line, column)
        break
      case STANDARD.advancePc:
        address += cursor.uleb() * minimumInstruction
        break
      case STANDARD.advanceLine:
        line += cursor.sleb()
        break
      case STANDARD.setFile:
        fileNumber = cursor.uleb()
        break
      case STANDARD.setColumn:
        column = cursor.uleb()
        break
      case STANDARD.constAddPc:
        address += constAdd
        break
      case STANDARD.fixedAdvancePc:
        address += cursor.u16()
        break
      default:
        for (let count = operandCounts[opcode - 1] ?? 0; count > 0; count--) cursor.skipLeb()
    }
  }
  return rows
}
