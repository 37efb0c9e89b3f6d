// One frame between its callers and its callees. Every stack that holds the frame is cut once, at the frame's outermost
// occurrence: what is above are callers, what is below are callees, and further occurrences of a recursive frame are its
// own callees. So each stack counts once in each tree, and the one root of both has the frame's total of the top table.
//
//   sandwich of f            callers (leaf first)     callees (root first)
//   4 main run f g           f 7                      f 7        self 1
//   2 main f g f             ├ run 4                  └ g 6      self 4
//   1 main f                 │  └ main 4  self 4         └ f 2   self 2
//   5 main idle              └ main 3     self 3
import type { Profiles } from '../model/columns/profiles.ts'
import type { CallTree, FrameOptions } from './call-tree.ts'
import { treeOf, weighStacks } from './call-tree.ts'
import { FrameTrie } from './frame-trie.ts'
import type { FrameTable } from './frames.ts'
import { StackPaths } from './stack-paths.ts'
import type { ProfileSelection, StackWeights } from './stack-weights.ts'
import { topTable } from './top.ts'

export interface Sandwich {
  readonly frame: number
  readonly frames: FrameTable
  /** Leaf first: the root is the frame, children are callers. Empty, as the other one, where no stack holds the frame. */
  readonly callers: CallTree
  /** Root first: the root is the frame, children are callees. */
  readonly callees: CallTree
}

/**
 * The frame is given by its row in the frame table or by name. Where several frames have that name (functions in different
 * files) it is the one with the greatest total; where none has, there is no sandwich.
 */
export function sandwich(
  profiles: Profiles,
  selection: ProfileSelection,
  frame: number | string,
  options: FrameOptions = {},
): Sandwich | undefined {
  const { frames, weights } = weighStacks(profiles, selection, options)
  const chosen = typeof frame === 'number' ? frame : frameNamed(profiles, selection, frame, frames)
  if (chosen === undefined) return undefined
  if (!Number.isInteger(chosen) || chosen < 0 || chosen >= frames.length) {
    throw new RangeError(`frame ${chosen} is not one of the ${frames.length} frames`)
  }
  const callers = new FrameTrie()
  const callees = new FrameTrie()
  const held = new Int32Array(weights.stacks.length)
  const callerNodes = new Int32Array(weights.stacks.length)
  const calleeNodes = new Int32Array(weights.stacks.length)
  const paths = new StackPaths(frames, weights.rooted)
  let count = 0
  for (let s = 0; s < weights.stacks.length; s++) {
    const length = paths.read(weights.stacks[s])
    const at = indexIn(paths.path, length, chosen)
    if (at === length) continue
    held[count] = s
    calleeNodes[count] = callees.insert(paths.path, at, length)
    paths.reverse(at + 1)
    callerNodes[count] = callers.insert(paths.path, 0, at + 1)
    count++
  }
  const part = picked(weights, held.subarray(0, count))
  return {
    frame: chosen,
    frames,
    callers: treeOf(callers, callerNodes.subarray(0, count), part, frames, 'leaf-first'),
    callees: treeOf(callees, calleeNodes.subarray(0, count), part, frames, 'root-first'),
  }
}

function frameNamed(
  profiles: Profiles,
  selection: ProfileSelection,
  name: string,
  frames: FrameTable,
): number | undefined {
  const named = frames.named(name)
  if (named.length < 2) return named[0]
  const top = topTable(profiles, selection, { frames })
  let best: number | undefined
  let greatest = -Infinity
  for (let i = 0; i < top.length; i++) {
    if (top.total[i] > greatest && named.includes(top.frame[i])) {
      best = top.frame[i]
      greatest = top.total[i]
    }
  }
  return best ?? named[0]
}

/** Where the frame comes first in the path; `length` where it does not. */
function indexIn(path: Int32Array, length: number, frame: number): number {
  let at = 0
  while (at < length && path[at] !== frame) at++
  return at
}

function picked({ stacks, weight, exact, magnitude, rooted }: StackWeights, rows: Int32Array): StackWeights {
  return {
    stacks: rows.map(row => stacks[row]),
    weight: Float64Array.from(rows, row => weight[row]),
    exact: exact && BigInt64Array.from(Array.from(rows, row => exact[row])),
    magnitude,
    rooted,
  }
}
