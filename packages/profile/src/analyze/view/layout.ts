// Where the boxes of a tree lie from left to right: computed once per tree, in the unit of the values, so that a frame on
// screen only has to look up and multiply.
//
//   main 6                 left   0 0 0 5      a child begins where the one before it ended, the first where
//   run 5   | idle 1       width  6 5 3 1      its parent does
//   gc 3 |
import type { CallTimes, CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'

export interface Layout {
  readonly tree: CallTree
  readonly left: Float64Array
  readonly width: Float64Array
  /** Where the last child ends; where the node begins for a leaf. What is right of it is the node's own. */
  readonly inner: Float64Array
  /** Of everything; 0 for an empty tree. */
  readonly whole: number
  /** Of the roots together, which is less where stacks have no frame or roots were left out. */
  readonly roots: number
  /** Of the deepest stack, the row of everything included. */
  readonly rows: number
  /** Whether no box is wider than a sibling to its left: once one is too narrow to be seen, all the rest are. */
  readonly descending: boolean
  /** For a tree with times: nodes of each depth in their order. */
  readonly byRow?: readonly Uint32Array[]
}

/** What a worker makes, and the page goes on with: a million boxes take it a tenth of a second, in which nothing would react. */
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

/** As long as they took, where they began. */
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
 * As wide as the values of both sides together, so that what is new and what has vanished both have their place. Negative
 * values take as much as positive ones, as otherwise children would not fit into their parents.
 */
function widthsOf({ length, parent, self, total, before }: CallTree): Float64Array {
  const width = new Float64Array(length)
  // What the children take. Columns are at hand and sides written out: a million nodes come before anything is compiled,
  // and a loop over the sides took forty times as long.
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
    // More than the children where nodes were left out; less where values of both signs cancel out.
    const needed = inner[i] + own
    const wide = all > needed ? all : needed
    width[i] = wide
    const above = parent[i]
    if (above !== ROOT) inner[above] += wide
  }
  return width
}
