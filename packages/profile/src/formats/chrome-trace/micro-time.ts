// Times of V8 and Chrome are microseconds as decimal text; the model has whole nanoseconds. Both ways are exact for up to
// three decimals, however large the number: a double has no nanoseconds left at today's date.
import { decodeUtf8 } from '../../wire/utf8.ts'

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/
/** Beyond this no digit counts: 2^64 has 20. */
const MOST_DIGITS = 60
/** From here on microseconds in a double may be off by more than half a nanosecond: some 13 days. */
const COARSE = 2 ** 50

/** Undefined where the text is no number or is beyond 64 bits. */
export function nanosOfMicros(bytes: Uint8Array, from: number, to: number): bigint | undefined {
  if (to - from > MOST_DIGITS) return undefined
  const match = DECIMAL.exec(decodeUtf8(bytes, from, to))
  if (match === null) return undefined
  const [, sign, whole, fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length + 3
  if (Math.abs(shift) > MOST_DIGITS * 2) return undefined
  const digits = BigInt(whole + fraction)
  const nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift))
  const value = sign === '-' ? -nanos : nanos
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function rounded(value: bigint, by: bigint): bigint {
  return (2n * value + by) / (2n * by)
}

/** As few digits as it takes: 1500 is `1.5`. */
export function microsText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const rest = size % 1000n
  const sign = nanos < 0n ? '-' : ''
  if (rest === 0n) return `${sign}${size / 1000n}`
  return `${sign}${size / 1000n}.${rest.toString().padStart(3, '0').replace(/0+$/, '')}`
}

/** A number that a JSON reader gave; undefined where a double is too coarse and the text has to tell. */
export function nanosOfNumber(micros: number): bigint | undefined {
  const nanos = micros * 1000
  return Math.abs(nanos) <= COARSE ? BigInt(Math.round(nanos)) : undefined
}

/** The latest time that is written, in the year 2116: sums of two such times still fit 64 bits. */
export const LATEST = 2n ** 62n
