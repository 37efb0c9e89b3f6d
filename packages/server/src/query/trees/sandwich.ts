// One frame between its callers and its callees; see the library's sandwich.ts.
import type { CallTree, FrameRow, FunctionName, PlacedStacks, TreeOrder } from '@hearth/profile'
import { StackPaths, cutStacks, frameNamed, overflows, sumFrames, sumOf } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { FrameChoice, Hidden } from './flame-graph.ts'
import { DEFAULT_MAX_NODES, MAX_NODES, groupingOf, hiddenIn, limitedTree } from './flame-graph.ts'
import { framesWithRoots } from './stack-roots.ts'
import type { Measured, Missing } from './summed-stacks.ts'
import { sumByStack } from './summed-stacks.ts'

export interface SandwichChoice extends FrameChoice {
  /** The limit for each of the trees. */
  readonly maxNodes?: number
}

export interface SandwichTree extends CallTree {
  readonly hidden: Hidden
}

export interface Sandwich extends Measured {
  /** If several frames match, the one with the greatest total. */
  readonly frame: FrameRow
  /** The sum of everything that the query selects. */
  readonly sum: bigint
  /** The sum of the stacks that contain the frame. */
  readonly total: bigint
  /** Leaf first: the root is the frame, children are its callers. */
  readonly callers: SandwichTree
  /** Root first: the root is the frame, children are its callees. */
  readonly callees: SandwichTree
  readonly overflow: boolean
  /** Stacks with missing names among everything that the query selects. */
  readonly missing: Missing
}

/** Throws QueryError if no stack contains the frame. */
export async function sandwich(
  context: QueryContext,
  query: Query,
  wanted: FunctionName,
  choice: SandwichChoice = {},
): Promise<Sandwich> {
  const { maxNodes = DEFAULT_MAX_NODES } = choice
  checkCount('maxNodes', maxNodes, MAX_NODES)
  const { measured, missing, resident, stacks, sums, sum } = await sumByStack(context, query, choice.roots)
  const current = resident.frames(groupingOf(choice)).current
  const { frames, roots } = framesWithRoots(current, choice.roots ?? [], [sums.roots])
  const paths = new StackPaths(frames, stacks, roots[0])
  const frame = frameNamed(frames, wanted, () => sumFrames(paths, sums))
  const cut = frame === undefined ? undefined : cutStacks(paths, sums, frame)
  if (frame === undefined || cut === undefined || cut.callees.nodes.length === 0) {
    throw new QueryError('not-found', `no stack has a frame named ${JSON.stringify(wanted.name)}`)
  }
  const total = sumOf(cut.callees)
  const limited = (placed: PlacedStacks, order: TreeOrder): SandwichTree => {
    const tree = limitedTree(placed.trie, placed, frames, { order, unit: measured.unit, maxNodes, sum: total })
    return { ...tree, hidden: hiddenIn(tree) }
  }
  const callees = limited(cut.callees, 'root-first')
  const callers = limited(cut.callers, 'leaf-first')
  context.residents.trim()
  return {
    ...measured,
    frame: frames.row(frame),
    sum,
    total,
    callers,
    callees,
    overflow: overflows(callers) || overflows(callees),
    missing,
  }
}
