// The largest nodes of the trie for one side of plain weights, which nearly all questions ask for: passes over arrays that
// are as long as the trie, and nothing made for each node. A million nodes take 10 ms, where telling the met ones apart
// first takes 60.
import { NONE } from '@hearth/profile'
import type { StackTree } from './resident/frame-paths.ts'
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

export function keepLargest(stacks: StackTree, { nodes, weight }: Side, budget: number): KeptNodes {
  const { length } = stacks.trie
  const parents = stacks.trie.parents.array
  const total = stacks.totals
  total.fill(0, 0, length)
  for (let s = 0; s < nodes.length; s++) total[nodes[s]] += weight[s]
  let met = 0
  for (let node = length - 1; node >= 0; node--) {
    const own = total[node]
    if (own === 0) continue
    met++
    const above = parents[node]
    if (above >= 0) total[above] += own
  }
  const kept = met <= budget ? allMet(total, length, met) : largest(total, length, budget)
  return described(stacks, { nodes, weight, exact: undefined }, kept, met)
}

function allMet(total: Float64Array, length: number, met: number): Int32Array {
  const kept = new Int32Array(met)
  for (let node = 0, at = 0; node < length; node++) if (total[node] !== 0) kept[at++] = node
  return kept
}

/** The upper half of a positive double grows with it; its upper 16 bits tell 16 sizes between powers of two. */
const CLASSES = 2 ** 15
const CLASS_SHIFT = 16

/** In the trie's order, so parents before children; of those of the same size the first ones. */
function largest(total: Float64Array, length: number, budget: number): Int32Array {
  const halves = new Uint32Array(total.buffer, total.byteOffset, 2 * length)
  const counts = new Uint32Array(CLASSES)
  for (let node = 0; node < length; node++) counts[halves[2 * node + 1] >>> CLASS_SHIFT]++
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
  const kept = new Int32Array(budget)
  for (let node = 0, at = 0; at < budget; node++) {
    if (total[node] > least || (total[node] === least && equal-- > 0)) kept[at++] = node
  }
  return kept
}

function described(stacks: StackTree, { nodes, weight }: Side, kept: Int32Array, met: number): KeptNodes {
  const { trie, totals, scratch: numbers } = stacks
  const parents = trie.parents.array
  const frames = trie.frames.array
  const { length } = kept
  const result = {
    parents: new Int32Array(length),
    frames: new Int32Array(length),
    presence: new Uint8Array(length).fill(1),
    hiddenChildren: new Uint32Array(length),
    hiddenNodes: met - length,
  }
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  for (let k = 0; k < length; k++) {
    const node = kept[k]
    numbers[node] = k
    const above = parents[node]
    result.parents[k] = above < 0 ? NONE : numbers[above]
    result.frames[k] = frames[node]
    total[k] = totals[node]
  }
  for (let s = 0; s < nodes.length; s++) {
    const k = numbers[nodes[s]]
    if (k !== NONE) self[k] += weight[s]
  }
  if (length < met) {
    for (let node = 0; node < trie.length; node++) {
      const above = parents[node]
      if (above >= 0 && totals[node] !== 0 && numbers[node] === NONE && numbers[above] !== NONE) {
        result.hiddenChildren[numbers[above]]++
      }
    }
  }
  for (let k = 0; k < length; k++) numbers[kept[k]] = NONE
  return { ...result, columns: [{ self, total, selfExact: undefined, totalExact: undefined }] }
}
