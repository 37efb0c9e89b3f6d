// Where a chart names times of day: at full minutes, quarters of hours, midnights.
import { stepSeconds } from '../../address/time-range.ts'
import { formatClock, formatDay } from '../format-time.ts'

export interface ClockTick {
  /** Part of the range, 0 to 1. */
  readonly at: number
  readonly text: string
}

const DAY = 86_400

/** Of a range in milliseconds since 1970; at most so many, and one more. */
export function clockTicks(from: number, to: number, most: number): ClockTick[] {
  if (!(to > from) || most < 1) return []
  const seconds = stepSeconds(to - from, most)
  const step = seconds * 1000
  // Full hours and midnights are those of the zone that the times are written in.
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
