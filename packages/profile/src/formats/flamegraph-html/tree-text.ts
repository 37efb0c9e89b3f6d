// A call tree as one text for the page: for each node in depth-first order the levels to go up from the previous node, its
// frame, and its self value. Ends, parents and totals follow from these.
//
//   all             up     -  0    0   0     1        the first node is `all`, the parent of the roots
//    └ main         frame  0  2    3   4     5        0 is `all`, 1 stands for hidden calls, then the profile's frames
//       ├ run       self   0  0    2   3     1
//       │  └ gc
//       └ idle
import type { CallTree } from '../../analyze/tree/call-tree.ts'
import { exactSelf, exactTotal } from '../../analyze/tree/exact-values.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Largest } from './largest-nodes.ts'
import { VarintText } from './varint-text.ts'

export const ALL_FRAME = 0
export const HIDDEN_FRAME = 1

export interface TreeText {
  readonly text: string
  readonly nodes: number
}

/** `pageFrame` returns the number of a frame in the page. */
export function treeText(tree: CallTree, { kept }: Largest, pageFrame: (frame: number) => number): TreeText {
  const out = new VarintText()
  let nodes = 0
  let depthBefore = -1
  const write = (depth: number, frame: number, self: bigint): void => {
    out.number(depthBefore + 1 - depth)
    out.number(frame)
    out.signed(self)
    depthBefore = depth
    nodes++
  }
  // The nodes on the path to the current node, each with the self values of its dropped children.
  const open: number[] = [NONE]
  const dropped: bigint[] = [0n]
  const closeTo = (depth: number): void => {
    while (open.length > depth) {
      open.pop()
      const value = dropped.pop()!
      if (value !== 0n) write(open.length + 1, HIDDEN_FRAME, value)
    }
  }
  write(0, ALL_FRAME, 0n)
  for (let i = 0; i < tree.length;) {
    closeTo(tree.depth[i] + 1)
    if (kept[i] === 0) {
      dropped[dropped.length - 1] += exactTotal(tree, i)
      i = tree.end[i]
      continue
    }
    write(tree.depth[i] + 1, pageFrame(tree.frame[i]), exactSelf(tree, i))
    open.push(i)
    dropped.push(0n)
    i++
  }
  closeTo(0)
  return { text: out.text(), nodes }
}
