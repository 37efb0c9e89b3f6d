// Lengths of heat map columns: the choices, and the length for ranges that would need too many columns.

const SECOND = 1_000_000_000n

/** Nanoseconds. */
export const COLUMN_LENGTHS = [SECOND / 10n, SECOND, 10n * SECOND, 60n * SECOND, 600n * SECOND, 3600n * SECOND] as const

/** The limit of the server. */
export const MAX_COLUMNS = 11_000

/** The requested length, or the shortest longer one that covers the span with at most MAX_COLUMNS columns. */
export function limitedColumn(wanted: bigint, span: bigint): bigint {
  // The span can start within a column and end within another.
  const fits = (column: bigint): boolean => span / column + 2n <= BigInt(MAX_COLUMNS)
  if (fits(wanted)) return wanted
  const longer = COLUMN_LENGTHS.find(column => column > wanted && fits(column))
  if (longer !== undefined) return longer
  // Beyond a year: a multiple of an hour.
  const hours = span / (3600n * SECOND) / BigInt(MAX_COLUMNS - 2) + 1n
  return hours * 3600n * SECOND
}
