// Percent escapes, as in URLs: `%3B` for a semicolon. Folded text has no escapes of its own, so they apply only to
// files whose header declares Hearth's extended dialect (see header.ts).

const PERCENT = 0x25
const HEX = '0123456789ABCDEF'

/** Appends bytes[from, to) to `target`. Bytes that `escapes` selects become %XX. */
export function appendEscaped(
  bytes: Uint8Array,
  from: number,
  to: number,
  escapes: (byte: number) => boolean,
  target: { append(source: Uint8Array, from: number, to: number): number },
): void {
  let clean = from
  for (let at = from; at < to; at++) {
    if (!escapes(bytes[at])) continue
    target.append(bytes, clean, at)
    target.append(escaped(bytes[at]), 0, 3)
    clean = at + 1
  }
  target.append(bytes, clean, to)
}

export function escaped(byte: number): Uint8Array {
  return Uint8Array.of(PERCENT, HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15))
}

/** A percent sign without two hex digits after it stands for itself. */
export function unescapeBytes(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const result = new Uint8Array(to - from)
  let length = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] === PERCENT && at + 2 < to ? hexByte(bytes[at + 1], bytes[at + 2]) : -1
    result[length++] = byte < 0 ? bytes[at] : byte
    if (byte >= 0) at += 2
  }
  return result.subarray(0, length)
}

/** The byte of two hex digits, or -1. */
export function hexByte(high: number, low: number): number {
  const a = hexDigit(high)
  const b = hexDigit(low)
  return a < 0 || b < 0 ? -1 : (a << 4) | b
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
