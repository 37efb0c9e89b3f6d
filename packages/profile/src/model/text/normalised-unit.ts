// Units of values that are shown per second, per core, per request or as a share. The values stay exact sums: the unit
// carries the divisor, and the text is computed from both.

export type UnitPer = 'second' | 'core' | 'request' | 'share'

export interface NormalisedUnit {
  readonly unit: string
  readonly divisor: number
  readonly per: UnitPer
}

/** No unit of a profile contains it. */
const MARK = '\u00f7'

/**
 * The unit of sums that are shown divided: by seconds, by seconds times cores, by requests, or by the total. Returns the
 * unit itself if the divisor is not a positive number.
 */
export function normalisedUnit(unit: string, divisor: number, per: UnitPer): string {
  if (!Number.isFinite(divisor) || divisor <= 0 || unit.includes(MARK)) return unit
  return `${unit}${MARK}${divisor}${MARK}${per}`
}

/** Returns undefined for other units. */
export function readNormalisedUnit(text: string): NormalisedUnit | undefined {
  if (!text.includes(MARK)) return undefined
  const parts = text.split(MARK)
  if (parts.length !== 3) return undefined
  return { unit: parts[0], divisor: Number(parts[1]), per: parts[2] as UnitPer }
}

/** The unit of the sums. */
export function plainUnit(unit: string): string {
  return readNormalisedUnit(unit)?.unit ?? unit
}
