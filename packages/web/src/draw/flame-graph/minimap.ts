// The outline of a whole flame graph, for a small image beside a deep graph: the depth of the stacks from left to
// right.
import type { Layout } from '@hearth/profile'
import { VisibleBoxes } from './visible-boxes.ts'

export interface Minimap {
  /** The number of rows of the graph. */
  readonly rows: number
  /** The number of rows at each pixel of the width, including the row of the root. */
  readonly depth: Uint32Array
}

export function minimapOf(layout: Layout, pixels: number): Minimap {
  const depth = new Uint32Array(pixels)
  const boxes = new VisibleBoxes()
  const { whole, rows } = layout
  boxes.collect(layout, { left: 0, right: whole, firstRow: 0, lastRow: rows - 1, pixels, narrowest: 0.5 })
  for (let i = 0; i < boxes.length; i++) {
    const from = Math.floor(boxes.x[i])
    const until = Math.min(pixels, Math.max(from + 1, Math.round(boxes.x[i] + boxes.width[i])))
    for (let x = from; x < until; x++) if (depth[x] <= boxes.row[i]) depth[x] = boxes.row[i] + 1
  }
  return { rows, depth }
}
