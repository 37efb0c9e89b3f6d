// The call tree of one entry of a ledger: exactly the stacks of its time.
import { buildTree } from '../tree/build-tree.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { treeOfBuilt } from '../tree/call-tree.ts'
import { compareFrames } from '../tree/frame-table.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import { FrameTrie } from '../tree/frame-trie.ts'

export interface SliceStacks {
  /** Nodes of stacks, every parent before its children: the parent of each (-1 for roots), and its row in `frames`. */
  readonly parent: ArrayLike<number>
  readonly frame: ArrayLike<number>
  readonly frames: FrameTable
}

/** `nodes` are where stacks end, with the nanoseconds of each. Times must be below 2^53. */
export function sliceTree(stacks: SliceStacks, nodes: readonly number[], nanos: readonly bigint[]): CallTree {
  const trie = new FrameTrie()
  for (let node = 0; node < stacks.parent.length; node++) {
    trie.parents.push(stacks.parent[node])
    trie.frames.push(stacks.frame[node])
  }
  const weight = Float64Array.from(nanos, Number)
  const side = { nodes: Int32Array.from(nodes), weight, exact: undefined }
  const built = buildTree(trie, [side], { compareFrames: (a, b) => compareFrames(stacks.frames, a, b) })
  const sums = [nanos.reduce((sum, each) => sum + each, 0n)]
  return treeOfBuilt(built, { frames: stacks.frames, order: 'root-first', unit: 'ns', sums })
}
