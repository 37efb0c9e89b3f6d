// From weights at nodes of a trie to the columns of a tree. Weights are summed up the trie in one backward pass, the largest
// nodes stay if there is a limit, and these are laid out depth first.
//
//   3 nodes at most    main 6 ─┬ run 5 ── gc 3           main 6 ── run 5 ── gc 3
//                              └ idle 1           ──►    hidden: 1 node below main, 1 of the sum
//
// A node is never larger than its parent, so the largest nodes form a tree. If values may be negative, a node's size is the
// sum of magnitudes below it, which has the same property.
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { TreeShape } from './depth-first.ts'
import { depthFirst } from './depth-first.ts'
import type { ValueColumns } from './exact-values.ts'
import { descending, exactTotal, pickRows, settle } from './exact-values.ts'
import type { FrameTrie } from './frame-trie.ts'
import { isPlain, keepLargest } from './largest-nodes.ts'
import type { KeptNodes, Side } from './tree-nodes.ts'

export interface BuildOptions {
  /** The maximum number of nodes; the largest stay. Default: all. */
  readonly maxNodes?: number
  readonly compareFrames: (a: number, b: number) => number
}

export interface BuiltTree extends TreeShape {
  /** The values of each side. */
  readonly columns: readonly ValueColumns[]
  /** The sides that contain each node, as bits: 1 for the first side, 2 for the second. */
  readonly presence: Uint8Array
  /** The number of nodes that the limit hid. */
  readonly hiddenNodes: number
  /** The number of hidden children of each node. */
  readonly hiddenChildren: Uint32Array
}

export function buildTree(trie: FrameTrie, sides: readonly Side[], options: BuildOptions): BuiltTree {
  const { maxNodes = Infinity } = options
  if (isPlain(trie, sides)) return layOut(keepLargest(trie, sides[0], maxNodes), options)
  const reached = new ReachedNodes(trie, sides)
  const sums = sides.map((_, i) => reached.sum(i))
  return layOut(keptOf(reached, sums, reached.largest(sums, maxNodes)), options)
}

/**
 * The nodes of the trie that are on the path of some weight, in the trie's order: parents before children. There may be a
 * million of which few stay, so everything here is a plain loop over arrays.
 */
class ReachedNodes {
  readonly length: number
  /** NONE for roots. */
  readonly parent: Int32Array
  readonly frame: Int32Array
  readonly presence: Uint8Array
  readonly #sides: readonly Side[]
  /** For each side the row of each weight. */
  readonly #rows: readonly Int32Array[]
  readonly #hiddenRows: readonly (Int32Array | undefined)[]

  constructor(trie: FrameTrie, sides: readonly Side[]) {
    const parents = trie.parents.array
    const frames = trie.frames.array
    const rows = trie.scratch
    const reached = reachedNodes(trie, sides, rows)
    const { length } = reached
    const parent = new Int32Array(length)
    const frame = new Int32Array(length)
    for (let row = 0; row < length; row++) {
      const node = reached[row]
      rows[node] = row
      const above = parents[node]
      parent[row] = above < 0 ? NONE : rows[above]
      frame[row] = frames[node]
    }
    this.length = length
    this.parent = parent
    this.frame = frame
    this.#sides = sides
    this.#rows = sides.map(({ nodes }) => rowsOf(nodes, rows))
    this.#hiddenRows = sides.map(({ hidden }) => hidden && rowsOf(hidden.nodes, rows))
    for (let row = 0; row < length; row++) rows[reached[row]] = NONE
    this.presence = sides.length === 1 ? new Uint8Array(length).fill(1) : this.#present()
  }

  #present(): Uint8Array {
    const { parent } = this
    const presence = new Uint8Array(this.length)
    for (const all of [this.#rows, this.#hiddenRows]) {
      for (const [i, rows] of all.entries()) {
        for (const row of rows ?? []) if (row !== NONE) presence[row] |= 1 << i
      }
    }
    for (let row = this.length - 1; row >= 0; row--) if (parent[row] !== NONE) presence[parent[row]] |= presence[row]
    return presence
  }

  /** Self and total of every node for one side. */
  sum(i: number): ValueColumns {
    const { parent, length } = this
    const { weight, exact, hidden } = this.#sides[i]
    const hiddenRows = this.#hiddenRows[i]
    const self = new Float64Array(length)
    addDoubles(self, this.#rows[i], weight)
    const total = self.slice()
    if (hidden !== undefined && hiddenRows !== undefined) addDoubles(total, hiddenRows, hidden.weight)
    sumUp(total, parent)
    if (exact === undefined) return { self, total, selfExact: undefined, totalExact: undefined }
    const selfExact = new BigInt64Array(length)
    addLongs(selfExact, this.#rows[i], exact)
    const totalExact = selfExact.slice()
    if (hidden?.exact !== undefined && hiddenRows !== undefined) addLongs(totalExact, hiddenRows, hidden.exact)
    for (let row = length - 1; row >= 0; row--) {
      const above = parent[row]
      if (above !== NONE) totalExact[above] = BigInt.asIntN(64, totalExact[above] + totalExact[row])
    }
    settle(self, selfExact)
    settle(total, totalExact)
    return { self, total, selfExact, totalExact }
  }

  /** The rows of the largest nodes, in order; undefined for all. */
  largest(sums: readonly ValueColumns[], maxNodes: number): Int32Array | undefined {
    if (this.length <= maxNodes) return undefined
    const size = this.#sizes(sums)
    const smallest = nthLargest(size, maxNodes)
    let above = 0
    for (let row = 0; row < size.length; row++) if (size[row] > smallest) above++
    // The first of several nodes with the same size stay, so that parents stay before their children.
    const kept = new Int32Array(maxNodes)
    for (let row = 0, at = 0, equal = maxNodes - above; at < maxNodes; row++) {
      if (size[row] > smallest || (size[row] === smallest && equal-- > 0)) kept[at++] = row
    }
    return kept
  }

  /** A size that is never larger than the parent's. */
  #sizes(sums: readonly ValueColumns[]): Float64Array {
    if (sums.length === 1 && !sums[0].self.some(self => self < 0)) return sums[0].total
    const size = new Float64Array(this.length)
    for (const { self } of sums) for (let row = 0; row < size.length; row++) size[row] += Math.abs(self[row])
    sumUp(size, this.parent)
    return size
  }
}

function rowsOf(nodes: Int32Array, rows: Int32Array): Int32Array {
  const result = new Int32Array(nodes.length)
  for (let s = 0; s < nodes.length; s++) result[s] = nodes[s] < 0 ? NONE : rows[nodes[s]]
  return result
}

function addDoubles(sums: Float64Array, rows: Int32Array, values: Float64Array): void {
  for (let s = 0; s < rows.length; s++) if (rows[s] !== NONE) sums[rows[s]] += values[s]
}

function addLongs(sums: BigInt64Array, rows: Int32Array, values: BigInt64Array): void {
  for (let s = 0; s < rows.length; s++) {
    if (rows[s] !== NONE) sums[rows[s]] = BigInt.asIntN(64, sums[rows[s]] + values[s])
  }
}

/** Adds every node's value to its parent's, starting at the last node. */
function sumUp(values: Float64Array, parent: Int32Array): void {
  for (let row = values.length - 1; row >= 0; row--) {
    const above = parent[row]
    if (above !== NONE) values[above] += values[row]
  }
}

/** Marks the nodes on all paths and returns them in order. */
function reachedNodes(trie: FrameTrie, sides: readonly Side[], marks: Int32Array): Int32Array {
  const parents = trie.parents.array
  const found = new GrowingInts(1024)
  for (const nodes of sides.flatMap(({ nodes: own, hidden }) => (hidden === undefined ? [own] : [own, hidden.nodes]))) {
    for (let s = 0; s < nodes.length; s++) {
      for (let node = nodes[s]; node >= 0 && marks[node] === NONE; node = parents[node]) {
        marks[node] = 0
        found.push(node)
      }
    }
  }
  const list = found.view()
  // Sorting a tenth of a million takes longer than looking through a million.
  if (list.length * 10 < trie.length) return list.sort()
  for (let node = 0, at = 0; at < list.length; node++) if (marks[node] !== NONE) list[at++] = node
  return list
}

/** Quickselect: 4 ms for 400,000 numbers, where sorting takes 40 ms. */
function nthLargest(values: Float64Array, n: number): number {
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

function keptOf(reached: ReachedNodes, sums: readonly ValueColumns[], kept: Int32Array | undefined): KeptNodes {
  const { parent, frame, presence } = reached
  if (kept === undefined) {
    const hiddenChildren = new Uint32Array(reached.length)
    return { parents: parent, frames: frame, presence, hiddenChildren, columns: sums, hiddenNodes: 0 }
  }
  const { length } = kept
  // The new number of each row, counted from 1; 0 for hidden rows.
  const numbers = new Int32Array(reached.length)
  for (let k = 0; k < length; k++) numbers[kept[k]] = k + 1
  const hiddenChildren = new Uint32Array(length)
  for (let row = 0; row < reached.length; row++) {
    const above = parent[row]
    if (numbers[row] === 0 && above !== NONE && numbers[above] !== 0) hiddenChildren[numbers[above] - 1]++
  }
  return {
    parents: kept.map(row => (parent[row] === NONE ? NONE : numbers[parent[row]] - 1)),
    frames: kept.map(row => frame[row]),
    presence: Uint8Array.from(kept, row => presence[row]),
    hiddenChildren,
    columns: sums.map(each => pickRows(each, kept)),
    hiddenNodes: reached.length - length,
  }
}

function layOut(kept: KeptNodes, options: BuildOptions): BuiltTree {
  const { place, ...shape } = depthFirst(kept.parents, kept.frames, comparison(kept, options))
  const order = new Int32Array(place.length)
  const presence = new Uint8Array(place.length)
  const hiddenChildren = new Uint32Array(place.length)
  for (let k = 0; k < place.length; k++) {
    order[place[k]] = k
    presence[place[k]] = kept.presence[k]
    hiddenChildren[place[k]] = kept.hiddenChildren[k]
  }
  const columns = kept.columns.map(each => pickRows(each, order))
  return { ...shape, columns, presence, hiddenNodes: kept.hiddenNodes, hiddenChildren }
}

/** By total, greatest first, then by frame. With two sides by the greater magnitude of the two totals. */
function comparison({ columns, frames }: KeptNodes, { compareFrames }: BuildOptions): (a: number, b: number) => number {
  if (columns.length === 1) {
    const [{ total, totalExact }] = columns
    return (a, b) => descending(total, totalExact, a, b) || compareFrames(frames[a], frames[b])
  }
  const size = new Float64Array(frames.length)
  for (const { total } of columns) for (let i = 0; i < size.length; i++) size[i] = Math.max(size[i], Math.abs(total[i]))
  if (columns.every(({ totalExact }) => totalExact === undefined)) {
    return (a, b) => size[b] - size[a] || compareFrames(frames[a], frames[b])
  }
  return (a, b) => size[b] - size[a] || compareExact(columns, a, b) || compareFrames(frames[a], frames[b])
}

/** Sums above 2^53 may differ and have the same nearest double. */
function compareExact(columns: readonly ValueColumns[], a: number, b: number): number {
  const [sizeA, sizeB] = [exactSize(columns, a), exactSize(columns, b)]
  return sizeA === sizeB ? 0 : sizeA > sizeB ? -1 : 1
}

function exactSize(columns: readonly ValueColumns[], i: number): bigint {
  let size = 0n
  for (const each of columns) {
    const total = exactTotal(each, i)
    const magnitude = total < 0n ? -total : total
    if (magnitude > size) size = magnitude
  }
  return size
}
