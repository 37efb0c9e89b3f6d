// Call trees as Pyroscope's clients see them: a node is a name below names, independent of file and line. Trees of the
// query engine are merged here, with values for each side, and limited to a number of nodes. Removed nodes become a
// child named `other`.
import type { ValueColumns } from '@hearth/profile'
import { compareLongs, compareTexts, exactSelf, exactTotal } from '@hearth/profile'
import type { FlameGraph } from '../../query/trees/flame-graph.ts'
import { Code, Refusal } from '../../receive/refusal.ts'

export const ROOT_NAME = 'total'
export const OTHER_NAME = 'other'
const MAX_INT64 = 2n ** 63n - 1n

/** A tree of the query engine, and the sum of all selected data, including data outside of the tree. */
export type EngineTree = Pick<FlameGraph, 'length' | 'parent' | 'frame' | 'frames' | 'sum' | keyof ValueColumns>

/** Parents before their children; node 0 is the root. */
export class NameTree {
  readonly sides: number
  readonly #names: string[] = [ROOT_NAME]
  readonly #parents: number[] = [-1]
  readonly #children: (Map<string, number> | undefined)[] = [undefined]
  /** By side and node: its self value, plus the values below it that have no node. */
  readonly #self: bigint[][]
  readonly #rest: bigint[][]

  constructor(sides = 1) {
    this.sides = sides
    this.#self = Array.from({ length: sides }, () => [0n])
    this.#rest = Array.from({ length: sides }, () => [0n])
  }

  /** Adds a tree to one of the sides. */
  add(tree: EngineTree, side = 0): void {
    const self = this.#self[side]
    const rest = this.#rest[side]
    const nodes = new Int32Array(tree.length)
    let hidden = tree.sum
    for (let i = 0; i < tree.length; i++) {
      const above = tree.parent[i] < 0 ? 0 : nodes[tree.parent[i]]
      const node = this.#child(above, tree.frames.name[tree.frame[i]])
      nodes[i] = node
      const total = exactTotal(tree, i)
      const own = exactSelf(tree, i)
      self[node] += own
      rest[node] += total - own
      if (above === 0) hidden -= total
      else rest[above] -= total
    }
    rest[0] += hidden
  }

  /** Adds a value at the end of a path, root first. */
  addPath(names: readonly string[], value: bigint): void {
    let node = 0
    for (const name of names) node = this.#child(node, name)
    this.#self[0][node] += value
  }

  #child(above: number, name: string): number {
    const siblings = (this.#children[above] ??= new Map<string, number>())
    let node = siblings.get(name)
    if (node === undefined) {
      node = this.#names.push(name) - 1
      this.#parents.push(above)
      this.#children.push(undefined)
      for (const values of [...this.#self, ...this.#rest]) values.push(0n)
      siblings.set(name, node)
    }
    return node
  }

  /** The largest nodes, `maxNodes` in addition to the root. Throws Refusal if a sum exceeds 64 bits. */
  cut(maxNodes: number): CutTree {
    const { length } = this.#names
    const self = this.#self.map(values => values.slice())
    const rest = this.#rest.map(values => values.slice())
    const totals = this.#self.map((values, s) => values.map((value, node) => value + this.#rest[s][node]))
    for (const total of totals) {
      for (let node = length - 1; node > 0; node--) total[this.#parents[node]] += total[node]
      if (total[0] > MAX_INT64 || total[0] < -MAX_INT64) throw beyond(total[0])
    }
    const kept = this.#largest(totals, maxNodes)
    for (const [s, total] of totals.entries()) {
      for (let node = length - 1; node > 0; node--) if (kept[node] === 0) rest[s][this.#parents[node]] += total[node]
      // Nodes below a removed node are in its total already.
    }
    return layOut(this.#names, this.#parents, kept, { self, rest: restOf(rest, kept), totals })
  }

  /** The position of each node in depth-first order with siblings sorted by name. It does not depend on how trees were added. */
  #ranks(): Uint32Array {
    const { length } = this.#names
    const children = Array.from({ length }, (): number[] => [])
    for (let node = 1; node < length; node++) children[this.#parents[node]].push(node)
    const ranks = new Uint32Array(length)
    const open = [0]
    for (let next = 0; open.length > 0; next++) {
      const node = open.pop()!
      ranks[node] = next
      open.push(...children[node].sort((a, b) => (this.#names[a] < this.#names[b] ? 1 : -1)))
    }
    return ranks
  }

  /** 1 for each node that stays. No node is larger than its parent, which precedes it. */
  #largest(totals: readonly (readonly bigint[])[], maxNodes: number): Uint8Array {
    const { length } = this.#names
    if (length - 1 <= maxNodes) return new Uint8Array(length).fill(1)
    const size = new Float64Array(length)
    for (const total of totals)
      for (let node = 0; node < length; node++) size[node] = Math.max(size[node], Number(total[node]))
    const rank = this.#ranks()
    const order = Uint32Array.from({ length }, (_, node) => node).sort((a, b) => size[b] - size[a] || rank[a] - rank[b])
    const kept = new Uint8Array(length)
    kept[0] = 1
    for (let at = 0, left = maxNodes; left > 0 && at < length; at++) {
      const node = order[at]
      // With negative values, a node can be larger than its parent.
      if (node === 0 || kept[this.#parents[node]] === 0) continue
      kept[node] = 1
      left--
    }
    return kept
  }
}

function restOf(rest: bigint[][], kept: Uint8Array): bigint[][] {
  return rest.map(values => values.map((value, node) => (kept[node] === 1 ? value : 0n)))
}

interface Sums {
  readonly self: readonly (readonly bigint[])[]
  readonly rest: readonly (readonly bigint[])[]
  readonly totals: readonly (readonly bigint[])[]
}

/** A node of the limited tree, in depth-first order. */
interface ShownNode {
  readonly depth: number
  readonly name: string
  /** By side. */
  readonly total: readonly bigint[]
  readonly self: readonly bigint[]
  readonly children: number
}

export interface CutTree {
  /** The root first. Siblings are sorted by size, then by name; `other` is last. */
  readonly nodes: readonly ShownNode[]
}

function layOut(names: readonly string[], parents: readonly number[], kept: Uint8Array, sums: Sums): CutTree {
  const { self, rest, totals } = sums
  const children: number[][] = []
  for (let node = 1; node < names.length; node++) if (kept[node] === 1) (children[parents[node]] ??= []).push(node)
  const size = (node: number) => totals.reduce((most, total) => (total[node] > most ? total[node] : most), 0n)
  const nodes: ShownNode[] = []
  const open: { readonly node: number; readonly depth: number; readonly other: boolean }[] = [
    { node: 0, depth: 0, other: false },
  ]
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, depth, other } = top
    if (other) {
      const values = rest.map(each => each[node])
      nodes.push({ depth, name: OTHER_NAME, total: values, self: values, children: 0 })
      continue
    }
    const below = children[node] ?? []
    const hasOther = rest.some(each => each[node] !== 0n)
    nodes.push({
      depth,
      name: names[node],
      total: totals.map(each => each[node]),
      self: self.map(each => each[node]),
      children: below.length + (hasOther ? 1 : 0),
    })
    if (hasOther) open.push({ node, depth: depth + 1, other: true })
    const sizes = new Map(below.map(child => [child, size(child)]))
    // The node that is pushed last is laid out first.
    below.sort((a, b) => compareLongs(sizes.get(a)!, sizes.get(b)!) || compareTexts(names[b], names[a]))
    for (const child of below) open.push({ node: child, depth: depth + 1, other: false })
  }
  return { nodes }
}

function beyond(sum: bigint): Refusal {
  return new Refusal(400, Code.outOfRange, 'query', `the sum ${sum} exceeds 64 bits; use a shorter range`)
}
