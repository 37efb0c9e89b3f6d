// Converts ticks of a trace to nanoseconds. Each generation has its own frequency, and since Go 1.25 a snapshot of the
// trace's clock with the monotonic and the wall clock. The first wall time and the monotonic times place all
// generations on one axis, so steps of the wall clock do not matter. Before Go 1.25 the date is unknown, and times are
// those of the trace's own clock.
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { FormatError } from '../format.ts'
import { FORMAT } from './trace-cursor.ts'

export interface ClockSnapshot {
  readonly ticks: number
  readonly mono: number
  readonly unixNano: bigint
}

/** floor(a * 1e9 / b) takes two steps, 1e9 = 31250 * 32000. Each step is exact in doubles for b up to this limit. */
const MAX_FREQUENCY = 2 ** 37
const STEP = 31_250
const REST = 32_000
const NANOS = 1_000_000_000
/** With nanoseconds added it still fits in 64 bits. */
export const MAX_SECONDS = 2 ** 33

export class TraceClock {
  /** The base of `nanos`. Undefined before the first generation. */
  base: bigint | undefined
  /** The base as halves, the low one unsigned, and its distance from 1970. */
  baseLo = 0
  baseHi = 0
  earliest = 0
  /** Whether the base counts from 1970. */
  isUnix = false
  #firstMono = 0
  #anchorTicks = 0
  #anchorNanos = 0
  #frequency = 0
  /** 0 if that is not an integer. */
  #nanosPerTick = 0

  /** Sets the clock of a generation. `firstTicks` is its earliest time. */
  startGeneration(frequency: number, snapshot: ClockSnapshot | undefined, firstTicks: number, offset: number): void {
    if (!(frequency >= 1 && frequency <= MAX_FREQUENCY)) {
      throw new FormatError(FORMAT, offset, `unsupported clock of ${frequency} ticks per second`)
    }
    if (snapshot === undefined) {
      // Frequencies are estimates that differ by generation. The first one is kept, so that times do not jump.
      if (this.base !== undefined) return
      const seconds = Math.floor(firstTicks / frequency)
      if (seconds > MAX_SECONDS)
        throw new FormatError(FORMAT, offset, `the clock is out of range at ${seconds} seconds`)
      this.#setFrequency(frequency)
      this.#setBase(BigInt(seconds) * BigInt(NANOS))
      this.#anchorTicks = firstTicks - (firstTicks % frequency)
      return
    }
    this.#setFrequency(frequency)
    if (this.base === undefined) {
      this.#setBase(snapshot.unixNano)
      this.isUnix = true
      this.#firstMono = snapshot.mono
    }
    this.#anchorTicks = snapshot.ticks
    this.#anchorNanos = snapshot.mono - this.#firstMono
  }

  #setFrequency(frequency: number): void {
    this.#frequency = frequency
    this.#nanosPerTick = NANOS % frequency === 0 ? NANOS / frequency : 0
  }

  #setBase(base: bigint): void {
    this.base = base
    this.baseLo = lowHalf(base) >>> 0
    this.baseHi = highHalf(base)
    this.earliest = -Number(base)
  }

  /** Nanoseconds since the base, rounded down. */
  nanos(ticks: number): number {
    const rate = this.#frequency
    const span = ticks - this.#anchorTicks
    // Ticks on Linux and others are exactly 64 ns.
    if (this.#nanosPerTick !== 0) return this.#anchorNanos + span * this.#nanosPerTick
    const seconds = Math.floor(span / rate)
    const steps = (span - seconds * rate) * STEP
    const whole = Math.floor(steps / rate)
    const rest = Math.floor(((steps - whole * rate) * REST) / rate)
    return this.#anchorNanos + seconds * NANOS + whole * REST + rest
  }
}
