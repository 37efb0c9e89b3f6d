// Formats times in the time zone of the user, and lengths of time.
import { durationText } from '../address/time-range.ts'

const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const YEAR = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const SECOND = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** For example `UTC` or `GMT+1`. */
export const ZONE =
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
    .formatToParts(Date.now())
    .find(part => part.type === 'timeZoneName')?.value ?? ''

/** `Nov 15, 14:03:20`, with the year if it is not the current one. */
export function formatMoment(ms: number): string {
  const date = new Date(ms)
  const day = date.getFullYear() === new Date().getFullYear() ? DAY : YEAR
  return `${day.format(date)}, ${SECOND.format(date)}`
}

export function formatClock(ms: number, withSeconds: boolean): string {
  return (withSeconds ? SECOND : MINUTE).format(ms)
}

export function formatDay(ms: number): string {
  return DAY.format(ms)
}

/** `1 min 30 s`: a length of time in its two largest units. */
export function formatLength(ms: number): string {
  return durationText(ms)
    .replaceAll(/(\d+)([a-z]+)/g, (_, count: string, unit: string) => `${count} ${unit === 'm' ? 'min' : unit} `)
    .trim()
}

/** `5 minutes`, `1 hour 30 minutes`: a length of time in its two largest units, in words. */
export function lengthWords(ms: number): string {
  return durationText(ms)
    .replaceAll(/(\d+)([a-z]+)/g, (_, count: string, unit: string) => {
      const word = { d: 'day', h: 'hour', m: 'minute', s: 'second', ms: 'millisecond' }[unit] ?? unit
      return `${count} ${word}${count === '1' ? '' : 's'} `
    })
    .trim()
}

/** The value of a `datetime-local` input: `2026-11-15T14:03:20`. */
export function fieldTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** Converts nanoseconds since 1970 to milliseconds. */
export function millisOf(nanos: string | bigint): number {
  return Number(BigInt(nanos) / 1_000_000n)
}
