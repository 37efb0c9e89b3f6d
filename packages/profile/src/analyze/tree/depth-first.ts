// Lays nodes out depth first. It needs no recursion and no stack, so call stacks may have any depth: a node's place follows
// from its parent's place and the subtree sizes of the siblings before it.
//
//   index     0    1    2    3         main [0,4)
//   name      main run  gc   idle       ├ run [1,3)
//   parent    NONE 0    1    0          │  └ gc [2,3)
//   depth     0    1    2    1          └ idle [3,4)
//   end       4    3    3    4
//
// Node i's subtree is the range [i, end[i]). So "is b under a" is a <= b && b < end[a].
import { NONE } from '../../model/columns/brand.ts'

export interface TreeShape {
  readonly length: number
  /** NONE for roots. */
  readonly parent: Int32Array
  /** One past the last node of the subtree. */
  readonly end: Uint32Array
  /** 0 for roots. 32 bits, because recursive programs have stacks of more than 65,536 frames. */
  readonly depth: Uint32Array
  /** Row in the frame table. */
  readonly frame: Uint32Array
}

export interface DepthFirst extends TreeShape {
  /** The place of each input node in the tree. */
  readonly place: Int32Array
}

/** Input nodes are numbered so that parents come before their children. `compare` orders two siblings. */
export function depthFirst(
  parents: Int32Array,
  frames: ArrayLike<number>,
  compare: (a: number, b: number) => number,
): DepthFirst {
  const { length } = parents
  const size = new Int32Array(length).fill(1)
  // Siblings are grouped by a counting sort. The children of node k start at starts[k + 1], the roots at starts[0].
  const starts = new Int32Array(length + 2)
  for (let k = length - 1; k >= 0; k--) {
    const above = parents[k]
    if (above !== NONE) size[above] += size[k]
    starts[above + 2]++
  }
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1]
  const members = new Int32Array(length)
  const next = starts.slice()
  for (let k = 0; k < length; k++) members[next[parents[k] + 1]++] = k
  const place = new Int32Array(length)
  const parent = new Int32Array(length)
  const end = new Uint32Array(length)
  const depth = new Uint32Array(length)
  const frame = new Uint32Array(length)
  for (let above = NONE; above < length; above++) {
    const from = starts[above + 1]
    const to = starts[above + 2]
    if (from === to) continue
    if (to - from > 1) sortRange(members, from, to, compare)
    const under = above === NONE ? NONE : place[above]
    const level = above === NONE ? 0 : depth[under] + 1
    for (let k = from, at = under + 1; k < to; k++) {
      const node = members[k]
      place[node] = at
      parent[at] = under
      depth[at] = level
      frame[at] = frames[node]
      end[at] = at + size[node]
      at = end[at]
    }
  }
  return { length, parent, end, depth, frame, place }
}

/** Most groups of siblings are small, and calling the built-in sort costs more than sorting them. */
const SMALL_GROUP = 12

function sortRange(nodes: Int32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  if (to - from > SMALL_GROUP) {
    nodes.subarray(from, to).sort(compare)
    return
  }
  for (let i = from + 1; i < to; i++) {
    const node = nodes[i]
    let k = i - 1
    for (; k >= from && compare(nodes[k], node) > 0; k--) nodes[k + 1] = nodes[k]
    nodes[k + 1] = node
  }
}
