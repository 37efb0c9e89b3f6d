// Collects the boxes in a window. The walk over the tree skips subtrees that are outside or too narrow. It visits a few
// thousand of a million nodes (0.1 to 0.5 ms), so the cost of a frame does not depend on the size of the profile.
import type { Layout } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { Window } from './viewport.ts'
import { collectInTime, isInTime, nodeAroundTimes, nodeAtTime } from './time-boxes.ts'

/** Stands for neighbours that are too narrow to draw each. */
export const MERGED = -2

/** Columns that every frame reuses, so drawing creates no garbage. */
export class VisibleBoxes {
  length = 0
  /** The first row of the window that was collected. */
  firstRow = 0
  lastRow = 0
  /** A node, ROOT or MERGED. */
  node = new Int32Array(1024)
  row = new Int32Array(1024)
  /** The distance from the left of the window. Boxes can start before the window and end after it. */
  x = new Float64Array(1024)
  width = new Float64Array(1024)
  /** Start and end of the current merged box in each row. */
  #runs = new Float64Array(128)

  collect(layout: Layout, window: Window): void {
    this.length = 0
    this.firstRow = window.firstRow
    this.lastRow = window.lastRow
    const { tree, left, width, inner, whole, roots, descending } = layout
    const { firstRow, lastRow, narrowest } = window
    const from = window.left
    const until = window.right
    if (whole === 0 || until <= from) {
      if (firstRow <= 0) this.push(ROOT, 0, 0, window.pixels)
      return
    }
    const scale = window.pixels / (until - from)
    if (firstRow <= 0) this.push(ROOT, 0, -from * scale, whole * scale)
    if (isInTime(layout)) {
      collectInTime(this, layout, window)
      return
    }
    this.#clearRuns(lastRow - firstRow + 1)
    const { length, parent, end, depth } = tree
    for (let i = 0; i < length;) {
      const above = parent[i]
      const at = left[i]
      // Siblings go from left to right, so the remaining ones are outside of the window too.
      if (at >= until) {
        i = above === ROOT ? length : end[above]
        continue
      }
      const wide = width[i]
      if (at + wide <= from) {
        i = end[i]
        continue
      }
      const row = depth[i] + 1
      if (row > lastRow) {
        i = above === ROOT ? length : end[above]
        continue
      }
      if (wide * scale < narrowest) {
        const ends = descending ? (above === ROOT ? roots : inner[above]) : at + wide
        if (row >= firstRow) this.#merge(row - firstRow, (at - from) * scale, (ends - from) * scale, window)
        if (!descending) i = end[i]
        else i = above === ROOT ? length : end[above]
        continue
      }
      if (row >= firstRow) {
        this.#flush(row - firstRow, window)
        this.push(i, row, (at - from) * scale, wide * scale)
      }
      i = row === lastRow ? end[i] : i + 1
    }
    for (let row = 0; row <= lastRow - firstRow; row++) this.#flush(row, window)
  }

  #clearRuns(rows: number): void {
    if (this.#runs.length < rows * 2) this.#runs = new Float64Array(rows * 4)
    this.#runs.fill(0)
  }

  #merge(row: number, from: number, until: number, window: Window): void {
    const runs = this.#runs
    // Extends the merged box if the gap would not be visible.
    if (runs[2 * row + 1] > runs[2 * row] && from - runs[2 * row + 1] < window.narrowest) {
      runs[2 * row + 1] = until
      return
    }
    this.#flush(row, window)
    runs[2 * row] = from
    runs[2 * row + 1] = until
  }

  #flush(row: number, window: Window): void {
    const from = Math.max(0, this.#runs[2 * row])
    const until = Math.min(window.pixels, this.#runs[2 * row + 1])
    if (until - from >= window.narrowest) this.push(MERGED, row + window.firstRow, from, until - from)
    this.#runs[2 * row] = this.#runs[2 * row + 1] = 0
  }

  push(node: number, row: number, x: number, width: number): void {
    const i = this.length++
    if (i === this.node.length) this.#grow()
    this.node[i] = node
    this.row[i] = row
    this.x[i] = x
    this.width[i] = width
  }

  #grow(): void {
    const size = this.node.length * 2
    const [node, row, x, width] = [
      new Int32Array(size),
      new Int32Array(size),
      new Float64Array(size),
      new Float64Array(size),
    ]
    node.set(this.node)
    row.set(this.row)
    x.set(this.x)
    width.set(this.width)
    Object.assign(this, { node, row, x, width })
  }
}

/** The node at a place (in the unit of the layout) and row; undefined if there is no box. Row 0 is ROOT. */
export function nodeAt(layout: Layout, place: number, row: number): number | undefined {
  if (isInTime(layout)) return nodeAtTime(layout, place, row)
  const { tree, left, width, whole } = layout
  if (place < 0 || place >= whole || row < 0) return row === 0 && whole === 0 ? ROOT : undefined
  let node = ROOT
  for (let depth = 0; depth < row; depth++) {
    let child = node + 1
    const end = node === ROOT ? tree.length : tree.end[node]
    while (child < end && left[child] + width[child] <= place) child = tree.end[child]
    if (child >= end || left[child] > place) return undefined
    node = child
  }
  return node
}

/** The deepest node that encloses the window. */
export function nodeAround(layout: Layout, from: number, until: number): number {
  if (isInTime(layout)) return nodeAroundTimes(layout, from, until)
  const { tree, left, width } = layout
  let node = ROOT
  for (;;) {
    let child = node + 1
    const end = node === ROOT ? tree.length : tree.end[node]
    while (child < end && left[child] + width[child] < until) child = tree.end[child]
    if (child >= end || left[child] > from) return node
    node = child
  }
}
