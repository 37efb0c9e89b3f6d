// Points over time: the point at t is of what began after t - step and until t, as columns of Pyroscope's heat maps are known
// by their right edge. The first one is at the range's start, and the last one not beyond its end.
import { Code, Refusal } from '../../receive/refusal.ts'
import type { TimeRange } from './part-questions.ts'
import { rangeOfMillis } from './part-questions.ts'

const NANOS_PER_MILLI = 1_000_000n
/** As in Prometheus. */
const MOST_STEPS = 11_000n

export interface TimeSteps extends TimeRange {
  /** Nanoseconds; the first step begins where the range does. */
  readonly step: bigint
}

/** `seconds` need not be whole. Throws Refusal. */
export function timeSteps(start: bigint, end: bigint, seconds: number): TimeSteps {
  const range = rangeOfMillis(start, end)
  if (!(seconds >= 0.001) || !Number.isFinite(seconds)) throw refused(`a step of ${seconds} seconds`)
  const step = BigInt(Math.round(seconds * 1000)) * NANOS_PER_MILLI
  const steps = (range.to - range.from) / step
  if (steps > MOST_STEPS) throw refused(`${steps} steps of ${seconds} seconds; at most ${MOST_STEPS} are taken`)
  const first = range.from + NANOS_PER_MILLI - step
  const last = range.from + ((range.to - NANOS_PER_MILLI - range.from) / step) * step
  // A step that begins before 1970 has nothing in it.
  return { from: first < 0n ? first + step : first, to: last + NANOS_PER_MILLI, step }
}

/** Where the step that begins at `time` is shown, in milliseconds. */
export function millisOfStep(time: bigint, { step }: TimeSteps): bigint {
  return (time + step) / NANOS_PER_MILLI - 1n
}

function refused(message: string): Refusal {
  return new Refusal(400, Code.invalidArgument, 'query', message)
}
