// Values with decimals. The model holds 64-bit integers. The values of a file with decimals are therefore multiplied by
// one power of ten for all lines, and the unit shows it:
//
//   a;b 1.5        1500   count/1000
//   a;c 0.125       125   count/1000
import { highHalf, lowHalf, MAX_INT64, MIN_INT64 } from '../../model/columns/int64.ts'
import type { Int64Parts } from '../../wire/decimal.ts'
import { parseDigits } from '../../wire/decimal.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { isDigits } from './line-tail.ts'

/** 10^18 is the largest power of ten below 2^63. */
const MAX_DIGITS = 18
/** A number with a larger exponent is out of range or nearly zero. */
const MAX_EXPONENT = 1000

interface Decimal {
  readonly negative: boolean
  /** Without leading and trailing zeros. Empty for zero. */
  readonly digits: string
  /** The value is `digits` / 10^decimals. Negative for integers that end in zeros. */
  readonly decimals: number
}

export type ValueFault = 'none' | 'fraction' | 'range'

/** Reads tokens that `isNumber` accepted. */
export class ValueReader implements Int64Parts {
  lo = 0
  hi = 0
  /** The number of values with decimals, and of values with more decimals than fit. */
  fractions = 0
  rounded = 0
  readonly #decimals: number
  readonly #wholeOnly: boolean

  /** Values are multiplied by 10^decimals. If `decimals` is undefined, values must be integers. */
  constructor(decimals: number | undefined) {
    this.#decimals = decimals ?? 0
    this.#wholeOnly = decimals === undefined
  }

  /** Returns `fraction` only if the reader was made for integers. */
  read(bytes: Uint8Array, from: number, to: number): ValueFault {
    if (this.#decimals === 0 && to - from <= MAX_DIGITS && isDigits(bytes, from, to)) {
      parseDigits(bytes, from, to, this)
      return 'none'
    }
    return this.#readAny(decimalOf(bytes, from, to))
  }

  #readAny(decimal: Decimal | undefined): ValueFault {
    if (decimal === undefined) return 'range'
    const { negative, digits, decimals } = decimal
    if (decimals > 0) {
      if (this.#wholeOnly) return 'fraction'
      this.fractions++
    }
    const cut = Math.max(0, decimals - this.#decimals)
    let whole = 0n
    if (cut === 0) {
      if (digits.length + this.#decimals - decimals > MAX_DIGITS + 1) return 'range'
      whole = BigInt(digits + '0'.repeat(this.#decimals - decimals))
    } else {
      this.rounded++
      const kept = digits.length - cut
      if (kept > 0) whole = BigInt(digits.slice(0, kept))
      if (kept >= 0 && digits[kept] >= '5') whole += 1n
    }
    if (negative) whole = -whole
    if (whole > MAX_INT64 || whole < MIN_INT64) return 'range'
    this.lo = lowHalf(whole)
    this.hi = highHalf(whole)
    return 'none'
  }
}

/**
 * Finds the power of ten for a file: as many decimals as its values have, limited by what its largest value leaves
 * free.
 */
export class DecimalScale {
  #decimals = 0
  #wholeDigits = 1

  add(bytes: Uint8Array, from: number, to: number): void {
    const decimal = decimalOf(bytes, from, to)
    if (decimal === undefined || decimal.digits === '') return
    this.#decimals = Math.max(this.#decimals, decimal.decimals)
    this.#wholeDigits = Math.max(this.#wholeDigits, decimal.digits.length - decimal.decimals)
  }

  get decimals(): number {
    return Math.max(0, Math.min(this.#decimals, MAX_DIGITS - this.#wholeDigits))
  }
}

/** Undefined for numbers too long to be a value. */
function decimalOf(bytes: Uint8Array, from: number, to: number): Decimal | undefined {
  const match = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d{1,9}))?$/i.exec(decodeUtf8(bytes, from, Math.min(to, from + 100)))
  if (match === null || to - from > 100) return undefined
  const [, sign, whole, fraction, exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  const decimals = trimmed === '' ? 0 : fraction.length - Number(exponent) - (digits.length - trimmed.length)
  if (decimals < -MAX_EXPONENT) return undefined
  return { negative: sign === '-', digits: trimmed, decimals: Math.min(decimals, MAX_EXPONENT) }
}
