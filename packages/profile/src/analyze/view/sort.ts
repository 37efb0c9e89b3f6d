// Sorts the siblings of a tree.
import type { SiblingOrder } from '../tree/build-tree.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { rebuild } from './rebuild.ts'

export function sorted(tree: CallTree, siblings: SiblingOrder): CallTree {
  return rebuild(tree, (node, above, trie) => trie.child(above, tree.frame[node]), { siblings })
}
