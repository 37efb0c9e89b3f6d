// Reads JSON decimals as exact 64-bit integers: `0.125` milliseconds are 125000 nanoseconds. For formats that write times as
// fractions. It reads straight from the bytes, because a double is inexact beyond 2^53.
import { highHalf, lowHalf, MAX_INT64, MIN_INT64 } from '../../model/columns/int64.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'

const ZERO = 0x30
const MINUS = 0x2d
const DOT = 0x2e
const TWO_32 = 0x1_0000_0000
/** A number of 15 digits is below 2^53. */
const SAFE_DIGITS = 15
/** Numbers with a larger exponent are out of range or round to zero. */
const MAX_EXPONENT = 400
/** 10^18 is the largest power of ten in an int64. */
const MAX_DIGITS = 18

const POWERS = Float64Array.from({ length: 23 }, (_, i) => 10 ** i)

export class ScaledNumber {
  lo = 0
  hi = 0
  /** Whether the last number had more decimals than fit. */
  rounded = false

  /** Reads the JSON number in [from, to) times 10^shift. Returns false if it does not fit into an int64. */
  read(bytes: Uint8Array, from: number, to: number, shift: number): boolean {
    const negative = bytes[from] === MINUS
    let digits = 0
    let whole = 0
    let decimals = 0
    let at = negative ? from + 1 : from
    for (; at < to; at++) {
      const digit = bytes[at] ^ ZERO
      if (digit < 10) {
        if (++digits > SAFE_DIGITS) break
        whole = whole * 10 + digit
        if (decimals > 0) decimals++
      } else if (bytes[at] === DOT) decimals = 1
      else break
    }
    const power = shift - Math.max(0, decimals - 1)
    if (at < to || power < 0 || power > MAX_DIGITS) return this.#readAny(bytes, from, to, shift)
    const scaled = whole * POWERS[power]
    if (scaled > Number.MAX_SAFE_INTEGER) return this.#readAny(bytes, from, to, shift)
    this.rounded = false
    this.#set(negative ? -scaled : scaled)
    return true
  }

  get value(): bigint {
    return (BigInt(this.hi) << 32n) | BigInt(this.lo >>> 0)
  }

  #set(value: number): void {
    this.lo = value | 0
    // `| 0` is modulo 2^32 for all safe integers. Rounding down gives the high half of negative numbers too.
    this.hi = Math.floor(value / TWO_32)
  }

  #readAny(bytes: Uint8Array, from: number, to: number, shift: number): boolean {
    const { negative, digits, decimals } = decimalOf(decodeUtf8(bytes, from, to))
    const zeros = shift - decimals
    this.rounded = false
    let whole = 0n
    if (digits !== '' && zeros >= 0) {
      if (digits.length + zeros > MAX_DIGITS + 1) return false
      whole = BigInt(digits + '0'.repeat(zeros))
    } else if (digits !== '') {
      const kept = digits.length + zeros
      if (kept > MAX_DIGITS + 1) return false
      this.rounded = true
      if (kept > 0) whole = BigInt(digits.slice(0, kept))
      if (kept >= 0 && digits[kept] >= '5') whole += 1n
    }
    if (negative) whole = -whole
    if (whole > MAX_INT64 || whole < MIN_INT64) return false
    this.lo = lowHalf(whole)
    this.hi = highHalf(whole)
    return true
  }
}

/** Finds how many decimals a list of numbers needs, limited by what its largest number leaves free in 64 bits. */
export class DecimalPlaces {
  readonly #max: number
  #places = 0
  #wholeDigits = 1

  constructor(max: number) {
    this.#max = max
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    if (to - from <= this.#wholeDigits && isWhole(bytes, from, to)) return
    const { digits, decimals } = decimalOf(decodeUtf8(bytes, from, to))
    if (digits === '') return
    this.#places = Math.max(this.#places, decimals)
    this.#wholeDigits = Math.max(this.#wholeDigits, digits.length - decimals)
  }

  get places(): number {
    return Math.max(0, Math.min(this.#places, this.#max, MAX_DIGITS - this.#wholeDigits))
  }
}

/** The text of an integer divided by 10^places, without trailing zeros. */
export function decimalText(value: number | bigint, places: number): string {
  const text = value.toString()
  if (places === 0) return text
  const negative = text.startsWith('-')
  const digits = (negative ? text.slice(1) : text).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '')
  return (negative ? '-' : '') + digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`)
}

/** The unit of values that were multiplied by 10^places: `count` and 3 give `count/1000`. */
export function scaledUnit(unit: string, places: number): string {
  return places === 0 ? unit : `${unit}/1${'0'.repeat(places)}`
}

export function unscaledUnit(unit: string): { readonly unit: string; readonly places: number } {
  const match = /^(.*)\/1(0{1,18})$/s.exec(unit)
  return match === null ? { unit, places: 0 } : { unit: match[1], places: match[2].length }
}

interface Decimal {
  readonly negative: boolean
  /** Without leading and trailing zeros. Empty for zero. */
  readonly digits: string
  /** The value is digits / 10^decimals. */
  readonly decimals: number
}

function decimalOf(text: string): Decimal {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = withoutEndZeros(digits)
  const power = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(exponent)))
  const decimals = trimmed === '' ? 0 : fraction.length - power - (digits.length - trimmed.length)
  return { negative: sign === '-', digits: trimmed, decimals }
}

/** A loop, because a regular expression takes quadratic time on a megabyte of zeros followed by a one. */
function withoutEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function isWhole(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((bytes[i] ^ ZERO) >= 10) return false
  return true
}
