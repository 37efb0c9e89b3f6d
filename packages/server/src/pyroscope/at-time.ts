// Times in `from` and `until` of Pyroscope's older APIs. A time is a number of seconds, milliseconds, microseconds or
// nanoseconds since 1970, recognised by its size; a day such as 20260131; or relative to now, such as `now-1h`.

const NANOS_PER_MILLI = 1_000_000n
const SECONDS: ReadonlyMap<string, bigint> = new Map(
  Object.entries({
    s: 1n,
    sec: 1n,
    second: 1n,
    m: 60n,
    min: 60n,
    minute: 60n,
    h: 3600n,
    hour: 3600n,
    d: 86_400n,
    day: 86_400n,
    w: 604_800n,
    week: 604_800n,
    mon: 2_592_000n,
    month: 2_592_000n,
    y: 31_536_000n,
    year: 31_536_000n,
  }),
)

/**
 * Nanoseconds since 1970. Undefined if the text is not a time, or is a time before 1970 or after 2554, which 64 bits
 * cannot hold.
 */
export function parseAtTime(text: string, nowMs: number): bigint | undefined {
  const time = numeric(text) ?? relative(text, BigInt(nowMs) * NANOS_PER_MILLI)
  return time === undefined || time < 0n || time >= 2n ** 64n ? undefined : time
}

function numeric(text: string): bigint | undefined {
  const match = /^(\d{1,20})(?:\.(\d{1,9})\d*)?$/.exec(text)
  if (match === null) return undefined
  const [, whole, fraction] = match
  // Eight digits as seconds would be a time before 1973. All clients that send eight digits mean a day.
  if (whole.length === 8 && fraction === undefined) return day(whole)
  const digits = decimalsOf(whole.length)
  const part = BigInt((fraction ?? '').padEnd(9, '0')) / 10n ** BigInt(9 - digits)
  return BigInt(whole) * 10n ** BigInt(digits) + part
}

/**
 * The power of ten by which a number with this many digits is larger than nanoseconds. Seconds have 10 digits today.
 */
function decimalsOf(digits: number): number {
  if (digits < 12) return 9
  if (digits < 15) return 6
  return digits < 18 ? 3 : 0
}

function day(digits: string): bigint | undefined {
  const text = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`
  const ms = Date.parse(`${text}T00:00:00Z`)
  // 20260231 would become a day in March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text)) return undefined
  return BigInt(ms) * NANOS_PER_MILLI
}

function relative(text: string, now: bigint): bigint | undefined {
  const match = /^(?:now)?(?:([+-])(\d{1,12})([a-z]+))?$/i.exec(text.trim())
  if (match === null || text.trim() === '') return undefined
  const [, sign, count, unit] = match
  if (sign === undefined) return now
  const seconds = SECONDS.get(unit.toLowerCase()) ?? SECONDS.get(unit.toLowerCase().replace(/s$/, ''))
  if (seconds === undefined) return undefined
  const distance = BigInt(count) * seconds * 1_000_000_000n
  return sign === '-' ? now - distance : now + distance
}
