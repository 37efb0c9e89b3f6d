// Times as addresses and the server have them: `now-1h`, or RFC 3339.
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const RELATIVE = /^now(?:([+-])((?:\d{1,12}(?:ms|s|m|h|d|w))+))?$/

export interface TimeRange {
  readonly from: string
  readonly to: string
}

export function isRelative(text: string): boolean {
  return RELATIVE.test(text)
}

/** Milliseconds since 1970; undefined where it is no time. */
export function momentOf(text: string, now: number): number | undefined {
  const relative = RELATIVE.exec(text)
  if (relative !== null) {
    const [, sign, length = ''] = relative
    return now + (sign === '-' ? -1 : 1) * durationOf(length)
  }
  if (/^\d{13}$/.test(text)) return Number(text)
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

function durationOf(text: string): number {
  let sum = 0
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|s|m|h|d|w)/g)) sum += Number(count) * UNITS[unit]
  return sum
}

/** `1m30s` or `500ms` in milliseconds; a number alone is of seconds. Undefined where it is no length of time. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim()
  if (/^\d{1,9}(\.\d{1,3})?$/.test(trimmed)) return Number(trimmed) * UNITS['s']
  return /^(\d{1,9}(ms|s|m|h|d|w))+$/.test(trimmed) ? durationOf(trimmed) : undefined
}

/** For the address. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** To the nanosecond, as the server takes it. */
export function preciseTime(nanoseconds: bigint): string {
  const seconds = nanoseconds / 1_000_000_000n
  const rest = String(nanoseconds % 1_000_000_000n).padStart(9, '0')
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${rest}Z`
}

/** `1h30m`, of the two largest units that are needed. */
export function durationText(ms: number): string {
  let rest = Math.round(ms)
  const parts: string[] = []
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / UNITS[unit])
    if (count === 0) continue
    parts.push(`${count}${unit}`)
    rest -= count * UNITS[unit]
  }
  return parts.length === 0 ? '0s' : parts.slice(0, 2).join('')
}

/** The same range so much earlier; relative ones stay relative, as `now-25h` to `now-1d`. */
export function shifted({ from, to }: TimeRange, byMs: number, now: number): TimeRange {
  const shift = (text: string): string => {
    const moment = momentOf(text, now)
    if (moment === undefined) return text
    if (!isRelative(text)) return timeText(moment - byMs)
    const before = now - moment + byMs
    return before === 0 ? 'now' : before > 0 ? `now-${exactDuration(before)}` : `now+${exactDuration(-before)}`
  }
  return { from: shift(from), to: shift(to) }
}

function exactDuration(ms: number): string {
  for (const unit of ['w', 'd', 'h', 'm', 's'] as const) if (ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`
  return `${Math.round(ms)}ms`
}

/** Lengths of steps at which people and profilers count time, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800]

/** For a chart of up to `most` steps: `60s`. Profilers that send every minute then have one profile in each of an hour's. */
export function stepFor(lengthMs: number, most: number): string {
  return `${stepSeconds(lengthMs, most)}s`
}

export function stepSeconds(lengthMs: number, most: number): number {
  const least = lengthMs / 1000 / most
  return STEPS.find(seconds => seconds >= least) ?? Math.ceil(least)
}

/** How long it is, in milliseconds; undefined where one end is no time. */
export function lengthOf({ from, to }: TimeRange, now: number): number | undefined {
  const start = momentOf(from, now)
  const end = momentOf(to, now)
  return start === undefined || end === undefined ? undefined : end - start
}

/** From where the first of both begins to where the last ends, in their own words. */
export function spanning(a: TimeRange, b: TimeRange, now: number): TimeRange {
  const at = (text: string): number => momentOf(text, now) ?? now
  return { from: at(a.from) <= at(b.from) ? a.from : b.from, to: at(a.to) >= at(b.to) ? a.to : b.to }
}
