// Scenes without a canvas, in which every character is 7 pixels wide.
import type { Layout } from '@hearth/profile'
import { coloursOf } from '../flame-graph/box-colours.ts'
import { rootText } from '../flame-graph/describe.ts'
import { BoxLabels } from '../flame-graph/labels.ts'
import { SURFACES } from '../oklch.ts'
import type { Scene } from '../flame-graph/paint.ts'
import { VisibleBoxes } from '../flame-graph/visible-boxes.ts'

export const LETTER = 7

export interface SceneOptions extends Partial<
  Pick<Scene, 'width' | 'height' | 'orientation' | 'scroll' | 'ratio' | 'matches'>
> {
  /** The start of the visible part as a fraction of the layout's width. */
  readonly from?: number
  readonly until?: number
}

export function sceneOf(layout: Layout, options: SceneOptions = {}): Scene {
  const {
    width = 800,
    height = 200,
    orientation = 'icicle',
    scroll = 0,
    ratio = 1,
    matches,
    from = 0,
    until = layout.whole,
  } = options
  const boxes = new VisibleBoxes()
  const rowHeight = 20 * ratio
  const firstRow = Math.floor(scroll / rowHeight)
  const lastRow = Math.min(layout.rows - 1, Math.ceil((scroll + height) / rowHeight))
  boxes.collect(layout, { left: from, right: until, firstRow, lastRow, pixels: width, narrowest: 0.5 })
  return {
    width,
    height,
    orientation,
    scroll,
    ratio,
    matches,
    layout,
    boxes,
    rowHeight,
    colours: coloursOf(layout.tree, { colourBy: 'package', palette: 'standard', theme: 'light' }),
    surfaces: SURFACES.light,
    labels: new BoxLabels(layout.tree.frames.name, { widthOf: text => text.length * LETTER * ratio }, true),
    rootLabel: rootText(layout.tree),
    font: '12px mono',
    fontSize: 12,
  }
}
