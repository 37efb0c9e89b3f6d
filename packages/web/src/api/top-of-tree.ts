// The table of a tree that has all of its nodes, as if it had been asked for.
import { topRows } from '../tree/top.ts'
import type { Tree } from '../tree/tree.ts'
import type { TopColumns } from './profile-source.ts'

export function topOfTree(tree: Tree): TopColumns {
  const { length, frames, frame, unit, after } = topRows(tree)
  return { length, frames, frame, unit, self: after.self, total: after.total, sum: after.sum, allFrames: length }
}
