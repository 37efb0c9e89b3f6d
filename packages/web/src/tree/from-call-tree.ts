// A tree from what the library made of a profile. Columns are shared, not copied.
import type { CallTree, ValueColumns } from '@hearth/profile'
import { framesOfTable } from './frames.ts'
import type { Frames } from './frames.ts'
import type { Tree } from './tree.ts'

/** `frames` where the frame table was turned into text before. */
export function treeOfCallTree(tree: CallTree, unit: string, frames: Frames = framesOfTable(tree.frames)): Tree {
  const { length, parent, end, depth, frame, order, sum } = tree
  return {
    length,
    parent,
    end,
    depth,
    frame,
    frames,
    order,
    sum,
    unit,
    ...valuesOf(tree),
    before: undefined,
    hiddenNodes: 0,
  }
}

function valuesOf({ self, total, selfExact, totalExact }: ValueColumns): ValueColumns {
  return { self, total, selfExact, totalExact }
}
