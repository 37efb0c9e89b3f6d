// From paths and values to a tree: sums up, orders siblings and lays nodes out depth first.
import type { ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'
import type { Frames } from './frames.ts'
import type { PathTrie } from './path-trie.ts'
import type { Tree, TreeSide } from './tree.ts'
import { ROOT, byMagnitude } from './tree.ts'

/** Greatest first and then by name, or by name alone. */
export type SiblingOrder = 'value' | 'name'

/** One side's values, a row per node of the trie: what ends there, and what is below but was left out. */
export interface Sums {
  readonly self: Float64Array
  readonly selfExact: BigInt64Array | undefined
  readonly rest: Float64Array | undefined
  readonly restExact: BigInt64Array | undefined
  readonly sum: bigint
}

export interface TreeParts extends Pick<Tree, 'frames' | 'order' | 'unit' | 'hiddenNodes'> {
  readonly after: Sums
  readonly before: Sums | undefined
}

export function buildTree(trie: PathTrie, parts: TreeParts, siblings: SiblingOrder = 'value'): Tree {
  const after = totalled(trie, parts.after)
  const before = parts.before && totalled(trie, parts.before)
  const place = places(trie, comparison(trie, parts.frames, after, before, siblings))
  const { length } = trie
  const parent = new Int32Array(length)
  const depth = new Uint32Array(length)
  const frame = new Uint32Array(length)
  for (let node = 0; node < length; node++) {
    const at = place.at[node]
    const above = trie.parent(node)
    parent[at] = above === ROOT ? ROOT : place.at[above]
    depth[at] = above === ROOT ? 0 : depth[parent[at]] + 1
    frame[at] = trie.frame(node)
  }
  const { frames, order, unit, hiddenNodes } = parts
  return {
    length,
    parent,
    end: place.end,
    depth,
    frame,
    frames,
    order,
    unit,
    hiddenNodes,
    ...placedSide(after, place.at),
    before: before && placedSide(before, place.at),
  }
}

function totalled(trie: PathTrie, { self, selfExact, rest, restExact, sum }: Sums): TreeSide {
  const total = self.slice()
  if (rest !== undefined) for (let i = 0; i < total.length; i++) total[i] += rest[i]
  for (let i = trie.length - 1; i >= 0; i--) if (trie.parent(i) !== ROOT) total[trie.parent(i)] += total[i]
  if (selfExact === undefined) return { self, total, selfExact, totalExact: undefined, sum }
  const totalExact = selfExact.slice()
  if (restExact !== undefined) for (let i = 0; i < total.length; i++) totalExact[i] += restExact[i]
  for (let i = trie.length - 1; i >= 0; i--) if (trie.parent(i) !== ROOT) totalExact[trie.parent(i)] += totalExact[i]
  const columns = { self, total, selfExact, totalExact }
  settle(columns)
  return { ...columns, sum }
}

/** Doubles that were added up become the doubles nearest to the exact sums. */
function settle(columns: ValueColumns): void {
  for (let i = 0; i < columns.self.length; i++) {
    columns.self[i] = Number(exactSelf(columns, i))
    columns.total[i] = Number(exactTotal(columns, i))
  }
}

function comparison(
  trie: PathTrie,
  frames: Frames,
  after: TreeSide,
  before: TreeSide | undefined,
  siblings: SiblingOrder,
): (a: number, b: number) => number {
  const byName = (a: number, b: number): number => compareFrames(frames, trie.frame(a), trie.frame(b))
  if (siblings === 'name') return byName
  return (a, b) => byMagnitude(after, before, a, b) || byName(a, b)
}

/** By name, file, line and address, by code units: the same on every machine. */
export function compareFrames(frames: Frames, a: number, b: number): number {
  return (
    compareText(frames.name[a], frames.name[b]) ||
    compareText(frames.file[a], frames.file[b]) ||
    Number(frames.line[a]) - Number(frames.line[b]) ||
    Number(frames.address[a]) - Number(frames.address[b]) ||
    a - b
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

interface Places {
  /** Where each node of the trie goes. */
  readonly at: Int32Array
  /** By place: where its subtree ends. */
  readonly end: Uint32Array
}

function places(trie: PathTrie, compare: (a: number, b: number) => number): Places {
  const { length } = trie
  const size = new Int32Array(length).fill(1)
  for (let i = length - 1; i >= 0; i--) if (trie.parent(i) !== ROOT) size[trie.parent(i)] += size[i]
  const families = new Families(trie)
  const at = new Int32Array(length)
  const end = new Uint32Array(length)
  for (let above = ROOT; above < length; above++) {
    const children = families.of(above)
    if (children.length > 1) sort(children, compare)
    let next = above === ROOT ? 0 : at[above] + 1
    for (const child of children) {
      at[child] = next
      next += size[child]
      end[at[child]] = next
    }
  }
  return { at, end }
}

/** Most families are small, and in order already where a tree was made from another one; calling the built-in sort costs more. */
function sort(nodes: Int32Array, compare: (a: number, b: number) => number): void {
  if (nodes.length > 12) {
    nodes.sort(compare)
    return
  }
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]
    let k = i - 1
    for (; k >= 0 && compare(nodes[k], node) > 0; k--) nodes[k + 1] = nodes[k]
    nodes[k + 1] = node
  }
}

/** Children by parent: a counting sort of all nodes by their parent. */
class Families {
  readonly #start: Int32Array
  readonly #children: Int32Array

  constructor(trie: PathTrie) {
    const { length } = trie
    // Shifted by one: row 0 is ROOT's.
    this.#start = new Int32Array(length + 2)
    for (let i = 0; i < length; i++) this.#start[trie.parent(i) + 2]++
    for (let i = 1; i < this.#start.length; i++) this.#start[i] += this.#start[i - 1]
    this.#children = new Int32Array(length)
    const next = this.#start.slice()
    for (let i = 0; i < length; i++) this.#children[next[trie.parent(i) + 1]++] = i
  }

  of(parent: number): Int32Array {
    return this.#children.subarray(this.#start[parent + 1], this.#start[parent + 2])
  }
}

function placedSide({ self, total, selfExact, totalExact, sum }: TreeSide, at: Int32Array): TreeSide {
  return {
    self: placed(self, at, new Float64Array(self.length)),
    total: placed(total, at, new Float64Array(total.length)),
    selfExact: selfExact && placed(selfExact, at, new BigInt64Array(selfExact.length)),
    totalExact: totalExact && placed(totalExact, at, new BigInt64Array(totalExact.length)),
    sum,
  }
}

function placed<Column extends Float64Array | BigInt64Array>(values: Column, at: Int32Array, into: Column): Column {
  for (let i = 0; i < at.length; i++) into[at[i]] = values[i]
  return into
}
