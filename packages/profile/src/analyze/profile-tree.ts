// The call tree of a profile, which flame graphs and tree views show.
//
//   samples           3 main run gc      name     main run  gc   idle
//                     2 main run         self     0    2    3    1
//                     1 main idle        total    6    5    3    1
import type { Profiles } from '../model/columns/profiles.ts'
import type { SnapshotMode } from '../model/temporality/gauge-types.ts'
import type { GroupBy, LocationFrames } from './stacks/location-frames.ts'
import { locationFrames } from './stacks/location-frames.ts'
import { RootFrames } from './stacks/root-frames.ts'
import { stackPaths } from './stacks/stack-paths.ts'
import type { ProfileSelection, StackWeights } from './stacks/stack-weights.ts'
import { stackWeights, unitOf } from './stacks/stack-weights.ts'
import { buildTree } from './tree/build-tree.ts'
import type { CallTree, TreeOrder } from './tree/call-tree.ts'
import { treeOfBuilt } from './tree/call-tree.ts'
import { sumOf } from './tree/exact-values.ts'
import { FrameTrie } from './tree/frame-trie.ts'

export interface FrameOptions {
  /** Default: 'function'. */
  readonly by?: GroupBy
  /** Whether inlined calls have their own frames. Default: true. */
  readonly inlined?: boolean
  /** Whether frames without a name are distinguished by address; see Grouping. Default: false. */
  readonly addresses?: boolean
  /** A frame table of the same dictionary, if the caller has one. It replaces `by`, `inlined` and `addresses`. */
  readonly frames?: LocationFrames
  /**
   * Attributes whose values become frames at the root of the stacks, outermost first: `thread.name`, `resource:host.name`.
   * See rooted-stacks.ts.
   */
  readonly roots?: readonly string[]
  /** How snapshots of a state, such as the live heap, are combined over time for each instance. Default: 'average'. */
  readonly snapshots?: SnapshotMode
}

export interface CallTreeOptions extends FrameOptions {
  /** Default: 'root-first'. */
  readonly order?: TreeOrder
}

/** Throws RangeError if a selected profile does not exist or the selected profiles cannot be added up. */
export function callTree(profiles: Profiles, selection: ProfileSelection, options: CallTreeOptions = {}): CallTree {
  const { frames, weights } = sumStacks(profiles, selection, options)
  const { order = 'root-first' } = options
  const trie = new FrameTrie()
  const nodes = stackPaths(frames, weights).insertAll(trie, order)
  return treeOfStacks(trie, { nodes, ...weights }, frames, order, unitOf(profiles, selection))
}

/** The tree of one side of stacks, with all nodes. */
export function treeOfStacks(
  trie: FrameTrie,
  { nodes, weight, exact }: Pick<StackWeights, 'weight' | 'exact'> & { readonly nodes: Int32Array },
  frames: LocationFrames,
  order: TreeOrder,
  unit: string,
): CallTree {
  const ranks = frames.ranks()
  const built = buildTree(trie, [{ nodes, weight, exact }], { compareFrames: (a, b) => ranks[a] - ranks[b] })
  return treeOfBuilt(built, { frames: frames.table, order, unit, sums: [sumOf({ weight, exact })] })
}

/** The sum of each stack. Throws RangeError like callTree. */
export function sumStacks(
  profiles: Profiles,
  selection: ProfileSelection,
  options: FrameOptions,
): { readonly frames: LocationFrames; readonly weights: StackWeights } {
  const frames = framesFor(profiles, options)
  const { snapshots } = options
  if (options.roots === undefined) return { frames, weights: stackWeights(profiles, selection, { snapshots }) }
  const roots = new RootFrames(options.roots, frames.functions)
  const weights = stackWeights(profiles, selection, { roots, snapshots })
  return { frames: frames.withRoots(roots.list), weights }
}

export function framesFor(profiles: Profiles, options: FrameOptions): LocationFrames {
  const { frames } = options
  if (frames === undefined) {
    const { by = 'function', inlined = true, addresses = false } = options
    return locationFrames(profiles.dictionary, { by, inlined, addresses })
  }
  if (frames.dictionary !== profiles.dictionary) throw new RangeError('the frame table belongs to another dictionary')
  return frames
}
