// Keyboard navigation in the tree: to callers, callees and siblings.
import type { CallTree, Layout } from '@hearth/profile'
import { ROOT, subtreeEnd } from '@hearth/profile'
import type { Orientation } from './flame-graph-types.ts'

export type Step = 'parent' | 'child' | 'previous' | 'next'

/** The step of an arrow key. Children are below their parent in icicles and above it in flames. */
export function stepOf(key: string, orientation: Orientation): Step | undefined {
  switch (key) {
    case 'ArrowUp':
      return orientation === 'icicle' ? 'parent' : 'child'
    case 'ArrowDown':
      return orientation === 'icicle' ? 'child' : 'parent'
    case 'ArrowLeft':
      return 'previous'
    case 'ArrowRight':
      return 'next'
    default:
      return undefined
  }
}

/** Returns the same node if there is none in that direction. */
export function walk(layout: Layout, from: number, step: Step): number {
  const { tree } = layout
  switch (step) {
    case 'parent':
      return from === ROOT ? ROOT : tree.parent[from]
    case 'child':
      return widestChild(layout, from) ?? from
    case 'previous':
      return previousSibling(tree, from) ?? from
    case 'next':
      return nextSibling(tree, from) ?? from
  }
}

function widestChild({ tree, width }: Layout, node: number): number | undefined {
  let widest: number | undefined
  for (let i = node + 1, end = subtreeEnd(tree, node); i < end; i = tree.end[i]) {
    if (widest === undefined || width[i] > width[widest]) widest = i
  }
  return widest
}

function nextSibling(tree: CallTree, node: number): number | undefined {
  if (node === ROOT) return undefined
  return tree.end[node] < subtreeEnd(tree, tree.parent[node]) ? tree.end[node] : undefined
}

function previousSibling(tree: CallTree, node: number): number | undefined {
  if (node === ROOT) return undefined
  let before: number | undefined
  for (let i = tree.parent[node] + 1; i < node; i = tree.end[i]) before = i
  return before
}

/** The position of a node among its siblings, from 1, and their number. */
export function placeAmongSiblings(tree: CallTree, node: number): { readonly place: number; readonly of: number } {
  let place = 1
  let of = 0
  const parent = node === ROOT ? ROOT : tree.parent[node]
  if (node === ROOT) return { place: 1, of: 1 }
  for (let i = parent + 1, end = subtreeEnd(tree, parent); i < end; i = tree.end[i]) {
    of++
    if (i === node) place = of
  }
  return { place, of }
}
