// The call tree of a profile, in depth-first columns (see depth-first.ts): what flame graphs and tree views show.
//
//   samples           3 main run gc      name     main run  gc   idle
//                     2 main run         self     0    2    3    1
//                     1 main idle        total    6    5    3    1
//
// Leaf first, the tree is inverted: roots are the frames in which time was spent, children are their callers. A node's
// total is what was spent in the root's frame when called along that path, and self is the part of the stacks that begin
// there, so in both orders the selves of all nodes, and the totals of all roots, sum up to the profile's total.
import { NONE } from '../model/columns/brand.ts'
import type { Profiles } from '../model/columns/profiles.ts'
import type { TreeShape } from './depth-first.ts'
import { depthFirst, placed, placedExact } from './depth-first.ts'
import type { ValueColumns } from './exact-values.ts'
import { descending, overflows, settle } from './exact-values.ts'
import { FrameTrie } from './frame-trie.ts'
import type { FrameTable, GroupBy } from './frames.ts'
import { frameTable } from './frames.ts'
import { RootFrames } from './root-frames.ts'
import { StackPaths } from './stack-paths.ts'
import type { ProfileSelection, StackWeights } from './stack-weights.ts'
import { stackWeights, sumOf } from './stack-weights.ts'

export type TreeOrder = 'root-first' | 'leaf-first'

export interface FrameOptions {
  /** 'function' unless given. */
  readonly by?: GroupBy
  /** Whether inlined calls are frames of their own; true unless given. */
  readonly inlined?: boolean
  /** A table of the same dictionary made before; it decides in place of `by` and `inlined`, and spares making it again. */
  readonly frames?: FrameTable
  /**
   * Attributes whose values stand at the root of the stacks as frames of their own, outermost first: `thread.name`,
   * `resource:host.name`. See rooted-stacks.ts.
   */
  readonly roots?: readonly string[]
}

export interface CallTreeOptions extends FrameOptions {
  /** 'root-first' unless given. */
  readonly order?: TreeOrder
}

/** Siblings are ordered by total, greatest first, then by name. */
export interface CallTree extends TreeShape, ValueColumns {
  readonly frames: FrameTable
  readonly order: TreeOrder
  /** The total of all samples, exact whatever its size. */
  readonly sum: bigint
  /** Whether a sum left the range of int64; selfExact and totalExact then hold remainders, see exact-values.ts. */
  readonly overflow: boolean
}

/** Throws RangeError for a selection that does not exist or cannot be added up. */
export function callTree(profiles: Profiles, selection: ProfileSelection, options: CallTreeOptions = {}): CallTree {
  const { frames, weights } = weighStacks(profiles, selection, options)
  const order = options.order ?? 'root-first'
  const trie = new FrameTrie()
  const nodes = insertStacks(trie, frames, weights, order)
  return treeOf(trie, nodes, weights, frames, order)
}

/** Throws RangeError for a selection that does not exist or cannot be added up. */
export function weighStacks(
  profiles: Profiles,
  selection: ProfileSelection,
  options: FrameOptions,
): { readonly frames: FrameTable; readonly weights: StackWeights } {
  const frames = framesFor(profiles, options)
  if (options.roots === undefined) return { frames, weights: stackWeights(profiles, selection) }
  const roots = new RootFrames(options.roots, frames.functions)
  const weights = stackWeights(profiles, selection, roots)
  return { frames: frames.withRoots(roots.list), weights }
}

export function framesFor(profiles: Profiles, options: FrameOptions): FrameTable {
  const { frames } = options
  if (frames === undefined) {
    return frameTable(profiles.dictionary, { by: options.by ?? 'function', inlined: options.inlined ?? true })
  }
  if (frames.dictionary !== profiles.dictionary) throw new RangeError('the frame table is of another dictionary')
  return frames
}

/** Adds each stack's path to the trie; returns the nodes in which they end. */
export function insertStacks(
  trie: FrameTrie,
  frames: FrameTable,
  { stacks, rooted }: StackWeights,
  order: TreeOrder,
): Int32Array {
  const paths = new StackPaths(frames, rooted)
  const nodes = new Int32Array(stacks.length)
  for (let s = 0; s < stacks.length; s++) {
    const length = paths.read(stacks[s])
    if (order === 'leaf-first') paths.reverse(length)
    nodes[s] = trie.insert(paths.path, 0, length)
  }
  return nodes
}

/** The tree of a trie in whose `nodes` the stacks end. */
export function treeOf(
  trie: FrameTrie,
  nodes: Int32Array,
  weights: StackWeights,
  frames: FrameTable,
  order: TreeOrder,
): CallTree {
  const sums = sumNodes(trie, nodes, weights)
  const ranks = frames.ranks()
  const { place, ...shape } = depthFirst(
    trie,
    (a, b) => descending(sums.total, sums.totalExact, a, b) || ranks[trie.frame(a)] - ranks[trie.frame(b)],
  )
  const columns = placedColumns(sums, place)
  return { ...shape, ...columns, frames, order, sum: sumOf(weights), overflow: overflows(columns) }
}

/** Self and total of every node of the trie. */
export function sumNodes(trie: FrameTrie, nodes: Int32Array, { weight, exact }: StackWeights): ValueColumns {
  const { length } = trie
  const self = new Float64Array(length)
  for (let s = 0; s < nodes.length; s++) self[nodes[s]] += weight[s]
  const total = self.slice()
  for (let i = length - 1; i >= 0; i--) {
    const above = trie.parent(i)
    if (above !== NONE) total[above] += total[i]
  }
  if (exact === undefined) return { self, total, selfExact: undefined, totalExact: undefined }
  const selfExact = new BigInt64Array(length)
  for (let s = 0; s < nodes.length; s++) selfExact[nodes[s]] = BigInt.asIntN(64, selfExact[nodes[s]] + exact[s])
  const totalExact = selfExact.slice()
  for (let i = length - 1; i >= 0; i--) {
    const above = trie.parent(i)
    if (above !== NONE) totalExact[above] = BigInt.asIntN(64, totalExact[above] + totalExact[i])
  }
  settle(self, selfExact)
  settle(total, totalExact)
  return { self, total, selfExact, totalExact }
}

export function placedColumns(columns: ValueColumns, place: Int32Array): ValueColumns {
  const { self, total, selfExact, totalExact } = columns
  return {
    self: placed(self, place),
    total: placed(total, place),
    selfExact: selfExact && placedExact(selfExact, place),
    totalExact: totalExact && placedExact(totalExact, place),
  }
}
