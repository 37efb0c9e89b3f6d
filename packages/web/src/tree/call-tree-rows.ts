// The visible rows of a call tree whose nodes can be expanded.
import type { CallTree } from '@hearth/profile'
import { ROOT, subtreeEnd } from '@hearth/profile'

/** Expands the heaviest path until it divides, and the first level. */
export function firstExpanded(tree: CallTree): Set<number> {
  const expanded = new Set<number>()
  for (let node = 0; node < tree.length && tree.end[node] > node + 1; node++) expanded.add(node)
  return expanded
}

/** Nodes in order. The children of nodes that are not expanded are skipped. */
export function visibleRows(tree: CallTree, expanded: ReadonlySet<number>): number[] {
  const rows: number[] = []
  for (let node = 0; node < tree.length;) {
    rows.push(node)
    node = expanded.has(node) ? node + 1 : tree.end[node]
  }
  return rows
}

/** The nodes above a node, which must be expanded to show it. */
export function nodesAbove({ parent }: CallTree, node: number): number[] {
  const above: number[] = []
  for (let i = parent[node]; i !== ROOT; i = parent[i]) above.push(i)
  return above
}

export interface TreeStep {
  readonly node: number
  readonly expanded: ReadonlySet<number>
}

/** The effect of a key on a tree, as WAI-ARIA describes it for trees. Undefined for keys without a meaning. */
export function stepInTree(tree: CallTree, rows: readonly number[], at: TreeStep, key: string): TreeStep | undefined {
  const { node, expanded } = at
  const place = rows.indexOf(node)
  const to = (next: number | undefined): TreeStep => ({ node: next ?? node, expanded })
  const toggled = (isOpen: boolean): TreeStep => {
    const next = new Set(expanded)
    if (isOpen) next.add(node)
    else next.delete(node)
    return { node, expanded: next }
  }
  const hasChildren = tree.end[node] > node + 1
  switch (key) {
    case 'ArrowDown':
      return to(rows[place + 1])
    case 'ArrowUp':
      return to(rows[place - 1])
    case 'ArrowRight':
      return !hasChildren ? to(node) : expanded.has(node) ? to(node + 1) : toggled(true)
    case 'ArrowLeft':
      if (hasChildren && expanded.has(node)) return toggled(false)
      return to(tree.parent[node] === ROOT ? node : tree.parent[node])
    case 'Enter':
    case ' ':
      return hasChildren ? toggled(!expanded.has(node)) : to(node)
    case 'Home':
      return to(rows[0])
    case 'End':
      return to(rows.at(-1))
    case '*': {
      const next = new Set(expanded)
      for (let i = node; i < subtreeEnd(tree, node) && i < node + MAX_EXPANDED; i++)
        if (tree.end[i] > i + 1) next.add(i)
      return { node, expanded: next }
    }
    default:
      return undefined
  }
}

/** More would be no overview, and slow. */
const MAX_EXPANDED = 5000
