// Parses times and durations of requests.
//
//   2026-11-15T14:00:00.5+01:00   RFC 3339, to the nanosecond
//   1790000000, 1790000000000     since 1970, in seconds, milliseconds, microseconds or nanoseconds by the number of digits
//   now, now-1h, now-1d12h        relative to the server's clock
import { parseDuration as durationOf } from '@hearth/profile'

export class TimeError extends Error {
  override readonly name = 'TimeError'
}

const MILLISECOND = 1_000_000n
const MINUTE = 60_000n * MILLISECOND
const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/
/** The limit of 64 bits, in 2262. */
const LAST = 2n ** 63n - 1n

/** Returns nanoseconds. Throws TimeError. */
export function parseDuration(text: string): bigint {
  const nanoseconds = durationOf(text)
  if (nanoseconds === undefined) throw new TimeError(`${quoted(text)} is not a duration; write 15s, 500ms or 1h30m`)
  if (nanoseconds > LAST) throw new TimeError(`${quoted(text)} is longer than 292 years`)
  return nanoseconds
}

/** Returns Unix nanoseconds. `now` has the same unit. Throws TimeError. */
export function parseTime(text: string, now: bigint): bigint {
  const time = relative(text, now) ?? counted(text) ?? calendar(text)
  if (time === undefined) {
    throw new TimeError(`${quoted(text)} is not a time; write 2026-11-15T14:00:00Z, 1790000000000 or now-1h`)
  }
  if (time < 0n || time > LAST) throw new TimeError(`${quoted(text)} is not between 1970 and 2262`)
  return time
}

/** Whether the text means another time in a later request. */
export function isRelative(text: string): boolean {
  return text.startsWith('now')
}

function relative(text: string, now: bigint): bigint | undefined {
  if (!isRelative(text)) return undefined
  const rest = text.slice(3)
  if (rest === '') return now
  const length = durationOf(rest.slice(1)) === undefined ? undefined : parseDuration(rest.slice(1))
  if (length === undefined) return undefined
  return rest.startsWith('-') ? now - length : rest.startsWith('+') ? now + length : undefined
}

/** Up to 11 digits are seconds (until 5138), up to 14 milliseconds, up to 17 microseconds. */
function counted(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined
  return durationOf(text, text.length <= 11 ? 's' : text.length <= 14 ? 'ms' : text.length <= 17 ? 'us' : 'ns')
}

function calendar(text: string): bigint | undefined {
  const match = RFC3339.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match
  const ms = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second)
  const date = new Date(ms)
  // Date turns February 30 into March 2.
  const same = date.getUTCMonth() === +month - 1 && date.getUTCDate() === +day && date.getUTCHours() === +hour
  if (!same || +minute > 59 || +second > 59) return undefined
  const offset = BigInt(+offsetHours * 60 + +offsetMinutes) * MINUTE
  const local = BigInt(ms) * MILLISECOND + BigInt(fraction.padEnd(9, '0'))
  return sign === '-' ? local + offset : local - offset
}

/** Truncates the text, which may be long. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
