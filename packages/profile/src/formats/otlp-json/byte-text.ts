// The text of bytes in OTLP/JSON: ids in hex, everything else in base64. Decoded in place, because the bytes are shorter than
// the text. A payload of 100 MB needs no second buffer.
import type { JsonReader } from '../../wire/json/json-reader.ts'

/** The Collector writes a profile's id in hex, the specification says base64. */
export type ByteText = 'hex' | 'base64' | 'hex or base64'

const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const PADDING = 0x3d
const QUOTE = 0x22

/** The length of 16 bytes in hex. Text of this length is never read as base64, so that a mistyped id is an error. */
const HEX_ID_LENGTH = 32

/** The value of each character. -1 if it has none. */
const HEX_VALUES = valuesOf(HEX, HEX.toUpperCase())
const BASE64_VALUES = valuesOf(BASE64, BASE64.replace('+', '-').replace('/', '_'))
const BASE64_CODES = Uint8Array.from(BASE64, character => character.charCodeAt(0))

function valuesOf(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1)
  for (const alphabet of alphabets) for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
  return values
}

/**
 * Decodes the text in [from, to) and writes the bytes at `from`. Returns their number, or -1 - offset for the offset of the
 * first invalid character. That is `to` if characters are missing.
 */
export function decodeInPlace(bytes: Uint8Array, from: number, to: number, text: ByteText): number {
  if (text === 'hex') return decodeHex(bytes, from, to)
  if (text === 'hex or base64' && (to - from === HEX_ID_LENGTH || isHex(bytes, from, to)))
    return decodeHex(bytes, from, to)
  return decodeBase64(bytes, from, to)
}

/** Reads a string of such text into new bytes. */
export function readBytes(reader: JsonReader, text: ByteText): Uint8Array {
  const isPlain = reader.stringRange()
  const { from } = reader
  reader.offset = from - 1
  const bytes = isPlain ? reader.stringBytes().slice() : reader.stringBytes()
  const length = decodeInPlace(bytes, 0, bytes.length, text)
  if (length < 0) failAt(reader, text, isPlain ? from - 1 - length : from, -1 - length === bytes.length)
  return bytes.subarray(0, length)
}

export function failAt(reader: JsonReader, text: ByteText, at: number, isCutOff: boolean): never {
  reader.fail(isCutOff ? `${text} with missing characters at the end` : `invalid character in ${text}`, at)
}

/** 16 bytes are 32 characters of hex. In base64 they are 24, the last two of which are padding, which hex does not have. */
function isHex(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (HEX_VALUES[bytes[i]] < 0) return false
  return (to - from) % 2 === 0
}

function decodeHex(bytes: Uint8Array, from: number, to: number): number {
  let out = from
  for (let i = from; i < to; i += 2) {
    const high = HEX_VALUES[bytes[i]]
    if (high < 0) return -1 - i
    if (i + 1 === to) return -1 - to
    const low = HEX_VALUES[bytes[i + 1]]
    if (low < 0) return -1 - (i + 1)
    bytes[out++] = (high << 4) | low
  }
  return out - from
}

/** Accepts the standard alphabet and the one for URLs, with or without padding. */
function decodeBase64(bytes: Uint8Array, from: number, to: number): number {
  let end = to
  while (end > from && to - end < 2 && bytes[end - 1] === PADDING) end--
  if (end < to && (to - from) % 4 !== 0) return -1 - end
  const values = BASE64_VALUES
  let out = from
  let i = from
  for (; i + 3 < end; i += 4) {
    // One -1 makes the result negative.
    const bits =
      (values[bytes[i]] << 18) | (values[bytes[i + 1]] << 12) | (values[bytes[i + 2]] << 6) | values[bytes[i + 3]]
    if (bits < 0) break
    bytes[out++] = bits >> 16
    bytes[out++] = bits >> 8
    bytes[out++] = bits
  }
  for (let k = i; k < Math.min(i + 4, end); k++) if (values[bytes[k]] < 0) return -1 - k
  if (end - i === 1) return -1 - to
  if (end - i > 1) {
    const bits = (values[bytes[i]] << 12) | (values[bytes[i + 1]] << 6) | (end - i === 3 ? values[bytes[i + 2]] : 0)
    bytes[out++] = bits >> 10
    if (end - i === 3) bytes[out++] = bits >> 2
  }
  return out - from
}

/** Returns a JSON string with quotes. */
export function quotedHex(bytes: Uint8Array): string {
  let text = '"'
  for (const byte of bytes) text += HEX[byte >> 4] + HEX[byte & 15]
  return `${text}"`
}

/** Returns a JSON string with quotes. */
export function quotedBase64(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4 + 2)
  let out = 0
  text[out++] = QUOTE
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i
    const bits = (bytes[i] << 16) | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0)
    text[out++] = BASE64_CODES[bits >> 18]
    text[out++] = BASE64_CODES[(bits >> 12) & 63]
    text[out++] = left > 1 ? BASE64_CODES[(bits >> 6) & 63] : PADDING
    text[out++] = left > 2 ? BASE64_CODES[bits & 63] : PADDING
  }
  text[out] = QUOTE
  return text
}
