// Points over time. The point at t covers profiles that began after t - step and until t, because Pyroscope names
// columns by their right edge. The first point is at the start of the range. The last one is not after its end.
import { badQuery } from '../../receive/refusal.ts'
import type { TimeRange } from './part-queries.ts'
import { rangeOfMillis } from './part-queries.ts'

const NANOS_PER_MILLI = 1_000_000n
/** The limit of Prometheus. */
const MAX_STEPS = 11_000n

export interface TimeSteps extends TimeRange {
  /** Nanoseconds. The first step begins at the start of the range. */
  readonly step: bigint
}

/** `seconds` may have decimals. Throws Refusal. */
export function timeSteps(start: bigint, end: bigint, seconds: number): TimeSteps {
  const range = rangeOfMillis(start, end)
  if (!(seconds >= 0.001) || !Number.isFinite(seconds)) throw badQuery(`a step of ${seconds} seconds`)
  const step = BigInt(Math.round(seconds * 1000)) * NANOS_PER_MILLI
  const steps = (range.to - range.from) / step
  if (steps > MAX_STEPS) throw badQuery(`${steps} steps of ${seconds} seconds; the limit is ${MAX_STEPS}`)
  const first = range.from + NANOS_PER_MILLI - step
  const last = range.from + ((range.to - NANOS_PER_MILLI - range.from) / step) * step
  // A step that begins before 1970 is empty.
  return { from: first < 0n ? first + step : first, to: last + NANOS_PER_MILLI, step }
}

/** The time at which the step that begins at `time` is shown, in milliseconds. */
export function millisOfStep(time: bigint, { step }: TimeSteps): bigint {
  return (time + step) / NANOS_PER_MILLI - 1n
}
