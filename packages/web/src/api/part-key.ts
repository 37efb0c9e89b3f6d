// Cache keys of parts and of root attributes.
import type { Part } from './profile-source.ts'

export function partKey(part: Part | undefined): string {
  if (part === undefined) return ''
  const { from, until, threads = ['*'], busy = false } = part
  return `:${from}-${until}:${busy ? 'busy' : 'all'}:${threads.join('|')}`
}

export function rootKey(roots: readonly string[], addresses = false): string {
  return `${addresses ? ':addresses' : ''}${roots.length === 0 ? '' : `:root:${roots.join('\n')}`}`
}

/**
 * Whether a file of the format shows the graph with its root attributes. Other formats contain the samples unchanged.
 */
export function showsTree(format: string): boolean {
  return format === 'flamegraph-html'
}
