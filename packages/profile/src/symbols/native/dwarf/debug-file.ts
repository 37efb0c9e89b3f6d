// The DWARF sections of one file, and the list of its units. A split file (.dwo) is one too; its sections end in `.dwo`.
import { partitionPoint } from '../../../model/columns/binary-search.ts'
import { ByteCursor, type ImageBase } from '../byte-cursor.ts'
import { sectionNamed, type ObjectFile } from '../object/object-file.ts'
import { readAbbreviations, type AbbreviationTable } from './abbreviations.ts'
import { WorkLimit } from '../work-limit.ts'
import { UNIT } from './constants.ts'

export interface UnitHeader {
  readonly file: DebugFile
  /** Offset of the unit in .debug_info. References inside the unit count from here. */
  readonly start: number
  readonly end: number
  /** Offset of the first entry. */
  readonly entries: number
  readonly version: number
  readonly kind: number
  readonly addressBytes: number
  readonly offsetBytes: number
  readonly abbreviations: AbbreviationTable
  readonly dwoId: bigint | undefined
}

export class DebugFile {
  readonly base: ImageBase
  readonly littleEndian: boolean
  readonly info: ByteCursor
  readonly units: readonly UnitHeader[]
  readonly work: WorkLimit
  /** The file that `dwz` moved common entries and names to. */
  supplement: DebugFile | undefined
  readonly #object: ObjectFile
  readonly #suffix: string
  readonly #cursors = new Map<string, ByteCursor>()
  readonly #tables = new Map<number, AbbreviationTable>()

  /** `base` is that of the file that holds the code, which a split or supplementary file refers to. */
  constructor(object: ObjectFile, base: ImageBase = object.base) {
    this.#object = object
    this.base = base
    this.littleEndian = object.littleEndian
    this.#suffix = sectionNamed(object, '.debug_info.dwo') === undefined ? '' : '.dwo'
    this.info = this.section('info')
    const sizes = ['info', 'abbrev', 'line', 'ranges', 'rnglists'].map(name => this.section(name).end)
    this.work = new WorkLimit(
      'DWARF',
      sizes.reduce((sum, size) => sum + size, 0),
    )
    this.units = this.#readUnits()
  }

  /** A cursor of its own over `.debug_NAME`. Empty if the file has no such section. */
  section(name: string): ByteCursor {
    let cursor = this.#cursors.get(name)
    if (cursor === undefined) {
      const found = sectionNamed(
        this.#object,
        `.debug_${name}${this.#suffix}`,
        `.zdebug_${name}${this.#suffix}`,
        `__debug_${name}`,
      )
      cursor = new ByteCursor(found?.name ?? `.debug_${name}`, found?.content(), this.littleEndian)
      this.#cursors.set(name, cursor)
    }
    return cursor
  }

  /** The unit that holds an offset of .debug_info. */
  unitAt(offset: number): UnitHeader | undefined {
    const unit = this.units.at(partitionPoint(0, this.units.length, i => this.units[i].end <= offset))
    return unit !== undefined && offset >= unit.entries ? unit : undefined
  }

  #readUnits(): UnitHeader[] {
    const { info } = this
    const abbreviations = this.section('abbrev')
    const units: UnitHeader[] = []
    info.seek(0)
    while (info.at + 11 < info.end) {
      const start = info.at
      let length = info.u32()
      // Padding between units.
      if (length === 0) continue
      const wide = length === 0xffff_ffff
      if (wide) length = info.size(true)
      const end = info.at + length
      if (end > info.end) throw info.error(`a unit of ${length} bytes ends outside the section`)
      const version = info.u16()
      if (version < 2 || version > 5) {
        // A later version may differ in anything. Its units are skipped by their length.
        info.seek(end)
        continue
      }
      let kind: number = UNIT.compile
      let addressBytes = 0
      let table
      if (version >= 5) {
        kind = info.u8()
        addressBytes = info.u8()
        table = info.size(wide)
      } else {
        table = info.size(wide)
        addressBytes = info.u8()
      }
      const dwoId = version >= 5 && (kind === UNIT.skeleton || kind === UNIT.splitCompile) ? info.u64() : undefined
      if (kind === UNIT.type || kind === UNIT.splitType) {
        info.seek(end)
        continue
      }
      if (addressBytes !== 4 && addressBytes !== 8) throw info.error(`addresses of ${addressBytes} bytes`)
      const sizes = { version, addressBytes, offsetBytes: wide ? 8 : 4 }
      // Units of one compilation share a table. Sizes are the same throughout a file, so the offset identifies it.
      let read = this.#tables.get(table)
      if (read === undefined) {
        read = readAbbreviations(abbreviations, table, sizes)
        this.work.spend(abbreviations.at - table)
        this.#tables.set(table, read)
      }
      units.push({ file: this, start, end, entries: info.at, kind, ...sizes, abbreviations: read, dwoId })
      info.seek(end)
    }
    return units
  }
}
