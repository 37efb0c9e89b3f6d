// Finds the visible boxes of a flame chart and the box at a position. The calls of a row are ordered and do not
// overlap, so a binary search finds positions. One box represents all that start in the same pixel. A frame visits at
// most one box per pixel of its rows, whatever the number of calls.
import type { Layout } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { Window } from './viewport.ts'

/** Collects the boxes of a frame. */
export interface BoxSink {
  push(node: number, row: number, x: number, width: number): void
}

/** A layout in time: the nodes of each row below the root, from left to right. */
export type TimeLayout = Layout & { readonly byRow: readonly Uint32Array[] }

export function isInTime(layout: Layout): layout is TimeLayout {
  return layout.byRow !== undefined
}

export function collectInTime(boxes: BoxSink, layout: TimeLayout, window: Window): void {
  const { left, width, byRow } = layout
  const { left: from, right: until, pixels, firstRow, lastRow } = window
  const scale = pixels / (until - from)
  for (let row = Math.max(1, firstRow); row <= Math.min(lastRow, byRow.length); row++) {
    const nodes = byRow[row - 1]
    let k = Math.max(0, lastBefore(layout, nodes, from, 0))
    if (k < nodes.length && left[nodes[k]] + width[nodes[k]] <= from) k++
    while (k < nodes.length) {
      const node = nodes[k]
      if (left[node] >= until) break
      const x = (left[node] - from) * scale
      const wide = width[node] * scale
      if (wide >= 1) {
        boxes.push(node, row, x, wide)
        k++
        continue
      }
      const pixel = Math.floor(x)
      boxes.push(node, row, pixel, 1)
      // Only the last of the boxes that start within the pixel can extend beyond it.
      const last = lastBefore(layout, nodes, from + (pixel + 1) / scale, k)
      k = last > k && width[nodes[last]] * scale >= 1 ? last : Math.max(k, last) + 1
    }
  }
}

/** The last node of a row that starts before `place`, searched from the k-th; k - 1 if there is none. */
function lastBefore({ left }: Layout, nodes: Uint32Array, place: number, k: number): number {
  // Doubles the steps, because the node is usually near.
  let step = 1
  let low = k - 1
  let high = k
  while (high < nodes.length && left[nodes[high]] < place) {
    low = high
    high += step
    step *= 2
  }
  high = Math.min(high, nodes.length)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (left[nodes[middle]] < place) low = middle
    else high = middle
  }
  return low
}

/** nodeAt for a flame chart. */
export function nodeAtTime(layout: TimeLayout, place: number, row: number): number | undefined {
  if (place < 0 || place >= layout.whole || row < 0 || row > layout.byRow.length) return undefined
  if (row === 0) return ROOT
  const nodes = layout.byRow[row - 1]
  let k = lastBefore(layout, nodes, place, 0)
  if (layout.left[nodes[k + 1]] === place) k++
  if (k < 0 || layout.left[nodes[k]] + layout.width[nodes[k]] <= place) return undefined
  return nodes[k]
}

/** nodeAround for a flame chart. */
export function nodeAroundTimes(layout: TimeLayout, from: number, until: number): number {
  let around = ROOT
  for (let row = 1; row <= layout.byRow.length; row++) {
    const node = nodeAtTime(layout, from, row)
    if (node === undefined || layout.left[node] + layout.width[node] < until) return around
    around = node
  }
  return around
}
