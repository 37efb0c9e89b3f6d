// Converts UTF-16 with a byte order mark, which PowerShell's `>` writes, to UTF-8 without making a string of the whole text.

export interface Utf8Text {
  readonly bytes: Uint8Array
  /** Surrogates without their other half, replaced by U+FFFD, and a byte without its other half at the end. */
  readonly broken: number
  /** Converts an offset in `bytes` to an offset in the source. */
  sourceOffset(at: number): number
}

type Utf16 = 'little' | 'big'

/** Returns undefined if the bytes do not begin with a byte order mark of UTF-16. */
export function utf16ToUtf8(source: Uint8Array): Utf8Text | undefined {
  const order = utf16Order(source)
  return order === undefined ? undefined : transcode(source, order)
}

function utf16Order(file: Uint8Array): Utf16 | undefined {
  if (file.length < 2) return undefined
  if (file[0] === 0xff && file[1] === 0xfe) return 'little'
  return file[0] === 0xfe && file[1] === 0xff ? 'big' : undefined
}

function transcode(source: Uint8Array, order: Utf16): Utf8Text {
  const half = source.length % 2
  const file = source.subarray(0, source.length - half)
  const lowByte = order === 'little' ? 0 : 1
  const unitAt = (at: number): number => file[at + lowByte] | (file[at + 1 - lowByte] << 8)
  // Counted first: the largest case is three bytes per unit, 1.5 times the file, but most files need half of it.
  let length = 0
  let broken = half
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
  return { bytes, broken, sourceOffset: at => 2 + 2 * unitsBefore(bytes, at) }
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
