// One frame between its callers and its callees. Every stack that contains the frame is cut once, at its outermost occurrence:
// frames above are callers, frames below are callees, and further occurrences of a recursive frame are its own callees. So
// each stack counts once in each tree, and the root of both trees has the frame's total of the top table.
//
//   sandwich of f            callers (leaf first)     callees (root first)
//   4 main run f g           f 7                      f 7        self 1
//   2 main f g f             ├ run 4                  └ g 6      self 4
//   1 main f                 │  └ main 4  self 4         └ f 2   self 2
//   5 main idle              └ main 3     self 3
import type { Profiles } from '../model/columns/profiles.ts'
import type { FrameOptions } from './profile-tree.ts'
import { sumStacks, treeOfStacks } from './profile-tree.ts'
import type { LocationFrames } from './stacks/location-frames.ts'
import type { StackPaths } from './stacks/stack-paths.ts'
import { stackPaths } from './stacks/stack-paths.ts'
import type { ProfileSelection } from './stacks/stack-weights.ts'
import { unitOf } from './stacks/stack-weights.ts'
import type { NodeWeights } from './tree/tree-nodes.ts'
import type { CallTree } from './tree/call-tree.ts'
import type { Weights } from './tree/exact-values.ts'
import { pickDoubles, pickLongs, sumOf } from './tree/exact-values.ts'
import type { FunctionName } from './tree/frame-table.ts'
import { FrameTrie } from './tree/frame-trie.ts'
import type { FrameSums } from './top.ts'
import { sumFrames } from './top.ts'

export interface Sandwich {
  /** Row in the frames of both trees. */
  readonly frame: number
  /** Leaf first: the root is the frame, children are callers. Both trees are empty if no stack contains the frame. */
  readonly callers: CallTree
  /** Root first: the root is the frame, children are callees. */
  readonly callees: CallTree
  /** The sum of all stacks, with or without the frame. */
  readonly sum: bigint
}

/**
 * The frame is its number or its name. If several functions have the name, it is the one with the greatest total. Returns
 * undefined if there is none.
 */
export function sandwich(
  profiles: Profiles,
  selection: ProfileSelection,
  frame: number | string | FunctionName,
  options: FrameOptions = {},
): Sandwich | undefined {
  const { frames, weights } = sumStacks(profiles, selection, options)
  const paths = stackPaths(frames, weights)
  const named = typeof frame === 'string' ? { name: frame } : frame
  const chosen = typeof named === 'number' ? named : frameNamed(frames, named, () => sumFrames(paths, weights))
  if (chosen === undefined) return undefined
  if (!Number.isInteger(chosen) || chosen < 0 || chosen >= frames.length) {
    throw new RangeError(`frame ${chosen} is not one of the ${frames.length} frames`)
  }
  const { callers, callees } = cutStacks(paths, weights, chosen)
  const unit = unitOf(profiles, selection)
  return {
    frame: chosen,
    callers: treeOfStacks(callers.trie, callers, frames, 'leaf-first', unit),
    callees: treeOfStacks(callees.trie, callees, frames, 'root-first', unit),
    sum: sumOf(weights),
  }
}

/** The function of that name, and of that file if it is given, with the greatest total. */
export function frameNamed(
  frames: LocationFrames,
  { name, file }: FunctionName,
  sums: () => FrameSums,
): number | undefined {
  const named = frames.named(name).filter(i => file === undefined || frames.file(i) === file)
  if (named.length < 2) return named[0]
  const { seen, total } = sums()
  const size = (i: number): number => (seen[i] === 0 ? -Infinity : total[i])
  return named.reduce((best, each) => (size(each) > size(best) ? each : best))
}

/** Stacks in a trie, with the nodes in which they end. */
export interface PlacedStacks extends NodeWeights {
  readonly trie: FrameTrie
}

/** Cuts every stack that contains the frame at its outermost occurrence. */
export function cutStacks(
  paths: StackPaths,
  { weight, exact }: Weights,
  frame: number,
): { readonly callers: PlacedStacks; readonly callees: PlacedStacks } {
  const callers = new FrameTrie()
  const callees = new FrameTrie()
  const rows: number[] = []
  const callerNodes: number[] = []
  const calleeNodes: number[] = []
  for (let s = 0; s < weight.length; s++) {
    const length = paths.read(s)
    const at = paths.path.indexOf(frame)
    if (at < 0 || at >= length) continue
    rows.push(s)
    calleeNodes.push(callees.insert(paths.path, at, length))
    paths.reverse(at + 1)
    callerNodes.push(callers.insert(paths.path, 0, at + 1))
  }
  const kept = Int32Array.from(rows)
  const weights = { weight: pickDoubles(weight, kept), exact: exact && pickLongs(exact, kept) }
  return {
    callers: { trie: callers, nodes: Int32Array.from(callerNodes), ...weights },
    callees: { trie: callees, nodes: Int32Array.from(calleeNodes), ...weights },
  }
}
