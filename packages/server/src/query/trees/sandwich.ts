// One frame between its callers and its callees. Every stack that holds the frame is cut once, at the frame's outermost
// occurrence: what is above are callers, what is below are callees, and further occurrences of a recursive frame are its own
// callees. So each stack counts once in each tree.
import type { FrameTable, ValueColumns } from '@hearth/profile'
import type { AnswerFrame } from './answer-frames.ts'
import { answerFrame, answerFrames } from './answer-frames.ts'
import type { FrameChoice, Hidden, TreeColumns } from './flame-graph.ts'
import { DEFAULT_MAX_NODES, MOST_NODES, groupingOf, sumOfSelves, treeColumns } from './flame-graph.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { checkCount } from '../query.ts'
import type { FramePaths } from '../resident/frame-paths.ts'
import { StackTree } from '../resident/frame-paths.ts'
import type { RootsOf } from './stack-roots.ts'
import { framesWithRoots } from './stack-roots.ts'
import { sumFrames } from './top.ts'
import { layTree } from './tree-layout.ts'
import type { QueryContext } from '../query-context.ts'
import type { Measured, Missing, Weighed } from './summed-stacks.ts'
import { overflows, sumOf, weigh } from './summed-stacks.ts'

/** The frame by its name; by its file too where several have that name. */
export interface FrameName {
  readonly name: string
  readonly file?: string
}

export interface SandwichChoice extends FrameChoice {
  /** How many nodes each of the trees has at the most. */
  readonly maxNodes?: number
}

export interface SandwichTree extends TreeColumns, ValueColumns {
  readonly hidden: Hidden
}

export interface Sandwich extends Measured {
  /** Of several frames that fit, the one with the greatest total. */
  readonly frame: AnswerFrame
  /** The sum of everything that was selected. */
  readonly sum: bigint
  /** The sum of the stacks that hold the frame. */
  readonly total: bigint
  /** Leaf first: the root is the frame, children are its callers. */
  readonly callers: SandwichTree
  /** Root first: the root is the frame, children are its callees. */
  readonly callees: SandwichTree
  readonly overflow: boolean
  /** Of everything that was selected. */
  readonly missing: Missing
}

/** Throws QueryError where no stack has such a frame. */
export async function sandwich(
  context: QueryContext,
  query: Query,
  wanted: FrameName,
  choice: SandwichChoice = {},
): Promise<Sandwich> {
  const { maxNodes = DEFAULT_MAX_NODES } = choice
  checkCount('maxNodes', maxNodes, MOST_NODES)
  const weighed = await weigh(context, query, choice.roots)
  const paths = weighed.resident.paths(groupingOf(choice))
  const { frames, roots } = framesWithRoots(paths.frames, choice.roots ?? [], [weighed.sums.roots])
  const frame = greatestNamed(paths, frames, weighed, roots[0], wanted)
  const cut = cutAt(paths, frames, weighed.stacks, roots[0], frame)
  const held = Int32Array.from(cut.held)
  const { weight, exact } = weighed.sums
  const part = {
    weight: Float64Array.from(held, s => weight[s]),
    exact: exact && BigInt64Array.from(Array.from(held, s => exact[s])),
  }
  const total = sumOf(part)
  const lay = (tree: StackTree, nodes: readonly number[]): SandwichTree => {
    const side = { nodes: Int32Array.from(nodes), ...part }
    const laid = layTree(tree, [side], { budget: maxNodes, compareFrames: (a, b) => frames.compare(a, b) })
    const [columns] = laid.columns
    const hidden = { nodes: laid.hiddenNodes, self: total - sumOfSelves(columns) }
    return { ...treeColumns(laid), ...answerFrames(frames, laid.frame), ...columns, hidden }
  }
  const callees = lay(cut.callees, cut.calleeNodes)
  const callers = lay(cut.callers, cut.callerNodes)
  context.residents.trim()
  return {
    ...weighed.measured,
    frame: answerFrame(frames, frame),
    sum: weighed.sum,
    total,
    callers,
    callees,
    overflow: overflows(callers) || overflows(callees),
    missing: weighed.missing,
  }
}

function greatestNamed(
  paths: FramePaths,
  frames: FrameTable,
  { stacks, sums }: Weighed,
  roots: RootsOf,
  wanted: FrameName,
): number {
  const { total, seen } = sumFrames(paths, frames, stacks, sums, roots)
  let best: number | undefined
  for (const frame of seen) {
    if (frame >= frames.functions || frames.name(frame) !== wanted.name) continue
    if (wanted.file !== undefined && frames.file(frame) !== wanted.file) continue
    if (best === undefined || total[frame] > total[best]) best = frame
  }
  if (best === undefined) throw new QueryError('not-found', `no stack has a frame named ${JSON.stringify(wanted.name)}`)
  return best
}

interface Cut {
  /** Places of the stacks that hold the frame. */
  readonly held: readonly number[]
  readonly callers: StackTree
  readonly callerNodes: readonly number[]
  readonly callees: StackTree
  readonly calleeNodes: readonly number[]
}

function cutAt(paths: FramePaths, frames: FrameTable, stacks: Int32Array, roots: RootsOf, frame: number): Cut {
  const callers = new StackTree()
  const callees = new StackTree()
  const held: number[] = []
  const callerNodes: number[] = []
  const calleeNodes: number[] = []
  for (let s = 0; s < stacks.length; s++) {
    const length = paths.read(stacks[s], frames, roots(s))
    const at = paths.path.indexOf(frame)
    if (at < 0 || at >= length) continue
    held.push(s)
    calleeNodes.push(callees.trie.insert(paths.path, at, length))
    paths.reverse(at + 1)
    callerNodes.push(callers.trie.insert(paths.path, 0, at + 1))
  }
  return { held, callers, callerNodes, callees, calleeNodes }
}
