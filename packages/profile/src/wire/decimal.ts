// Decimal text of 64-bit integers, which are stored as two 32-bit halves. Exact for int64 and uint64. BigInt would cost 2 to
// 7 times as much per value. The JSON reader and writer share this file.

export interface Int64Parts {
  lo: number
  hi: number
}

/** The reason why a text is not an integer. `none` if it is one. */
export type IntegerFault = 'none' | 'syntax' | 'fraction' | 'range'

const TWO_32 = 0x1_0000_0000
const MAX_DIGITS = 20
const ZERO = 0x30
const MINUS = 0x2d

/** Sets `out` to the unsigned value of the digits in [from, to). False above 2^64 - 1. Does not check the digits. */
export function parseDigits(bytes: Uint8Array, from: number, to: number, out: Int64Parts): boolean {
  const length = to - from
  if (length <= 9) {
    out.lo = smallDigits(bytes, from, to)
    out.hi = 0
    return true
  }
  if (length > MAX_DIGITS) return false
  const split = to - 9
  const tail = smallDigits(bytes, split, to)
  const head =
    length <= 18
      ? smallDigits(bytes, from, split)
      : smallDigits(bytes, from, split - 9) * 1e9 + smallDigits(bytes, split - 9, split)
  return combine(head, tail, out)
}

function smallDigits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) value = (value * 10 + (bytes[i] - ZERO)) | 0
  return value
}

// Computes head * 10^9 + tail in limbs of 16 bits. head is below 10^11, so products stay below 2^51 and exact.
function combine(head: number, tail: number, out: Int64Parts): boolean {
  const headHigh = Math.floor(head / 0x10000)
  const low = (head - headHigh * 0x10000) * 1e9 + tail
  const carry = Math.floor(low / 0x10000)
  const mid = headHigh * 1e9 + carry
  const high = Math.floor(mid / 0x10000)
  if (high >= TWO_32) return false
  out.lo = ((mid - high * 0x10000) << 16) | (low - carry * 0x10000)
  out.hi = high | 0
  return true
}

/** Negates the magnitude in `out`. False below -2^63. */
export function negate(out: Int64Parts): boolean {
  if (out.hi < 0 && (out.hi !== (0x80000000 | 0) || out.lo !== 0)) return false
  out.hi = out.lo === 0 ? -out.hi | 0 : ~out.hi
  out.lo = -out.lo | 0
  return true
}

/**
 * Parses any JSON number in [from, to) with an integral value: 12, -3, 1.0, 25e2, 1500e-2. Sets `out` to the two's
 * complement. Values from 2^63 to 2^64 - 1 are unsigned.
 */
export function parseInteger(bytes: Uint8Array, from: number, to: number, out: Int64Parts): IntegerFault {
  const negative = from < to && bytes[from] === MINUS
  const whole = negative ? from + 1 : from
  let i = digitsEnd(bytes, whole, to)
  if (i === whole || (bytes[whole] === ZERO && i > whole + 1)) return 'syntax'
  let digits = bytes.subarray(whole, i)
  let shift = 0
  if (i < to && bytes[i] === 0x2e) {
    const fraction = i + 1
    i = digitsEnd(bytes, fraction, to)
    if (i === fraction) return 'syntax'
    digits = new Uint8Array(i - whole - 1)
    digits.set(bytes.subarray(whole, fraction - 1))
    digits.set(bytes.subarray(fraction, i), fraction - 1 - whole)
    shift = fraction - i
  }
  if (i < to && (bytes[i] | 0x20) === 0x65) {
    const sign = bytes[i + 1]
    const exponent = i + 1 < to && (sign === 0x2b || sign === MINUS) ? i + 2 : i + 1
    i = digitsEnd(bytes, exponent, to)
    if (i === exponent) return 'syntax'
    // A double suffices: an exponent too long to be exact is out of range anyway.
    let power = 0
    for (let k = exponent; k < i; k++) power = power * 10 + (bytes[k] - ZERO)
    shift += sign === MINUS ? -power : power
  }
  if (i !== to) return 'syntax'
  const fault = scaled(digits, shift, out)
  if (fault !== 'none' || !negative) return fault
  return negate(out) ? 'none' : 'range'
}

// Computes digits * 10^shift.
function scaled(digits: Uint8Array, shift: number, out: Int64Parts): IntegerFault {
  let start = 0
  while (start < digits.length && digits[start] === ZERO) start++
  let end = digits.length
  while (end > start && digits[end - 1] === ZERO) end--
  if (start === end) {
    out.lo = 0
    out.hi = 0
    return 'none'
  }
  const zeros = shift + digits.length - end
  if (zeros < 0) return 'fraction'
  if (end - start + zeros > MAX_DIGITS) return 'range'
  const plain = new Uint8Array(end - start + zeros).fill(ZERO)
  plain.set(digits.subarray(start, end))
  return parseDigits(plain, 0, plain.length, out) ? 'none' : 'range'
}

function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from
  while (i < to && bytes[i] >= ZERO && bytes[i] <= 0x39) i++
  return i
}

/** Writes the decimal text at `at` and returns the offset after it. Writes at most 20 bytes. */
export function writeInt64(lo: number, hi: number, unsigned: boolean, target: Uint8Array, at: number): number {
  let low = lo >>> 0
  let high = hi >>> 0
  let to = at
  if (!unsigned && hi < 0) {
    target[to++] = MINUS
    high = (low === 0 ? -hi : ~hi) >>> 0
    low = -lo >>> 0
  }
  if (high < 0x20_0000) return writeUint(high * TWO_32 + low, target, to)
  // Long division by 10^9 in limbs of 16 bits. Remainders are below 2^30, so each step stays below 2^46 and exact.
  const limb3 = high >>> 16
  const limb2 = (limb3 % 1e9) * 0x10000 + (high & 0xffff)
  const limb1 = (limb2 % 1e9) * 0x10000 + (low >>> 16)
  const limb0 = (limb1 % 1e9) * 0x10000 + (low & 0xffff)
  const head = Math.floor(limb2 / 1e9) * TWO_32 + Math.floor(limb1 / 1e9) * 0x10000 + Math.floor(limb0 / 1e9)
  to = writeUint(head, target, to)
  padded(limb0 % 1e9, 9, target, to)
  return to + 9
}

/** Writes an integer from 0 to 2^53 - 1 and returns the offset after it. */
export function writeUint(value: number, target: Uint8Array, at: number): number {
  if (value < 1e9) {
    const length = digitCount(value)
    padded(value, length, target, at)
    return at + length
  }
  const head = Math.floor(value / 1e9)
  const to = writeUint(head, target, at)
  padded(value - head * 1e9, 9, target, to)
  return to + 9
}

function padded(value: number, length: number, target: Uint8Array, at: number): void {
  let rest = value | 0
  for (let i = at + length - 1; i >= at; i--) {
    const next = (rest / 10) | 0
    target[i] = ZERO + rest - next * 10
    rest = next
  }
}

function digitCount(value: number): number {
  if (value < 100000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : value < 10000 ? 4 : 5
  if (value < 10000000) return value < 1000000 ? 6 : 7
  return value < 100000000 ? 8 : 9
}
