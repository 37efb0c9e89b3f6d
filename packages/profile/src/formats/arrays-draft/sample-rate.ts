// The draft tells how often a profiler looked, the data model how much lies between two looks: 100 Hz is a period of 10 ms.
// Rates up to some 22 kHz come back from whole nanoseconds as they were; others are kept in an attribute.

export const PERIOD_TYPE = 'cpu'
export const PERIOD_UNIT = 'nanoseconds'
const SECOND = 1_000_000_000n

function rounded(a: bigint, b: bigint): bigint {
  return (2n * a + b) / (2n * b)
}

/** Undefined where the rate cannot be told from it. */
export function periodOf(rate: bigint): bigint | undefined {
  const period = rate === 0n ? 0n : rounded(SECOND, rate)
  return period > 0n && rounded(SECOND, period) === rate ? period : undefined
}

/** Undefined where there is no rate that means this period. */
export function rateOf(period: bigint): bigint | undefined {
  const rate = period > 0n ? rounded(SECOND, period) : 0n
  return rate > 0n && rounded(SECOND, rate) === period ? rate : undefined
}
