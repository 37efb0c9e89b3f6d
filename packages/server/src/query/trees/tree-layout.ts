// From sums of stacks to a tree that can be drawn: sums go up the resident trie in one backward pass, the largest nodes stay
// within the budget, and those are laid out depth first (see CallTree: node i's subtree is the range [i, end[i])).
//
//   budget 3       main 6 ─┬ run 5 ── gc 3           main 6 ── run 5 ── gc 3
//                          └ idle 1           ──►    hidden: 1 node, 1 of the sum, and it was below main
//
// A node is never larger than its parent, so the largest ones hang together. Where values may be negative a node's size is
// the sum of magnitudes below it, for which that holds all the same.
import type { ValueColumns } from '@hearth/profile'
import { NONE, exactSelf, exactTotal } from '@hearth/profile'
import { isPlain, keepLargest } from './largest-nodes.ts'
import { GrowingInts } from '../resident/growing-ints.ts'
import type { StackTree } from '../resident/frame-paths.ts'

/** Weights of stacks, by the nodes in which they end. */
export interface Side {
  readonly nodes: Int32Array
  readonly weight: Float64Array
  /** Modulo 2^64; undefined where doubles are exact. In all sides or in none. */
  readonly exact: BigInt64Array | undefined
}

export interface LaidTree {
  readonly length: number
  /** NONE for roots. */
  readonly parent: Int32Array
  readonly end: Uint32Array
  readonly depth: Uint32Array
  /** Row in the frame table. */
  readonly frame: Uint32Array
  /** Of each side. */
  readonly columns: readonly ValueColumns[]
  /** For each node bits of the sides in which it is: 1 for the first, 2 for the second. */
  readonly presence: Uint8Array
  /** How many nodes the budget left out. */
  readonly hiddenNodes: number
  /** For each node how many of its children are left out. */
  readonly hiddenChildren: Uint32Array
}

export interface LayOptions {
  /** How many nodes at the most. */
  readonly budget: number
  readonly compareFrames: (a: number, b: number) => number
}

/** Siblings are ordered by the greatest magnitude of their totals, then by frame. With one side, by its total. */
export function layTree(stacks: StackTree, sides: readonly Side[], options: LayOptions): LaidTree {
  if (isPlain(stacks, sides)) return layOut(keepLargest(stacks, sides[0], options.budget), options)
  const met = new MetNodes(stacks, sides)
  const sums = sides.map(side => met.sum(side))
  return layOut(keptOf(met, sums, met.largest(sums, options.budget)), options)
}

/** The nodes that stay, numbered so that parents come before their children. */
export interface KeptNodes {
  /** NONE for roots. */
  readonly parents: Int32Array
  readonly frames: Int32Array
  readonly presence: Uint8Array
  readonly hiddenChildren: Uint32Array
  /** Of each side. */
  readonly columns: readonly ValueColumns[]
  readonly hiddenNodes: number
}

/**
 * The nodes of the trie that are on the paths of the stacks, in the trie's order: parents before children. There may be a
 * million, of which the budget keeps few: what is done here for all of them is done in plain loops.
 */
class MetNodes {
  readonly length: number
  /** By slot: slots of parents are lower. NONE for roots. */
  readonly parent: Int32Array
  readonly frame: Int32Array
  readonly presence: Uint8Array
  /** Slots in which the stacks of each side end. */
  readonly #ends: ReadonlyMap<Side, Int32Array>

  constructor(stacks: StackTree, sides: readonly Side[]) {
    const parents = stacks.trie.parents.array
    const frames = stacks.trie.frames.array
    const slots = stacks.scratch
    const met = meet(stacks, sides, slots)
    const { length } = met
    const parent = new Int32Array(length)
    const frame = new Int32Array(length)
    for (let slot = 0; slot < length; slot++) {
      const node = met[slot]
      slots[node] = slot
      const above = parents[node]
      parent[slot] = above < 0 ? NONE : slots[above]
      frame[slot] = frames[node]
    }
    this.length = length
    this.parent = parent
    this.frame = frame
    this.#ends = new Map(sides.map(side => [side, side.nodes.map(node => slots[node])]))
    for (let slot = 0; slot < length; slot++) slots[met[slot]] = NONE
    this.presence = sides.length === 1 ? new Uint8Array(length).fill(1) : this.#present(sides)
  }

  #present(sides: readonly Side[]): Uint8Array {
    const { parent } = this
    const presence = new Uint8Array(this.length)
    for (const [i, side] of sides.entries()) for (const slot of this.#ends.get(side)!) presence[slot] |= 1 << i
    for (let slot = this.length - 1; slot >= 0; slot--) {
      if (parent[slot] !== NONE) presence[parent[slot]] |= presence[slot]
    }
    return presence
  }

  /** Self and total of every node. */
  sum(side: Side): ValueColumns {
    const { parent, length } = this
    const { weight, exact } = side
    const ends = this.#ends.get(side)!
    const self = new Float64Array(length)
    for (let s = 0; s < ends.length; s++) self[ends[s]] += weight[s]
    const total = self.slice()
    sumUp(total, parent)
    if (exact === undefined) return { self, total, selfExact: undefined, totalExact: undefined }
    const selfExact = new BigInt64Array(length)
    for (let s = 0; s < ends.length; s++) selfExact[ends[s]] = BigInt.asIntN(64, selfExact[ends[s]] + exact[s])
    const totalExact = selfExact.slice()
    for (let slot = length - 1; slot >= 0; slot--) {
      const above = parent[slot]
      if (above !== NONE) totalExact[above] = BigInt.asIntN(64, totalExact[above] + totalExact[slot])
    }
    return settled({ self, total, selfExact, totalExact })
  }

  /** The slots of the largest nodes, in order. */
  largest(sums: readonly ValueColumns[], budget: number): Int32Array {
    if (this.length <= budget) return Int32Array.from({ length: this.length }, (_, slot) => slot)
    const size = this.#sizes(sums)
    const least = nthLargest(size, budget)
    let above = 0
    for (let slot = 0; slot < size.length; slot++) if (size[slot] > least) above++
    // Of those of the same size the first ones: parents come before their children.
    const kept = new Int32Array(budget)
    for (let slot = 0, at = 0, equal = budget - above; at < budget; slot++) {
      if (size[slot] > least || (size[slot] === least && equal-- > 0)) kept[at++] = slot
    }
    return kept
  }

  /** What no node has more of than its parent. */
  #sizes(sums: readonly ValueColumns[]): Float64Array {
    if (sums.length === 1 && !sums[0].self.some(self => self < 0)) return sums[0].total
    const size = new Float64Array(this.length)
    for (const { self } of sums) for (let slot = 0; slot < size.length; slot++) size[slot] += Math.abs(self[slot])
    sumUp(size, this.parent)
    return size
  }
}

/** Adds every node's value to its parent's, from the last one on. */
function sumUp(values: Float64Array, parent: Int32Array): void {
  for (let slot = values.length - 1; slot >= 0; slot--) {
    const above = parent[slot]
    if (above !== NONE) values[above] += values[slot]
  }
}

/** Marks the nodes on all paths; returns them in order. */
function meet(stacks: StackTree, sides: readonly Side[], marks: Int32Array): Int32Array {
  const parents = stacks.trie.parents.array
  const met = new GrowingInts()
  for (const { nodes } of sides) {
    for (let s = 0; s < nodes.length; s++) {
      for (let node = nodes[s]; node >= 0 && marks[node] === NONE; node = parents[node]) {
        marks[node] = 0
        met.push(node)
      }
    }
  }
  const list = met.array.subarray(0, met.length)
  // Sorting a tenth of a million takes longer than looking through a million.
  if (list.length * 10 < stacks.trie.length) return list.sort()
  for (let node = 0, at = 0; at < list.length; node++) if (marks[node] !== NONE) list[at++] = node
  return list
}

/** Doubles that carry rounding errors of their additions become the doubles nearest to the exact sums. */
function settled(columns: ValueColumns): ValueColumns {
  const { self, total } = columns
  for (let i = 0; i < self.length; i++) {
    self[i] = Number(exactSelf(columns, i))
    total[i] = Number(exactTotal(columns, i))
  }
  return columns
}

/** Quickselect: 4 ms for 400,000 numbers, of which sorting takes 40. */
export function nthLargest(values: Float64Array, n: number): number {
  const list = values.slice()
  const target = list.length - n
  let [from, to] = [0, list.length - 1]
  while (from < to) {
    const pivot = list[(from + to) >>> 1]
    let [i, j] = [from, to]
    while (i <= j) {
      while (list[i] < pivot) i++
      while (list[j] > pivot) j--
      if (i > j) break
      const value = list[i]
      list[i++] = list[j]
      list[j--] = value
    }
    if (target <= j) to = j
    else if (target >= i) from = i
    else break
  }
  return list[target]
}

function keptOf(met: MetNodes, sums: readonly ValueColumns[], kept: Int32Array): KeptNodes {
  const { length } = kept
  // By slot the number among the kept ones, from 1 on; 0 for those that are left out.
  const numbers = new Int32Array(met.length)
  for (let k = 0; k < length; k++) numbers[kept[k]] = k + 1
  const hiddenChildren = new Uint32Array(length)
  if (length < met.length) {
    for (let slot = 0; slot < met.length; slot++) {
      const above = met.parent[slot]
      if (numbers[slot] === 0 && above !== NONE && numbers[above] !== 0) hiddenChildren[numbers[above] - 1]++
    }
  }
  return {
    parents: kept.map(slot => (met.parent[slot] === NONE ? NONE : numbers[met.parent[slot]] - 1)),
    frames: kept.map(slot => met.frame[slot]),
    presence: Uint8Array.from(kept, slot => met.presence[slot]),
    hiddenChildren,
    columns: sums.map(each => picked(each, kept)),
    hiddenNodes: met.length - length,
  }
}

function layOut(kept: KeptNodes, options: LayOptions): LaidTree {
  const { parents, frames, columns } = kept
  const { length } = parents
  const compare = orderOf(columns, frames, options)
  const place = placesOf(parents, compare)
  const tree = {
    parent: new Int32Array(length),
    end: new Uint32Array(length),
    depth: new Uint32Array(length),
    frame: new Uint32Array(length),
    presence: new Uint8Array(length),
    hiddenChildren: new Uint32Array(length),
  }
  for (let k = 0; k < length; k++) {
    const at = place[k]
    const under = parents[k] === NONE ? NONE : place[parents[k]]
    tree.parent[at] = under
    tree.depth[at] = under === NONE ? 0 : tree.depth[under] + 1
    tree.frame[at] = frames[k]
    tree.presence[at] = kept.presence[k]
    tree.hiddenChildren[at] = kept.hiddenChildren[k]
  }
  for (let at = length - 1; at >= 0; at--) {
    tree.end[at] = Math.max(tree.end[at], at + 1)
    const under = tree.parent[at]
    if (under !== NONE) tree.end[under] = Math.max(tree.end[under], tree.end[at])
  }
  const placed = columns.map(each => picked(each, inverse(place)))
  return { length, ...tree, columns: placed, hiddenNodes: kept.hiddenNodes }
}

/** Greatest first, then by frame. Several sides: whichever is larger. */
function orderOf(
  columns: readonly ValueColumns[],
  frames: Int32Array,
  { compareFrames }: LayOptions,
): (a: number, b: number) => number {
  if (columns.length > 1) {
    const size = new Float64Array(frames.length)
    for (const { total } of columns)
      for (let i = 0; i < size.length; i++) size[i] = Math.max(size[i], Math.abs(total[i]))
    return (a, b) => size[b] - size[a] || compareFrames(frames[a], frames[b])
  }
  const [{ total, totalExact: exact }] = columns
  return (a, b) =>
    total[b] - total[a] ||
    // Sums with the same nearest double are close, so their true difference is the one modulo 2^64.
    (exact === undefined ? 0 : Number(BigInt.asIntN(64, exact[b] - exact[a]))) ||
    compareFrames(frames[a], frames[b])
}

/** Where each node stands depth first: behind its parent and the subtrees of the siblings before it. */
function placesOf(parents: Int32Array, compare: (a: number, b: number) => number): Int32Array {
  const { length } = parents
  const subtree = new Int32Array(length).fill(1)
  // Groups of siblings in one array; that of node k begins at starts[k + 1], the roots' at starts[0].
  const starts = new Int32Array(length + 2)
  for (let k = length - 1; k >= 0; k--) {
    if (parents[k] !== NONE) subtree[parents[k]] += subtree[k]
    starts[parents[k] + 2]++
  }
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1]
  const members = new Int32Array(length)
  const next = starts.slice()
  for (let k = 0; k < length; k++) members[next[parents[k] + 1]++] = k
  const place = new Int32Array(length)
  for (let above = NONE; above < length; above++) {
    const group = members.subarray(starts[above + 1], starts[above + 2])
    if (group.length > 1) group.sort(compare)
    let at = above === NONE ? 0 : place[above] + 1
    for (const k of group) {
      place[k] = at
      at += subtree[k]
    }
  }
  return place
}

function inverse(place: Int32Array): Int32Array {
  const result = new Int32Array(place.length)
  for (let k = 0; k < place.length; k++) result[place[k]] = k
  return result
}

/** The columns' rows in the given order. */
function picked({ self, total, selfExact, totalExact }: ValueColumns, rows: Int32Array): ValueColumns {
  const doubles = (values: Float64Array) => {
    const result = new Float64Array(rows.length)
    for (let i = 0; i < rows.length; i++) result[i] = values[rows[i]]
    return result
  }
  const longs = (values: BigInt64Array | undefined) => {
    if (values === undefined) return undefined
    const result = new BigInt64Array(rows.length)
    for (let i = 0; i < rows.length; i++) result[i] = values[rows[i]]
    return result
  }
  return { self: doubles(self), total: doubles(total), selfExact: longs(selfExact), totalExact: longs(totalExact) }
}
