// Converts between the sample rates of the draft and the periods of the data model: 100 Hz is a period of 10 ms. Rates up to
// about 22 kHz can be converted to whole nanoseconds and back. Other rates are stored in an attribute.
import { dividedToNearest } from '../../model/columns/divided-to-nearest.ts'

export const PERIOD_TYPE = 'cpu'
export const PERIOD_UNIT = 'nanoseconds'
const SECOND = 1_000_000_000n

/** Returns undefined if the rate cannot be restored from the period. */
export function periodOf(rate: bigint): bigint | undefined {
  const period = rate === 0n ? 0n : dividedToNearest(SECOND, rate)
  return period > 0n && dividedToNearest(SECOND, period) === rate ? period : undefined
}

/** Returns undefined if no rate corresponds to this period. */
export function rateOf(period: bigint): bigint | undefined {
  const rate = period > 0n ? dividedToNearest(SECOND, period) : 0n
  return rate > 0n && dividedToNearest(SECOND, rate) === period ? rate : undefined
}
