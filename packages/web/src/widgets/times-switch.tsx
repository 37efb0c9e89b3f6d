// The switch between times of day and times since the start, for all views of time.
import type { JSX } from 'preact'
import type { TickClock } from '../draw/time-ticks.ts'
import { showClock, showsClock } from '../state/clock-times.ts'
import { formatClock } from './format-time.ts'

/** Earlier times are measured from the start of the machine, not from 1970. */
const FIRST_WALL_TIME = BigInt(Date.UTC(2000, 0)) * 1_000_000n

const formatSecond = (ms: number): string => formatClock(ms, true)

/** The clock of a view that starts at `origin`; undefined if times since the start are shown. */
export function clockOf(origin: bigint | undefined): TickClock | undefined {
  if (origin === undefined || origin < FIRST_WALL_TIME || !showsClock.value) return undefined
  return { origin, format: formatSecond }
}

export function TimesSwitch({ origin }: { readonly origin: bigint | undefined }): JSX.Element | undefined {
  if (origin === undefined || origin < FIRST_WALL_TIME) return undefined
  return (
    <select
      aria-label="Times"
      value={showsClock.value ? 'clock' : 'elapsed'}
      onChange={event => showClock(event.currentTarget.value === 'clock')}
    >
      <option value="clock">Clock time</option>
      <option value="elapsed">Elapsed time</option>
    </select>
  )
}
