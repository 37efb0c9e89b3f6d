// The largest nodes of the trie for one side of plain weights, which nearly all queries ask for: passes over arrays that
// are as long as the trie, and nothing made for each node. A million nodes take 10 ms, where telling the met ones apart
// first takes 60.
import { NONE } from '@hearth/profile'
import type { StackTree } from '../resident/frame-paths.ts'
import type { KeptNodes, Side } from './tree-layout.ts'

/** Stacks for each of which this many nodes are passed over: of fewer stacks it is quicker to follow their paths. */
const NODES_A_STACK = 32

/** Whether all nodes are best passed over, and a node that was met has a total above 0. */
export function isPlain(stacks: StackTree, sides: readonly Side[]): boolean {
  const [{ nodes, weight, exact }] = sides
  if (sides.length > 1 || exact !== undefined || nodes.length * NODES_A_STACK < stacks.trie.length) return false
  for (let s = 0; s < weight.length; s++) if (!(weight[s] > 0)) return false
  return true
}

export function keepLargest(stacks: StackTree, side: Side, budget: number): KeptNodes {
  const { length } = stacks.trie
  const { nodes, weight } = side
  const parents = stacks.trie.parents.array
  const total = stacks.totals
  const halves = new Uint32Array(total.buffer, total.byteOffset, 2 * length)
  const counts = new Uint32Array(CLASSES)
  total.fill(0, 0, length)
  for (let s = 0; s < nodes.length; s++) total[nodes[s]] += weight[s]
  // All that is below a node stands behind it, so each total is whole when it is its turn.
  let met = 0
  for (let node = length - 1; node >= 0; node--) {
    const own = total[node]
    if (own === 0) continue
    met++
    counts[halves[2 * node + 1] >>> CLASS_SHIFT]++
    const above = parents[node]
    if (above >= 0) total[above] += own
  }
  const bound = met <= budget ? ALL : leastKept(total, halves, counts, budget)
  return described(stacks, side, bound, Math.min(met, budget), met)
}

/** The upper half of a positive double grows with it; its upper 16 bits tell 16 sizes between powers of two. */
const CLASSES = 2 ** 15
const CLASS_SHIFT = 16

/** What is kept: all above `least`, and of those that are as large the first `equal` ones. */
interface Bound {
  readonly least: number
  readonly equal: number
}

const ALL: Bound = { least: 0, equal: 0 }

function leastKept(total: Float64Array, halves: Uint32Array, counts: Uint32Array, budget: number): Bound {
  let above = 0
  let last = CLASSES - 1
  while (above + counts[last] < budget) above += counts[last--]
  // Those of the class in which the budget ends, sorted: a few thousand, unless many are the same.
  const among = new Float64Array(counts[last])
  for (let node = 0, at = 0; at < among.length; node++) {
    if (halves[2 * node + 1] >>> CLASS_SHIFT === last) among[at++] = total[node]
  }
  among.sort()
  const least = among[among.length - (budget - above)]
  let equal = budget - above
  for (let i = among.length - 1; i >= 0 && among[i] > least; i--) equal--
  return { least, equal }
}

/** In the trie's order, so parents before children. */
function described(
  stacks: StackTree,
  { nodes, weight }: Side,
  { least, equal }: Bound,
  length: number,
  met: number,
): KeptNodes {
  const { trie, totals, scratch: numbers } = stacks
  const parents = trie.parents.array
  const frames = trie.frames.array
  const result = {
    parents: new Int32Array(length),
    frames: new Int32Array(length),
    presence: new Uint8Array(length).fill(1),
    hiddenChildren: new Uint32Array(length),
    hiddenNodes: met - length,
  }
  const { hiddenChildren } = result
  const kept = new Int32Array(length)
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  let [k, left] = [0, equal]
  for (let node = 0; node < trie.length; node++) {
    const own = totals[node]
    const above = parents[node]
    if (own > least || (own === least && left > 0)) {
      if (own === least) left--
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
