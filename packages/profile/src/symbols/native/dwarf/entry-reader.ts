// Reads the attributes of debugging information entries, as far as functions need them.
import type { ByteCursor } from '../byte-cursor.ts'
import { bytesOfForm, type Abbreviation } from './abbreviations.ts'
import { ATTRIBUTE, FORM } from './constants.ts'
import type { DebugFile, UnitHeader } from './debug-file.ts'

/** The place of a text: a section and an offset. Texts are read only when a name is used. */
export interface TextReference {
  readonly section: ByteCursor
  readonly offset: number
}

/** The offset of an entry in .debug_info of a file, which may be the supplementary one. */
export interface EntryReference {
  readonly file: DebugFile
  readonly offset: number
}

/** The bases of the indexed forms, which one unit states for all of its entries. */
export interface UnitBases {
  stringOffsets: number
  addresses: number
  rangeLists: number
  /** GNU's split DWARF 4: offset of the unit's ranges in the skeleton's file. */
  ranges: number
  /** Split units take addresses, and DWARF 4 ranges, from the file with the skeleton. */
  main: DebugFile
}

/** The attributes of one entry. An instance is reused for every entry. */
export class Entry {
  tag = 0
  hasChildren = false
  sibling = 0
  lowPc = Number.NaN
  highPc = Number.NaN
  /** Whether highPc is a length. */
  highIsLength = false
  /** Offset or index of the ranges; -1 without. */
  ranges = -1
  rangesAreIndexed = false
  name: TextReference | undefined
  linkageName: TextReference | undefined
  origin: EntryReference | undefined
  declarationFile = 0
  declarationLine = 0
  callFile = 0
  callLine = 0
  callColumn = 0
  statementList = -1
  compilationDirectory: TextReference | undefined
  dwoName: TextReference | undefined
  dwoId: bigint | undefined

  clear(): void {
    this.sibling = 0
    this.lowPc = Number.NaN
    this.highPc = Number.NaN
    this.highIsLength = false
    this.ranges = -1
    this.rangesAreIndexed = false
    this.name = undefined
    this.linkageName = undefined
    this.origin = undefined
    this.declarationFile = 0
    this.declarationLine = 0
    this.callFile = 0
    this.callLine = 0
    this.callColumn = 0
    this.statementList = -1
    this.compilationDirectory = undefined
    this.dwoName = undefined
    this.dwoId = undefined
  }
}

export class EntryReader {
  readonly unit: UnitHeader
  readonly bases: UnitBases
  readonly #cursor: ByteCursor
  readonly #wideOffsets: boolean
  readonly #wideAddresses: boolean

  constructor(unit: UnitHeader, main: DebugFile = unit.file) {
    this.unit = unit
    this.#cursor = unit.file.info
    this.#wideOffsets = unit.offsetBytes === 8
    this.#wideAddresses = unit.addressBytes === 8
    // A split unit without its own bases starts after the header of its contribution.
    const isSplit = main !== unit.file
    const header = unit.version >= 5 && isSplit ? (this.#wideOffsets ? 16 : 8) : 0
    this.bases = {
      stringOffsets: header,
      addresses: 0,
      rangeLists: unit.version >= 5 && isSplit ? (this.#wideOffsets ? 20 : 12) : 0,
      ranges: 0,
      main,
    }
  }

  /** Reads every attribute at the cursor that `entry` has a field for, and skips the others. */
  read(abbreviation: Abbreviation, entry: Entry): void {
    entry.clear()
    entry.tag = abbreviation.tag
    entry.hasChildren = abbreviation.hasChildren
    const { attributes } = abbreviation
    // Indexed forms count from bases that the same entry states, possibly after them.
    if (abbreviation.tag === 0x11 || abbreviation.tag === 0x4a || abbreviation.tag === 0x3c) this.#readBases(attributes)
    for (let i = 0; i < attributes.length; i += 3) {
      this.#readAttribute(attributes[i], attributes[i + 1], attributes[i + 2], entry)
    }
  }

  skip(abbreviation: Abbreviation): void {
    if (abbreviation.fixedBytes >= 0) {
      this.#cursor.skip(abbreviation.fixedBytes)
      return
    }
    const { attributes } = abbreviation
    for (let i = 0; i < attributes.length; i += 3) this.#skipForm(attributes[i + 1])
  }

  #readBases(attributes: Int32Array): void {
    const from = this.#cursor.at
    for (let i = 0; i < attributes.length; i += 3) {
      const form = attributes[i + 1]
      switch (attributes[i]) {
        case ATTRIBUTE.stringOffsetsBase:
          this.bases.stringOffsets = this.#unsigned(form)
          break
        case ATTRIBUTE.addressBase:
        case ATTRIBUTE.gnuAddressBase:
          this.bases.addresses = this.#unsigned(form)
          break
        case ATTRIBUTE.rangeListsBase:
          this.bases.rangeLists = this.#unsigned(form)
          break
        case ATTRIBUTE.gnuRangesBase:
          this.bases.ranges = this.#unsigned(form)
          break
        default:
          this.#skipForm(form)
      }
    }
    this.#cursor.seek(from)
  }

  #readAttribute(attribute: number, form: number, implicit: number, entry: Entry): void {
    switch (attribute) {
      case ATTRIBUTE.sibling:
        entry.sibling = this.#reference(form)?.offset ?? 0
        return
      case ATTRIBUTE.name:
        entry.name = this.#text(form)
        return
      case ATTRIBUTE.linkageName:
      case ATTRIBUTE.mipsLinkageName:
        entry.linkageName = this.#text(form)
        return
      case ATTRIBUTE.abstractOrigin:
      case ATTRIBUTE.specification:
        entry.origin = this.#reference(form)
        return
      case ATTRIBUTE.lowPc:
        entry.lowPc = this.#address(form)
        return
      case ATTRIBUTE.highPc:
        entry.highIsLength = !isAddressForm(form)
        entry.highPc = entry.highIsLength ? this.#constant(form, implicit) : this.#address(form)
        return
      case ATTRIBUTE.ranges:
        entry.rangesAreIndexed = form === FORM.rnglistx
        entry.ranges = this.#unsigned(form)
        return
      case ATTRIBUTE.declarationFile:
        entry.declarationFile = this.#constant(form, implicit)
        return
      case ATTRIBUTE.declarationLine:
        entry.declarationLine = this.#constant(form, implicit)
        return
      case ATTRIBUTE.callFile:
        entry.callFile = this.#constant(form, implicit)
        return
      case ATTRIBUTE.callLine:
        entry.callLine = this.#constant(form, implicit)
        return
      case ATTRIBUTE.callColumn:
        entry.callColumn = this.#constant(form, implicit)
        return
      case ATTRIBUTE.statementList:
        entry.statementList = this.#unsigned(form)
        return
      case ATTRIBUTE.compilationDirectory:
        entry.compilationDirectory = this.#text(form)
        return
      case ATTRIBUTE.dwoName:
      case ATTRIBUTE.gnuDwoName:
        entry.dwoName = this.#text(form)
        return
      case ATTRIBUTE.gnuDwoId:
        entry.dwoId = this.#cursor.u64()
        return
      default:
        this.#skipForm(form)
    }
  }

  #unsigned(form: number): number {
    const cursor = this.#cursor
    switch (form) {
      case FORM.data1:
        return cursor.u8()
      case FORM.data2:
        return cursor.u16()
      case FORM.data4:
        return cursor.u32()
      case FORM.data8:
        return cursor.size(true)
      case FORM.secOffset:
        return cursor.size(this.#wideOffsets)
      case FORM.udata:
      case FORM.rnglistx:
        return cursor.uleb()
      default:
        this.#skipForm(form)
        return 0
    }
  }

  #constant(form: number, implicit: number): number {
    if (form === FORM.implicitConst) return implicit
    if (form === FORM.sdata) return this.#cursor.sleb()
    return this.#unsigned(form)
  }

  #address(form: number): number {
    const index = this.#index(form)
    if (index === undefined) {
      if (form === FORM.addr) return this.#cursor.address(this.#wideAddresses, this.unit.file.base)
      this.#skipForm(form)
      return Number.NaN
    }
    return this.indexedAddress(index)
  }

  indexedAddress(index: number): number {
    const { main, addresses } = this.bases
    const cursor = main.section('addr').seek(addresses + index * this.unit.addressBytes)
    return cursor.address(this.#wideAddresses, main.base)
  }

  /** The index in an indexed form of addresses or strings, or undefined for other forms. */
  #index(form: number): number | undefined {
    const cursor = this.#cursor
    switch (form) {
      case FORM.addrx:
      case FORM.strx:
      case FORM.gnuAddrIndex:
      case FORM.gnuStrIndex:
        return cursor.uleb()
      case FORM.addrx1:
      case FORM.strx1:
        return cursor.u8()
      case FORM.addrx2:
      case FORM.strx2:
        return cursor.u16()
      case FORM.addrx3:
      case FORM.strx3:
        return cursor.u24()
      case FORM.addrx4:
      case FORM.strx4:
        return cursor.u32()
      default:
        return undefined
    }
  }

  #text(form: number): TextReference | undefined {
    const cursor = this.#cursor
    const { file } = this.unit
    switch (form) {
      case FORM.string: {
        const offset = cursor.at
        cursor.skipText()
        return { section: cursor, offset }
      }
      case FORM.strp:
        return { section: file.section('str'), offset: cursor.size(this.#wideOffsets) }
      case FORM.lineStrp:
        return { section: file.section('line_str'), offset: cursor.size(this.#wideOffsets) }
      case FORM.strpSup:
      case FORM.gnuStrpAlt: {
        const offset = cursor.size(this.#wideOffsets)
        return file.supplement === undefined ? undefined : { section: file.supplement.section('str'), offset }
      }
      default: {
        const index = this.#index(form)
        if (index === undefined) {
          this.#skipForm(form)
          return undefined
        }
        const offsets = file.section('str_offsets').seek(this.bases.stringOffsets + index * this.unit.offsetBytes)
        return { section: file.section('str'), offset: offsets.size(this.#wideOffsets) }
      }
    }
  }

  #reference(form: number): EntryReference | undefined {
    const cursor = this.#cursor
    const { file, start } = this.unit
    switch (form) {
      case FORM.ref1:
        return { file, offset: start + cursor.u8() }
      case FORM.ref2:
        return { file, offset: start + cursor.u16() }
      case FORM.ref4:
        return { file, offset: start + cursor.u32() }
      case FORM.ref8:
        return { file, offset: start + cursor.size(true) }
      case FORM.refUdata:
        return { file, offset: start + cursor.uleb() }
      case FORM.refAddr:
        return { file, offset: cursor.size(bytesOfForm(form, this.unit) === 8) }
      case FORM.refSup4:
      case FORM.refSup8:
      case FORM.gnuRefAlt: {
        const offset = cursor.size(bytesOfForm(form, this.unit) === 8)
        return file.supplement === undefined ? undefined : { file: file.supplement, offset }
      }
      default:
        this.#skipForm(form)
        return undefined
    }
  }

  #skipForm(form: number): void {
    const cursor = this.#cursor
    const bytes = bytesOfForm(form, this.unit)
    if (bytes >= 0) {
      cursor.skip(bytes)
      return
    }
    switch (form) {
      case FORM.sdata:
      case FORM.udata:
      case FORM.refUdata:
      case FORM.strx:
      case FORM.addrx:
      case FORM.loclistx:
      case FORM.rnglistx:
      case FORM.gnuAddrIndex:
      case FORM.gnuStrIndex:
        cursor.skipLeb()
        return
      case FORM.string:
        cursor.skipText()
        return
      case FORM.block1:
        cursor.skip(cursor.u8())
        return
      case FORM.block2:
        cursor.skip(cursor.u16())
        return
      case FORM.block4:
        cursor.skip(cursor.u32())
        return
      case FORM.block:
      case FORM.exprloc:
        cursor.skip(cursor.uleb())
        return
      case FORM.indirect:
        this.#skipForm(cursor.uleb())
        return
      default:
        throw cursor.error(`unknown form 0x${form.toString(16)}`)
    }
  }
}

function isAddressForm(form: number): boolean {
  return (
    form === FORM.addr ||
    form === FORM.addrx ||
    form === FORM.gnuAddrIndex ||
    (form >= FORM.addrx1 && form <= FORM.addrx4)
  )
}
