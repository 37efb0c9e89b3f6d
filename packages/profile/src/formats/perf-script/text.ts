// Byte-level text functions that all parts of the reader use.

export const TAB = 0x09
export const LF = 0x0a
export const CR = 0x0d
const SPACE = 0x20
export const HASH = 0x23
export const OPEN = 0x28
export const CLOSE = 0x29
export const MINUS = 0x2d
export const DOT = 0x2e
export const SLASH = 0x2f
export const COLON = 0x3a

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** Returns -1 if the byte is not a hex digit. */
export function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** The first position from `from` on that is not blank, or `to`. */
export function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && isBlank(bytes[at])) at++
  return at
}

/** The end of the text before `to` without trailing blanks. */
export function trimEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = to
  while (at > from && isBlank(bytes[at - 1])) at--
  return at
}

/** The end of the word that begins at `from`. */
export function wordEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && !isBlank(bytes[at])) at++
  return at
}

/** The start of the word that ends at `to`. */
export function wordStart(bytes: Uint8Array, from: number, to: number): number {
  let at = to
  while (at > from && !isBlank(bytes[at - 1])) at--
  return at
}

/** The end of the digits that begin at `from`. */
export function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && isDigit(bytes[at])) at++
  return at
}

/** Returns whether the range has only digits, with an optional minus. */
export function isWhole(bytes: Uint8Array, from: number, to: number): boolean {
  const digits = from < to && bytes[from] === MINUS ? from + 1 : from
  return digits < to && digitsEnd(bytes, digits, to) === to
}

/** Returns whether the ASCII `text` is at `at`. */
export function startsWith(bytes: Uint8Array, at: number, to: number, text: string): boolean {
  if (at < 0 || to - at < text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
