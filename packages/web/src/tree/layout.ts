// Where the boxes of a tree lie from left to right: computed once per tree, in the unit of the values, so that a frame on
// screen only has to look up and multiply.
//
//   main 6                 left   0 0 0 5      a child begins where the one before it ended, the first where
//   run 5   | idle 1       width  6 5 3 1      its parent does
//   gc 3 |
import type { Tree } from './tree.ts'
import { ROOT } from './tree.ts'

export interface Layout {
  readonly tree: Tree
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
}

export function layOut(tree: Tree): Layout {
  const { length, parent, depth } = tree
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
    const sibling = tree.end[i]
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
function widthsOf(tree: Tree): Float64Array {
  const sides = tree.before === undefined ? [tree] : [tree, tree.before]
  const width = new Float64Array(tree.length)
  // What the children take, and what the node has by itself.
  const inner = new Float64Array(tree.length)
  for (let i = tree.length - 1; i >= 0; i--) {
    let own = 0
    let all = 0
    for (const side of sides) {
      own += Math.abs(side.self[i])
      all += Math.abs(side.total[i])
    }
    // More than the children where nodes were left out; less where values of both signs cancel out.
    const needed = inner[i] + own
    width[i] = all > needed ? all : needed
    if (tree.parent[i] !== ROOT) inner[tree.parent[i]] += width[i]
  }
  return width
}
