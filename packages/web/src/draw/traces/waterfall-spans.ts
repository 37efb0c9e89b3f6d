// The spans of a trace as a waterfall has them: depth-first rows with places in time, which can be folded up and looked through.
//
//   row        0      1      2      3            GET /cart  [0,4)   ████████████████
//   depth      0      1      2      1              query    [1,3)     ███
//   end        4      3      3      4                parse  [2,3)      █
//                                                  render   [3,4)        ██████

/** What is needed of spans: in depth-first order, times in nanoseconds. */
export interface SpanTimes {
  readonly length: number
  /** -1 where it stands at the top. */
  readonly parent: Int32Array
  readonly start: BigInt64Array
  readonly duration: BigInt64Array
  /** What would put it within its parent where clocks seem to differ. */
  readonly skew: BigInt64Array
}

export interface WaterfallSpans {
  readonly length: number
  readonly parent: Int32Array
  readonly depth: Uint32Array
  /** A span's subtree is the rows [row, end[row]). */
  readonly end: Uint32Array
  /** Nanoseconds from the first start of all. */
  readonly start: Float64Array
  readonly duration: Float64Array
  /** By how much each was moved; nothing unless clocks were corrected. */
  readonly moved: Float64Array
  /** The first start, in nanoseconds since 1970. */
  readonly origin: bigint
  /** Until the last end, in nanoseconds. */
  readonly whole: number
}

/**
 * With `corrected`, a span whose clock seems to differ from its parent's is moved into it, and all below moves along: what is
 * below and is of yet another clock has its own difference to the span above it.
 */
export function waterfallOf(spans: SpanTimes, corrected: boolean): WaterfallSpans {
  const { length, parent } = spans
  const depth = new Uint32Array(length)
  const end = new Uint32Array(length)
  const start = new Float64Array(length)
  const duration = Float64Array.from(spans.duration, Number)
  const moved = new Float64Array(length)
  // Times of 64 bits without a sign: only their differences fit a double.
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

/** Rows that are seen where some are folded up. */
export function shownRows(
  { length, end }: Pick<WaterfallSpans, 'length' | 'end'>,
  folded: ReadonlySet<number>,
): Uint32Array {
  const rows = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i = folded.has(i) ? end[i] : i + 1) rows[count++] = i
  return rows.subarray(0, count)
}

/** The place of a row among those that are shown; of one that is folded away, of the span that it is folded into. */
export function placeOf(shown: Uint32Array, row: number): number {
  let [low, high] = [0, shown.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (shown[middle] <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The same without what hides the row. */
export function unfoldedTo(
  { parent }: Pick<WaterfallSpans, 'parent'>,
  folded: ReadonlySet<number>,
  row: number,
): ReadonlySet<number> {
  const left = new Set(folded)
  for (let above = parent[row]; above !== -1; above = parent[above]) left.delete(above)
  return left.size === folded.size ? folded : left
}

/** All that has something below it, of this depth and deeper. */
export function foldedBelow({ length, depth, end }: WaterfallSpans, least: number): ReadonlySet<number> {
  const folded = new Set<number>()
  for (let i = 0; i < length; i++) if (end[i] > i + 1 && depth[i] >= least) folded.add(i)
  return folded
}

/** Parts of a span, from 0 to 1, that it spent by itself: what no child covers. Children are in the order of their starts. */
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

/** A part of the time, in nanoseconds from the first start. */
export interface TimePart {
  readonly from: number
  readonly until: number
}

/** `factor` below 1 is nearer; what is at `at` stays where it is. */
export function zoomedPart({ from, until }: TimePart, whole: number, at: number, factor: number): TimePart {
  const length = Math.max(Math.min(1000, whole), Math.min(whole, (until - from) * factor))
  const share = until === from ? 0.5 : (at - from) / (until - from)
  const begin = Math.max(0, Math.min(whole - length, at - share * length))
  return { from: begin, until: begin + length }
}
