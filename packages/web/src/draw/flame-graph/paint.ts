// Paints boxes on a canvas. Edges lie on whole canvas pixels, so thin gaps stay sharp at every zoom and pixel ratio.
// There are two layers: the boxes, and above them the marks that follow the pointer and change far more often.
//
// A row of boxes is written as one line of pixels, which the canvas stretches to the height of the row. Without a GPU
// this takes half as long as one rectangle per box (3,000 boxes in 2.5 ms instead of 5.5 ms).
import type { Layout } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { Colours } from './box-colours.ts'
import type { Orientation } from './flame-graph-types.ts'
import type { BoxLabels } from './labels.ts'
import { pixelOf } from '../oklch.ts'
import type { Surfaces } from '../oklch.ts'
import { MERGED } from './visible-boxes.ts'
import type { VisibleBoxes } from './visible-boxes.ts'

/** The part of a canvas context that is used. Tests replace it. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'font'
  | 'textBaseline'
  | 'fillRect'
  | 'strokeRect'
  | 'clearRect'
  | 'fillText'
>

/** The position of rows, in canvas pixels. */
export interface RowGeometry {
  readonly width: number
  readonly height: number
  readonly rowHeight: number
  /** The distance by which the row of the root is scrolled out. */
  readonly scroll: number
  readonly orientation: Orientation
  readonly ratio: number
}

export interface Scene extends RowGeometry {
  readonly layout: Layout
  readonly boxes: VisibleBoxes
  readonly colours: Colours
  readonly surfaces: Surfaces
  readonly labels: BoxLabels
  readonly rootLabel: string
  readonly font: string
  readonly fontSize: number
  /** A byte per frame during a search. */
  readonly matches: Uint8Array | undefined
}

/** The gap between a box and its neighbours, in CSS pixels. */
const GAP = 1
/** The gap between a box and its text. */
export const PADDING = 4

/** The upper edge of a row. */
export function rowTop({ orientation, rowHeight, scroll, height }: RowGeometry, row: number): number {
  return Math.round(orientation === 'icicle' ? row * rowHeight - scroll : height - (row + 1) * rowHeight + scroll)
}

export function rowAt({ orientation, rowHeight, scroll, height }: RowGeometry, y: number): number {
  return Math.floor((orientation === 'icicle' ? y + scroll : height - y + scroll) / rowHeight)
}

/** Lines of pixels, one for each visible row. */
export interface RowPixels {
  /** Returns `rows` lines of `width` pixels with undefined content. */
  take(width: number, rows: number): Uint32Array
  /** Call after writing the pixels and before drawing. */
  written(): void
  /** Draws a part of a line with a height. */
  draw(row: number, from: number, until: number, y: number, height: number): void
}

export function paintBoxes(pen: Pen, scene: Scene, lines: RowPixels): void {
  const { boxes, width, height, surfaces, ratio } = scene
  const gap = Math.max(1, Math.round(GAP * ratio))
  const high = Math.max(1, Math.round(scene.rowHeight) - gap)
  const rows = Math.max(0, boxes.lastRow - boxes.firstRow + 1)
  const reach = new Int32Array(rows)
  writeLines(scene, lines.take(width, rows), reach, gap)
  lines.written()
  pen.fillStyle = surfaces.paper
  pen.fillRect(0, 0, width, height)
  // A row is drawn up to its last box. For most rows that is far from the edge, and the rest is already paper.
  for (let row = 0; row < rows; row++) {
    if (reach[row] > 0) lines.draw(row, 0, reach[row], rowTop(scene, boxes.firstRow + row), high)
  }
  paintLabels(pen, scene, gap)
}

/** Writes the lines and stores where the last box of each ends. */
function writeLines(scene: Scene, pixels: Uint32Array, reach: Int32Array, gap: number): void {
  const { boxes, width, surfaces, colours, matches } = scene
  const { frame } = scene.layout.tree
  pixels.fill(pixelOf(surfaces.paper))
  const [root, dim, merged] = [surfaces.root, surfaces.dim, matches === undefined ? surfaces.merged : surfaces.dim].map(
    pixelOf,
  )
  for (let i = 0; i < boxes.length; i++) {
    const node = boxes.node[i]
    const x = Math.max(0, Math.round(boxes.x[i]))
    const until = Math.min(width, Math.round(boxes.x[i] + boxes.width[i]))
    // A gap as wide as the box would hide it.
    const wide = until - x > 3 * gap ? until - x - gap : Math.max(1, until - x)
    const dimmed = matches !== undefined && node >= 0 && matches[frame[node]] === 0
    const own = node >= 0 ? colours.pixels[colours.of(node)] : node === ROOT ? root : merged
    const row = boxes.row[i] - boxes.firstRow
    const start = row * width + x
    const end = row * width + Math.min(x + wide, width)
    // The boxes of a row are ordered from left to right.
    reach[row] = end - row * width
    // Most boxes are a few pixels wide, where a loop is faster than calling `fill`.
    if (wide < 16) for (let at = start; at < end; at++) pixels[at] = dimmed ? dim : own
    else pixels.fill(dimmed ? dim : own, start, end)
  }
}

export function boxColour({ colours, surfaces, matches, layout }: Scene, node: number): string {
  if (node === MERGED) return matches === undefined ? surfaces.merged : surfaces.dim
  if (node === ROOT) return surfaces.root
  if (matches !== undefined && matches[layout.tree.frame[node]] === 0) return surfaces.dim
  return colours.box[colours.of(node)]
}

function paintLabels(pen: Pen, scene: Scene, gap: number): void {
  const { boxes, labels, width, ratio } = scene
  const { frame } = scene.layout.tree
  const padding = PADDING * ratio
  pen.font = scene.font
  pen.textBaseline = 'alphabetic'
  // Aligns the middle of lower-case letters with the middle of the box.
  const baseline = Math.round((Math.round(scene.rowHeight) - gap) / 2 + scene.fontSize * ratio * 0.34)
  let last = ''
  for (let i = 0; i < boxes.length; i++) {
    const node = boxes.node[i]
    if (node === MERGED) continue
    // The text stays visible if its box starts left of the window.
    const x = Math.max(0, boxes.x[i])
    const room = Math.min(width, boxes.x[i] + boxes.width[i]) - x - 2 * padding
    if (room < 3 * padding) continue
    const text = node === ROOT ? scene.rootLabel : labels.fit(frame[node], room)
    if (text === '') continue
    const colour = textColour(scene, node)
    if (colour !== last) pen.fillStyle = last = colour
    pen.fillText(text, Math.round(x + padding), rowTop(scene, boxes.row[i]) + baseline)
  }
}

export function textColour({ colours, surfaces, matches, layout }: Scene, node: number): string {
  if (node === ROOT) return surfaces.rootText
  if (matches !== undefined && matches[layout.tree.frame[node]] === 0) return surfaces.dimText
  return colours.text[colours.of(node)]
}

export interface Marks {
  /** The function to mark everywhere. */
  readonly frame: number | undefined
  readonly hovered: number | undefined
  readonly selected: number | undefined
}

/** Paints the upper layer: all boxes of the marked function, the hovered box and the selected box. */
export function paintMarks(pen: Pen, scene: Scene, marks: Marks): void {
  pen.clearRect(0, 0, scene.width, scene.height)
  const { boxes, surfaces, ratio } = scene
  const { frame } = scene.layout.tree
  for (let i = 0; i < boxes.length; i++) {
    const node = boxes.node[i]
    if (node === MERGED) continue
    const marked = node !== ROOT && frame[node] === marks.frame
    if (node === marks.selected) outline(pen, scene, i, surfaces.selection, 2 * ratio)
    else if (marked || node === marks.hovered)
      outline(pen, scene, i, surfaces.mark, node === marks.hovered ? 1.5 * ratio : ratio)
  }
}

function outline(pen: Pen, scene: Scene, i: number, colour: string, thickness: number): void {
  const { boxes, width, ratio, rowHeight } = scene
  const gap = Math.max(1, Math.round(GAP * ratio))
  const x = Math.max(0, Math.round(boxes.x[i]))
  const until = Math.min(width, Math.round(boxes.x[i] + boxes.width[i]))
  const line = Math.max(1, Math.round(thickness))
  const y = rowTop(scene, boxes.row[i])
  const high = Math.max(1, Math.round(rowHeight) - gap)
  const wide = Math.max(2, until - x - gap)
  if (wide <= 2 * line) {
    pen.fillStyle = colour
    pen.fillRect(x, y, wide, high)
    return
  }
  pen.strokeStyle = colour
  pen.lineWidth = line
  pen.strokeRect(x + line / 2, y + line / 2, wide - line, high - line)
}
