// Folds chains of single calls: a call that only passes on to one other call is not informative, and a chain of them can fill the
// screen. The first and the last call of a chain stay.
//
//   main > run > loop > handle > query      becomes      main > handle > query      if handle is where the stacks divide
//                             > render                                   > render
//
// Folding removes rows and keeps their order, so it takes one pass. The tree remembers what it was folded from, so that paths
// of nodes are the same in both.
import type { CallTree, TreeSide } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'
import { isFunction } from '../tree/frame-table.ts'

/** A call is folded if the only call below it has at least this part of its total. */
const PASSED_ON = 0.99
/** About half of the height of a flame graph in a window of 800 pixels. */
const FILLS_SCREEN = 12

/** Whether a call only passes on to another one, and is neither the first nor the last of its chain. */
function isFoldable(tree: CallTree, node: number): boolean {
  const { parent, frame, frames, hiddenChildren } = tree
  const above = parent[node]
  if (above === ROOT || !isFunction(frames, frame[node]) || !isFunction(frames, frame[above])) return false
  if ((hiddenChildren?.[node] ?? 0) > 0 || (hiddenChildren?.[above] ?? 0) > 0) return false
  return passesOn(tree, above) && passesOn(tree, node)
}

function passesOn({ end, total, before }: CallTree, node: number): boolean {
  const child = node + 1
  if (child >= end[node] || end[child] !== end[node]) return false
  const passed = (of: Float64Array): boolean => Math.abs(of[child]) >= PASSED_ON * Math.abs(of[node])
  return passed(total) && (before === undefined || passed(before.total))
}

/** Whether chains of single calls take so much of the heaviest path that they hide the rest. */
export function chainsFillScreen(tree: CallTree): boolean {
  if (tree.times !== undefined) return false
  let folded = 0
  // Siblings are ordered by total, so the heaviest path is the first one.
  for (let node = 0; node < tree.length; node++) {
    if (isFoldable(tree, node)) folded++
    if (folded >= FILLS_SCREEN) return true
    if (tree.end[node] === node + 1) return false
  }
  return false
}

/** Whether direct recursion takes so much of the heaviest path that it hides the rest. */
export function recursionFillsScreen({ length, frame, parent, end, times }: CallTree): boolean {
  if (times !== undefined) return false
  let repeated = 0
  for (let node = 0; node < length; node++) {
    const above = parent[node]
    if (above !== ROOT && frame[above] === frame[node]) repeated++
    if (repeated >= FILLS_SCREEN) return true
    if (end[node] === node + 1) return false
  }
  return false
}

/** Returns the same tree if it has no chains. The self value of a folded call, below 1 %, counts for its caller. */
export function foldChains(tree: CallTree): CallTree {
  if (tree.times !== undefined) return tree
  const { length } = tree
  const shown = new Uint32Array(length)
  const kept = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i++) {
    shown[i] = count
    if (!isFoldable(tree, i)) kept[count++] = i
  }
  if (count === length) return tree
  const node = kept.slice(0, count)
  const parent = new Int32Array(count)
  const end = new Uint32Array(count)
  const depth = new Uint32Array(count)
  const frame = new Uint32Array(count)
  /** The nearest shown caller of each node, itself if it is shown. */
  const caller = new Int32Array(length)
  for (let i = 0; i < length; i++) {
    const above = tree.parent[i] === ROOT ? ROOT : caller[tree.parent[i]]
    const at = shown[i]
    if (node[at] !== i) {
      caller[i] = above
      continue
    }
    caller[i] = at
    parent[at] = above
    depth[at] = above === ROOT ? 0 : depth[above] + 1
    frame[at] = tree.frame[i]
    end[at] = tree.end[i] === length ? count : shown[tree.end[i]]
  }
  const { presence, hiddenChildren, before } = tree
  return {
    ...tree,
    ...foldSide(tree, node, caller),
    before: before && foldSide(before, node, caller),
    length: count,
    parent,
    end,
    depth,
    frame,
    ...(presence === undefined ? {} : { presence: Uint8Array.from(node, i => presence[i]) }),
    ...(hiddenChildren === undefined ? {} : { hiddenChildren: Uint32Array.from(node, i => hiddenChildren[i]) }),
    unfolded: { tree, node, shown },
  }
}

function foldSide(side: TreeSide, node: Uint32Array, caller: Int32Array): TreeSide {
  const { sum, selfExact, totalExact } = side
  const self = new Float64Array(node.length)
  const exact = selfExact && new BigInt64Array(node.length)
  for (let i = 0; i < caller.length; i++) {
    self[caller[i]] += side.self[i]
    if (exact !== undefined) exact[caller[i]] += selfExact![i]
  }
  return {
    sum,
    self,
    total: Float64Array.from(node, i => side.total[i]),
    selfExact: exact,
    totalExact: totalExact && BigInt64Array.from(node, i => totalExact[i]),
  }
}

/** The names of the folded calls between a node and its parent, from the caller down. */
export function foldedAbove({ unfolded, parent }: CallTree, node: number): string[] {
  if (unfolded === undefined || node === ROOT) return []
  const { tree } = unfolded
  const until = parent[node] === ROOT ? ROOT : unfolded.node[parent[node]]
  const names: string[] = []
  for (let i = tree.parent[unfolded.node[node]]; i !== until; i = tree.parent[i])
    names.push(tree.frames.name[tree.frame[i]])
  return names.reverse()
}
