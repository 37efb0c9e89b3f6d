// Malformed histograms and summaries. The server stores them as sent and warns the sender, because their quantiles and
// buckets are misleading.
import type { ExponentialHistogramDataPoint, HistogramDataPoint, SummaryDataPoint } from '../otlp/metrics.ts'

/** Describes what is wrong with the point. Returns undefined for a valid one. */
export function histogramProblem({ bucketCounts, explicitBounds, count }: HistogramDataPoint): string | undefined {
  if (bucketCounts.length === 0 && explicitBounds.length === 0) return undefined
  if (bucketCounts.length !== explicitBounds.length + 1)
    return `${bucketCounts.length} bucketCounts for ${explicitBounds.length} explicitBounds; there must be one more`
  for (let i = 1; i < explicitBounds.length; i++)
    if (!(explicitBounds[i] > explicitBounds[i - 1])) return 'explicitBounds must increase strictly'
  return countProblem(total(bucketCounts), count)
}

export function exponentialProblem(point: ExponentialHistogramDataPoint): string | undefined {
  const { positive, negative, zeroCount, count } = point
  return countProblem(total(positive?.bucketCounts ?? []) + total(negative?.bucketCounts ?? []) + zeroCount, count)
}

export function summaryProblem({ quantileValues }: SummaryDataPoint): string | undefined {
  for (const { quantile, value } of quantileValues) {
    if (!(quantile >= 0 && quantile <= 1)) return `quantile ${quantile} must be between 0 and 1`
    if (value < 0) return `the value ${value} of quantile ${quantile} must not be negative`
  }
  return undefined
}

function countProblem(inBuckets: bigint, count: bigint): string | undefined {
  return inBuckets === count ? undefined : `count is ${count}, but the buckets contain ${inBuckets}`
}

function total(counts: readonly bigint[]): bigint {
  return counts.reduce((sum, count) => sum + count, 0n)
}
