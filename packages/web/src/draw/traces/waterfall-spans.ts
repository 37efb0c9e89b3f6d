// The spans of a trace for a waterfall: depth-first rows with times, which can be collapsed.
//
//   row        0      1      2      3            GET /cart  [0,4)   ████████████████
//   depth      0      1      2      1              query    [1,3)     ███
//   end        4      3      3      4                parse  [2,3)      █
//                                                  render   [3,4)        ██████
import { partitionPoint } from '@hearth/profile'

/** The required columns of spans: in depth-first order, times in nanoseconds. */
export interface SpanTimes {
  readonly length: number
  /** -1 for a span without a parent. */
  readonly parent: Int32Array
  readonly start: BigInt64Array
  readonly duration: BigInt64Array
  /** The shift that would put the span inside of its parent if their clocks differ. */
  readonly skew: BigInt64Array
}

export interface WaterfallSpans {
  readonly length: number
  readonly parent: Int32Array
  readonly depth: Uint32Array
  /** The subtree of a span is the rows [row, end[row]). */
  readonly end: Uint32Array
  /** Nanoseconds from the earliest start. */
  readonly start: Float64Array
  readonly duration: Float64Array
  /** The shift of each span; 0 unless clocks are corrected. */
  readonly moved: Float64Array
  /** The earliest start, in nanoseconds since 1970. */
  readonly origin: bigint
  /** The time until the latest end, in nanoseconds. */
  readonly whole: number
}

/**
 * With `corrected`, a span whose clock seems to differ from its parent's is moved into its parent, and its descendants
 * move along. A descendant with another clock keeps its own difference to the span above it.
 */
export function waterfallOf(spans: SpanTimes, corrected: boolean): WaterfallSpans {
  const { length, parent } = spans
  const depth = new Uint32Array(length)
  const end = new Uint32Array(length)
  const start = new Float64Array(length)
  const duration = Float64Array.from(spans.duration, Number)
  const moved = new Float64Array(length)
  // Times are unsigned 64-bit numbers. Only their differences fit a double.
  const anchor = length === 0 ? 0n : spans.start[0]
  let first = 0
  for (let i = 0; i < length; i++) {
    const above = parent[i]
    if (above !== -1) depth[i] = depth[above] + 1
    if (corrected) moved[i] = Number(spans.skew[i]) + (above === -1 ? 0 : moved[above])
    start[i] = Number(BigInt.asIntN(64, spans.start[i] - anchor)) + moved[i]
    first = Math.min(first, start[i])
  }
  let whole = 0
  for (let i = 0; i < length; i++) {
    start[i] -= first
    whole = Math.max(whole, start[i] + duration[i])
  }
  for (let i = length - 1; i >= 0; i--) {
    if (end[i] === 0) end[i] = i + 1
    if (parent[i] !== -1 && end[parent[i]] < end[i]) end[parent[i]] = end[i]
  }
  const origin = BigInt.asUintN(64, anchor) + BigInt(Math.round(first))
  return { length, parent, depth, end, start, duration, moved, origin, whole }
}

/** Visible rows if some spans are collapsed. */
export function shownRows(
  { length, end }: Pick<WaterfallSpans, 'length' | 'end'>,
  collapsed: ReadonlySet<number>,
): Uint32Array {
  const rows = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i = collapsed.has(i) ? end[i] : i + 1) rows[count++] = i
  return rows.subarray(0, count)
}

/** The position of a row among the visible rows. A hidden row has the position of the collapsed span that hides it. */
export function positionOfRow(shown: Uint32Array, row: number): number {
  return partitionPoint(0, shown.length, i => shown[i] <= row) - 1
}

/** The collapsed spans without those that hide the row. */
export function expandedTo(
  { parent }: Pick<WaterfallSpans, 'parent'>,
  collapsed: ReadonlySet<number>,
  row: number,
): ReadonlySet<number> {
  const left = new Set(collapsed)
  for (let above = parent[row]; above !== -1; above = parent[above]) left.delete(above)
  return left.size === collapsed.size ? collapsed : left
}

/** All spans with children at this depth or deeper. */
export function collapsedFrom({ length, depth, end }: WaterfallSpans, minDepth: number): ReadonlySet<number> {
  const collapsed = new Set<number>()
  for (let i = 0; i < length; i++) if (end[i] > i + 1 && depth[i] >= minDepth) collapsed.add(i)
  return collapsed
}

/** The parts of a span, 0 to 1, that no child covers. Children are ordered by start. */
export function ownParts(spans: WaterfallSpans, row: number): readonly (readonly [from: number, to: number])[] {
  const { start, duration, end } = spans
  const length = duration[row]
  if (length === 0) return []
  const parts: (readonly [number, number])[] = []
  let reached = 0
  for (let child = row + 1; child < end[row]; child = end[child]) {
    const from = Math.max(0, start[child] - start[row])
    const to = Math.min(length, start[child] - start[row] + duration[child])
    if (to <= reached || from >= length) continue
    if (from > reached) parts.push([reached / length, from / length])
    reached = Math.max(reached, to)
  }
  if (reached < length) parts.push([reached / length, 1])
  return parts
}

/** A part of the time, in nanoseconds from the earliest start. */
export interface TimePart {
  readonly from: number
  readonly until: number
}

/** `factor` below 1 zooms in. The time at `at` stays fixed. */
export function zoomedPart({ from, until }: TimePart, whole: number, at: number, factor: number): TimePart {
  const length = Math.max(Math.min(1000, whole), Math.min(whole, (until - from) * factor))
  const share = until === from ? 0.5 : (at - from) / (until - from)
  const begin = Math.max(0, Math.min(whole - length, at - share * length))
  return { from: begin, until: begin + length }
}
