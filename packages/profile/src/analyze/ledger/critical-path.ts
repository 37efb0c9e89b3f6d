// The critical path of a span: at every moment, the innermost span that the end of the span waited for. Where children overlap, it is
// the child that ends last. The ledger of a subtree follows it, so that a parent's time is explained down to the spans that did something.
//
//   POST /orders   |=========================|
//     query          |=====|
//     charge            |==========|              ends last, so that `query` is critical only before it began
//   critical       ··qqqcccccccccccc··········
import type { EntryKind } from './entry-kinds.ts'
import { ENTRY_KINDS } from './entry-kinds.ts'
import type { LedgerDetail } from './details.ts'
import { detailsOf } from './details.ts'
import type { LedgerEntry, Ledgers } from './ledgers.ts'
import { durationOf, ownKind } from './ledgers.ts'
import { samplingError } from './sampling-error.ts'
import type { LedgerSegment } from './segments.ts'

/** A part of the critical path: a segment of one span that is not a child. */
export interface CriticalSegment extends LedgerSegment {
  readonly span: number
}

/** By start: every nanosecond of the span once. Never of the kind `children`. */
export function criticalPath(ledgers: Ledgers, span: number): CriticalSegment[] {
  const found: CriticalSegment[] = []
  const [from, to] = ledgers.rangeOf(span)
  const open: { span: number; from: number; to: number }[] = [{ span, from, to }]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { span: row, from: first, to: last } = part
    for (const segment of ledgers.segments(row)) {
      const start = Math.max(segment.start, first)
      const end = Math.min(segment.end, last)
      if (end <= start || segment.kind === 'children') continue
      found.push({ start, end, kind: kindWithin(ledgers, span, segment), reference: segment.reference, span: row })
    }
    open.push(...coverage(ledgers, row, first, last))
  }
  return found.sort((a, b) => a.start - b.start)
}

/** While a child waits, code of its parent or of its siblings may run. It is code of the span that contains them all, and not of others. */
function kindWithin(ledgers: Ledgers, span: number, { kind, reference }: LedgerSegment): EntryKind {
  const { evidence } = ledgers.input
  const isOwn = kind === 'others' && ledgers.isWithin(evidence.owner[reference], span)
  return isOwn ? ownKind(evidence, reference) : kind
}

/** The time of children in a range, each moment for the child that ends last. */
function coverage(
  ledgers: Ledgers,
  row: number,
  from: number,
  to: number,
): { readonly span: number; readonly from: number; readonly to: number }[] {
  const parts: { span: number; from: number; to: number }[] = []
  const children = ledgers.childrenOf(row)
  if (children.length === 0) return parts
  const byEnd = children
    .map(child => ({ child, range: ledgers.rangeOf(child) }))
    .filter(({ range }) => range[1] > from && range[0] < to && range[1] > range[0])
    .sort((a, b) => b.range[1] - a.range[1] || a.range[0] - b.range[0])
  let free = to
  for (const { child, range } of byEnd) {
    const end = Math.min(range[1], free)
    const start = Math.max(range[0], from)
    if (end <= start) continue
    parts.push({ span: child, from: start, to: end })
    free = start
  }
  return parts
}

/** The entries of a span with those of the critical spans below it instead of `children`. They add up to its duration. */
export function deepEntries(ledgers: Ledgers, span: number): LedgerEntry[] {
  const { input } = ledgers
  const path = criticalPath(ledgers, span)
  const byKind = new Map<EntryKind, CriticalSegment[]>()
  for (const segment of path) {
    const list = byKind.get(segment.kind)
    if (list === undefined) byKind.set(segment.kind, [segment])
    else list.push(segment)
  }
  let rest = durationOf(input, span)
  const sums = new Map<EntryKind, bigint>()
  for (const [kind, segments] of byKind) {
    const sum = BigInt(segments.reduce((total, { start, end }) => total + end - start, 0))
    sums.set(kind, sum)
    rest -= sum
  }
  if (rest > 0n) sums.set('unknown', (sums.get('unknown') ?? 0n) + rest)
  return ENTRY_KINDS.flatMap(kind => {
    const nanos = sums.get(kind) ?? 0n
    if (nanos === 0n) return []
    const segments = byKind.get(kind) ?? []
    const details: LedgerDetail[] = detailsOf(ledgers, kind, segments, span)
    return [{ kind, nanos, error: samplingError(input.evidence, kind, segments), details }]
  })
}
