// The sampling error of an entry.
import type { EvidenceColumns } from './evidence.ts'
import type { EntryKind } from './entry-kinds.ts'
import type { LedgerSegment } from './segments.ts'

/** Standard deviations of a 95 % confidence interval. */
const CONFIDENCE = 1.96

/**
 * Half of the 95 % confidence interval in nanoseconds; 0 if everything was measured.
 *
 * Samples show a stretch of one kind up to the period at either end: the error of each end is uniform, which makes period² / 6 for both.
 * A stretch of a single sample may stand for many that no sample has met. As in a Poisson process, its variance is period².
 */
export function samplingError(evidence: EvidenceColumns, kind: EntryKind, segments: readonly LedgerSegment[]): bigint {
  if (kind === 'children') return 0n
  let variance = 0
  let [count, longest, until, last] = [0, 0, NaN, -1]
  const finish = (): void => {
    if (count > 0) variance += count === 1 ? longest ** 2 : longest ** 2 / 6
    ;[count, longest, last] = [0, 0, -1]
  }
  for (const { start, end, kind: each, reference } of segments) {
    if (each !== kind) continue
    if (start !== until) finish()
    until = end
    if (reference === -1 || evidence.sampled[reference] === 0) continue
    if (reference !== last) count++
    last = reference
    // Samples of an idle thread are merged, so that one may stand for many periods.
    const period = evidence.period[reference]
    longest = Math.max(longest, period === 0 ? end - start : Math.min(period, end - start))
  }
  finish()
  return BigInt(Math.round(CONFIDENCE * Math.sqrt(variance)))
}
