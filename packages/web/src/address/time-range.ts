// Times in addresses and requests: `now-1h`, or RFC 3339.
import { parseDurationMs } from '@hearth/profile'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const RELATIVE = /^now(?:([+-])(.+))?$/

export interface TimeRange {
  readonly from: string
  readonly to: string
}

export function isRelative(text: string): boolean {
  return relativeMs(text) !== undefined
}

/** Resolves a time to milliseconds since 1970; undefined if it is not a time. */
export function resolveTime(text: string, now: number): number | undefined {
  const relative = relativeMs(text)
  if (relative !== undefined) return now + relative
  if (/^\d{13}$/.test(text)) return Number(text)
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** The milliseconds from now to a relative time; undefined for other texts. */
function relativeMs(text: string): number | undefined {
  const match = RELATIVE.exec(text)
  if (match === null) return undefined
  const [, sign, length] = match
  if (length === undefined) return 0
  const ms = parseDurationMs(length)
  return ms === undefined ? undefined : sign === '-' ? -ms : ms
}

/** `1m30s` or `500ms` in milliseconds. A plain number is in seconds. Undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  return parseDurationMs(text.trim(), 's')
}

/** Excludes data that arrives after the start of the load, so that all its requests see the same data. */
export interface OfLoad {
  readonly receivedBefore?: string
}

/** Replaces relative times by absolute ones, for all requests of the load that started at `now`. Keeps other text. */
export function absolute<Range extends TimeRange>(range: Range, now: number): Range & Required<OfLoad> {
  const at = (text: string): string => {
    const time = resolveTime(text, now)
    return time === undefined || !isRelative(text) ? text : timeText(time)
  }
  return { ...range, from: at(range.from), to: at(range.to), receivedBefore: timeText(now) }
}

/** The parameter of a request. */
export function ofLoad({ receivedBefore }: OfLoad): OfLoad {
  return receivedBefore === undefined ? {} : { receivedBefore }
}

/** Servers state their time in whole seconds. */
const CLOCK_PRECISION_MS = 2000

/**
 * How far the server's clock is ahead of the browser's, in milliseconds. 0 if its time can be between the request and the
 * response, or is unknown.
 */
export function clockAhead(server: number, sent: number, received: number): number {
  if (server > received + CLOCK_PRECISION_MS) return server - received
  return server < sent - CLOCK_PRECISION_MS ? server - sent : 0
}

/** RFC 3339 with milliseconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}

/** RFC 3339 with nanoseconds. */
export function preciseTime(nanoseconds: bigint): string {
  const seconds = nanoseconds / 1_000_000_000n
  const rest = String(nanoseconds % 1_000_000_000n).padStart(9, '0')
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${rest}Z`
}

/** `1h30m`: the two largest units. */
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

/** The range shifted to earlier times. Relative times stay relative: `now-25h` to `now-1d`. */
export function shifted({ from, to }: TimeRange, byMs: number, now: number): TimeRange {
  const shift = (text: string): string => {
    const time = resolveTime(text, now)
    if (time === undefined) return text
    if (!isRelative(text)) return timeText(time - byMs)
    const before = now - time + byMs
    return before === 0 ? 'now' : before > 0 ? `now-${exactDuration(before)}` : `now+${exactDuration(-before)}`
  }
  return { from: shift(from), to: shift(to) }
}

function exactDuration(ms: number): string {
  for (const unit of ['w', 'd', 'h', 'm', 's'] as const) if (ms % UNITS[unit] === 0) return `${ms / UNITS[unit]}${unit}`
  return `${Math.round(ms)}ms`
}

/** Common lengths of steps, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800]

/**
 * The step of a chart with at most `max` steps: `60s`. A profiler that sends once a minute then has one profile in each
 * step.
 */
export function stepFor(lengthMs: number, max: number): string {
  return `${stepSeconds(lengthMs, max)}s`
}

/** Shorter steps than this would show when profiles arrive, not what they measure. */
const PROFILE_STEP_MS = 15_000
/** Short ranges have shorter steps, too. */
const MIN_STEPS = 4

/** The step of a chart of profile values. */
export function profileStepFor(lengthMs: number, max: number): string {
  const shortest = stepSeconds(Math.min(lengthMs, MIN_STEPS * PROFILE_STEP_MS), MIN_STEPS)
  return `${Math.max(shortest, stepSeconds(lengthMs, max))}s`
}

export function stepSeconds(lengthMs: number, max: number): number {
  const min = lengthMs / 1000 / max
  return STEPS.find(seconds => seconds >= min) ?? Math.ceil(min)
}

/** The length in milliseconds; undefined if one end is not a time. */
export function lengthOf({ from, to }: TimeRange, now: number): number | undefined {
  const start = resolveTime(from, now)
  const end = resolveTime(to, now)
  return start === undefined || end === undefined ? undefined : end - start
}

/** The range twice as long, around its middle, and not after now. Undefined if one end is not a time. */
export function widened({ from, to }: TimeRange, now: number): TimeRange | undefined {
  const start = resolveTime(from, now)
  const end = resolveTime(to, now)
  if (start === undefined || end === undefined) return undefined
  const length = Math.max(1000, end - start)
  const until = Math.min(Math.max(now, end), end + length / 2)
  return { from: timeText(until - 2 * length), to: timeText(until) }
}

/** From the earlier start to the later end, unresolved. */
export function spanning(a: TimeRange, b: TimeRange, now: number): TimeRange {
  const at = (text: string): number => resolveTime(text, now) ?? now
  return { from: at(a.from) <= at(b.from) ? a.from : b.from, to: at(a.to) >= at(b.to) ? a.to : b.to }
}
