// The ticks of a time axis: at full minutes, quarters of an hour, midnight.
import { stepSeconds } from '../../address/time-range.ts'
import { formatClock, formatDay } from '../format-time.ts'

export interface ClockTick {
  /** The position in the range, 0 to 1. */
  readonly at: number
  readonly text: string
}

const DAY = 86_400

/** Returns the ticks of a range in milliseconds since 1970, at most `limit` and one more. */
export function clockTicks(from: number, to: number, limit: number): ClockTick[] {
  if (!(to > from) || limit < 1) return []
  const seconds = stepSeconds(to - from, limit)
  const step = seconds * 1000
  // Full hours and midnight are those of the local time zone.
  const offset = new Date(from).getTimezoneOffset() * 60_000
  const ticks: ClockTick[] = []
  for (let time = Math.ceil((from - offset) / step) * step + offset; time <= to; time += step) {
    ticks.push({ at: (time - from) / (to - from), text: tickText(time, seconds) })
  }
  return ticks
}

function tickText(ms: number, step: number): string {
  const clock = formatClock(ms, step < 60)
  return step >= DAY || clock === '00:00' ? formatDay(ms) : clock
}
