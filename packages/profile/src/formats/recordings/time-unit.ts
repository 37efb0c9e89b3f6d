// Recognises the unit of times since 1970 by their magnitude. Some producers write seconds, milliseconds or microseconds into
// fields of nanoseconds. The ranges of the years 2000 to 2099 do not overlap.
const FIRST_SECOND = 946_684_800n
const LAST_SECOND = 4_102_444_800n
const NANOS_PER_SECOND = 1_000_000_000n

export interface RecognisedUnit {
  readonly name: 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds'
  /** Nanoseconds per unit. */
  readonly nanos: bigint
}

const NANOSECONDS: RecognisedUnit = { name: 'nanoseconds', nanos: 1n }
const UNITS: readonly RecognisedUnit[] = [
  { name: 'seconds', nanos: NANOS_PER_SECOND },
  { name: 'milliseconds', nanos: 1_000_000n },
  { name: 'microseconds', nanos: 1000n },
]

/** The first time that is too large for every other unit. */
const FIRST_NANOSECOND = LAST_SECOND * 1_000_000n

/** Returns nanoseconds for a time outside of these years, which may count from something else than 1970. */
export function timeUnit(time: bigint): RecognisedUnit {
  if (time >= FIRST_NANOSECOND) return NANOSECONDS
  const isIn = ({ nanos }: RecognisedUnit): boolean => {
    const perSecond = NANOS_PER_SECOND / nanos
    return time >= FIRST_SECOND * perSecond && time < LAST_SECOND * perSecond
  }
  return UNITS.find(isIn) ?? NANOSECONDS
}

/** The text of the note for a unit other than nanoseconds. */
export function timeUnitNote({ name }: RecognisedUnit, what = 'times'): string {
  return `${what} were read as ${name} because of their size`
}
