// Ticks of a trace into nanoseconds. Each generation has a frequency of its own, and since Go 1.25 a snapshot of the trace's
// clock beside the monotonic and the wall clock. The first wall time and the monotonic ones place all generations on one axis,
// which steps of the wall clock don't bend. Before that nothing tells the date: times are those of the trace's own clock.
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { FormatError } from '../format.ts'
import { FORMAT } from './trace-cursor.ts'

export interface ClockSnapshot {
  readonly ticks: number
  readonly mono: number
  readonly unixNano: bigint
}

/** floor(a * 1e9 / b) is made in two steps, 1e9 = 31250 * 32000, each of which is exact in doubles for b up to this. */
const MAX_FREQUENCY = 2 ** 37
const STEP = 31_250
const REST = 32_000
const NANOS = 1_000_000_000
/** With nanoseconds added it still fits in 64 bits. */
export const MAX_SECONDS = 2 ** 33

export class TraceClock {
  /** What `nanos` counts from; undefined before the first generation. */
  base: bigint | undefined
  /** The same as halves, the low one unsigned, and how far before it 1970 is. */
  baseLo = 0
  baseHi = 0
  earliest = 0
  /** Whether that is time since 1970. */
  isUnix = false
  #firstMono = 0
  #anchorTicks = 0
  #anchorNanos = 0
  #frequency = 0
  /** 0 where that is no whole number. */
  #nanosPerTick = 0

  /** The clock of a generation; `firstTicks` is its earliest time. */
  startGeneration(frequency: number, snapshot: ClockSnapshot | undefined, firstTicks: number, offset: number): void {
    if (!(frequency >= 1 && frequency <= MAX_FREQUENCY)) {
      throw new FormatError(FORMAT, offset, `a clock of ${frequency} ticks per second`)
    }
    if (snapshot === undefined) {
      // Frequencies are estimates that differ by generation: the first is kept, so that times don't jump.
      if (this.base !== undefined) return
      const seconds = Math.floor(firstTicks / frequency)
      if (seconds > MAX_SECONDS) throw new FormatError(FORMAT, offset, `a clock that is at ${seconds} seconds`)
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
    // Ticks of Linux and others are 64 ns, whole ones.
    if (this.#nanosPerTick !== 0) return this.#anchorNanos + span * this.#nanosPerTick
    const seconds = Math.floor(span / rate)
    const steps = (span - seconds * rate) * STEP
    const whole = Math.floor(steps / rate)
    const rest = Math.floor(((steps - whole * rate) * REST) / rate)
    return this.#anchorNanos + seconds * NANOS + whole * REST + rest
  }
}
