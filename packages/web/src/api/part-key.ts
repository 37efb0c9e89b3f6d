// What tells parts of a source apart.
import type { Part } from './profile-source.ts'

export function partKey(part: Part | undefined): string {
  if (part === undefined) return ''
  const { from, until, threads = ['*'], busy = false } = part
  return `:${from}-${until}:${busy ? 'busy' : 'all'}:${threads.join('|')}`
}
