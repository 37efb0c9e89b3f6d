// A heat map on a canvas: cells are drawn once, a pixel each, and stretched to the visible size. The selection is drawn
// above them.
import { penOf, takeKeys } from '../canvas-layers.ts'
import type { Theme } from '../theme.ts'
import type { Box, CellSize, HeatGrid } from './heat-map.ts'
import { boxesOf, cellOn, cellSize, cellAfterKey } from './heat-map.ts'
import { PAPER, paintCells, rampPixels } from './heat-map-colours.ts'
import type { TickClock } from '../time-ticks.ts'
import { timeTicks } from '../time-ticks.ts'

export interface HeatMapHandlers {
  /** The cell at the pointer or the keyboard cursor; undefined when they left. */
  readonly onPoint: (cell: number | undefined) => void
  /** Undefined outside of the cells. */
  readonly onPick: (cell: number | undefined) => void
  readonly onClear: () => void
}

/** A run of cells in time order. */
export interface HeatMark {
  readonly first: number
  readonly last: number
  readonly kind: 'preview' | 'range' | 'before' | 'after'
}

export interface HeatMapPicture {
  readonly grid: HeatGrid
  /** Values by cell. */
  readonly values: Float64Array
  readonly enhanced: boolean
  readonly theme: Theme
  /** Shows times of day. */
  readonly clock?: TickClock | undefined
}

const AXIS = 20
const TICK = 90

const MARKS: Readonly<
  Record<Theme, Readonly<Record<HeatMark['kind'], { readonly fill: string; readonly line: string }>>>
> = {
  light: {
    preview: { fill: 'rgb(0 0 0 / 0.12)', line: '#16130f' },
    range: { fill: 'rgb(0 0 0 / 0.16)', line: '#16130f' },
    before: { fill: 'rgb(30 100 200 / 0.18)', line: '#1d5fae' },
    after: { fill: 'rgb(200 80 20 / 0.18)', line: '#a8431a' },
  },
  dark: {
    preview: { fill: 'rgb(255 255 255 / 0.16)', line: '#f4efe6' },
    range: { fill: 'rgb(255 255 255 / 0.2)', line: '#ffffff' },
    before: { fill: 'rgb(110 175 255 / 0.24)', line: '#8fc1ff' },
    after: { fill: 'rgb(255 150 90 / 0.24)', line: '#ffb48a' },
  },
}
const LETTERS: Readonly<Partial<Record<HeatMark['kind'], string>>> = { before: 'A', after: 'B' }
const TEXT: Readonly<Record<Theme, string>> = { light: '#625b53', dark: '#b3aca2' }

export class HeatMapDrawing {
  readonly #host: HTMLElement
  readonly #room = document.createElement('div')
  readonly #canvas = document.createElement('canvas')
  readonly #pen: CanvasRenderingContext2D
  readonly #cells: CanvasRenderingContext2D
  readonly #observer: ResizeObserver
  readonly #ends = new AbortController()
  readonly #handlers: HeatMapHandlers
  readonly #startsAt: 'oldest' | 'newest'
  #picture: HeatMapPicture | undefined
  #size: CellSize = { width: 1, height: 1 }
  #marks: readonly HeatMark[] = []
  /** The cell of the keyboard cursor. */
  #cursor = 0
  #pointed: number | undefined
  #frame = 0

  /**
   * Fills `host`, which scrolls horizontally. A map that starts at the newest part stays there until the user scrolls.
   */
  constructor(host: HTMLElement, startsAt: 'oldest' | 'newest', handlers: HeatMapHandlers) {
    this.#host = host
    this.#startsAt = startsAt
    this.#handlers = handlers
    this.#room.style.position = 'relative'
    this.#canvas.style.cssText = 'position: sticky; left: 0; display: block; touch-action: pan-x'
    takeKeys(
      this.#canvas,
      'Heat map. Arrow keys walk from cell to cell, Enter sets the start and the end, Escape clears.',
    )
    this.#room.append(this.#canvas)
    host.append(this.#room)
    this.#pen = penOf(this.#canvas, false)
    this.#cells = penOf(document.createElement('canvas'), false)
    this.#observer = new ResizeObserver(() => this.#fit())
    this.#observer.observe(host)
    const { signal } = this.#ends
    host.addEventListener('scroll', () => this.#draw(), { signal, passive: true })
    this.#canvas.addEventListener('pointermove', event => this.#point(this.#cellOf(event)), { signal })
    this.#canvas.addEventListener('pointerleave', () => this.#point(undefined), { signal })
    this.#canvas.addEventListener('click', event => this.#click(event), { signal })
    this.#canvas.addEventListener('keydown', event => this.#key(event), { signal })
  }

  destroy(): void {
    this.#observer.disconnect()
    this.#ends.abort()
    cancelAnimationFrame(this.#frame)
    this.#room.remove()
  }

  setPicture(picture: HeatMapPicture): void {
    const { grid, values, enhanced, theme } = picture
    const old = this.#picture
    this.#picture = picture
    if (old?.grid !== grid) {
      this.#cursor = Math.min(this.#cursor, Math.max(0, grid.columns * grid.rows - 1))
      this.#pointed = undefined
    }
    const { canvas } = this.#cells
    canvas.width = Math.max(1, grid.columns)
    canvas.height = grid.rows
    const image = new ImageData(canvas.width, canvas.height)
    paintCells(new Uint32Array(image.data.buffer), grid, values, enhanced, rampPixels(theme))
    this.#cells.putImageData(image, 0, 0)
    this.#fit()
  }

  setMarks(marks: readonly HeatMark[]): void {
    this.#marks = marks
    this.#draw()
  }

  /** Scrolls the cell into view. */
  reveal(cell: number): void {
    if (this.#picture === undefined) return
    const x = Math.floor(cell / this.#picture.grid.rows) * this.#size.width
    const { scrollLeft, clientWidth } = this.#host
    if (x < scrollLeft) this.#host.scrollLeft = x
    else if (x + this.#size.width > scrollLeft + clientWidth) this.#host.scrollLeft = x + this.#size.width - clientWidth
  }

  #fit(): void {
    if (this.#picture === undefined) return
    const { grid } = this.#picture
    this.#size = cellSize(grid, this.#host.clientWidth)
    const width = grid.columns * this.#size.width
    const height = grid.rows * this.#size.height + AXIS
    // One pixel of tolerance: the browser rounds all three values.
    const wasAtEnd = this.#host.scrollLeft + this.#host.clientWidth >= this.#host.scrollWidth - 1
    this.#room.style.width = `${Math.max(width, this.#host.clientWidth)}px`
    this.#room.style.height = `${height}px`
    if (this.#startsAt === 'newest' && wasAtEnd) this.#host.scrollLeft = this.#host.scrollWidth
    const ratio = devicePixelRatio
    this.#canvas.style.width = `${this.#host.clientWidth}px`
    this.#canvas.style.height = `${height}px`
    this.#canvas.width = Math.round(this.#host.clientWidth * ratio)
    this.#canvas.height = Math.round(height * ratio)
    this.#draw()
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => this.#paint())
  }

  #paint(): void {
    if (this.#picture === undefined) return
    const { grid, theme } = this.#picture
    const { width: cellWidth, height: cellHeight } = this.#size
    const { scrollLeft, clientWidth } = this.#host
    const pen = this.#pen
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    pen.fillStyle = PAPER[theme]
    pen.fillRect(0, 0, clientWidth, this.#canvas.height)
    const first = Math.floor(scrollLeft / cellWidth)
    const shown = Math.min(grid.columns - first, Math.ceil(clientWidth / cellWidth) + 1)
    const height = grid.rows * cellHeight
    if (shown > 0) {
      pen.imageSmoothingEnabled = false
      const x = first * cellWidth - scrollLeft
      pen.drawImage(this.#cells.canvas, first, 0, shown, grid.rows, x, 0, shown * cellWidth, height)
    }
    pen.save()
    pen.beginPath()
    pen.rect(0, 0, clientWidth, height)
    pen.clip()
    pen.translate(-scrollLeft, 0)
    for (const mark of this.#marks) this.#paintMark(mark, theme)
    this.#paintCursor(theme)
    pen.restore()
    this.#paintAxis(scrollLeft, clientWidth, height, theme)
  }

  #paintMark({ first, last, kind }: HeatMark, theme: Theme): void {
    const pen = this.#pen
    const { fill, line } = MARKS[theme][kind]
    const boxes = boxesOf(this.#picture!.grid, this.#size, first, last)
    pen.fillStyle = fill
    for (const { x, y, width, height } of boxes) pen.fillRect(x, y, width, height)
    pen.strokeStyle = line
    pen.lineWidth = kind === 'preview' ? 1 : 1.5
    pen.stroke(outlineOf(boxes))
    const letter = LETTERS[kind]
    if (letter === undefined) return
    const [{ x, y }] = boxes
    pen.font = '600 11px Inter Variable, sans-serif'
    pen.fillStyle = line
    pen.fillRect(x, y, 14, 14)
    pen.fillStyle = PAPER[theme]
    pen.textBaseline = 'middle'
    pen.textAlign = 'center'
    pen.fillText(letter, x + 7, y + 7.5)
  }

  #paintCursor(theme: Theme): void {
    const cell = this.#pointed ?? (document.activeElement === this.#canvas ? this.#cursor : undefined)
    if (cell === undefined) return
    const [{ x, y, width, height }] = boxesOf(this.#picture!.grid, this.#size, cell, cell)
    this.#pen.strokeStyle = MARKS[theme].range.line
    this.#pen.lineWidth = 1
    this.#pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1)
  }

  #paintAxis(scrollLeft: number, clientWidth: number, y: number, theme: Theme): void {
    const { grid } = this.#picture!
    const pen = this.#pen
    const nanos = Number(grid.column) / this.#size.width
    const inSight = Math.min(clientWidth, grid.columns * this.#size.width - scrollLeft)
    pen.font = '11px JetBrains Mono Variable, monospace'
    pen.fillStyle = TEXT[theme]
    pen.textBaseline = 'middle'
    pen.textAlign = 'left'
    const { clock } = this.#picture!
    const until = (scrollLeft + inSight) * nanos
    for (const { at, text } of timeTicks(scrollLeft * nanos, until, Math.floor(inSight / TICK), clock)) {
      const x = at * inSight
      pen.fillRect(Math.round(x), y, 1, 5)
      if (x + 4 + pen.measureText(text).width < clientWidth) pen.fillText(text, x + 4, y + 12)
    }
  }

  #cellOf(event: MouseEvent): number | undefined {
    if (this.#picture === undefined) return undefined
    const { left, top } = this.#canvas.getBoundingClientRect()
    const x = event.clientX - left + this.#host.scrollLeft
    return cellOn(this.#picture.grid, this.#size, x, event.clientY - top)
  }

  #point(cell: number | undefined): void {
    if (cell === this.#pointed) return
    this.#pointed = cell
    this.#draw()
    this.#handlers.onPoint(cell)
  }

  #click(event: MouseEvent): void {
    const cell = this.#cellOf(event)
    if (cell !== undefined) this.#cursor = cell
    this.#handlers.onPick(cell)
  }

  /** Moves the cursor into the visible part, to its first column, if it was scrolled out of sight. */
  #bringCursor(): void {
    const { rows, columns } = this.#picture!.grid
    const first = Math.ceil(this.#host.scrollLeft / this.#size.width)
    const past = Math.floor((this.#host.scrollLeft + this.#host.clientWidth) / this.#size.width)
    const column = Math.floor(this.#cursor / rows)
    if (column < first || column >= past) this.#cursor = Math.min(first, columns - 1) * rows + (this.#cursor % rows)
  }

  #key(event: KeyboardEvent): void {
    if (this.#picture === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    this.#bringCursor()
    const next = cellAfterKey(this.#picture.grid, this.#cursor, event.key, event.shiftKey)
    if (next !== undefined) {
      this.#cursor = next
      this.#pointed = undefined
      this.reveal(next)
      this.#draw()
      this.#handlers.onPoint(next)
    } else if (event.key === 'Enter' || event.key === ' ') this.#handlers.onPick(this.#cursor)
    else if (event.key === 'Escape') this.#handlers.onClear()
    else return
    event.preventDefault()
  }
}

/** The outline of boxes that touch each other. */
function outlineOf(boxes: readonly Box[]): Path2D {
  const path = new Path2D()
  const right = ({ x, width }: Box): number => x + width
  const bottom = ({ y, height }: Box): number => y + height
  const [first] = boxes
  const last = boxes.at(-1)!
  // The first box can start above the bottom and the last can end below the top. All between are whole columns.
  const tops = boxes.map(box => [box.x, right(box), box.y] as const)
  path.moveTo(first.x, bottom(first))
  for (const [from, to, y] of tops) {
    path.lineTo(from, y)
    path.lineTo(to, y)
  }
  for (const box of [...boxes].reverse()) {
    path.lineTo(right(box), bottom(box))
    path.lineTo(box.x, bottom(box))
  }
  path.closePath()
  if (boxes.length === 2 && last.y >= bottom(first)) {
    // Boxes that touch only at a corner get separate outlines.
    const apart = new Path2D()
    for (const { x, y, width, height } of boxes) apart.rect(x, y, width, height)
    return apart
  }
  return path
}
