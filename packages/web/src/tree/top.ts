// The table beside a flame graph: for each frame what it took by itself and what with all that it called, counted once a
// stack however often the frame is in it. Frames that are no functions are left out.
import { exactSelf, exactTotal } from '@hearth/profile'
import type { Frames } from './frames.ts'
import { isFunction } from './frames.ts'
import { subtreeEnd } from './node-path.ts'
import type { Tree, TreeSide } from './tree.ts'
import { ROOT } from './tree.ts'

export interface TopRows {
  readonly length: number
  readonly frames: Frames
  readonly unit: string
  /** Row in frames. */
  readonly frame: Uint32Array
  readonly after: TreeSide
  readonly before: TreeSide | undefined
}

/** Of a part of the tree where a node is given; greatest self first, then greatest total, then by name, as the server has them. */
export function topRows(tree: Tree, node: number = ROOT): TopRows {
  const after = frameSums(tree, tree, node)
  const before = tree.before && frameSums(tree, tree.before, node)
  const seen = new Set<number>()
  for (let i = node === ROOT ? 0 : node; i < subtreeEnd(tree, node); i++) seen.add(tree.frame[i])
  const size = (f: number): number =>
    Math.max(Math.abs(after.self[f]), before === undefined ? 0 : Math.abs(before.self[f]))
  const all = (f: number): number =>
    Math.max(Math.abs(after.total[f]), before === undefined ? 0 : Math.abs(before.total[f]))
  const functions = Array.from(seen).filter(f => isFunction(tree.frames, f))
  const { name } = tree.frames
  const byName = (a: number, b: number): number => (name[a] < name[b] ? -1 : name[a] > name[b] ? 1 : a - b)
  const frame = Uint32Array.from(functions).sort((a, b) => size(b) - size(a) || all(b) - all(a) || byName(a, b))
  return {
    length: frame.length,
    frames: tree.frames,
    unit: tree.unit,
    frame,
    after: picked(after, frame),
    before: before && picked(before, frame),
  }
}

function frameSums(tree: Tree, side: TreeSide, node: number): TreeSide {
  const { length } = tree.frames
  const self = new Float64Array(length)
  const total = new Float64Array(length)
  const exact = side.selfExact !== undefined
  const selfExact = exact ? new BigInt64Array(length) : undefined
  const totalExact = exact ? new BigInt64Array(length) : undefined
  // Where the subtree of the frame's outermost call ends that is open now.
  const open = new Uint32Array(length)
  for (let i = node === ROOT ? 0 : node; i < subtreeEnd(tree, node); i++) {
    const frame = tree.frame[i]
    const isRoot = tree.parent[i] === ROOT || i === node
    // Leaf first, what a frame has by itself is what begins with it.
    if (tree.order === 'leaf-first' ? isRoot : true) {
      const own = tree.order === 'leaf-first' ? side.total : side.self
      const ownExact = tree.order === 'leaf-first' ? side.totalExact : side.selfExact
      self[frame] += own[i]
      if (selfExact !== undefined && ownExact !== undefined) selfExact[frame] += ownExact[i]
    }
    if (i < open[frame]) continue
    open[frame] = tree.end[i]
    total[frame] += side.total[i]
    if (totalExact !== undefined && side.totalExact !== undefined) totalExact[frame] += side.totalExact[i]
  }
  const sums = { self, total, selfExact, totalExact }
  if (exact) {
    for (let f = 0; f < length; f++) {
      self[f] = Number(exactSelf(sums, f))
      total[f] = Number(exactTotal(sums, f))
    }
  }
  return { ...sums, sum: node === ROOT ? side.sum : exactTotal(side, node) }
}

function picked({ self, total, selfExact, totalExact, sum }: TreeSide, frame: Uint32Array): TreeSide {
  return {
    self: Float64Array.from(frame, f => self[f]),
    total: Float64Array.from(frame, f => total[f]),
    selfExact: selfExact && BigInt64Array.from(frame, f => selfExact[f]),
    totalExact: totalExact && BigInt64Array.from(frame, f => totalExact[f]),
    sum,
  }
}
