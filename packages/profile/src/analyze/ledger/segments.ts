// Divides a range into segments: claims of a higher rank get their time first, and lower ranks get what is left. So segments never
// overlap, and together with the gaps they are exactly the range.
//
//   range     |====================|
//   rank 0      aaaa      bb
//   rank 1    ccccccccc      dd
//   segments  ccaaaaccc···bb·dd····    · is a gap
import type { EntryKind } from './entry-kinds.ts'

/** A claim of a range of time. `reference` is the caller's. */
export interface Claim {
  readonly start: number
  readonly end: number
  readonly reference: number
}

export interface ClaimedSegment {
  readonly start: number
  readonly end: number
  /** -1 for a gap. */
  readonly rank: number
  readonly reference: number
}

/** A segment of a span. Times are nanoseconds since the input's base. */
export interface LedgerSegment {
  readonly start: number
  readonly end: number
  readonly kind: EntryKind
  /** Row of the evidence, or of the child span; -1 for unknown time. */
  readonly reference: number
  /** Row of the span, on a critical path. */
  readonly span?: number
}

/** `ranks` has the claims of each rank, sorted by start. Returns segments by start, gaps included. */
export function divide(from: number, to: number, ranks: readonly (readonly Claim[])[]): ClaimedSegment[] {
  let gaps: ClaimedSegment[] = to > from ? [{ start: from, end: to, rank: -1, reference: -1 }] : []
  const taken: ClaimedSegment[] = []
  for (const [rank, claims] of ranks.entries()) {
    if (claims.length > 0 && gaps.length > 0) gaps = claim(gaps, claims, rank, taken)
  }
  return [...taken, ...gaps].sort((a, b) => a.start - b.start)
}

/** Adds the parts of the gaps that are claimed to `taken`, and returns the parts that are not. */
function claim(
  gaps: readonly ClaimedSegment[],
  claims: readonly Claim[],
  rank: number,
  taken: ClaimedSegment[],
): ClaimedSegment[] {
  const rest: ClaimedSegment[] = []
  let next = 0
  // Claims that reach into a later gap, because a gap ended within them.
  let open: Claim[] = []
  for (const gap of gaps) {
    let at = gap.start
    while (next < claims.length && claims[next].start < gap.end) open.push(claims[next++])
    open = open.filter(({ end }) => end > at)
    for (const { start, end, reference } of open) {
      const begin = Math.max(at, start)
      const until = Math.min(gap.end, end)
      if (until <= begin) continue
      if (begin > at) rest.push({ start: at, end: begin, rank: -1, reference: -1 })
      taken.push({ start: begin, end: until, rank, reference })
      at = until
    }
    if (at < gap.end) rest.push({ start: at, end: gap.end, rank: -1, reference: -1 })
  }
  return rest
}
