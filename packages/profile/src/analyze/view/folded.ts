// Writes a tree as folded text with lines such as `main;run;gc 3`, which most flame graph tools read. A diff has two numbers,
// before and after.
import { exactSelf } from '../tree/exact-values.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'

/** Writes the stacks that end below the given node, with the path from the root. Hidden nodes are not written. */
export function foldedText(tree: CallTree, node: number = ROOT): string {
  const lines: string[] = []
  const names = tree.frames.name.map(foldable)
  const stack: string[] = []
  for (let i = node; i !== ROOT; i = tree.parent[i]) stack.unshift(names[tree.frame[i]])
  const end = node === ROOT ? tree.length : tree.end[node]
  for (let i = node === ROOT ? 0 : node; i < end; i++) {
    stack.length = tree.depth[i]
    stack.push(names[tree.frame[i]])
    const self = exactSelf(tree, i)
    const before = tree.before && exactSelf(tree.before, i)
    // Stacks of an inverted tree are written in call order too.
    const path = tree.order === 'leaf-first' ? stack.toReversed() : stack
    if (self === 0n && (before ?? 0n) === 0n) continue
    lines.push(`${path.join(';')} ${before === undefined ? '' : `${before} `}${self}`)
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Replaces semicolons and line breaks, which separate frames and stacks. */
function foldable(name: string): string {
  const text = name
    .replaceAll(';', ':')
    .replaceAll(/[\r\n]+/g, ' ')
    .trim()
  return text === '' ? '[unknown]' : text
}
