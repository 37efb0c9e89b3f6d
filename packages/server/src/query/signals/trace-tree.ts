// A trace's spans as a tree. Handles missing parents, cycles, two spans with one id, and spans without an end. Times
// stay as they were sent: impossible times are marked, not moved.
//
//   GET /cart            ████████████████   self 9: the time that no child covers
//     query                ███              3
//     render                 ██████         overlaps the query: both cover 7 together
import { compareTexts } from '@hearth/profile'

export interface TreeSpan {
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly start: bigint
  /** 0 if it has none. */
  readonly end: bigint
  /** The id of the resource. Different processes can have different clocks. */
  readonly resource: bigint
}

/** Irregularities of a span, as bits. */
export const Oddity = {
  /** It has no end, or ends before its start. Its duration counts as 0. */
  noEnd: 1,
  /** Its parent is not stored. It becomes a root. */
  missingParent: 2,
  /** It starts before its parent. */
  beforeParent: 4,
  /** It ends after its parent: it continued without it, or clocks differ. */
  afterParent: 8,
  /** It is its own ancestor. The cycle is cut here, and the span becomes a root. */
  circle: 16,
  /** Another span has the same id. Children belong to the first one. */
  sameId: 32,
} as const

/** All columns have one entry per given span. */
export interface TraceTree {
  /** Rows in depth-first order, siblings by start. */
  readonly order: Int32Array
  /** -1 for roots. */
  readonly parent: Int32Array
  readonly depth: Int32Array
  readonly oddities: Uint8Array
  readonly duration: BigInt64Array
  /** The duration without the time that children cover. */
  readonly self: BigInt64Array
  /** The offset that would move it into its parent if clocks seem to differ; otherwise 0. */
  readonly skew: BigInt64Array
}

/** Times are unsigned 64-bit numbers: from 1970 to 2554. */
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
  // The longer of two spans with the same start comes first, as if it contained the other.
  if (a.end !== b.end) return a.end > b.end ? -1 : 1
  return compareTexts(a.spanId, b.spanId)
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

/** Walks up from each row until it reaches a row that is known to lead to a root. */
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

/** The time of a span that its children cover, each part once. Children are sorted by start. */
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

/** Also marks spans outside of their parent. */
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
    // A process has one clock. A span that only ends later may have continued by itself.
    const startsOutside = start < outer.start || (!isOpen && start > outer.start + duration[above])
    if (resource === outer.resource || !startsOutside) return 0n
    const slack = duration[above] - duration[row]
    // Centred, as if both directions of the network took the same time.
    return outer.start + (slack > 0n ? slack / 2n : 0n) - start
  })
}

/** The longest `most` rows, with all their ancestors. */
export function longestRows({ parent, duration }: TraceTree, most: number): Uint8Array {
  const stays = new Uint8Array(parent.length)
  const rows = Array.from(parent, (_, row) => row)
  if (rows.length <= most) return stays.fill(1)
  rows.sort((a, b) => (duration[a] < duration[b] ? 1 : duration[a] > duration[b] ? -1 : a - b))
  let left = most
  for (const row of rows) {
    const way: number[] = []
    for (let each = row; each !== -1 && stays[each] === 0; each = parent[each]) way.push(each)
    // If not all ancestors fit, those nearest to the root are kept.
    for (const each of way.slice(-left)) stays[each] = 1
    left -= way.length
    if (left <= 0) break
  }
  return stays
}
