// Chooses the nodes of a call tree that fit in a page: the largest ones. The hidden descendants of a node become one
// child of it, so that every total is still the sum of its parts.
import type { CallTree } from '../../analyze/tree/call-tree.ts'
import { NONE } from '../../model/columns/brand.ts'

export interface Largest {
  /** For each node, whether it is kept. All callers of a kept node are kept. */
  readonly kept: Uint8Array
  readonly keptCount: number
  /** The share of the tree's weight whose boxes are hidden, from 0 to 1. */
  readonly hiddenShare: number
}

/**
 * The width of each node: the sum of its subtree's absolute self values. It equals the total unless values are
 * negative. Negative totals cancel out and would not cover the children.
 */
function nodeWeights(tree: CallTree): Float64Array {
  const weights = tree.self.map(Math.abs)
  for (let i = tree.length - 1; i >= 0; i--) if (tree.parent[i] !== NONE) weights[tree.parent[i]] += weights[i]
  return weights
}

/** A node is at least as wide as its children and comes before them, so the first of the widest nodes form a tree. */
export function largestNodes(tree: CallTree, limit: number): Largest {
  const { length, parent } = tree
  if (length <= limit) return { kept: new Uint8Array(length).fill(1), keptCount: length, hiddenShare: 0 }
  const weights = nodeWeights(tree)
  const threshold = weights.slice().sort()[length - limit]
  let atThreshold = limit
  for (let i = 0; i < length; i++) if (weights[i] > threshold) atThreshold--
  const kept = new Uint8Array(length)
  let hidden = 0
  let whole = 0
  for (let i = 0; i < length; i++) {
    if (weights[i] > threshold || (weights[i] === threshold && atThreshold-- > 0)) kept[i] = 1
    else if (parent[i] === NONE || kept[parent[i]] === 1) hidden += weights[i]
    if (parent[i] === NONE) whole += weights[i]
  }
  return { kept, keptCount: limit, hiddenShare: hidden / whole }
}
