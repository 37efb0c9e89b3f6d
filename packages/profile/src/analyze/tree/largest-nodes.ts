// The largest nodes of a trie for the usual case: one side of positive weights that doubles hold exactly. It makes passes
// over arrays that are as long as the trie and allocates nothing per node. A million nodes take 10 ms; collecting the
// reached nodes first takes 60 ms.
import { NONE } from '../../model/columns/brand.ts'
import type { KeptNodes, NodeWeights, Side } from './tree-nodes.ts'
import type { FrameTrie } from './frame-trie.ts'

/** With fewer than one stack per this many nodes, it is faster to follow the paths of the stacks. */
const NODES_PER_STACK = 32

/** Whether a pass over all nodes is the fastest way, and every reached node has a total above 0. */
export function isPlain(trie: FrameTrie, sides: readonly Side[]): boolean {
  const [{ nodes, weight, exact, hidden }] = sides
  if (sides.length > 1 || exact !== undefined || hidden !== undefined) return false
  if (nodes.length * NODES_PER_STACK < trie.length) return false
  for (let s = 0; s < weight.length; s++) if (!(weight[s] > 0) || nodes[s] < 0) return false
  return true
}

export function keepLargest(trie: FrameTrie, side: NodeWeights, maxNodes: number): KeptNodes {
  const { length } = trie
  const { nodes, weight } = side
  const parents = trie.parents.array
  const total = trie.totals
  const halves = new Uint32Array(total.buffer, total.byteOffset, 2 * length)
  const counts = new Uint32Array(CLASSES)
  total.fill(0, 0, length)
  for (let s = 0; s < nodes.length; s++) total[nodes[s]] += weight[s]
  // All nodes below a node come after it, so each total is complete when its turn comes.
  let reached = 0
  for (let node = length - 1; node >= 0; node--) {
    const own = total[node]
    if (own === 0) continue
    reached++
    counts[halves[2 * node + 1] >>> CLASS_SHIFT]++
    const above = parents[node]
    if (above >= 0) total[above] += own
  }
  const bound = reached <= maxNodes ? ALL : boundFor(total, halves, counts, maxNodes)
  return keptNodes(trie, side, bound, Math.min(reached, maxNodes), reached)
}

/** The upper half of a positive double grows with it. Its upper 16 bits distinguish 16 sizes between powers of two. */
const CLASSES = 2 ** 15
const CLASS_SHIFT = 16

/** Nodes above `smallest` stay, and the first `equal` nodes of exactly that size. */
interface Bound {
  readonly smallest: number
  readonly equal: number
}

const ALL: Bound = { smallest: 0, equal: 0 }

function boundFor(total: Float64Array, halves: Uint32Array, counts: Uint32Array, maxNodes: number): Bound {
  let above = 0
  let last = CLASSES - 1
  while (above + counts[last] < maxNodes) above += counts[last--]
  // Sorts the class in which the limit falls: a few thousand nodes, unless many have the same size.
  const candidates = new Float64Array(counts[last])
  for (let node = 0, at = 0; at < candidates.length; node++) {
    if (halves[2 * node + 1] >>> CLASS_SHIFT === last) candidates[at++] = total[node]
  }
  candidates.sort()
  const smallest = candidates[candidates.length - (maxNodes - above)]
  let equal = maxNodes - above
  for (let i = candidates.length - 1; i >= 0 && candidates[i] > smallest; i--) equal--
  return { smallest, equal }
}

/** In the trie's order, so parents before children. */
function keptNodes(
  trie: FrameTrie,
  { nodes, weight }: NodeWeights,
  { smallest, equal }: Bound,
  length: number,
  reached: number,
): KeptNodes {
  const { totals, scratch: numbers } = trie
  const parents = trie.parents.array
  const frames = trie.frames.array
  const result = {
    parents: new Int32Array(length),
    frames: new Int32Array(length),
    presence: new Uint8Array(length).fill(1),
    hiddenChildren: new Uint32Array(length),
    hiddenNodes: reached - length,
  }
  const { hiddenChildren } = result
  const kept = new Int32Array(length)
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  let [k, left] = [0, equal]
  for (let node = 0; node < trie.length; node++) {
    const own = totals[node]
    const above = parents[node]
    if (own > smallest || (own === smallest && left > 0)) {
      if (own === smallest) left--
      kept[k] = node
      numbers[node] = k
      result.parents[k] = above < 0 ? NONE : numbers[above]
      result.frames[k] = frames[node]
      total[k++] = own
    } else if (own !== 0 && above >= 0) {
      const under = numbers[above]
      if (under !== NONE) hiddenChildren[under]++
    }
  }
  for (let s = 0; s < nodes.length; s++) {
    const at = numbers[nodes[s]]
    if (at !== NONE) self[at] += weight[s]
  }
  for (let at = 0; at < length; at++) numbers[kept[at]] = NONE
  return { ...result, columns: [{ self, total, selfExact: undefined, totalExact: undefined }] }
}
