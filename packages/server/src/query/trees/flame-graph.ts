// The merged call tree of everything that a query selects.
import type { FrameTable, GroupBy, TreeOrder, ValueColumns } from '@hearth/profile'
import { exactSelf } from '@hearth/profile'
import type { AnswerFrame } from './answer-frames.ts'
import { answerFrames } from './answer-frames.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { StackTree } from '../resident/frame-paths.ts'
import { RootedNodes } from '../resident/frame-paths.ts'
import type { Resident } from '../resident/residents.ts'
import { framesWithRoots } from './stack-roots.ts'
import type { LaidTree } from './tree-layout.ts'
import { layTree } from './tree-layout.ts'
import type { QueryContext } from '../query-context.ts'
import type { Measured, Missing, Weighed } from './summed-stacks.ts'
import { overflows, weigh } from './summed-stacks.ts'

export interface FrameChoice {
  /** 'function' unless given. */
  readonly by?: GroupBy
  /** Whether inlined calls are frames of their own; true unless given. */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first: `thread.name`. */
  readonly roots?: readonly string[]
}

export interface TreeChoice extends FrameChoice {
  /** 'root-first' unless given. */
  readonly order?: TreeOrder
  /** How many nodes at the most; the largest stay. */
  readonly maxNodes?: number
}

/** As many as a screen shows: of more, each is below a tenth of a pixel. */
export const DEFAULT_MAX_NODES = 16_384
/** Of answers with all nodes: 1,000,000 are 60 MB. */
export const MOST_NODES = 1_000_000

/** Columns in depth-first order: node i's subtree is the range [i, end[i]). */
export interface TreeColumns {
  readonly length: number
  /** -1 for roots. */
  readonly parent: Int32Array
  readonly end: Uint32Array
  readonly depth: Uint32Array
  /** Row in `frames`. */
  readonly frame: Uint32Array
  readonly frames: readonly AnswerFrame[]
  /** For each node how many of its children are left out. */
  readonly hiddenChildren: Uint32Array
}

/** What the node budget left out: so many nodes, and what they have of the sum as their own. */
export interface Hidden {
  readonly nodes: number
  readonly self: bigint
}

/** Siblings are ordered by total, greatest first, then by name. */
export interface FlameGraph extends Measured, TreeColumns, ValueColumns {
  readonly order: TreeOrder
  /** The sum of all samples, exact whatever its size. */
  readonly sum: bigint
  /** Whether a sum left the range of int64; the exact columns then hold remainders. */
  readonly overflow: boolean
  readonly hidden: Hidden
  readonly missing: Missing
}

export async function flameGraph(context: QueryContext, query: Query, choice: TreeChoice = {}): Promise<FlameGraph> {
  const { order = 'root-first', maxNodes = DEFAULT_MAX_NODES } = choice
  checkCount('maxNodes', maxNodes, MOST_NODES)
  const weighed = await weigh(context, query, choice.roots)
  const { measured, missing, sums, sum } = weighed
  const { stacks, nodes, frames } = placeStacks(weighed.resident, choice, order, [weighed])
  const side = { nodes: nodes[0], weight: sums.weight, exact: sums.exact }
  const tree = layTree(stacks, [side], { budget: maxNodes, compareFrames: (a, b) => frames.compare(a, b) })
  const [columns] = tree.columns
  context.residents.trim()
  return {
    ...measured,
    ...treeColumns(tree),
    ...answerFrames(frames, tree.frame),
    ...columns,
    order,
    sum,
    overflow: overflows(columns),
    hidden: { nodes: tree.hiddenNodes, self: sum - sumOfSelves(columns) },
    missing,
  }
}

export interface PlacedStacks {
  readonly stacks: StackTree
  /** Of each side, the nodes in which its stacks end. */
  readonly nodes: readonly Int32Array[]
  readonly frames: FrameTable
}

/** Puts the stacks of all sides into one trie: the one that stays, or one of their own where something is at their roots. */
export function placeStacks(
  resident: Resident,
  choice: FrameChoice,
  order: TreeOrder,
  sides: readonly Pick<Weighed, 'stacks' | 'sums'>[],
): PlacedStacks {
  const { roots: keys = [] } = choice
  if (keys.length === 0) {
    const known = resident.nodes(groupingOf(choice), order)
    const nodes = sides.map(side => known.of(side.stacks))
    return { stacks: known, nodes, frames: known.paths.frames }
  }
  const paths = resident.paths(groupingOf(choice))
  const { frames, roots } = framesWithRoots(
    paths.frames,
    keys,
    sides.map(side => side.sums.roots),
  )
  const rooted = new RootedNodes(paths, frames, order)
  return { stacks: rooted, nodes: sides.map((side, i) => rooted.of(side.stacks, roots[i])), frames }
}

export function groupingOf({ by = 'function', inlined = true }: FrameChoice): { by: GroupBy; inlined: boolean } {
  return { by, inlined }
}

export function treeColumns({
  length,
  parent,
  end,
  depth,
  hiddenChildren,
}: LaidTree): Omit<TreeColumns, 'frame' | 'frames'> {
  return { length, parent, end, depth, hiddenChildren }
}

export function sumOfSelves(columns: ValueColumns): bigint {
  let sum = 0n
  if (columns.selfExact === undefined) {
    let near = 0
    for (const self of columns.self) near += self
    return BigInt(near)
  }
  for (let i = 0; i < columns.self.length; i++) sum += exactSelf(columns, i)
  return sum
}
