// Slow vs. fast: the average ledgers of two sets of requests and the difference of each entry.
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { AverageLedger } from './average-ledger.ts'
import { CONFIDENCE, averageLedger, momentsOf } from './average-ledger.ts'
import type { RequestLedgers } from './request-ledgers.ts'
import { byDuration } from './request-ledgers.ts'

export interface EntryDifference {
  readonly kind: EntryKind
  /** Slow minus fast, per request. */
  readonly nanos: bigint
  /** Half of the 95 % confidence interval of the difference. */
  readonly error: bigint
  /** The difference in its standard deviations (Welch). 3 or more is clear, 2 or more likely. Infinite without any spread. */
  readonly deviations: number
}

export interface LedgerComparison {
  /** Requests that take at least this many nanoseconds are slow. */
  readonly threshold: number
  readonly slow: AverageLedger
  readonly fast: AverageLedger
  readonly slowRequests: Int32Array
  readonly fastRequests: Int32Array
  /** The largest difference first. */
  readonly differences: readonly EntryDifference[]
}

/** Splits at a quantile of the duration or at a threshold. Undefined if one set would be empty. */
export function compareLedgers(
  ledgers: RequestLedgers,
  split: { readonly quantile: number } | { readonly threshold: number },
): LedgerComparison | undefined {
  const { length, duration } = ledgers
  if (length < 2) return undefined
  const order = byDuration(ledgers)
  const threshold =
    'threshold' in split ? split.threshold : duration[order[Math.min(length - 1, Math.floor(split.quantile * length))]]
  let first = 0
  while (first < length && duration[order[first]] < threshold) first++
  if (first === 0 || first === length) return undefined
  const [fastRequests, slowRequests] = [order.subarray(0, first), order.subarray(first)]
  return {
    threshold,
    slow: averageLedger(ledgers, slowRequests),
    fast: averageLedger(ledgers, fastRequests),
    slowRequests,
    fastRequests,
    differences: differencesOf(ledgers, slowRequests, fastRequests),
  }
}

function differencesOf(ledgers: RequestLedgers, slow: Int32Array, fast: Int32Array): EntryDifference[] {
  const [one, other] = [momentsOf(ledgers, slow), momentsOf(ledgers, fast)]
  return ENTRY_KINDS.flatMap((kind, k): EntryDifference[] => {
    if (one.mean[k] === 0 && other.mean[k] === 0) return []
    const difference = one.mean[k] - other.mean[k]
    const spread = Math.sqrt(one.variance[k] / slow.length + other.variance[k] / fast.length)
    return [
      {
        kind,
        nanos: BigInt(Math.round(difference)),
        error: BigInt(Math.round(CONFIDENCE * spread)),
        deviations: spread === 0 ? (difference === 0 ? 0 : Math.sign(difference) * Infinity) : difference / spread,
      },
    ]
  }).sort((a, b) => Number(magnitude(b.nanos) - magnitude(a.nanos)))
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
