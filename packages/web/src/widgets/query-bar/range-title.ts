// The titles of time ranges.
import type { TimeRange } from '../../address/time-range.ts'
import { isRelative, resolveTime } from '../../address/time-range.ts'
import { formatClock, formatMoment, lengthWords } from '../format-time.ts'

/** The starts of the offered ranges, which end now, with their titles. */
export const RELATIVE = [
  ['now-5m', 'Last 5 minutes'],
  ['now-15m', 'Last 15 minutes'],
  ['now-1h', 'Last 1 hour'],
  ['now-3h', 'Last 3 hours'],
  ['now-12h', 'Last 12 hours'],
  ['now-1d', 'Last 24 hours'],
  ['now-3d', 'Last 3 days'],
  ['now-1w', 'Last 7 days'],
  ['now-30d', 'Last 30 days'],
] as const

/** `Last 1 hour`, or both ends of the range. */
export function rangeTitle(range: TimeRange): string {
  const { from, to } = range
  const known = to === 'now' ? RELATIVE.find(([start]) => start === from) : undefined
  if (known !== undefined) return known[1]
  const now = Date.now()
  const start = resolveTime(from, now)
  const end = resolveTime(to, now)
  if (start === undefined || end === undefined) return `${from} to ${to}`
  if (to === 'now' && isRelative(from)) return `Last ${lengthWords(end - start)}`
  const isOneDay = new Date(start).toDateString() === new Date(end).toDateString()
  return `${formatMoment(start)} – ${isOneDay ? formatClock(end, true) : formatMoment(end)}`
}
