// Rows of `profiles` in a statement.
import type { Measure } from './measure.ts'

/** For cumulative profiles, the last of each series and set of attributes, which contains the earlier ones. */
export function profileRows(
  where: string,
  measure: Pick<Measure, 'temporality'> | undefined,
  lastBy: string | undefined,
  columns: readonly string[],
): string {
  const each = lastBy === undefined ? 'series, attributes' : `series, attributes, ${lastBy}`
  const last = measure?.temporality === 'cumulative' ? ` ORDER BY time DESC LIMIT 1 BY ${each}` : ''
  return `SELECT ${[...new Set(columns)].join(', ')} FROM profiles WHERE ${where}${last}`
}
