// How long a column of a heat map may be: what people choose from, and what is taken where that would be too many.

const SECOND = 1_000_000_000n

/** Nanoseconds. */
export const COLUMN_LENGTHS = [SECOND / 10n, SECOND, 10n * SECOND, 60n * SECOND, 600n * SECOND, 3600n * SECOND] as const

/** What the server answers at the most. */
export const MOST_COLUMNS = 11_000

/** The wanted length, or the shortest longer one of which no more than MOST_COLUMNS cover the span. */
export function fittingColumn(wanted: bigint, span: bigint): bigint {
  // The span may begin within a column and end within another.
  const fits = (column: bigint): boolean => span / column + 2n <= BigInt(MOST_COLUMNS)
  if (fits(wanted)) return wanted
  const longer = COLUMN_LENGTHS.find(column => column > wanted && fits(column))
  if (longer !== undefined) return longer
  // Beyond a year: so many hours.
  const hours = span / (3600n * SECOND) / BigInt(MOST_COLUMNS - 2) + 1n
  return hours * 3600n * SECOND
}
