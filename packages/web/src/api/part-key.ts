// What tells parts of a source apart, and the same with other things at the root of its stacks.
import type { Part } from './profile-source.ts'

export function partKey(part: Part | undefined): string {
  if (part === undefined) return ''
  const { from, until, threads = ['*'], busy = false } = part
  return `:${from}-${until}:${busy ? 'busy' : 'all'}:${threads.join('|')}`
}

export function rootKey(roots: readonly string[]): string {
  return roots.length === 0 ? '' : `:root:${roots.join('\n')}`
}

/** Whether a file of the format shows the graph, with what is at its root; others have the samples as they are. */
export function showsTree(format: string): boolean {
  return format === 'flamegraph-html'
}
