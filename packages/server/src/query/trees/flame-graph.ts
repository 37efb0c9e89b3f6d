// The merged call tree of everything that a query selects.
import type { BuiltTree, CallTree, GroupBy, Grouping, LocationFrames, Side, TreeOrder } from '@hearth/profile'
import { FrameTrie, StackPaths, buildTree, overflows, sumOf, treeOfBuilt } from '@hearth/profile'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { Resident } from '../resident/residents.ts'
import { framesWithRoots } from './stack-roots.ts'
import type { Measured, Missing, SummedStacks } from './summed-stacks.ts'
import { sumByStack } from './summed-stacks.ts'

export interface FrameChoice {
  /** 'function' unless given. */
  readonly by?: GroupBy
  /** Whether inlined calls are frames of their own; true unless given. */
  readonly inlined?: boolean
  /** Whether frames without a name are distinguished by address; false unless given. */
  readonly addresses?: boolean
  /** Attributes whose values become frames at the root of the stacks, outermost first: `thread.name`. */
  readonly roots?: readonly string[]
}

export interface TreeChoice extends FrameChoice {
  /** 'root-first' unless given. */
  readonly order?: TreeOrder
  /** The largest nodes stay. */
  readonly maxNodes?: number
}

/** The number that a screen can show. With more, each is narrower than a tenth of a pixel. */
export const DEFAULT_MAX_NODES = 16_384
/** A response with 1,000,000 nodes has 60 MB. */
export const MAX_NODES = 1_000_000

/** The nodes that the node limit hid, and the part of the sum that is their self. */
export interface Hidden {
  readonly nodes: number
  readonly self: bigint
}

export interface FlameGraph extends Measured, CallTree {
  /** Whether a sum exceeds int64. The exact columns then hold remainders. */
  readonly overflow: boolean
  readonly hidden: Hidden
  readonly missing: Missing
}

export async function flameGraph(context: QueryContext, query: Query, choice: TreeChoice = {}): Promise<FlameGraph> {
  const { order = 'root-first', maxNodes = DEFAULT_MAX_NODES } = choice
  checkCount('maxNodes', maxNodes, MAX_NODES)
  const summed = await sumByStack(context, query, choice.roots)
  const { measured, missing, sums, sum } = summed
  const { trie, nodes, frames } = placeStacks(summed.resident, choice, order, [summed])
  const side = { nodes: nodes[0], weight: sums.weight, exact: sums.exact }
  const tree = limitedTree(trie, side, frames, { order, unit: measured.unit, maxNodes, sum })
  context.residents.trim()
  return { ...measured, ...tree, overflow: overflows(tree), hidden: hiddenIn(tree), missing }
}

export interface LimitedOptions {
  readonly order: TreeOrder
  readonly unit: string
  readonly maxNodes: number
  readonly sum: bigint
}

/** The largest nodes of one side, with the frames they need. */
export function limitedTree(trie: FrameTrie, side: Side, frames: LocationFrames, options: LimitedOptions): CallTree {
  const { order, unit, maxNodes, sum } = options
  const built = buildTree(trie, [side], { maxNodes, compareFrames: (a, b) => frames.compare(a, b) })
  return treeOfBuilt(...withUsedFrames(built, frames, { order, unit, sums: [sum] }))
}

/** Replaces the frames by those that the nodes use. Responses must not depend on resident memory, which may change. */
export function withUsedFrames<Parts extends object>(
  built: BuiltTree,
  frames: LocationFrames,
  parts: Parts,
): [BuiltTree, Parts & Pick<CallTree, 'frames'>] {
  const used = frames.pick(built.frame)
  return [
    { ...built, frame: used.frame },
    { ...parts, frames: used.frames },
  ]
}

export function hiddenIn({ sum, self, selfExact, hiddenNodes }: CallTree): Hidden {
  return { nodes: hiddenNodes, self: sum - sumOf({ weight: self, exact: selfExact }) }
}

export interface PlacedSides {
  readonly trie: FrameTrie
  /** For each side the nodes in which its stacks end. */
  readonly nodes: readonly Int32Array[]
  readonly frames: LocationFrames
}

/** Puts the stacks of all sides into one trie: the resident one, or a new one if they have frames at their roots. */
export function placeStacks(
  resident: Resident,
  choice: FrameChoice,
  order: TreeOrder,
  sides: readonly Pick<SummedStacks, 'stacks' | 'sums'>[],
): PlacedSides {
  const { roots: keys = [] } = choice
  if (keys.length === 0) {
    const known = resident.nodes(groupingOf(choice), order)
    const nodes = sides.map(side => known.of(side.stacks))
    return { trie: known.trie, nodes, frames: known.frames.current }
  }
  const { frames, roots } = framesWithRoots(
    resident.frames(groupingOf(choice)).current,
    keys,
    sides.map(side => side.sums.roots),
  )
  const trie = new FrameTrie()
  const nodes = sides.map((side, i) => new StackPaths(frames, side.stacks, roots[i]).insertAll(trie, order))
  return { trie, nodes, frames }
}

export function groupingOf({ by = 'function', inlined = true, addresses = false }: FrameChoice): Grouping {
  return { by, inlined, addresses }
}
