// Nodes by the names of their frames from the root down, which survive a new answer, other transforms and a link sent to
// somebody else; row numbers do not.
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT, nodesTo, subtreeEnd } from '../tree/call-tree.ts'

/** Empty for everything. */
export type NodePath = readonly string[]

export function pathOf(tree: CallTree, node: number): NodePath {
  return nodesTo(tree, node).map(i => tree.frames.name[tree.frame[i]])
}

export interface Found {
  /** ROOT where not even the first name was found. */
  readonly node: number
  /** How many names were found; all of them where the node is the one asked for. */
  readonly depth: number
}

/** The node of a path, or the deepest on the way there. Among siblings of one name it is the first, the largest. */
export function findPath(tree: CallTree, path: NodePath): Found {
  let node = ROOT
  for (let depth = 0; depth < path.length; depth++) {
    const next = childNamed(tree, node, path[depth])
    if (next === undefined) return { node, depth }
    node = next
  }
  return { node, depth: path.length }
}

function childNamed(tree: CallTree, parent: number, name: string): number | undefined {
  for (let i = parent + 1, end = subtreeEnd(tree, parent); i < end; i = tree.end[i]) {
    if (tree.frames.name[tree.frame[i]] === name) return i
  }
  return undefined
}
