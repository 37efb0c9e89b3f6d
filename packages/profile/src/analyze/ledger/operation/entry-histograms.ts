// Histograms of the time per request in each entry, by interval and group: the ledger as a metric.
import type { EntryKind } from '../entry-kinds.ts'
import { ENTRY_KINDS } from '../entry-kinds.ts'
import type { RequestLedgers } from './request-ledgers.ts'

/** Upper bounds of the buckets in seconds; the last bucket has none. */
export const ENTRY_BOUNDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface EntryHistogram {
  readonly labels: Readonly<Record<string, string>>
  readonly kind: EntryKind
  /** The start of the interval, in nanoseconds since 1970. */
  readonly from: bigint
  /** The number of requests, also of those without this entry. So the sums of all entries add up to the sum of the durations. */
  readonly count: number
  /** Seconds. */
  readonly sum: number
  /** The number of requests in each bucket: one more than there are bounds. */
  readonly buckets: readonly number[]
}

export interface HistogramChoice {
  readonly from: bigint
  /** The length of an interval, in nanoseconds. */
  readonly step: bigint
  /** How many requests each one stands for, if they are a sample. */
  readonly scale: number
  readonly labelsOf: (request: number) => Readonly<Record<string, string>>
}

const KINDS = ENTRY_KINDS.length

/** Every kind of entry for each interval and group with requests. Requests count in the interval of their start. */
export function entryHistograms(
  { length, start, nanos }: RequestLedgers,
  { from, step, scale, labelsOf }: HistogramChoice,
): EntryHistogram[] {
  const groups = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly members: number[] }>()
  const number = (request: number): bigint => (start[request] - from) / step
  for (let request = 0; request < length; request++) {
    const labels = labelsOf(request)
    const key = `${number(request)} ${JSON.stringify(labels)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { labels, members: [request] })
    else group.members.push(request)
  }
  return [...groups.values()].flatMap(({ labels, members }) =>
    ENTRY_KINDS.map((kind, k) => {
      const buckets = new Array<number>(ENTRY_BOUNDS.length + 1).fill(0)
      let sum = 0
      for (const request of members) {
        const seconds = nanos[KINDS * request + k] / 1e9
        sum += seconds
        const bucket = ENTRY_BOUNDS.findIndex(bound => seconds <= bound)
        buckets[bucket === -1 ? ENTRY_BOUNDS.length : bucket]++
      }
      const scaled = buckets.map(count => Math.round(count * scale))
      return {
        labels,
        kind,
        from: from + number(members[0]) * step,
        count: scaled.reduce((all, count) => all + count, 0),
        sum: sum * scale,
        buckets: scaled,
      }
    }),
  )
}
