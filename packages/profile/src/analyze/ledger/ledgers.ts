// The ledgers of spans: where the time of each went. See README.md for the order of the ranks.
import type { EvidenceColumns } from './evidence.ts'
import { EVIDENCE_KINDS, LaneIndex } from './evidence.ts'
import type { EntryKind } from './entry-kinds.ts'
import { ENTRY_KINDS } from './entry-kinds.ts'
import type { LedgerDetail } from './details.ts'
import { detailsOf } from './details.ts'
import type { LedgerInput } from './ledger-input.ts'
import { samplingError } from './sampling-error.ts'
import type { Claim, LedgerSegment, ClaimedSegment } from './segments.ts'
import { divide } from './segments.ts'
import type { SpanLanes } from './span-lanes.ts'
import { spanLanes } from './span-lanes.ts'

export interface LedgerEntry {
  readonly kind: EntryKind
  readonly nanos: bigint
  /** Half of the 95 % confidence interval, in nanoseconds; 0 for measured time. */
  readonly error: bigint
  readonly details: readonly LedgerDetail[]
}

export interface SpanLedger {
  /** Row of the span. */
  readonly span: number
  readonly duration: bigint
  /** Entries with time, in the order of ENTRY_KINDS. Their times add up to the duration. */
  readonly entries: readonly LedgerEntry[]
  readonly segments: readonly LedgerSegment[]
}

/** Gets the fields of a segment. */
export type SegmentVisitor = (start: number, end: number, kind: EntryKind, reference: number) => void

/** Times since the base must be exact as numbers: 104 days. Time beyond is unknown. */
const MAX_NANOS = 2 ** 53 - 1

const RANKS = {
  children: 0,
  pause: 1,
  sampledPause: 2,
  /** Measured waits. */
  wait: 3,
  own: 4,
  sampledWait: 5,
  others: 6,
  sampledRunnable: 7,
  /** Waits of the span itself, while its lane ran nothing. */
  requestWait: 8,
  idle: 9,
} as const
const RANK_COUNT = Object.keys(RANKS).length

export class Ledgers {
  readonly input: LedgerInput
  readonly lanes: SpanLanes
  readonly index: LaneIndex
  readonly #children: readonly (readonly number[])[]
  readonly #start: Float64Array
  readonly #end: Float64Array
  readonly #segments: (readonly LedgerSegment[] | undefined)[] = []
  #onLane: ReadonlyMap<number, readonly number[]> | undefined

  constructor(input: LedgerInput) {
    const { spans, base, evidence } = input
    this.input = input
    this.lanes = spanLanes(input)
    this.index = new LaneIndex(evidence, input.lanes.length)
    this.#start = Float64Array.from(spans, ({ start }) => clamp(start - base))
    this.#end = Float64Array.from(spans, ({ start, end }) => clamp((end < start ? start : end) - base))
    const children: number[][] = spans.map(() => [])
    for (const [row, { parent }] of spans.entries()) if (parent !== -1 && parent !== row) children[parent].push(row)
    for (const list of children) list.sort((a, b) => this.#start[a] - this.#start[b] || a - b)
    this.#children = children
  }

  childrenOf(span: number): readonly number[] {
    return this.#children[span]
  }

  /** Rows of spans that name the lane. */
  spansOnLane(lane: number): readonly number[] {
    if (this.#onLane === undefined) {
      const found = new Map<number, number[]>()
      for (const [row, { lane: each }] of this.input.spans.entries()) {
        if (each === -1) continue
        const list = found.get(each)
        if (list === undefined) found.set(each, [row])
        else list.push(row)
      }
      this.#onLane = found
    }
    return this.#onLane.get(lane) ?? []
  }

  /** Whether a span is the other one or below it. */
  isWithin(row: number, span: number): boolean {
    const { spans } = this.input
    let at = row
    while (at !== -1 && at !== span) at = spans[at].parent
    return at === span
  }

  /** The start and end of a span in nanoseconds since the base. */
  rangeOf(span: number): readonly [start: number, end: number] {
    return [this.#start[span], this.#end[span]]
  }

  /** The segments of a span by start: every nanosecond once. */
  segments(span: number): readonly LedgerSegment[] {
    let segments = this.#segments[span]
    if (segments === undefined) {
      if (this.#isSimple(span)) {
        const list: LedgerSegment[] = []
        this.#visitSimple(span, (start, end, kind, reference) => list.push({ start, end, kind, reference }))
        segments = list
      } else segments = this.#divide(span)
      this.#segments[span] = segments
    }
    return segments
  }

  /** Visits the segments by start without keeping them: an hour of requests has a million. */
  visit(span: number, visit: SegmentVisitor): void {
    if (this.#isSimple(span)) this.#visitSimple(span, visit)
    else for (const { start, end, kind, reference } of this.segments(span)) visit(start, end, kind, reference)
  }

  /** The nanoseconds of each kind, in the order of ENTRY_KINDS. Faster than the ledger. */
  totals(span: number): bigint[] {
    const sums = new Float64Array(ENTRY_KINDS.length)
    for (const { start, end, kind } of this.segments(span)) sums[KIND_ROWS[kind]] += end - start
    const totals = Array.from(sums, BigInt)
    const rest = durationOf(this.input, span) - totals.reduce((sum, each) => sum + each, 0n)
    totals[KIND_ROWS.unknown] += rest
    return totals
  }

  of(span: number): SpanLedger {
    const segments = this.segments(span)
    const totals = this.totals(span)
    const entries = ENTRY_KINDS.flatMap((kind, row): LedgerEntry[] => {
      if (totals[row] === 0n) return []
      const own = segments.filter(segment => segment.kind === kind)
      return [
        {
          kind,
          nanos: totals[row],
          error: samplingError(this.input.evidence, kind, segments),
          details: detailsOf(this, kind, own, span),
        },
      ]
    })
    return { span, duration: durationOf(this.input, span), entries, segments }
  }

  /** The usual case: no child spans, and one lane whose evidence does not overlap, so that ranks do not matter. */
  #isSimple(span: number): boolean {
    const lanes = this.lanes.of[span]
    if (lanes.length !== 1 || this.#children[span].length > 0) return false
    const [from, to] = this.rangeOf(span)
    const wide = this.lanes.wide.get(this.input.spans[span].process) ?? []
    return this.index.isDisjoint(lanes[0], from, to) && wide.every(lane => this.index.isEmpty(lane, from, to))
  }

  #visitSimple(span: number, visit: SegmentVisitor): void {
    const { evidence } = this.input
    const [from, to] = this.rangeOf(span)
    if (to <= from) return
    let at = from
    this.index.within(this.lanes.of[span][0], from, to, row => {
      const rank = this.#rankOf(span, row, 1)
      if (rank === -1) return
      const start = Math.max(from, evidence.start[row])
      if (start > at) visit(at, start, 'unknown', -1)
      at = Math.min(to, evidence.end[row])
      visit(start, at, this.#kindOf(rank, row), row)
    })
    if (to > at) visit(at, to, 'unknown', -1)
  }

  #divide(span: number): LedgerSegment[] {
    const { evidence, spans } = this.input
    const [from, to] = this.rangeOf(span)
    const ranks: Claim[][] = Array.from({ length: RANK_COUNT }, () => [])
    for (const child of this.#children[span]) {
      ranks[RANKS.children].push({ start: this.#start[child], end: this.#end[child], reference: child })
    }
    const lanes = this.lanes.of[span]
    const add = (row: number): void => {
      const rank = this.#rankOf(span, row, lanes.length)
      if (rank !== -1) ranks[rank].push({ start: evidence.start[row], end: evidence.end[row], reference: row })
    }
    for (const lane of lanes) this.index.within(lane, from, to, add)
    for (const lane of this.lanes.wide.get(spans[span].process) ?? []) this.index.within(lane, from, to, add)
    // Several lanes come one after another.
    if (lanes.length !== 1 || this.lanes.wide.size > 0)
      for (const claims of ranks) claims.sort((a, b) => a.start - b.start)
    return divide(from, to, ranks).map(segment => this.#named(span, segment))
  }

  #rankOf(span: number, row: number, lanes: number): number {
    const { owner, kind: kinds, sampled } = this.input.evidence
    const kind = EVIDENCE_KINDS[kinds[row]]
    const isSampled = sampled[row] === 1
    if (kind === 'runtime') return isSampled ? RANKS.sampledPause : RANKS.pause
    if (kind === 'request-lock' || kind === 'request-io') return owner[row] === span ? RANKS.requestWait : -1
    // Code that a child began may run on after the end of the child.
    const isOwn = this.isWithin(owner[row], span)
    // If a span ran on several threads, it is not known on which one it waited.
    if (!isOwn && lanes !== 1) return -1
    const isFree = owner[row] === -1
    if (kind === 'idle') return RANKS.idle
    if (kind === 'run') return isOwn || (isFree && this.lanes.isExclusive[span] === 1) ? RANKS.own : RANKS.others
    // A wait of another span on an event loop holds up this one as its code would.
    if (!isOwn && !isFree) return RANKS.others
    if (kind === 'runnable') return isSampled ? RANKS.sampledRunnable : RANKS.wait
    return isSampled ? RANKS.sampledWait : RANKS.wait
  }

  #named(span: number, { start, end, rank, reference }: ClaimedSegment): LedgerSegment {
    return { start, end, kind: this.#kindOf(rank, reference), reference }
  }

  #kindOf(rank: number, reference: number): EntryKind {
    switch (rank) {
      case -1:
        return 'unknown'
      case RANKS.children:
        return 'children'
      case RANKS.pause:
      case RANKS.sampledPause:
        return 'runtime'
      case RANKS.own:
        return 'own-cpu'
      case RANKS.others:
        return 'others'
      case RANKS.idle:
        return 'io'
      default:
        return ownKind(this.input.evidence, reference)
    }
  }
}

const KIND_ROWS = Object.fromEntries(ENTRY_KINDS.map((kind, row) => [kind, row])) as Readonly<Record<EntryKind, number>>

/** The entry of a row of the evidence in the ledger of its own span. */
export function ownKind({ kind: kinds }: EvidenceColumns, row: number): EntryKind {
  const kind = EVIDENCE_KINDS[kinds[row]]
  if (kind === 'run') return 'own-cpu'
  return kind === 'request-lock' ? 'lock' : kind === 'lock' || kind === 'runnable' ? kind : 'io'
}

export function durationOf({ spans }: LedgerInput, span: number): bigint {
  const { start, end } = spans[span]
  return end > start ? end - start : 0n
}

function clamp(nanos: bigint): number {
  const limit = BigInt(MAX_NANOS)
  return Number(nanos > limit ? limit : nanos < -limit ? -limit : nanos)
}
