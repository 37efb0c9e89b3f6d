// The bytes of a folded file as UTF-8. Byte order marks are removed. UTF-16 (which PowerShell's `>` writes) is
// converted without making a string of the whole text.
import { FormatError } from '../format.ts'

export interface FoldedText {
  readonly bytes: Uint8Array
  /** The start of the text, after the byte order mark. */
  readonly from: number
  /** UTF-16 surrogates without their other half, replaced by U+FFFD. */
  readonly broken: number
  /** Converts an offset in `bytes` to an offset in the file. */
  sourceOffset(at: number): number
}

type Utf16 = 'little' | 'big'

export function openText(file: Uint8Array): FoldedText {
  const order = utf16Order(file)
  if (order !== undefined) return transcode(file, order)
  const marked = file.length >= 3 && file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf
  return { bytes: file, from: marked ? 3 : 0, broken: 0, sourceOffset: at => at }
}

/** Opens the start of a file, which may end within a character. */
export function openHead(head: Uint8Array): FoldedText {
  const cut = utf16Order(head) !== undefined && head.length % 2 === 1
  return openText(cut ? head.subarray(0, head.length - 1) : head)
}

function utf16Order(file: Uint8Array): Utf16 | undefined {
  if (file.length < 2) return undefined
  if (file[0] === 0xff && file[1] === 0xfe) return 'little'
  return file[0] === 0xfe && file[1] === 0xff ? 'big' : undefined
}

function transcode(file: Uint8Array, order: Utf16): FoldedText {
  if (file.length % 2 === 1) throw new FormatError('folded', file.length - 1, 'UTF-16 text ends in half a character')
  const lowByte = order === 'little' ? 0 : 1
  const unitAt = (at: number): number => file[at + lowByte] | (file[at + 1 - lowByte] << 8)
  // Counted first: the largest case is three bytes per unit, 1.5 times the file, but most files need half of it.
  let length = 0
  let broken = 0
  for (let at = 2; at < file.length; at += 2) {
    const unit = unitAt(at)
    if (unit < 0x80) length += 1
    else if (unit < 0x800) length += 2
    else if (isHigh(unit) && at + 2 < file.length && isLow(unitAt(at + 2))) {
      length += 4
      at += 2
    } else {
      length += 3
      if (isSurrogate(unit)) broken++
    }
  }
  const bytes = new Uint8Array(length)
  let to = 0
  for (let at = 2; at < file.length; at += 2) {
    let code = unitAt(at)
    if (code < 0x80) {
      bytes[to++] = code
      continue
    }
    if (code < 0x800) {
      bytes[to++] = 0xc0 | (code >> 6)
      bytes[to++] = 0x80 | (code & 0x3f)
      continue
    }
    if (isHigh(code) && at + 2 < file.length && isLow(unitAt(at + 2))) {
      at += 2
      code = 0x10000 + ((code & 0x3ff) << 10) + (unitAt(at) & 0x3ff)
      bytes[to++] = 0xf0 | (code >> 18)
      bytes[to++] = 0x80 | ((code >> 12) & 0x3f)
    } else {
      if (isSurrogate(code)) code = 0xfffd
      bytes[to++] = 0xe0 | (code >> 12)
    }
    bytes[to++] = 0x80 | ((code >> 6) & 0x3f)
    bytes[to++] = 0x80 | (code & 0x3f)
  }
  return { bytes, from: 0, broken, sourceOffset: at => 2 + 2 * unitsBefore(bytes, at) }
}

/** The number of UTF-16 units of the bytes before `at`: one per character, two for characters of four bytes. */
function unitsBefore(bytes: Uint8Array, at: number): number {
  let units = 0
  for (let i = 0; i < at; i++) if ((bytes[i] & 0xc0) !== 0x80) units += bytes[i] >= 0xf0 ? 2 : 1
  return units
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00
}
