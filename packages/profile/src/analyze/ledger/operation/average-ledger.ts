// The average ledger of requests. Its entries add up to the average duration exactly.
import { studentQuantile } from '../../significance/distributions.ts'
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { RequestLedgers } from './request-ledgers.ts'
import { allRequests, byDuration } from './request-ledgers.ts'

export interface AverageEntry {
  readonly kind: EntryKind
  /** Per request. */
  readonly nanos: bigint
  /** Half of the 95 % confidence interval of the average, from the spread of the requests. 0 for a single request, which shows none. */
  readonly error: bigint
}

export interface AverageLedger {
  readonly requests: number
  readonly duration: bigint
  /** Entries with time, in the order of ENTRY_KINDS. */
  readonly entries: readonly AverageEntry[]
}

export interface PercentileLedger extends AverageLedger {
  readonly name: string
}

const KINDS = ENTRY_KINDS.length
export function averageLedger(
  ledgers: RequestLedgers,
  members: ArrayLike<number> = allRequests(ledgers),
): AverageLedger {
  const { length } = members
  if (length === 0) return { requests: 0, duration: 0n, entries: [] }
  const { mean, variance } = momentsOf(ledgers, members)
  const nanos = rounded(mean)
  const deviations = length < 2 ? 0 : studentQuantile(0.025, length - 1) / Math.sqrt(length)
  const entries = ENTRY_KINDS.flatMap((kind, k): AverageEntry[] =>
    nanos[k] === 0n ? [] : [{ kind, nanos: nanos[k], error: BigInt(Math.round(deviations * Math.sqrt(variance[k]))) }],
  )
  return { requests: length, duration: nanos.reduce((sum, each) => sum + each, 0n), entries }
}

/** The mean and the variance of each entry. The variance of a single request is unknown, and 0. */
export function momentsOf(
  { nanos }: RequestLedgers,
  members: ArrayLike<number>,
): { readonly mean: Float64Array; readonly variance: Float64Array } {
  const mean = new Float64Array(KINDS)
  const variance = new Float64Array(KINDS)
  const { length } = members
  for (let i = 0; i < length; i++) for (let k = 0; k < KINDS; k++) mean[k] += nanos[KINDS * members[i] + k] / length
  if (length < 2) return { mean, variance }
  for (let i = 0; i < length; i++) {
    for (let k = 0; k < KINDS; k++) variance[k] += (nanos[KINDS * members[i] + k] - mean[k]) ** 2 / (length - 1)
  }
  return { mean, variance }
}

/** Rounds to whole nanoseconds whose sum is the rounded sum: the largest fractions are rounded up. */
function rounded(values: Float64Array): bigint[] {
  const whole = Array.from(values, Math.floor)
  const sum = values.reduce((total, each) => total + each, 0)
  const missing = Math.round(sum) - whole.reduce((total, each) => total + each, 0)
  const order = Array.from(values.keys()).sort((a, b) => values[b] - whole[b] - (values[a] - whole[a]))
  for (const k of order.slice(0, Math.max(0, missing))) whole[k]++
  return whole.map(BigInt)
}

/** Percentiles with the part of all requests that their ledgers average, around the percentile. */
const PERCENTILES: readonly (readonly [name: string, from: number, to: number])[] = [
  ['p50', 0.45, 0.55],
  ['p95', 0.94, 0.96],
  ['p99', 0.985, 0.995],
  ['slowest 1 %', 0.99, 1],
]

/** The average ledger of the requests around each percentile of the duration, at least one. */
export function percentileLedgers(ledgers: RequestLedgers): PercentileLedger[] {
  const order = byDuration(ledgers)
  const { length } = order
  if (length === 0) return []
  return PERCENTILES.map(([name, from, to]) => {
    const first = Math.min(length - 1, Math.floor(from * length))
    return { name, ...averageLedger(ledgers, order.subarray(first, Math.max(first + 1, Math.ceil(to * length)))) }
  })
}
