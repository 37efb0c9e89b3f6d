// The outline of a whole flame graph, for a small image beside a deep graph: the depth of the stacks from left to
// right.
import type { Layout } from '@hearth/profile'
import type { FlameGraphViewport, Minimap, Orientation } from './flame-graph-types.ts'
import { VisibleBoxes } from './visible-boxes.ts'

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

/** Rows that may be outside of the window before the minimap is shown. */
const SPARE_ROWS = 4

/** Whether a part of the graph that is worth a minimap is outside of the window. */
export function isPartOutside({ left, right, top, bottom, rows }: FlameGraphViewport): boolean {
  return right - left < 0.999 || rows > bottom - top + SPARE_ROWS
}

/** The window in the minimap, as fractions of its size. */
export interface MinimapWindow {
  readonly left: number
  readonly width: number
  readonly top: number
  readonly height: number
}

/** The smallest window, as a fraction, so that it stays visible. */
const MIN_SIZE = 0.02

export function minimapWindow(
  { left, right, top, bottom, rows }: FlameGraphViewport,
  orientation: Orientation,
): MinimapWindow {
  const all = Math.max(1, rows)
  const height = Math.min(1, Math.max(MIN_SIZE, (bottom - top) / all))
  const from = Math.min(1 - height, top / all)
  const width = Math.max(MIN_SIZE, right - left)
  return {
    left: Math.max(0, Math.min(1 - width, left)),
    width,
    top: orientation === 'icicle' ? from : 1 - from - height,
    height,
  }
}

/** The visible part with its middle at a place of the minimap, and the number of rows to scroll. */
export function movedTo(
  viewport: FlameGraphViewport,
  orientation: Orientation,
  x: number,
  y: number,
): { readonly left: number; readonly right: number; readonly rows: number } {
  const width = viewport.right - viewport.left
  const left = Math.max(0, Math.min(1 - width, x - width / 2))
  const row = (orientation === 'icicle' ? y : 1 - y) * viewport.rows
  return { left, right: left + width, rows: row - (viewport.top + viewport.bottom) / 2 }
}
