// Converts times of V8 and Chrome, microseconds as decimal text, to the model's nanoseconds and back. Both directions
// are exact for up to three decimals at any size. A double cannot hold nanoseconds of today's date.
import { dividedToNearest } from '../../model/columns/divided-to-nearest.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/
/** Further digits do not matter: 2^64 has 20. */
const MAX_DIGITS = 60
/** From here on (about 13 days), microseconds in a double may be off by more than half a nanosecond. */
const COARSE = 2 ** 50

/** Returns undefined if the text is not a number or exceeds 64 bits. */
export function nanosOfMicros(bytes: Uint8Array, from: number, to: number): bigint | undefined {
  if (to - from > MAX_DIGITS) return undefined
  const match = DECIMAL.exec(decodeUtf8(bytes, from, to))
  if (match === null) return undefined
  const [, sign, whole, fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length + 3
  if (Math.abs(shift) > MAX_DIGITS * 2) return undefined
  const digits = BigInt(whole + fraction)
  const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : dividedToNearest(digits, 10n ** BigInt(-shift))
  const value = sign === '-' ? -nanos : nanos
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** Writes as few digits as possible: 1500 is `1.5`. */
export function microsText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const rest = size % 1000n
  const sign = nanos < 0n ? '-' : ''
  if (rest === 0n) return `${sign}${size / 1000n}`
  return `${sign}${size / 1000n}.${rest.toString().padStart(3, '0').replace(/0+$/, '')}`
}

/** Converts a number from a JSON reader. Returns undefined if a double is too inexact and the text is needed. */
export function nanosOfNumber(micros: number): bigint | undefined {
  const nanos = micros * 1000
  return Math.abs(nanos) <= COARSE ? BigInt(Math.round(nanos)) : undefined
}

/** The latest time that is written, in the year 2116. The sum of two such times fits 64 bits. */
export const LATEST = 2n ** 62n
