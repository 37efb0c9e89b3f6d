// The abbreviation tables of .debug_abbrev: each code stands for a tag and a list of attributes with their forms.
import type { ByteCursor } from '../byte-cursor.ts'
import { FORM } from './constants.ts'

export interface Abbreviation {
  readonly tag: number
  readonly hasChildren: boolean
  /** Triples of attribute, form and the value of an implicit constant. */
  readonly attributes: Int32Array
  /** The bytes of an entry, or -1 if they vary. Types and variables are skipped by it without looking at forms. */
  readonly fixedBytes: number
}

export type AbbreviationTable = readonly (Abbreviation | undefined)[]

/** The sizes in bytes on which the length of an entry depends. */
export interface UnitSizes {
  readonly addressBytes: number
  readonly offsetBytes: number
  readonly version: number
}

/** Compilers number from 1 without gaps. The largest tables have some thousands of codes. */
const MAX_CODE = 1 << 20
/** Compilers write some dozens. Attributes without bytes would otherwise cost time in every entry. */
const MAX_ATTRIBUTES = 256

export function readAbbreviations(cursor: ByteCursor, at: number, sizes: UnitSizes): AbbreviationTable {
  const table: (Abbreviation | undefined)[] = []
  cursor.seek(at)
  for (let code = cursor.uleb(); code !== 0; code = cursor.uleb()) {
    if (code > MAX_CODE) throw cursor.error(`abbreviation code ${code} is above ${MAX_CODE}`)
    const tag = cursor.uleb()
    const hasChildren = cursor.u8() !== 0
    const attributes: number[] = []
    let fixedBytes = 0
    for (;;) {
      const attribute = cursor.uleb()
      const form = cursor.uleb()
      const implicit = form === FORM.implicitConst ? cursor.sleb() : 0
      if (attribute === 0 && form === 0) break
      if (attributes.length >= 3 * MAX_ATTRIBUTES) throw cursor.error(`more than ${MAX_ATTRIBUTES} attributes`)
      attributes.push(attribute, form, implicit)
      const bytes = bytesOfForm(form, sizes)
      fixedBytes = fixedBytes < 0 || bytes < 0 ? -1 : fixedBytes + bytes
    }
    table[code] = { tag, hasChildren, attributes: Int32Array.from(attributes), fixedBytes }
  }
  return table
}

/** The bytes of a value of this form, or -1 if they vary. */
export function bytesOfForm(form: number, { addressBytes, offsetBytes, version }: UnitSizes): number {
  switch (form) {
    case FORM.flagPresent:
    case FORM.implicitConst:
      return 0
    case FORM.data1:
    case FORM.flag:
    case FORM.ref1:
    case FORM.strx1:
    case FORM.addrx1:
      return 1
    case FORM.data2:
    case FORM.ref2:
    case FORM.strx2:
    case FORM.addrx2:
      return 2
    case FORM.strx3:
    case FORM.addrx3:
      return 3
    case FORM.data4:
    case FORM.ref4:
    case FORM.strx4:
    case FORM.addrx4:
    case FORM.refSup4:
      return 4
    case FORM.data8:
    case FORM.ref8:
    case FORM.refSig8:
    case FORM.refSup8:
      return 8
    case FORM.data16:
      return 16
    case FORM.addr:
      return addressBytes
    case FORM.refAddr:
      return version <= 2 ? addressBytes : offsetBytes
    case FORM.strp:
    case FORM.secOffset:
    case FORM.lineStrp:
    case FORM.strpSup:
    case FORM.gnuRefAlt:
    case FORM.gnuStrpAlt:
      return offsetBytes
    default:
      return -1
  }
}
