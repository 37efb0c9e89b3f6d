// The typical ratio of many pairs of measurements, with its confidence interval.

export interface Estimate {
  readonly ratio: number
  /** The 95 % confidence interval. */
  readonly from: number
  readonly to: number
}

/** Fewer pairs have no interval of 95 %. */
export const MIN_PAIRS = 6

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.96

/**
 * The Hodges-Lehmann estimate with the interval of Wilcoxon's signed-rank test. It assumes no distribution, so that single
 * pairs that a busy machine spoiled hardly move it. Throws RangeError if there are fewer than {@link MIN_PAIRS}.
 */
export function estimate(ratios: readonly number[]): Estimate {
  const n = ratios.length
  if (n < MIN_PAIRS)
    throw new RangeError(`${n} pairs are too few for a confidence interval; measure at least ${MIN_PAIRS}`)
  const logs = ratios.map(Math.log)
  const averages = logs.flatMap((a, i) => logs.slice(i).map(b => (a + b) / 2)).sort((a, b) => a - b)
  const outside = Math.floor((n * (n + 1)) / 4 - Z * Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24))
  const at = (rank: number): number => Math.exp(averages[rank])
  const middle = (averages.length - 1) / 2
  return {
    ratio: Math.exp((averages[Math.floor(middle)] + averages[Math.ceil(middle)]) / 2),
    from: at(Math.max(0, outside)),
    to: at(averages.length - 1 - Math.max(0, outside)),
  }
}
