// The unit of Sample.timestamps. The document says milliseconds, but the released form (v1.3) has nanoseconds. So do the
// document's examples, as far as their times are consistent. So the size of the numbers decides.

/** The year 5138 in milliseconds, or one day after the start of 1970 in nanoseconds. */
const MAX_MILLISECONDS = 100_000_000_000_000n
const MAX_UINT64 = 2n ** 64n - 1n
export const MILLISECOND = 1_000_000n

/** An attribute of the container: `ns` if the size is misleading. Only Hearth writes it. */
export const UNIT_ATTRIBUTE = 'otep239.timestamp_unit'
export const NANOSECONDS = 'ns'

/**
 * Whether timestamps are milliseconds. `largest` is the largest of them, `start` the start of their profile in nanoseconds, or 0
 * if unknown. With a start they are nanoseconds unless they are a thousand times smaller, half the way to milliseconds.
 */
export function isMilliseconds(largest: bigint, start: bigint): boolean {
  if (largest === 0n || largest * MILLISECOND > MAX_UINT64) return false
  return start > 0n ? largest * 1000n < start : largest < MAX_MILLISECONDS
}
