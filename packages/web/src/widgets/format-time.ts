// Times for people: in their own zone, which is named.
const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const YEAR = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const SECOND = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** As `UTC` or `GMT+1`. */
export const ZONE =
  new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
    .formatToParts(Date.now())
    .find(part => part.type === 'timeZoneName')?.value ?? ''

/** `Nov 15, 14:03:20`; with the year where it is another one. */
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

/** As fields of forms have it: `2026-11-15T14:03:20`, in this zone. */
export function fieldTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** Nanoseconds since 1970, as the server has them, in milliseconds. */
export function millisOf(nanos: string | bigint): number {
  return Number(BigInt(nanos) / 1_000_000n)
}
