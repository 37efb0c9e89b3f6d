// The tokens of JSON: their ends and values. Functions that search for an end return -1 - offset (a negative number) for the
// offset of the first invalid byte. For a truncated token that is the end of the input.
import { decodeUtf8 } from '../utf8.ts'

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const ZERO = 0x30
export const COLON = 0x3a
export const OPEN_ARRAY = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
const PLUS = 0x2b
const DOT = 0x2e
const LETTER_U = 0x75

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'end'

/** The kind of a value by its first byte. Undefined if no value can start with the byte. */
export const KINDS: readonly (JsonKind | undefined)[] = Array.from({ length: 256 }, (_, byte) => kindOf(byte))

function kindOf(byte: number): JsonKind | undefined {
  if (byte === QUOTE) return 'string'
  if (byte === OPEN_OBJECT) return 'object'
  if (byte === OPEN_ARRAY) return 'array'
  if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) return 'number'
  if (byte === 0x74 || byte === 0x66) return 'boolean'
  return byte === 0x6e ? 'null' : undefined
}

/** The first offset at or after `from` that is not white space. */
export function afterSpace(bytes: Uint8Array, from: number): number {
  let i = from
  while (i < bytes.length && bytes[i] <= 0x20 && isSpace(bytes[i])) i++
  return i
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isDigit(byte: number): boolean {
  return (byte ^ ZERO) < 10
}

/** The first offset at or after `from` that is not a digit. */
export function digitsEnd(bytes: Uint8Array, from: number): number {
  let i = from
  while (i < bytes.length && isDigit(bytes[i])) i++
  return i
}

export function numberEnd(bytes: Uint8Array, from: number): number {
  let i = from
  if (i < bytes.length && bytes[i] === MINUS) i++
  const whole = i
  i = digitsEnd(bytes, whole)
  if (i === whole) return -1 - i
  if (bytes[whole] === ZERO && i > whole + 1) return -1 - (whole + 1)
  if (i < bytes.length && bytes[i] === DOT) {
    const fraction = i + 1
    i = digitsEnd(bytes, fraction)
    if (i === fraction) return -1 - i
  }
  if (i < bytes.length && (bytes[i] | 0x20) === 0x65) {
    const sign = i + 1
    const exponent = sign < bytes.length && (bytes[sign] === PLUS || bytes[sign] === MINUS) ? sign + 1 : sign
    i = digitsEnd(bytes, exponent)
    if (i === exponent) return -1 - i
  }
  return i
}

const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** The double nearest to the JSON number in [from, to), whose grammar has been checked. */
export function numberValue(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === MINUS
  let i = negative ? from + 1 : from
  let digits = 0
  let exponent = 0
  for (; i < to && isDigit(bytes[i]); i++) digits = digits * 10 + (bytes[i] - ZERO)
  if (i < to && bytes[i] === DOT) {
    const fraction = ++i
    for (; i < to && isDigit(bytes[i]); i++) digits = digits * 10 + (bytes[i] - ZERO)
    exponent = fraction - i
  }
  // With both factors exact, one multiplication or division rounds once, as required. Other numbers use the slow path.
  if (i === to && digits <= 2 ** 53 && exponent >= -22) {
    const value = exponent === 0 ? digits : digits / POWERS[-exponent]
    return negative ? -value : value
  }
  return Number(decodeUtf8(bytes, from, to))
}

const TRUE = [0x74, 0x72, 0x75, 0x65] as const
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65] as const
const NULL = [0x6e, 0x75, 0x6c, 0x6c] as const

/** The end of `true`, `false` or `null`. */
export function literalEnd(bytes: Uint8Array, from: number): number {
  const first = bytes[from]
  const word = first === TRUE[0] ? TRUE : first === FALSE[0] ? FALSE : first === NULL[0] ? NULL : undefined
  if (word === undefined) return -1 - from
  for (let i = 1; i < word.length; i++) {
    if (from + i >= bytes.length) return -1 - bytes.length
    if (bytes[from + i] !== word[i]) return -1 - (from + i)
  }
  return from + word.length
}

// The byte that a backslash and this byte represent. 0 if there is no such escape.
const ESCAPES = new Uint8Array(256)
for (const [letter, code] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  ESCAPES[letter.charCodeAt(0)] = code.charCodeAt(0)
}

/** The end of the escape whose backslash is at `from`. */
export function escapeEnd(bytes: Uint8Array, from: number): number {
  const kind = from + 1
  if (kind >= bytes.length) return -1 - bytes.length
  if (bytes[kind] !== LETTER_U) return ESCAPES[bytes[kind]] === 0 ? -1 - kind : kind + 1
  for (let i = kind + 1; i < kind + 5; i++) {
    if (i >= bytes.length) return -1 - bytes.length
    if (hexDigit(bytes[i]) < 0) return -1 - i
  }
  return kind + 5
}

function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - ZERO
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function hexCode(bytes: Uint8Array, at: number): number {
  return (
    (hexDigit(bytes[at]) << 12) |
    (hexDigit(bytes[at + 1]) << 8) |
    (hexDigit(bytes[at + 2]) << 4) |
    hexDigit(bytes[at + 3])
  )
}

/**
 * Writes the unescaped text of the checked string content [from, to) to the start of `target` as UTF-8. Returns its length.
 * Escapes are never shorter than their text, so to - from bytes suffice.
 */
export function unescape(bytes: Uint8Array, from: number, to: number, target: Uint8Array): number {
  let length = 0
  for (let i = from; i < to;) {
    if (bytes[i] !== BACKSLASH) {
      target[length++] = bytes[i++]
    } else if (bytes[i + 1] !== LETTER_U) {
      target[length++] = ESCAPES[bytes[i + 1]]
      i += 2
    } else {
      let code = hexCode(bytes, i + 2)
      i += 6
      if ((code & 0xfc00) === 0xd800 && i < to && bytes[i] === BACKSLASH && bytes[i + 1] === LETTER_U) {
        const low = hexCode(bytes, i + 2)
        if ((low & 0xfc00) === 0xdc00) {
          code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff)
          i += 6
        }
      }
      length = putCodePoint((code & 0xfffff800) === 0xd800 ? 0xfffd : code, target, length)
    }
  }
  return length
}

function putCodePoint(code: number, target: Uint8Array, at: number): number {
  let to = at
  if (code < 0x80) {
    target[to++] = code
    return to
  }
  if (code < 0x800) target[to++] = 0xc0 | (code >> 6)
  else {
    if (code < 0x10000) target[to++] = 0xe0 | (code >> 12)
    else {
      target[to++] = 0xf0 | (code >> 18)
      target[to++] = 0x80 | ((code >> 12) & 0x3f)
    }
    target[to++] = 0x80 | ((code >> 6) & 0x3f)
  }
  target[to++] = 0x80 | (code & 0x3f)
  return to
}
