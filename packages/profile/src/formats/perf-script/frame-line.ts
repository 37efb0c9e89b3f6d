// Parses a frame of a callchain, and the line of source that may follow it.
//
//   ffffffffa4c7c5c6 native_write_msr+0x6 ([kernel.kallsyms])
//             20ce7 munmap (inlined)
//   6e696c2d646c0036 [unknown] ([unknown])
//     dl-cache.c:538
import { NONE } from '../../model/columns/brand.ts'
import type { TextRange } from './sample-line.ts'
import { CLOSE, digitsEnd, hexDigit, isBlank, OPEN, skipBlanks, startsWith, trimEnd } from './text.ts'

const INLINED = '(inlined)'
const OFFSET = '+0x'
const UNKNOWN = '[unknown]'
/** 64 bits. */
const MAX_HEX = 16
/** No function is longer than 4 GiB. */
const MAX_OFFSET = 8

export class FrameLine {
  addressLo = 0
  addressHi = 0
  /** Both NONE if the symbol or the file is unknown. */
  readonly symbol: TextRange = { from: NONE, to: NONE }
  readonly file: TextRange = { from: NONE, to: NONE }
  /** Bytes from the start of the symbol; NONE if it is not given. */
  offset = NONE
  isInlined = false
  hasAddress = false

  /** Returns false if the line is not a frame. Ignores spaces around it. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    const start = skipBlanks(bytes, from, to)
    const end = trimEnd(bytes, start, to)
    const afterAddress = this.#address(bytes, start, end)
    this.hasAddress = afterAddress !== start
    this.isInlined = false
    this.offset = NONE
    this.#clear()
    const symbolFrom = skipBlanks(bytes, afterAddress, end)
    const fileFrom = fileStart(bytes, symbolFrom, end)
    if (fileFrom !== NONE) {
      if (startsWith(bytes, fileFrom, end, INLINED) && end - fileFrom === INLINED.length) this.isInlined = true
      else setKnown(this.file, bytes, fileFrom + 1, end - 1)
    }
    this.#symbol(bytes, symbolFrom, trimEnd(bytes, symbolFrom, fileFrom === NONE ? end : fileFrom))
    return this.hasAddress || fileFrom !== NONE
  }

  /** Returns where the address ends, or `from` if there is none. */
  #address(bytes: Uint8Array, from: number, to: number): number {
    let at = from
    let lo = 0
    let hi = 0
    for (let digit; at < to && (digit = hexDigit(bytes[at])) >= 0; at++) {
      hi = (hi << 4) | (lo >>> 28)
      lo = (lo << 4) | digit
    }
    const isAddress = at > from && at - from <= MAX_HEX && (at === to || isBlank(bytes[at]))
    this.addressLo = isAddress ? lo : 0
    this.addressHi = isAddress ? hi : 0
    return isAddress ? at : from
  }

  #symbol(bytes: Uint8Array, from: number, to: number): void {
    if (from >= to) return
    // `+0x` and one to eight hex digits at the end. Longer ones are part of the name.
    let digits = to
    while (digits > from && to - digits <= MAX_OFFSET && hexDigit(bytes[digits - 1]) >= 0) digits--
    const length = to - digits
    const plus = digits - OFFSET.length
    if (length > 0 && length <= MAX_OFFSET && plus > from && startsWith(bytes, plus, to, OFFSET)) {
      let offset = 0
      for (let at = digits; at < to; at++) offset = offset * 16 + hexDigit(bytes[at])
      this.offset = offset
      setKnown(this.symbol, bytes, from, plus)
    } else setKnown(this.symbol, bytes, from, to)
  }

  #clear(): void {
    this.symbol.from = NONE
    this.symbol.to = NONE
    this.file.from = NONE
    this.file.to = NONE
  }
}

function setKnown(place: TextRange, bytes: Uint8Array, from: number, to: number): void {
  const isUnknown = from === to || (to - from === UNKNOWN.length && startsWith(bytes, from, to, UNKNOWN))
  place.from = isUnknown ? NONE : from
  place.to = isUnknown ? NONE : to
}

/** Finds the opening bracket for the one at the end. File names may contain brackets too: `(/tmp/a (deleted))`. */
function fileStart(bytes: Uint8Array, from: number, end: number): number {
  if (end === from || bytes[end - 1] !== CLOSE) return NONE
  let depth = 0
  let last = NONE
  for (let at = end - 1; at >= from; at--) {
    if (bytes[at] === CLOSE) depth++
    else if (bytes[at] === OPEN) {
      depth--
      const isFirst = at === from || isBlank(bytes[at - 1])
      if (isFirst && last === NONE) last = at
      if (depth === 0) return isFirst ? at : last
    }
  }
  return last
}

/** A position in a source file: `dl-cache.c:538`, optionally followed by `(inlined)`. */
export class SourceLine {
  readonly file: TextRange = { from: NONE, to: NONE }
  readonly line: TextRange = { from: NONE, to: NONE }
  isInlined = false

  /** Returns false if the line is not a source position. If the position is unknown, returns true with an empty file. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    const start = skipBlanks(bytes, from, to)
    let end = trimEnd(bytes, start, to)
    this.isInlined = startsWith(bytes, end - INLINED.length, end, INLINED)
    if (this.isInlined) end = trimEnd(bytes, start, end - INLINED.length)
    let digits = end
    while (digits > start && digitsEnd(bytes, digits - 1, digits) === digits) digits--
    if (digits < end && digits > start && bytes[digits - 1] === 0x3a) {
      this.line.from = digits
      this.line.to = end
      const isUnknown = digits - 1 === start || (digits - 3 === start && startsWith(bytes, start, end, '??'))
      this.file.from = isUnknown ? NONE : start
      this.file.to = isUnknown ? NONE : digits - 1
      return true
    }
    // `libc.so.6[7f6b69894040]` is a position without a known line.
    this.file.from = NONE
    this.line.from = NONE
    return end > start && bytes[end - 1] === 0x5d
  }
}
