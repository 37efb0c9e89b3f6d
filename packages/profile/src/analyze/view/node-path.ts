// Identifies nodes by the names of their frames from the root. Unlike row numbers, such paths stay valid in a new response,
// after transforms and in shared links.
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT, nodesTo, subtreeEnd } from '../tree/call-tree.ts'

/** Empty for the complete tree. */
export type NodePath = readonly string[]

/** The path includes calls that are folded. */
export function pathOf(tree: CallTree, node: number): NodePath {
  const { unfolded } = tree
  if (unfolded !== undefined && node !== ROOT) return pathOf(unfolded.tree, unfolded.node[node])
  return nodesTo(tree, node).map(i => tree.frames.name[tree.frame[i]])
}

export interface Found {
  /** ROOT if not even the first name was found. */
  readonly node: number
  /** The number of names that were found. It is the length of the path if the node exists. */
  readonly depth: number
}

/** The node of a path, or the deepest existing one on it. Among siblings with one name it is the first, which is the largest. */
export function findPath(tree: CallTree, path: NodePath): Found {
  if (tree.unfolded !== undefined) {
    const { node, depth } = findPath(tree.unfolded.tree, path)
    return { node: node === ROOT ? ROOT : tree.unfolded.shown[node], depth }
  }
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
