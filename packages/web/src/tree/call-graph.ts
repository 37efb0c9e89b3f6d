// The call graph of a tree: one box per function, one arrow per caller and callee. Boxes are in layers below their callers, and
// ordered inside of a layer so that few arrows cross.
import type { CallTree } from '@hearth/profile'
import { ROOT, isFunction } from '@hearth/profile'

export interface GraphNode {
  readonly frame: number
  readonly self: number
  readonly total: number
  readonly layer: number
  /** The position in the layer, from 0. */
  readonly place: number
}

export interface GraphEdge {
  /** Indexes of `nodes`. */
  readonly from: number
  readonly to: number
  readonly value: number
  /** Whether it leads to the same or an earlier layer, because of recursion. */
  readonly isBack: boolean
}

export interface CallGraph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly layers: readonly (readonly number[])[]
  /** The number of functions that are not shown. */
  readonly hidden: number
}

const SWEEPS = 6

/** The `limit` functions with the largest totals. Functions and arrows below `minShare` of the sum are dropped. */
export function callGraph(tree: CallTree, limit: number, minShare = 0.001): CallGraph {
  const { self, total } = sumFunctions(tree)
  const least = minShare * Math.abs(Number(tree.sum))
  const found = [...total.keys()].filter(frame => total.get(frame)! >= least)
  const frames = found.sort((a, b) => total.get(b)! - total.get(a)! || a - b).slice(0, limit)
  const index = new Map(frames.map((frame, i) => [frame, i]))
  const edges = sumEdges(tree, index).filter(({ value }) => value >= least)
  const layer = layersOf(frames.length, edges)
  const layers = orderedLayers(layer, edges)
  const place = new Uint32Array(frames.length)
  for (const each of layers) for (const [i, node] of each.entries()) place[node] = i
  return {
    nodes: frames.map((frame, i) => ({
      frame,
      self: self.get(frame) ?? 0,
      total: total.get(frame)!,
      layer: layer[i],
      place: place[i],
    })),
    edges: edges.map(edge => ({ ...edge, isBack: layer[edge.to] <= layer[edge.from] })),
    layers,
    hidden: total.size - frames.length,
  }
}

/** A recursive function counts once per stack. */
function sumFunctions(tree: CallTree): { readonly self: Map<number, number>; readonly total: Map<number, number> } {
  const self = new Map<number, number>()
  const total = new Map<number, number>()
  const open = new Map<number, number>()
  const path: number[] = []
  for (let i = 0; i < tree.length; i++) {
    while (path.length > tree.depth[i]) {
      const left = tree.frame[path.pop()!]
      open.set(left, open.get(left)! - 1)
    }
    const frame = tree.frame[i]
    path.push(i)
    const times = open.get(frame) ?? 0
    open.set(frame, times + 1)
    if (!isFunction(tree.frames, frame)) continue
    self.set(frame, (self.get(frame) ?? 0) + Math.abs(tree.self[i]))
    if (times === 0) total.set(frame, (total.get(frame) ?? 0) + Math.abs(tree.total[i]))
  }
  return { self, total }
}

interface Edge {
  readonly from: number
  readonly to: number
  readonly value: number
}

/** Calls between shown functions. A call through hidden functions is drawn from the nearest shown caller. */
function sumEdges(tree: CallTree, index: ReadonlyMap<number, number>): Edge[] {
  const values = new Map<number, number>()
  const caller = new Int32Array(tree.length)
  const count = Math.max(1, index.size)
  for (let i = 0; i < tree.length; i++) {
    const above = tree.parent[i] === ROOT ? -1 : caller[tree.parent[i]]
    const own = index.get(tree.frame[i])
    caller[i] = own ?? above
    if (own === undefined || above < 0) continue
    const key = above * count + own
    values.set(key, (values.get(key) ?? 0) + Math.abs(tree.total[i]))
  }
  return [...values].map(([key, value]) => ({ from: Math.floor(key / count), to: key % count, value }))
}

/** The longest path from a root, without the edges that close a cycle. */
function layersOf(count: number, edges: readonly Edge[]): Uint32Array {
  const below: number[][] = Array.from({ length: count }, () => [])
  // The heaviest call decides the direction of a cycle.
  for (const { from, to } of edges.toSorted((a, b) => b.value - a.value)) if (from !== to) below[from].push(to)
  const state = new Uint8Array(count)
  const order: number[] = []
  const forward: (readonly [number, number])[] = []
  const visit = (start: number): void => {
    const path: { readonly node: number; next: number }[] = [{ node: start, next: 0 }]
    state[start] = 1
    while (path.length > 0) {
      const top = path[path.length - 1]
      const child = below[top.node][top.next++]
      if (child === undefined) {
        state[top.node] = 2
        order.push(top.node)
        path.pop()
      } else if (state[child] !== 1) {
        forward.push([top.node, child])
        if (state[child] === 0) {
          state[child] = 1
          path.push({ node: child, next: 0 })
        }
      }
    }
  }
  for (let i = 0; i < count; i++) if (state[i] === 0) visit(i)
  const layer = new Uint32Array(count)
  const callees: number[][] = Array.from({ length: count }, () => [])
  for (const [from, to] of forward) callees[from].push(to)
  for (const node of order.toReversed()) {
    for (const to of callees[node]) layer[to] = Math.max(layer[to], layer[node] + 1)
  }
  return layer
}

/** Moves each box near the middle of its callers, then of its callees, several times. */
function orderedLayers(layer: Uint32Array, edges: readonly Edge[]): number[][] {
  const layers: number[][] = []
  for (const [node, at] of layer.entries()) (layers[at] ??= []).push(node)
  const place = new Float64Array(layer.length)
  const number = (): void => {
    for (const each of layers) for (const [i, node] of each.entries()) place[node] = i / each.length
  }
  number()
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const downwards = sweep % 2 === 0
    const middle = new Float64Array(layer.length)
    const weight = new Float64Array(layer.length)
    for (const { from, to, value } of edges) {
      if (layer[to] <= layer[from]) continue
      const [node, other] = downwards ? [to, from] : [from, to]
      middle[node] += place[other] * value
      weight[node] += value
    }
    const wanted = (node: number): number => (weight[node] === 0 ? place[node] : middle[node] / weight[node])
    for (const each of layers) each.sort((a, b) => wanted(a) - wanted(b) || a - b)
    number()
  }
  return layers
}
