// Builds a tree from another one: a rule says where each node goes, and the values are summed up again. All transforms are
// this with different rules.
import { NONE } from '../../model/columns/brand.ts'
import type { Side } from '../tree/tree-nodes.ts'
import { buildTree } from '../tree/build-tree.ts'
import type { CallTree, TreeSide } from '../tree/call-tree.ts'
import { ROOT, treeOfBuilt } from '../tree/call-tree.ts'
import type { Weights } from '../tree/exact-values.ts'
import { exactSum, exactTotal } from '../tree/exact-values.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import { compareFrames } from '../tree/frame-table.ts'
import { FrameTrie } from '../tree/frame-trie.ts'

/** The stacks that end in the node are dropped. */
export const OUTSIDE = -2

/**
 * Returns where a node of the old tree goes: a node of the trie, ROOT if all frames of its path are gone, or OUTSIDE. `above`
 * is where its parent went. Nodes below an OUTSIDE node are passed as well.
 */
export type RebuildRule = (node: number, above: number, trie: FrameTrie) => number

export interface RebuildOptions {
  /** Replaces the frames of the tree. */
  readonly frames?: FrameTable
  /** Whether stacks without any frame stay. Default: true. */
  readonly keepEmpty?: boolean
  /** The parent of roots that is passed to the rule. Default: ROOT. */
  readonly above?: number
}

export function rebuild(tree: CallTree, rule: RebuildRule, options: RebuildOptions = {}): CallTree {
  const { frames = tree.frames, keepEmpty = true, above = ROOT } = options
  const trie = new FrameTrie()
  const to = new Int32Array(tree.length)
  for (let i = 0; i < tree.length; i++) {
    const parent = tree.parent[i]
    to[i] = rule(i, parent === ROOT ? above : to[parent], trie)
  }
  const moved = sidesOf(tree).map(side => moveSide(tree, side, to, keepEmpty))
  return treeOfMoved(tree, trie, moved, { frames })
}

/** The sides of a tree, the baseline first. */
export function sidesOf(tree: CallTree): readonly TreeSide[] {
  return tree.before === undefined ? [tree] : [tree.before, tree]
}

/** The values of one side at the nodes of a trie. */
export interface MovedSide {
  readonly side: Side
  readonly sum: bigint
}

/** `to` is the node of the trie for each node of the tree, ROOT or OUTSIDE. */
function moveSide(tree: CallTree, side: TreeSide, to: Int32Array, keepEmpty = true): MovedSide {
  const own = { weight: side.self, exact: side.selfExact }
  const hidden = hiddenBelow(tree, side)
  const outside = (i: number): boolean => to[i] === OUTSIDE
  const sum = sumWithout(own, outside) + (hidden === undefined ? 0n : sumWithout(hidden, outside))
  return {
    side: { nodes: to, ...own, ...(hidden === undefined ? {} : { hidden: { nodes: to, ...hidden } }) },
    sum: keepEmpty ? sum + sumWithoutFrames(tree, side) : sum,
  }
}

export interface MovedOptions {
  readonly frames: FrameTable
  readonly order?: CallTree['order']
  /** The number of nodes that were newly hidden, in addition to those hidden in the old tree. */
  readonly hiddenNodes?: number
}

/** The tree of the moved sides; `tree` gives its unit and its order. */
export function treeOfMoved(
  tree: Pick<CallTree, 'order' | 'unit' | 'hiddenNodes'>,
  trie: FrameTrie,
  moved: readonly MovedSide[],
  options: MovedOptions,
): CallTree {
  const { frames, order = tree.order, hiddenNodes = 0 } = options
  const sides = moved.map(({ side }) => side)
  const built = buildTree(trie, sides, { compareFrames: (a, b) => compareFrames(frames, a, b) })
  const sums = moved.map(({ sum }) => sum)
  return treeOfBuilt(built, { frames, order, unit: tree.unit, sums, hiddenNodes: tree.hiddenNodes + hiddenNodes })
}

/** The sum of the weights for which `isSkipped` is false. */
export function sumWithout({ weight, exact }: Weights, isSkipped: (i: number) => boolean): bigint {
  let near = 0
  let remainder = 0n
  for (let i = 0; i < weight.length; i++) {
    if (isSkipped(i)) continue
    near += weight[i]
    if (exact !== undefined) remainder = BigInt.asIntN(64, remainder + exact[i])
  }
  return exactSum(near, exact === undefined ? undefined : remainder)
}

/** The values of hidden nodes, at the nodes above them; undefined if nothing is hidden. */
export function hiddenBelow(tree: CallTree, side: TreeSide): Weights | undefined {
  const weight = new Float64Array(tree.length)
  for (let i = tree.length - 1; i >= 0; i--) {
    weight[i] += side.total[i] - side.self[i]
    if (tree.parent[i] !== NONE) weight[tree.parent[i]] -= side.total[i]
  }
  const { selfExact, totalExact } = side
  if (selfExact === undefined || totalExact === undefined) {
    for (let i = 0; i < weight.length; i++) if (isRoundingError(weight[i], side.total[i])) weight[i] = 0
    return weight.some(value => value !== 0) ? { weight, exact: undefined } : undefined
  }
  const exact = new BigInt64Array(tree.length)
  for (let i = tree.length - 1; i >= 0; i--) {
    exact[i] += totalExact[i] - selfExact[i]
    if (tree.parent[i] !== NONE) exact[tree.parent[i]] -= totalExact[i]
  }
  return exact.some(value => value !== 0n) ? { weight, exact } : undefined
}

/** The sum of the stacks without any frame. */
export function sumWithoutFrames(tree: CallTree, side: TreeSide): bigint {
  if (side.totalExact === undefined) {
    let near = Number(side.sum)
    for (let i = 0; i < tree.length; i = tree.end[i]) near -= side.total[i]
    return isRoundingError(near, Number(side.sum)) ? 0n : BigInt(Math.round(near))
  }
  let rest = side.sum
  for (let i = 0; i < tree.length; i = tree.end[i]) rest -= exactTotal(side, i)
  return rest
}

/** Scaled values are not integers, so sums that should cancel out leave a small remainder. */
function isRoundingError(value: number, of: number): boolean {
  return !Number.isInteger(value) && Math.abs(value) <= Math.max(0.5, 1e-9 * Math.abs(of))
}
