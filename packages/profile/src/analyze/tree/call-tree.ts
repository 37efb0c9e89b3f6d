// The call tree: the one shape that the library, the server and the UI share. It consists of depth-first columns (see
// depth-first.ts) and plain text, so that workers can send it. Node i's subtree is the range [i, end[i]).
//
//   index   0     1    2    3            all (ROOT, -1)
//   name    main  run  gc   idle          └ main [0,4)
//   depth   0     1    2    1                ├ run [1,3)
//   end     4     3    3    4                │  └ gc [2,3)
//   self    0     2    3    1                └ idle [3,4)
//   total   6     5    3    1
//
// A leaf-first tree is inverted: its roots are the frames in which time was spent, children are their callers. In both orders
// the selves of all nodes and the totals of all roots sum up to the sum of the tree.
//
// A total may be more than self and the totals of the children: a node limit hides the smallest nodes, and a stack whose
// frames were all merged away counts only in `sum`.
import { NONE } from '../../model/columns/brand.ts'
import type { BuiltTree } from './build-tree.ts'
import type { TreeShape } from './depth-first.ts'
import type { ValueColumns } from './exact-values.ts'
import { exactSelf, exactTotal } from './exact-values.ts'
import type { FrameTable } from './frame-table.ts'
import { titleOf } from './frame-table.ts'

export type TreeOrder = 'root-first' | 'leaf-first'

/** The parent of the roots. It represents the complete tree, and the box above the roots. */
export const ROOT = NONE

export interface TreeSide extends ValueColumns {
  /** The sum of all samples, exact whatever its size. */
  readonly sum: bigint
}

/** Siblings are ordered by total, greatest first, then by name. In a diff, by the greater magnitude of the two totals. */
export interface CallTree extends TreeShape, TreeSide {
  readonly frames: FrameTable
  readonly order: TreeOrder
  readonly unit: string
  /** The baseline of a diff, node by node. The values of the tree itself are the comparison. */
  readonly before: TreeSide | undefined
  /** A Presence for each node of a diff; undefined in other trees. */
  readonly presence?: Uint8Array
  /** The number of nodes that were hidden when the tree was built. */
  readonly hiddenNodes: number
  /** The number of hidden children of each node; undefined if no node is hidden. */
  readonly hiddenChildren?: Uint32Array
  /** Present if nodes are single calls in time order instead of sums. Their values are durations in nanoseconds. */
  readonly times?: CallTimes
  /** Present if chains of single calls are folded. */
  readonly unfolded?: Unfolded
}

/** The tree before folding. */
export interface Unfolded {
  readonly tree: CallTree
  /** The node of the unfolded tree for each node. */
  readonly node: Uint32Array
  /** The node for each node of the unfolded tree. A folded call stands for the next call that is shown. */
  readonly shown: Uint32Array
}

export interface CallTimes {
  /** The start of each node, from the start of the first call. */
  readonly start: Float64Array
  /** The duration of everything. */
  readonly whole: number
}

/** The sides of a diff that contain a node or row. */
export const Presence = { before: 1, after: 2, both: 3 } as const

export interface TreeParts extends Pick<CallTree, 'frames' | 'order' | 'unit'> {
  /** The sum of each side. */
  readonly sums: readonly bigint[]
  /** The number of nodes that were hidden before this tree was built. */
  readonly hiddenNodes?: number
}

/** A tree from its columns. With two sides, the first is the baseline. */
export function treeOfBuilt(built: BuiltTree, parts: TreeParts): CallTree {
  const { length, parent, end, depth, frame, columns, presence, hiddenChildren } = built
  const { frames, order, unit, sums } = parts
  const sides = columns.map((values, i): TreeSide => ({ ...values, sum: sums[i] }))
  const hiddenNodes = built.hiddenNodes + (parts.hiddenNodes ?? 0)
  return {
    length,
    parent,
    end,
    depth,
    frame,
    frames,
    order,
    unit,
    hiddenNodes,
    ...sides[sides.length - 1],
    ...(sides.length === 1 ? { before: undefined } : { before: sides[0], presence }),
    ...(built.hiddenNodes === 0 ? {} : { hiddenChildren }),
  }
}

export function selfOf(tree: CallTree, node: number): bigint {
  if (node !== ROOT) return exactSelf(tree, node)
  let rest = tree.sum
  for (let i = 0; i < tree.length; i = tree.end[i]) rest -= exactTotal(tree, i)
  return rest
}

export function totalOf(tree: CallTree, node: number): bigint {
  return node === ROOT ? tree.sum : exactTotal(tree, node)
}

/** One past the last node of the subtree. */
export function subtreeEnd(tree: CallTree, node: number): number {
  return node === ROOT ? tree.length : tree.end[node]
}

/** The nodes from the root down to this one, without ROOT. */
export function nodesTo(tree: CallTree, node: number): number[] {
  const path: number[] = []
  for (let i = node; i !== ROOT; i = tree.parent[i]) path.push(i)
  return path.reverse()
}

/** The name for a sentence: `thread.name = main` if the frame is not a function. */
export function titleAt(tree: CallTree, node: number): string {
  return node === ROOT ? 'all' : titleOf(tree.frames, tree.frame[node])
}
