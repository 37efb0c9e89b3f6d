// The canvases of a flame graph and the data to paint them: layout, colours, labels.
// Costly data is computed once per tree or option, on the first frame that needs it.
import type { Layout } from '@hearth/profile'
import type { Colours } from './box-colours.ts'
import { coloursOf } from './box-colours.ts'
import { rootText } from './describe.ts'
import type { FlameGraphOptions } from './flame-graph-types.ts'
import { BoxLabels } from './labels.ts'
import { SURFACES } from '../oklch.ts'
import type { RowGeometry, Marks, Scene } from './paint.ts'
import { CanvasLayers, penOf } from '../canvas-layers.ts'
import { CanvasLines } from './canvas-lines.ts'
import { paintBoxes, paintMarks } from './paint.ts'
import type { Span } from './viewport.ts'
import { VisibleBoxes } from './visible-boxes.ts'

/** In canvas pixels. */
const MIN_BOX_WIDTH = 0.5
/** Browsers limit canvases to 16,384 or 32,767 pixels. */
const MAX_CANVAS_SIZE = 16_384

export class Stage {
  readonly #layers: CanvasLayers
  readonly #pen: CanvasRenderingContext2D
  readonly #ends = new AbortController()
  readonly #boxes = new VisibleBoxes()
  readonly #lines: CanvasLines
  #options: FlameGraphOptions
  #layout: Layout | undefined
  #matches: Uint8Array | undefined
  #colours: Colours | undefined
  #labels: BoxLabels | undefined
  #labelRatio = 0

  constructor(host: HTMLElement, options: FlameGraphOptions, onResize: () => void) {
    this.#options = options
    const label =
      'Flame graph. Arrow keys walk, Enter zooms in, Escape zooms out. The view Call tree has the same calls as a tree with levels.'
    this.#layers = new CanvasLayers(host, label, onResize)
    this.#pen = this.#layers.pen
    this.#lines = new CanvasLines(this.#pen)
    // Measures characters again and draws with the loaded font.
    const fontsLoaded = (): void => {
      this.#labels = undefined
      onResize()
    }
    document.fonts.addEventListener('loadingdone', fontsLoaded, { signal: this.#ends.signal })
  }

  /** Receives the events. */
  get canvas(): HTMLCanvasElement {
    return this.#layers.upper
  }

  /** CSS pixels. */
  get width(): number {
    return this.#layers.width
  }

  get height(): number {
    return this.#layers.height
  }

  setLayout(layout: Layout | undefined): void {
    this.#layout = layout
    this.#colours = undefined
    this.#labels = undefined
    this.#matches = undefined
  }

  setOptions(options: FlameGraphOptions): void {
    const old = this.#options
    this.#options = options
    const { colourBy, palette, theme, shortNames, fontFamily, fontSize } = options
    const sameColours = old.colourBy === colourBy && old.palette === palette && old.theme === theme
    if (!sameColours || old.observations !== options.observations) this.#colours = undefined
    const sameText = old.shortNames === shortNames && old.fontFamily === fontFamily && old.fontSize === fontSize
    if (!sameText) this.#labels = undefined
  }

  /** Ignored if the length differs from the number of frames of the tree. */
  setMatches(matches: Uint8Array | undefined): void {
    this.#matches = matches?.length === this.#layout?.tree.frames.length ? matches : undefined
  }

  frame(scroll: number, ratio: number): RowGeometry {
    const { orientation, rowHeight } = this.#options
    return {
      width: Math.round(this.width * ratio),
      height: Math.round(this.height * ratio),
      rowHeight: rowHeight * ratio,
      scroll: scroll * ratio,
      orientation,
      ratio,
    }
  }

  render(span: Span, scroll: number, marks: Marks, what: 'marks' | 'everything'): void {
    const { ratio, pen, upper, upperPen } = this.#layers
    this.#layers.fit()
    const scene = this.#scene(span, this.frame(scroll, ratio), pen, this.#boxes, what === 'everything')
    if (scene === undefined) {
      pen.fillStyle = SURFACES[this.#options.theme].paper
      pen.fillRect(0, 0, upper.width, upper.height)
      upperPen.clearRect(0, 0, upper.width, upper.height)
      return
    }
    if (what === 'everything') paintBoxes(pen, scene, this.#lines)
    paintMarks(upperPen, scene, marks)
  }

  /** The span with all rows that contain a visible box, at their full height. */
  wholeScene(span: Span, ratio: number, pen: CanvasRenderingContext2D = this.#pen): Scene | undefined {
    if (this.#layout === undefined) return undefined
    const rowHeight = this.#options.rowHeight * ratio
    const height = Math.round(Math.min(MAX_CANVAS_SIZE, this.#layout.rows * rowHeight))
    const scene = this.#scene(span, { ...this.frame(0, ratio), height, scroll: 0 }, pen, new VisibleBoxes(), true)
    // The deepest stacks can be too narrow to see, or outside of the span.
    return scene && { ...scene, height: Math.min(height, Math.round(rowsWith(scene.boxes) * rowHeight)) }
  }

  async toPng(span: Span, ratio: number): Promise<Blob> {
    const canvas = document.createElement('canvas')
    const pen = penOf(canvas, false)
    const scene = this.wholeScene(span, ratio, pen)
    canvas.width = Math.max(1, Math.min(MAX_CANVAS_SIZE, scene?.width ?? 1))
    canvas.height = Math.max(1, scene?.height ?? 1)
    if (scene !== undefined) paintBoxes(pen, scene, new CanvasLines(pen))
    return new Promise((resolve, reject) => {
      canvas.toBlob(blob => {
        if (blob === null) reject(new Error('the browser cannot create an image of this size'))
        else resolve(blob)
      }, 'image/png')
    })
  }

  destroy(): void {
    this.#layers.destroy()
    this.#ends.abort()
  }

  #scene(
    span: Span,
    frame: RowGeometry,
    pen: CanvasRenderingContext2D,
    boxes: VisibleBoxes,
    collect: boolean,
  ): Scene | undefined {
    const layout = this.#layout
    if (layout === undefined || frame.width === 0) return undefined
    const { fontSize, fontFamily, theme } = this.#options
    const font = `${fontSize * frame.ratio}px ${fontFamily}`
    if (collect) {
      const firstRow = Math.floor(frame.scroll / frame.rowHeight)
      const lastRow = Math.min(layout.rows - 1, Math.ceil((frame.scroll + frame.height) / frame.rowHeight))
      const window = { left: span.left, right: span.left + span.width, firstRow, lastRow }
      boxes.collect(layout, { ...window, pixels: frame.width, narrowest: MIN_BOX_WIDTH })
    }
    return {
      ...frame,
      layout,
      boxes,
      colours: (this.#colours ??= coloursOf(layout.tree, this.#colourOptions())),
      surfaces: SURFACES[theme],
      labels: this.#labelsFor(layout, pen, font, frame.ratio),
      rootLabel: rootText(layout.tree),
      font,
      fontSize,
      matches: this.#matches,
    }
  }

  /** A diff of one side would be all grey. */
  #colourOptions(): FlameGraphOptions {
    const plain = this.#layout?.tree.before === undefined && this.#options.colourBy === 'diff'
    return plain ? { ...this.#options, colourBy: 'package' } : this.#options
  }

  #labelsFor(layout: Layout, pen: CanvasRenderingContext2D, font: string, ratio: number): BoxLabels {
    if (this.#labels !== undefined && this.#labelRatio === ratio) return this.#labels
    pen.font = font
    const measure = {
      widthOf: (text: string): number => {
        pen.font = font
        return pen.measureText(text).width
      },
    }
    const labels = new BoxLabels(layout.tree.frames.name, measure, this.#options.shortNames)
    // Images at another ratio are made once. The labels on screen stay.
    if (pen === this.#pen && ratio === this.#layers.ratio) {
      this.#labels = labels
      this.#labelRatio = ratio
    }
    return labels
  }
}

function rowsWith({ length, row }: VisibleBoxes): number {
  let rows = 0
  for (let i = 0; i < length; i++) rows = Math.max(rows, row[i] + 1)
  return rows
}
