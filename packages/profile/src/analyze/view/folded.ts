// A tree as folded text, `main;run;gc 3` a line: what flame graph tools have read for longest. A difference has two numbers,
// before and after.
import { exactSelf } from '../tree/exact-values.ts'
import type { CallTree } from '../tree/call-tree.ts'
import { ROOT } from '../tree/call-tree.ts'

/** Of what ends in each node below the given one, with the path from the root. Nothing stands for nodes that were left out. */
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
    // Inverted, stacks are written as they were called all the same.
    const path = tree.order === 'leaf-first' ? stack.toReversed() : stack
    if (self === 0n && (before ?? 0n) === 0n) continue
    lines.push(`${path.join(';')} ${before === undefined ? '' : `${before} `}${self}`)
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Semicolons and line ends are the format's own. */
function foldable(name: string): string {
  const text = name
    .replaceAll(';', ':')
    .replaceAll(/[\r\n]+/g, ' ')
    .trim()
  return text === '' ? '[unknown]' : text
}
