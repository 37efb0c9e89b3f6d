// The threads at the root of a tree, ordered by total.
import { THREAD } from '../tree/frame-table.ts'
import type { CallTree } from '../tree/call-tree.ts'

export interface ThreadTotal {
  /** Row in frames. */
  readonly frame: number
  /** The largest of its nodes. A thread has several below other roots and in an inverted tree. */
  readonly node: number
  readonly total: number
}

/** Largest first. Empty if the tree has no threads as roots. */
export function threadsIn(tree: CallTree): ThreadTotal[] {
  const { attribute } = tree.frames
  if (attribute === undefined) return []
  const found = new Map<number, ThreadTotal>()
  for (let i = 0; i < tree.length; i++) {
    const frame = tree.frame[i]
    if (attribute[frame] !== THREAD) continue
    const known = found.get(frame)
    const total = (known?.total ?? 0) + tree.total[i]
    const isLarger = known === undefined || tree.total[i] > tree.total[known.node]
    found.set(frame, { frame, total, node: isLarger ? i : known.node })
  }
  return [...found.values()].sort((a, b) => b.total - a.total || a.frame - b.frame)
}
