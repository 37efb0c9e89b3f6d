// Converts ticks of a chunk's clock to nanoseconds exactly: start + floor((ticks - start ticks) * 1e9 / ticks per second).
// Doubles are 256 ns apart at today's times, and bigints take four times as long (150 instead of 40 ns per event). So the division
// runs in two steps, 1e9 = 31250 * 32000, each of which stays below 2^53.
import { highHalf, lowHalf } from '../../../model/columns/int64.ts'

const STEP = 31_250
const REST = 32_000
const TWO_32 = 0x1_0000_0000
/** Leaves one bit for intermediate products. */
const EXACT = 2 ** 52
/** Above this rate a step could exceed 2^53. No real clock is that fast. */
const MAX_RATE = 2n ** 37n

export class JfrClock {
  readonly #startNanos: bigint
  readonly #startTicks: bigint
  readonly #rate: bigint
  readonly #startNanosLo: number
  readonly #startNanosHi: number
  readonly #startTicksLo: number
  readonly #startTicksHi: number
  /** 0 if only bigints are exact. */
  readonly #quickRate: number
  /** The halves of the last result. */
  lo = 0
  hi = 0

  constructor(startNanos: bigint, startTicks: bigint, ticksPerSecond: bigint) {
    this.#startNanos = startNanos
    this.#startTicks = startTicks
    this.#rate = ticksPerSecond
    this.#startNanosLo = lowHalf(startNanos) >>> 0
    this.#startNanosHi = highHalf(startNanos)
    this.#startTicksLo = lowHalf(startTicks) >>> 0
    this.#startTicksHi = highHalf(startTicks)
    this.#quickRate = ticksPerSecond > 0n && ticksPerSecond <= MAX_RATE ? Number(ticksPerSecond) : 0
  }

  /** Computes the 64-bit Unix time of a tick count. */
  time(ticksLo: number, ticksHi: number): void {
    const ticks = (ticksHi - this.#startTicksHi) * TWO_32 + ((ticksLo >>> 0) - this.#startTicksLo)
    const nanos = this.#nanos(ticks)
    if (!Number.isSafeInteger(nanos)) return this.#exact(ticksLo, ticksHi, this.#startTicks, this.#startNanos)
    const high = Math.floor(nanos / TWO_32)
    const low = this.#startNanosLo + (nanos - high * TWO_32)
    this.lo = low | 0
    this.hi = (this.#startNanosHi + high + (low >= TWO_32 ? 1 : 0)) | 0
  }

  /** Converts a duration in ticks to nanoseconds. */
  span(ticksLo: number, ticksHi: number): void {
    const nanos = this.#nanos(ticksHi * TWO_32 + (ticksLo >>> 0))
    if (!Number.isSafeInteger(nanos)) return this.#exact(ticksLo, ticksHi, 0n, 0n)
    this.lo = nanos | 0
    this.hi = Math.floor(nanos / TWO_32)
  }

  /** Returns NaN if doubles are not exact. */
  #nanos(ticks: number): number {
    const rate = this.#quickRate
    if (rate === 0 || !(ticks <= EXACT && ticks >= -EXACT)) return NaN
    if (rate === 1_000_000_000) return ticks
    const seconds = floorDivide(ticks, rate)
    const step = (ticks - seconds * rate) * STEP
    const whole = floorDivide(step, rate)
    const rest = floorDivide((step - whole * rate) * REST, rate)
    return seconds * 1_000_000_000 + whole * REST + rest
  }

  #exact(ticksLo: number, ticksHi: number, startTicks: bigint, startNanos: bigint): void {
    const ticks = ((BigInt(ticksHi) << 32n) | BigInt(ticksLo >>> 0)) - startTicks
    const scaled = ticks * 1_000_000_000n
    let nanos = scaled / this.#rate
    if (nanos * this.#rate > scaled) nanos -= 1n
    this.lo = lowHalf(startNanos + nanos)
    this.hi = highHalf(startNanos + nanos)
  }
}

/** The quotient of doubles may round up to the next integer. The remainder shows that. */
function floorDivide(a: number, b: number): number {
  const quotient = Math.floor(a / b)
  return quotient * b > a ? quotient - 1 : quotient
}
