// Slow vs. fast: the average ledgers of two sets of requests and the difference of each entry.
import { logChoose, studentQuantile, studentTail } from '../../significance/distributions.ts'
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { AverageLedger } from './average-ledger.ts'
import { averageLedger, momentsOf } from './average-ledger.ts'
import type { RequestLedgers } from './request-ledgers.ts'
import { byDuration } from './request-ledgers.ts'

export interface EntryDifference {
  readonly kind: EntryKind
  /** Slow minus fast, per request. */
  readonly nanos: bigint
  /** Half of the 95 % confidence interval of the difference. */
  readonly error: bigint
  /**
   * How unlikely such a difference is by chance (Welch's t-test), as the standard deviations of a normal variable that are as unlikely. 3 or
   * more is clear, 2 or more likely. So few requests on a side need a larger difference.
   */
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
  // One of all ways to divide the requests into sets of these sizes has the largest difference.
  const rarest = Math.min(1, 2 * Math.exp(-logChoose(slow.length + fast.length, slow.length)))
  return ENTRY_KINDS.flatMap((kind, k): EntryDifference[] => {
    if (one.mean[k] === 0 && other.mean[k] === 0) return []
    const difference = one.mean[k] - other.mean[k]
    const { spread, freedom } = welch([slow.length, one.variance[k]], [fast.length, other.variance[k]])
    const size = Math.abs(difference)
    const tail = spread === 0 ? (size === 0 ? 0.5 : 0) : studentTail(size / spread, freedom)
    const p = Math.max(rarest, 2 * tail)
    return [
      {
        kind,
        nanos: BigInt(Math.round(difference)),
        error: BigInt(Math.round(spread === 0 ? 0 : studentQuantile(0.025, freedom) * spread)),
        deviations: p >= 1 ? 0 : Math.sign(difference) * studentQuantile(p / 2, Infinity),
      },
    ]
  }).sort((a, b) => Number(magnitude(b.nanos) - magnitude(a.nanos)))
}

type Sample = readonly [length: number, variance: number]

/**
 * The standard deviation of the difference of two averages, and its degrees of freedom (Welch and Satterthwaite). A set has at least
 * the variance of both together: few requests often look alike by chance, and a single one shows no variance at all.
 */
function welch(one: Sample, other: Sample): { readonly spread: number; readonly freedom: number } {
  const samples = [one, other]
  const all = samples.reduce((sum, [length]) => sum + length - 1, 0)
  const pooled = samples.reduce((sum, [length, variance]) => sum + (length - 1) * variance, 0) / Math.max(1, all)
  const parts = samples.map(([length, variance]) => ({
    part: Math.max(variance, pooled) / length,
    freedom: variance > pooled ? length - 1 : Math.max(1, all),
  }))
  const sum = parts.reduce((total, { part }) => total + part, 0)
  const freedom = sum ** 2 / parts.reduce((total, each) => total + each.part ** 2 / each.freedom, 0)
  return { spread: Math.sqrt(sum), freedom: sum === 0 ? 1 : freedom }
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
