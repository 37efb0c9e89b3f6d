// Formats values for people: three significant digits with a suitable prefix, or every digit where exactness counts.
// Uses integer arithmetic, so that 2^63 - 1 rounds as exactly as 7. Does not use Intl, because the text must not depend
// on the machine.
import { dividedToNearest } from '../columns/divided-to-nearest.ts'
import type { NormalisedUnit } from './normalised-unit.ts'
import { plainUnit, readNormalisedUnit } from './normalised-unit.ts'
import { parseUnit } from './units.ts'
import type { Ratio, Unit } from './units.ts'

/**
 * `1.53 s`, `512 B`, `1.50 KiB`, `1.23 M samples`. Infinity and NaN are written as in JavaScript. A normalised unit gives
 * `1.84 cores`, `1.50 KiB/s`, `130 ms/request` or `61.2%`.
 */
export function formatValue(value: bigint | number, unit: string): string {
  const normalised = readNormalisedUnit(unit)
  if (normalised !== undefined) return formatNormalised(value, normalised)
  const parsed = parseUnit(unit)
  if (!isFiniteValue(value)) return withSymbol(String(value), symbolOf(parsed))
  const exact = ratioOf(value)
  const inBase = times(exact, parsed)
  switch (parsed.kind) {
    case 'time':
      return inBase.numerator === 0n ? '0 s' : scaled(inBase, TIME_STEPS)
    case 'bytes':
      return scaled(inBase, BYTE_STEPS)
    case 'frequency':
      return scaled(inBase, FREQUENCY_STEPS)
    case 'ratio':
      return scaled(inBase, PERCENT_STEPS)
    case 'count':
    case 'unknown':
      return counted(scaled(exact, COUNT_STEPS), parsed)
  }
}

function formatNormalised(value: bigint | number, { unit, divisor, per }: NormalisedUnit): string {
  if (per === 'share') return formatShare(value, divisor)
  const quotient = Number(value) / divisor
  if (per === 'request') return `${formatValue(quotient, unit)}/request`
  const parsed = parseUnit(unit)
  if (parsed.kind !== 'time') return `${formatValue(quotient, unit)}/s${per === 'core' ? '/core' : ''}`
  // CPU time per second is a number of cores.
  const cores = (quotient * Number(parsed.numerator)) / Number(parsed.denominator) / Number(SECOND)
  if (per === 'core') return `${formatShare(cores, 1)} of a core`
  return formatValue(cores, '{cores}').replace(/^1 cores$/, '1 core')
}

/** All digits, in the given unit: `1,530,000,000 ns`. */
export function formatExact(value: bigint, unit: string): string {
  return counted(grouped(value), parseUnit(plainUnit(unit)))
}

export function formatBytes(bytes: bigint | number): string {
  return formatValue(bytes, 'By')
}

export function formatDuration(nanoseconds: bigint | number): string {
  return formatValue(nanoseconds, 'ns')
}

/**
 * A part as a percentage of a total, to one decimal. Only zero is `0%` and only the total is `100%`: values that would
 * round to them are `<0.1%` and `>99.9%` (`>-0.1%` and `<-99.9%` below zero). A share of zero is `n/a`.
 */
export function formatShare(part: bigint | number, whole: bigint | number): string {
  if (!isFiniteValue(part) || !isFiniteValue(whole) || Number(whole) === 0) return 'n/a'
  const a = ratioOf(part)
  const b = ratioOf(whole)
  const negative = a.numerator < 0n !== b.numerator < 0n
  // The share is tenths / one in tenths of a percent.
  const tenths = 1000n * magnitude(a.numerator) * b.denominator
  const one = a.denominator * magnitude(b.numerator)
  if (tenths === 0n) return '0%'
  if (tenths < one) return negative ? '>-0.1%' : '<0.1%'
  const sign = negative ? '-' : ''
  if (tenths === 1000n * one) return `${sign}100%`
  const rounded = dividedToNearest(tenths, one)
  if (rounded === 1000n && tenths < 1000n * one) return negative ? '<-99.9%' : '>99.9%'
  return `${sign}${decimal(rounded, 1)}%`
}

/** ISO 8601 in UTC: `2023-11-14T22:13:20Z`, with 3, 6 or 9 fraction digits if needed. */
export function formatTime(unixNano: bigint): string {
  const fraction = ((unixNano % SECOND) + SECOND) % SECOND
  const seconds = (unixNano - fraction) / SECOND
  // Beyond the range of Date. 64-bit nanoseconds never are: they end in the year 2554.
  if (magnitude(seconds) > 8_640_000_000_000n) return `${grouped(unixNano)} ns`
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, -'.000Z'.length)
  if (fraction === 0n) return `${whole}Z`
  const digits = fraction.toString().padStart(9, '0')
  return `${whole}.${digits.replace(/(?:000){1,2}$/, '')}Z`
}

/** A unit of display: one of it is `numerator / denominator` of the base of its kind. */
interface Step extends Ratio {
  readonly symbol: string
}

const SECOND = 1_000_000_000n
const TIME_STEPS: readonly Step[] = [
  step('ns', 1n),
  step('\u00b5s', 1000n),
  step('ms', 1_000_000n),
  step('s', SECOND),
  step('min', 60n * SECOND),
  step('h', 3600n * SECOND),
  step('d', 86_400n * SECOND),
]
const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map((symbol, i) => step(symbol, 1024n ** BigInt(i)))
const FREQUENCY_STEPS = ['Hz', 'kHz', 'MHz', 'GHz'].map((symbol, i) => step(symbol, 1000n ** BigInt(i)))
const COUNT_STEPS = ['', 'k', 'M', 'G', 'T', 'P', 'E'].map((symbol, i) => step(symbol, 1000n ** BigInt(i)))
const PERCENT_STEPS: readonly Step[] = [step('%', 1n, 100n)]

function step(symbol: string, numerator: bigint, denominator = 1n): Step {
  return { symbol, numerator, denominator }
}

/** The value in the largest step that it reaches, or else in the smallest, with the symbol of the step. */
function scaled(value: Ratio, steps: readonly Step[]): string {
  const negative = value.numerator < 0n
  const size = { numerator: magnitude(value.numerator), denominator: value.denominator }
  let at = steps.length - 1
  while (at > 0 && !reaches(size, steps[at])) at--
  const { symbol } = steps[at]
  const { digits, places } = rounded(over(size, steps[at]))
  // Rounding may reach the next step: 999,999 ns is 1.00 ms and not 1000 µs.
  const shown = times({ numerator: digits, denominator: 10n ** BigInt(places) }, steps[at])
  if (at + 1 < steps.length && reaches(shown, steps[at + 1])) {
    return withSymbol(negative ? '-1.00' : '1.00', steps[at + 1].symbol)
  }
  if (digits === 0n && size.numerator !== 0n) return withSymbol(negative ? '>-0.001' : '<0.001', symbol)
  // Integers are the rule in the smallest step: `512 B`, not `512.00 B`.
  const text = at > 0 ? decimal(digits, places) : withoutTrailingZeros(decimal(digits, places))
  return withSymbol(negative ? `-${text}` : text, symbol)
}

/** Rounds to three significant digits, or keeps all digits before the point. Values below 1 get three decimals. */
function rounded({ numerator, denominator }: Ratio): { readonly digits: bigint; readonly places: number } {
  const whole = numerator / denominator
  const places = whole >= 100n ? 0 : whole >= 10n ? 1 : whole >= 1n ? 2 : 3
  const digits = dividedToNearest(numerator * 10n ** BigInt(places), denominator)
  // 9.996 becomes 10.0, not 10.00.
  return digits === 1000n && places > 0 ? { digits: 100n, places: places - 1 } : { digits, places }
}

/** The number before the name of a count. The name is singular after 1: `1 sample`, `1.23 M samples`. */
function counted(number: string, unit: Unit): string {
  const symbol = symbolOf(unit)
  // Only names with a known plural, those that pprof writes without braces, can lose their s.
  const isPlural = unit.kind === 'count' && unit.pprof === symbol && symbol.endsWith('s')
  return withSymbol(number, isPlural && (number === '1' || number === '-1') ? symbol.slice(0, -1) : symbol)
}

function symbolOf(unit: Unit): string {
  switch (unit.kind) {
    case 'time':
      return unit.ucum === 'us' ? '\u00b5s' : unit.ucum
    case 'bytes':
      return unit.ucum.replace(/By$/, 'B')
    case 'ratio':
      return unit.ucum === '%' ? '%' : unit.pprof
    case 'count':
      return unit.ucum === '1' ? '' : unit.ucum.slice(1, -1)
    case 'frequency':
    case 'unknown':
      return unit.ucum
  }
}

function withSymbol(number: string, symbol: string): string {
  if (symbol === '') return number
  return symbol === '%' ? `${number}%` : `${number} ${symbol}`
}

/** `digits` with a decimal point before the last `places`, and commas between thousands. */
function decimal(digits: bigint, places: number): string {
  if (places === 0) return grouped(digits)
  const unit = 10n ** BigInt(places)
  return `${grouped(digits / unit)}.${(digits % unit).toString().padStart(places, '0')}`
}

function grouped(value: bigint): string {
  return value.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** The exact value: a double is an integer over a power of two. */
function ratioOf(value: bigint | number): Ratio {
  if (typeof value === 'bigint') return { numerator: value, denominator: 1n }
  let numerator = value
  let doublings = 0n
  for (; !Number.isInteger(numerator); numerator *= 2) doublings++
  return { numerator: BigInt(numerator), denominator: 2n ** doublings }
}

function times(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator }
}

function over(a: Ratio, b: Ratio): Ratio {
  return { numerator: a.numerator * b.denominator, denominator: a.denominator * b.numerator }
}

function reaches(value: Ratio, limit: Ratio): boolean {
  return value.numerator * limit.denominator >= limit.numerator * value.denominator
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}

function isFiniteValue(value: bigint | number): boolean {
  return typeof value === 'bigint' || Number.isFinite(value)
}
