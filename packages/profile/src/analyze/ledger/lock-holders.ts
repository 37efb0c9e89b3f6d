// Finds the spans that had a lock while another thread waited for it.
import type { LaneIndex } from './evidence.ts'
import type { LedgerInput } from './ledger-input.ts'

/** The parts of `Ledgers` that details need. */
export interface DetailSource {
  readonly input: LedgerInput
  readonly index: LaneIndex
  spansOnLane(lane: number): readonly number[]
  rangeOf(span: number): readonly [start: number, end: number]
}

/** Rows of spans whose code the holder's lane ran while `row` of the evidence waited, the longest first. Empty if the holder is unknown. */
export function lockHolders(ledgers: DetailSource, row: number): number[] {
  const { evidence } = ledgers.input
  const lane = evidence.holder[row]
  if (lane === -1) return []
  const [from, to] = [evidence.start[row], evidence.end[row]]
  const times = new Map<number, number>()
  const add = (span: number, start: number, end: number): void => {
    const nanos = Math.min(end, to) - Math.max(start, from)
    if (span !== -1 && nanos > 0) times.set(span, (times.get(span) ?? 0) + nanos)
  }
  ledgers.index.within(lane, from, to, each => add(evidence.owner[each], evidence.start[each], evidence.end[each]))
  // A thread that serves one span at a time needs no samples with links. The innermost span has begun last.
  if (times.size === 0) for (const span of ledgers.spansOnLane(lane)) add(span, ...ledgers.rangeOf(span))
  return [...times].sort((a, b) => b[1] - a[1]).map(([span]) => span)
}
