// Lays a trie out depth first, siblings in a given order. No recursion and no stack of its own: a node's place follows
// from its parent's place and the sizes of the subtrees of the siblings before it, so stacks may be of any depth.
//
//   index     0    1    2    3         main [0,4)
//   name      main run  gc   idle       ├ run [1,3)
//   parent    NONE 0    1    0          │  └ gc [2,3)
//   depth     0    1    2    1          └ idle [3,4)
//   end       4    3    3    4
//
// Node i's subtree is the range [i, end[i]). So "is b under a" is a <= b && b < end[a].
import { NONE } from '../model/columns/brand.ts'
import type { FrameTrie } from './frame-trie.ts'

export interface TreeShape {
  readonly length: number
  /** NONE for roots. */
  readonly parent: Int32Array
  /** One past the last node of the subtree. */
  readonly end: Uint32Array
  /** 0 for roots. 32 bits, as recursive programs have stacks of more than 65,536 frames. */
  readonly depth: Uint32Array
  /** Row in the frame table. */
  readonly frame: Uint32Array
}

export interface Layout extends TreeShape {
  /** For each node of the trie its index in the tree. */
  readonly place: Int32Array
}

/** `compare` gets two nodes of the trie. */
export function depthFirst(trie: FrameTrie, compare: (a: number, b: number) => number): Layout {
  const { length } = trie
  const sizes = subtreeSizes(trie)
  const place = new Int32Array(length)
  const parent = new Int32Array(length)
  const end = new Uint32Array(length)
  const depth = new Uint32Array(length)
  const frame = new Uint32Array(length)
  const siblings = new Siblings(trie)
  for (let above = NONE; above < length; above++) {
    if (trie.firstChild(above) === NONE) continue
    const under = above === NONE ? NONE : place[above]
    const level = above === NONE ? 0 : depth[under] + 1
    const count = siblings.sorted(above, compare)
    for (let k = 0, at = under + 1; k < count; k++) {
      const node = siblings.nodes[k]
      place[node] = at
      parent[at] = under
      depth[at] = level
      frame[at] = trie.frame(node)
      end[at] = at + sizes[node]
      at = end[at]
    }
  }
  return { length, parent, end, depth, frame, place }
}

/** The children of one node at a time, in a buffer that is used again. */
class Siblings {
  nodes = new Int32Array(64)
  readonly #trie: FrameTrie

  constructor(trie: FrameTrie) {
    this.#trie = trie
  }

  /** Puts the children of a node into `nodes`, in order; returns how many there are. */
  sorted(parent: number, compare: (a: number, b: number) => number): number {
    let count = 0
    for (let node = this.#trie.firstChild(parent); node !== NONE; node = this.#trie.nextSibling(node)) {
      if (count === this.nodes.length) this.#grow()
      this.nodes[count++] = node
    }
    if (count > 12) this.nodes.subarray(0, count).sort(compare)
    else insertionSort(this.nodes, count, compare)
    return count
  }

  #grow(): void {
    const nodes = new Int32Array(this.nodes.length * 2)
    nodes.set(this.nodes)
    this.nodes = nodes
  }
}

/** For a few nodes, as most groups of siblings are, where the built-in sort costs more to call than to run. */
function insertionSort(nodes: Int32Array, count: number, compare: (a: number, b: number) => number): void {
  for (let i = 1; i < count; i++) {
    const node = nodes[i]
    let k = i - 1
    for (; k >= 0 && compare(nodes[k], node) > 0; k--) nodes[k + 1] = nodes[k]
    nodes[k + 1] = node
  }
}

/** Values of trie nodes as values of tree nodes. */
export function placed(values: Float64Array, place: Int32Array): Float64Array {
  const result = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) result[place[i]] = values[i]
  return result
}

export function placedExact(values: BigInt64Array, place: Int32Array): BigInt64Array {
  const result = new BigInt64Array(values.length)
  for (let i = 0; i < values.length; i++) result[place[i]] = values[i]
  return result
}

function subtreeSizes(trie: FrameTrie): Int32Array {
  const sizes = new Int32Array(trie.length).fill(1)
  for (let i = trie.length - 1; i >= 0; i--) {
    const above = trie.parent(i)
    if (above !== NONE) sizes[above] += sizes[i]
  }
  return sizes
}
