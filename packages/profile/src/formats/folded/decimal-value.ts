// Values with decimals. The model holds whole 64-bit numbers, so a file that has any is kept times a power of ten, the
// same for all of its lines, and the unit says so:
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
/** Beyond, a number is out of range or next to nothing, and not worth its digits. */
const MAX_EXPONENT = 1000

interface Decimal {
  readonly negative: boolean
  /** Without zeros at either end; empty for zero. */
  readonly digits: string
  /** The value is `digits` / 10^decimals; below zero for whole numbers that end in zeros. */
  readonly decimals: number
}

export type ValueFault = 'none' | 'fraction' | 'range'

/** Reads tokens that `isNumber` took. */
export class ValueReader implements Int64Parts {
  lo = 0
  hi = 0
  /** How many values had decimals, and how many had more of them than there is room for. */
  fractions = 0
  rounded = 0
  readonly #decimals: number
  readonly #wholeOnly: boolean

  /** Values are taken times 10^decimals; without a number they have to be whole. */
  constructor(decimals: number | undefined) {
    this.#decimals = decimals ?? 0
    this.#wholeOnly = decimals === undefined
  }

  /** `fraction` only where the reader was made for whole numbers. */
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

/** Finds the power of ten for a file: as many decimals as its values have, but no more than its largest has room for. */
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

/** Undefined for numbers too long to be any value. */
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

/** `count` and 3 give `count/1000`. */
export function scaledUnit(unit: string, decimals: number): string {
  return decimals === 0 ? unit : `${unit}/1${'0'.repeat(decimals)}`
}

/** The reverse: what a plain file writes with decimals. */
export function unscaledUnit(unit: string): { readonly unit: string; readonly decimals: number } {
  const match = /^(.*)\/1(0{1,18})$/s.exec(unit)
  return match === null ? { unit, decimals: 0 } : { unit: match[1], decimals: match[2].length }
}

/** The text of a whole number divided by 10^decimals, without zeros at the end. */
export function decimalText(value: number | bigint, decimals: number): string {
  const text = value.toString()
  if (decimals === 0) return text
  const negative = text.startsWith('-')
  const digits = (negative ? text.slice(1) : text).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return (negative ? '-' : '') + digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`)
}
