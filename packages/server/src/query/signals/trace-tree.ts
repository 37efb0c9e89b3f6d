// A trace's spans as a tree, whatever senders made of it: parents that are not stored, circles, two spans of one id, spans
// without an end. Times are taken as they were sent: what cannot be by one clock is marked, and nothing is moved.
//
//   GET /cart            ████████████████   self 9: what no child covers
//     query                ███              3
//     render                 ██████         overlaps the query: both cover 7 together
export interface TreeSpan {
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly start: bigint
  /** 0 where there is none. */
  readonly end: bigint
  /** What tells clocks apart: the id of the resource. */
  readonly resource: bigint
}

/** What is odd about a span, as bits. */
export const Oddity = {
  /** It has no end, or one before its start: it counts as of no length. */
  noEnd: 1,
  /** Its parent is not stored: it stands as a root. */
  missingParent: 2,
  /** It starts before its parent. */
  beforeParent: 4,
  /** It ends after its parent: it went on without it, or clocks differ. */
  afterParent: 8,
  /** It is its own ancestor: the circle is cut here, and it stands as a root. */
  circle: 16,
  /** Another span has the same id; children stand below the first one. */
  sameId: 32,
} as const

/** Everything by row of the spans that were given. */
export interface TraceTree {
  /** Rows depth-first, siblings by their start. */
  readonly order: Int32Array
  /** -1 for roots. */
  readonly parent: Int32Array
  readonly depth: Int32Array
  readonly oddities: Uint8Array
  readonly duration: BigInt64Array
  /** The duration less what children cover of it. */
  readonly self: BigInt64Array
  /** What would have to be added to its times to lie within its parent, where clocks seem to differ; else 0. */
  readonly skew: BigInt64Array
}

/** Senders' times are 64 bits without a sign: from 1970 to 2554. */
const LONGEST = 2n ** 63n - 1n

export function traceTree(spans: readonly TreeSpan[]): TraceTree {
  const rows = spans.map((_, row) => row).sort((a, b) => compareSpans(spans[a], spans[b]))
  const oddities = new Uint8Array(spans.length)
  const duration = new BigInt64Array(spans.length)
  for (const [row, { start, end }] of spans.entries()) {
    if (end < start || end === 0n) oddities[row] |= Oddity.noEnd
    else duration[row] = end - start > LONGEST ? LONGEST : end - start
  }
  const parent = parentsOf(spans, rows, oddities)
  cutCircles(parent, rows, oddities)
  const children = childrenOf(parent, rows)
  const order = new Int32Array(spans.length)
  const depth = new Int32Array(spans.length)
  const open = children.roots.toReversed()
  let length = 0
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    order[length++] = row
    const below = children.of[row]
    for (let c = below.length - 1; c >= 0; c--) {
      depth[below[c]] = depth[row] + 1
      open.push(below[c])
    }
  }
  const self = duration.map((whole, row) => whole - covered(spans, duration, row, children.of[row]))
  return { order, parent, depth, oddities, duration, self, skew: skews(spans, parent, duration, oddities) }
}

function compareSpans(a: TreeSpan, b: TreeSpan): number {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  // Of two that begin together the longer one first, as if it were around the other.
  if (a.end !== b.end) return a.end > b.end ? -1 : 1
  return a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : 0
}

function parentsOf(spans: readonly TreeSpan[], rows: readonly number[], oddities: Uint8Array): Int32Array {
  const byId = new Map<string, number>()
  for (const row of rows) {
    const { spanId } = spans[row]
    if (byId.has(spanId)) oddities[row] |= Oddity.sameId
    else byId.set(spanId, row)
  }
  return Int32Array.from(spans, ({ parentSpanId }, row) => {
    if (parentSpanId === '') return -1
    const parent = byId.get(parentSpanId)
    if (parent !== undefined) return parent
    oddities[row] |= Oddity.missingParent
    return -1
  })
}

/** Walks up from each row until it meets one that is known to lead to a root. */
function cutCircles(parent: Int32Array, rows: readonly number[], oddities: Uint8Array): void {
  const UNKNOWN = 0
  const ON_THE_WAY = 1
  const GOOD = 2
  const state = new Uint8Array(parent.length)
  for (const first of rows) {
    const way: number[] = []
    let row = first
    while (row !== -1 && state[row] === UNKNOWN) {
      state[row] = ON_THE_WAY
      way.push(row)
      row = parent[row]
    }
    if (row !== -1 && state[row] === ON_THE_WAY) {
      parent[row] = -1
      oddities[row] |= Oddity.circle
    }
    for (const each of way) state[each] = GOOD
  }
}

function childrenOf(
  parent: Int32Array,
  rows: readonly number[],
): { readonly roots: readonly number[]; readonly of: readonly (readonly number[])[] } {
  const roots: number[] = []
  const of: number[][] = Array.from(parent, () => [])
  for (const row of rows) (parent[row] === -1 ? roots : of[parent[row]]).push(row)
  return { roots, of }
}

/** How much of a span its children cover, each part of time once; children are in the order of their starts. */
function covered(
  spans: readonly TreeSpan[],
  duration: BigInt64Array,
  row: number,
  children: readonly number[],
): bigint {
  const from = spans[row].start
  const to = from + duration[row]
  let sum = 0n
  let reached = from
  for (const child of children) {
    const { start } = spans[child]
    const end = start + duration[child]
    const begin = start > reached ? start : reached
    const until = end < to ? end : to
    if (until <= begin) continue
    sum += until - begin
    reached = until
  }
  return sum
}

/** Also marks what is outside its parent. */
function skews(
  spans: readonly TreeSpan[],
  parent: Int32Array,
  duration: BigInt64Array,
  oddities: Uint8Array,
): BigInt64Array {
  return BigInt64Array.from(spans, ({ start, resource }, row) => {
    const above = parent[row]
    if (above === -1) return 0n
    const outer = spans[above]
    if (start < outer.start) oddities[row] |= Oddity.beforeParent
    const isOpen = ((oddities[row] | oddities[above]) & Oddity.noEnd) !== 0
    const isAfter = !isOpen && start + duration[row] > outer.start + duration[above]
    if (isAfter) oddities[row] |= Oddity.afterParent
    // One process has one clock; and what only ends later may have gone on by itself.
    const startsOutside = start < outer.start || (!isOpen && start > outer.start + duration[above])
    if (resource === outer.resource || !startsOutside) return 0n
    const slack = duration[above] - duration[row]
    // In the middle, as if the way there and the way back took the same.
    return outer.start + (slack > 0n ? slack / 2n : 0n) - start
  })
}

/** The rows that stay when only so many may: the longest, and all above them. */
export function longestRows({ parent, duration }: TraceTree, most: number): Uint8Array {
  const stays = new Uint8Array(parent.length)
  const rows = Array.from(parent, (_, row) => row)
  if (rows.length <= most) return stays.fill(1)
  rows.sort((a, b) => (duration[a] < duration[b] ? 1 : duration[a] > duration[b] ? -1 : a - b))
  let left = most
  for (const row of rows) {
    const way: number[] = []
    for (let each = row; each !== -1 && stays[each] === 0; each = parent[each]) way.push(each)
    // Where it does not fit, as much as there is room for, from the top.
    for (const each of way.slice(-left)) stays[each] = 1
    left -= way.length
    if (left <= 0) break
  }
  return stays
}
