// The value that a node limit hides below each node, computed from the tree alone.
import type { CallTree } from '@hearth/profile'
import { exactSelf, exactTotal } from '@hearth/profile'

/** The hidden value directly below a node. */
export function hiddenBelow(tree: CallTree, i: number): bigint {
  let rest = exactTotal(tree, i) - exactSelf(tree, i)
  for (let child = i + 1; child < tree.end[i]; child = tree.end[child]) rest -= exactTotal(tree, child)
  return rest
}
