// The unit of Sample.timestamps. The document says milliseconds; the released form of the same field (v1.3) has nanoseconds,
// and so have the document's own examples, as far as their times fit together. So the size of the numbers decides.

/** In the year 5138 as milliseconds, and a day after 1970 began as nanoseconds. */
const MOST_MILLISECONDS = 100_000_000_000_000n
const MAX_UINT64 = 2n ** 64n - 1n
export const MILLISECOND = 1_000_000n

/**
 * An attribute of the container: `ns` where the size would mislead. Only Hearth writes it, and only then.
 */
export const UNIT_ATTRIBUTE = 'otep239.timestamp_unit'
export const NANOSECONDS = 'ns'

/**
 * Whether timestamps are milliseconds, by the largest of them and the start of their profile, in nanoseconds, or 0 where that
 * is not known. Next to a start they are nanoseconds unless they are a thousand times smaller: half the way to milliseconds.
 */
export function isMilliseconds(largest: bigint, start: bigint): boolean {
  if (largest === 0n || largest * MILLISECOND > MAX_UINT64) return false
  return start > 0n ? largest * 1000n < start : largest < MOST_MILLISECONDS
}
