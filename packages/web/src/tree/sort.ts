// The same tree with siblings in another order.
import type { SiblingOrder } from './build-tree.ts'
import { rebuild } from './rebuild.ts'
import type { Tree } from './tree.ts'

export type { SiblingOrder } from './build-tree.ts'

export function sorted(tree: Tree, siblings: SiblingOrder): Tree {
  return rebuild(tree, (node, above, trie) => trie.child(above, tree.frame[node]), { siblings })
}
