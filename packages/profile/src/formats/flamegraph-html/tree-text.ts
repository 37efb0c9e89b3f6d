// A call tree as one text for the page: for each node in depth-first order how far to go up from the node before, its
// frame, and its self value. Ends, parents and totals follow from these.
//
//   all             up     -  0    0   0     1        the first node is `all`, of which the roots are children
//    └ main         frame  0  2    3   4     5        0 is `all`, 1 stands for what was left out, then the profile's frames
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

/** `pageFrame` numbers a frame of the table as the page does. */
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
  // The nodes of the path to where we are, and for each what its dropped children held.
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
