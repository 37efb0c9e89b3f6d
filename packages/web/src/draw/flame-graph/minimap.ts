// The outline of a whole flame graph, for a small picture beside a deep one: how deep the stacks are from left to right.
import type { Layout } from '@hearth/profile'
import { VisibleBoxes } from './visible-boxes.ts'

export interface Minimap {
  /** Of the graph. */
  readonly rows: number
  /** For each pixel of the width how many rows there are, the one of everything included. */
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
