// The horizontal positions of a tree's boxes, computed once per tree in the unit of the values. Drawing a frame then only
// takes a lookup and a multiplication.
//
//   main 6                 left   0 0 0 5      a child starts where the previous one ends, the first where
//   run 5   | idle 1       width  6 5 3 1      its parent starts
//   gc 3 |
import type { CallTimes, CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'

export interface Layout {
  readonly tree: CallTree
  readonly left: Float64Array
  readonly width: Float64Array
  /** The end of the last child, or the start of a leaf. The node's self value is to the right of it. */
  readonly inner: Float64Array
  /** The width of the complete tree; 0 if it is empty. */
  readonly whole: number
  /** The width of all roots. It is smaller if stacks have no frame or roots are hidden. */
  readonly roots: number
  /** The number of rows, including the one for the complete tree. */
  readonly rows: number
  /** Whether no box is wider than a sibling to its left. Then drawing can stop at the first box that is too narrow. */
  readonly descending: boolean
  /** For a tree with times: the nodes of each depth in order. */
  readonly byRow?: readonly Uint32Array[]
}

/** The columns that a worker computes for the UI. A million boxes take a tenth of a second, which would block the UI. */
export type LayoutColumns = Omit<Layout, 'tree'>

const made = new WeakMap<CallTree, Layout>()

export function keepLayout(tree: CallTree, columns: LayoutColumns): void {
  made.set(tree, { tree, ...columns })
}

export function layOut(tree: CallTree): Layout {
  const known = made.get(tree)
  if (known !== undefined) return known
  return tree.times === undefined ? layOutSums(tree) : layOutTimes(tree, tree.times)
}

export function layoutColumns(tree: CallTree): LayoutColumns {
  const { left, width, inner, whole, roots, rows, descending, byRow } = layOut(tree)
  return { left, width, inner, whole, roots, rows, descending, ...(byRow === undefined ? {} : { byRow }) }
}

/** Boxes start at the start of a call and are as wide as its duration. */
function layOutTimes(tree: CallTree, { start, whole }: CallTimes): Layout {
  const { length, depth } = tree
  const counts: number[] = []
  for (let i = 0; i < length; i++) counts[depth[i]] = (counts[depth[i]] ?? 0) + 1
  const byRow = counts.map(count => new Uint32Array(count))
  counts.fill(0)
  for (let i = 0; i < length; i++) byRow[depth[i]][counts[depth[i]]++] = i
  const rows = byRow.length + 1
  const shape = { tree, left: start, width: tree.total, inner: start }
  return { ...shape, whole, roots: whole, rows, descending: false, byRow }
}

function layOutSums(tree: CallTree): Layout {
  const { length, parent, depth, end } = tree
  const width = widthsOf(tree)
  const left = new Float64Array(length)
  const inner = new Float64Array(length)
  let roots = 0
  let deepest = 0
  let descending = true
  for (let i = 0; i < length; i++) {
    const above = parent[i]
    const at = above === ROOT ? roots : inner[above]
    left[i] = at
    inner[i] = at
    if (above === ROOT) roots += width[i]
    else inner[above] = at + width[i]
    if (depth[i] > deepest) deepest = depth[i]
    const sibling = end[i]
    if (sibling < length && parent[sibling] === above && width[sibling] > width[i]) descending = false
  }
  const sums = Math.abs(Number(tree.sum)) + (tree.before === undefined ? 0 : Math.abs(Number(tree.before.sum)))
  const rows = length === 0 ? 1 : deepest + 2
  return { tree, left, width, inner, whole: Math.max(roots, sums), roots, rows, descending }
}

/**
 * A width is the sum of both sides, so that new and removed nodes both have room. Negative
 * values take as much room as positive ones. Otherwise children would not fit into their parents.
 */
function widthsOf({ length, parent, self, total, before }: CallTree): Float64Array {
  const width = new Float64Array(length)
  // The width of the children. The two sides are written out, because a million nodes pass before the engine compiles this:
  // a loop over the sides took forty times as long.
  const inner = new Float64Array(length)
  const selfBefore = before?.self
  const totalBefore = before?.total
  for (let i = length - 1; i >= 0; i--) {
    let own = Math.abs(self[i])
    let all = Math.abs(total[i])
    if (selfBefore !== undefined && totalBefore !== undefined) {
      own += Math.abs(selfBefore[i])
      all += Math.abs(totalBefore[i])
    }
    // It is more than the children if nodes are hidden, and less if values of both signs cancel out.
    const needed = inner[i] + own
    const wide = all > needed ? all : needed
    width[i] = wide
    const above = parent[i]
    if (above !== ROOT) inner[above] += wide
  }
  return width
}
