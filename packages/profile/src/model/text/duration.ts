// Durations as people write them: `500ms`, `1.5s`, `1h30m`, `20 ms`.

/** Nanoseconds per unit. */
const UNITS = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
} as const

export type DurationUnit = keyof typeof UNITS

const PART = /(\d{1,19})(?:\.(\d{1,9}))? ?(ns|us|ms|s|m|h|d|w)/g
const DURATION = /^(?:\d{1,19}(?:\.\d{1,9})? ?(?:ns|us|ms|s|m|h|d|w))+$/
const NUMBER = /^\d{1,19}(?:\.\d{1,9})?$/
const FRACTION = 10n ** 9n

/**
 * Parses a duration to nanoseconds and truncates fractions of them. Returns undefined for other texts. A number without a
 * unit is a duration only with `defaultUnit`.
 */
export function parseDuration(text: string, defaultUnit?: DurationUnit): bigint | undefined {
  const complete = defaultUnit !== undefined && NUMBER.test(text) ? `${text}${defaultUnit}` : text
  if (!DURATION.test(complete)) return undefined
  let sum = 0n
  for (const [, whole, fraction = '', unit] of complete.matchAll(PART)) {
    const billionths = BigInt(whole) * FRACTION + BigInt(fraction.padEnd(9, '0'))
    sum += (billionths * UNITS[unit as DurationUnit]) / FRACTION
  }
  return sum
}

/** Parses a duration like parseDuration, to milliseconds. */
export function parseDurationMs(text: string, defaultUnit?: DurationUnit): number | undefined {
  const nanoseconds = parseDuration(text, defaultUnit)
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6
}
