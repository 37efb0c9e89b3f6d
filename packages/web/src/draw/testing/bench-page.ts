// The code in the page that bench/web/flame-graph.ts measures: frames of a tree of a million nodes while zooming and
// panning, and other ways of drawing for comparison. The time of a frame includes reading one pixel back, so the
// browser cannot defer the work.
import type { Layout } from '@hearth/profile'
import { applyTransform, invert, layOut, matchedPart, searchFrames } from '@hearth/profile'
import { syntheticTree } from '../../../../profile/src/analyze/testing/tree-of.ts'
import type { Colours } from '../flame-graph/box-colours.ts'
import { coloursOf } from '../flame-graph/box-colours.ts'
import { DEFAULT_OPTIONS } from '../flame-graph/flame-graph-view.ts'
import { Stage } from '../flame-graph/stage.ts'
import type { Span } from '../flame-graph/viewport.ts'
import { within } from '../flame-graph/viewport.ts'
import { VisibleBoxes, nodeAt } from '../flame-graph/visible-boxes.ts'

export interface BenchCase {
  readonly name: string
  readonly steps: number
  /** The average number of boxes, for cases that draw. */
  readonly boxes: number | undefined
  step(i: number): void
}

interface View {
  readonly span: Span
  readonly scroll: number
}

const NOTHING = 'nothing'
const NO_MARKS = { frame: undefined, hovered: undefined, selected: undefined }

/** The cases. Each step is measured separately. */
function casesOf(nodes: number, frames: number): BenchCase[] {
  const host = document.getElementById('graph')!
  const tree = syntheticTree(nodes)
  const layout = layOut(tree)
  const views = tour(layout, frames)
  const stage = new Stage(host, DEFAULT_OPTIONS, () => undefined)
  stage.setLayout(layout)
  const [boxes, marks] = Array.from(host.querySelectorAll('canvas'), canvas => canvas.getContext('2d')!)
  const svg = new SvgDrawing(host, layout, stage)
  const shown = views.reduce((sum, view) => sum + collected(layout, view, stage).length, 0) / views.length
  const merge = { kind: 'merge-function', function: { name: tree.frames.name[0] } } as const
  const show = ({ span, scroll }: View): void => {
    stage.render(span, scroll, NO_MARKS, 'everything')
    readBack(boxes)
  }
  // Compiles the code and fills the labels, as after the first second of use.
  for (const view of views) show(view)
  const touch = (): void => {
    boxes.fillRect(0, 0, 1, 1)
    readBack(boxes)
  }
  return [
    // The cost of showing a changed canvas and of the call itself. It is subtracted from all other cases.
    { name: NOTHING, steps: 40, boxes: undefined, step: touch },
    { name: 'layout', steps: 7, boxes: undefined, step: () => void layOut(tree) },
    { name: 'first picture', steps: 5, boxes: undefined, step: () => firstPicture(host, tree) },
    { name: 'frame, zooming and panning', steps: frames, boxes: shown, step: i => show(views[i]) },
    { name: 'hover', steps: frames, boxes: shown, step: i => hover(stage, layout, views[i], marks) },
    {
      name: 'peer: SVG, one element per visible box',
      steps: 24,
      boxes: shown,
      step: i => svg.draw(views[(i * 9) % frames]),
    },
    { name: 'peer: Canvas 2D, every box', steps: 3, boxes: nodes, step: i => drawAll(boxes, layout, views[i]) },
    { name: 'search', steps: 5, boxes: undefined, step: () => search(layout) },
    { name: 'merge a function', steps: 3, boxes: undefined, step: () => void applyTransform(tree, merge) },
    { name: 'invert', steps: 1, boxes: undefined, step: () => void invert(tree) },
  ]
}

/** Runs everything from the tree to its pixels: layout, colours, labels, a frame. */
function firstPicture(host: HTMLElement, tree: Layout['tree']): void {
  const stage = new Stage(host, DEFAULT_OPTIONS, () => undefined)
  const layout = layOut(tree)
  stage.setLayout(layout)
  stage.render({ left: 0, width: layout.whole }, 0, NO_MARKS, 'everything')
  const boxes = stage.canvas.previousElementSibling
  if (boxes instanceof HTMLCanvasElement) readBack(boxes.getContext('2d')!)
  stage.destroy()
}

/** Zooms from the whole to a nine-hundredth and out again elsewhere, with panning and scrolling. */
function tour(layout: Layout, frames: number): View[] {
  const legs = 4
  return Array.from({ length: frames }, (_, i) => {
    const leg = Math.floor((i * legs) / frames)
    const part = ((i * legs) / frames) % 1
    const zoom = 900 ** (part < 0.5 ? part * 2 : 2 - part * 2)
    const width = layout.whole / zoom
    const middle = layout.whole * ((leg + 0.5) / legs + 0.1 * Math.sin(part * 12))
    const deepest = Math.max(0, layout.rows * DEFAULT_OPTIONS.rowHeight - 900)
    return { span: within({ left: middle - width / 2, width }, layout.whole), scroll: deepest * part }
  })
}

function collected(layout: Layout, { span, scroll }: View, stage: Stage): VisibleBoxes {
  const boxes = new VisibleBoxes()
  const { rowHeight } = DEFAULT_OPTIONS
  const firstRow = Math.floor(scroll / rowHeight)
  const lastRow = Math.min(layout.rows - 1, Math.ceil((scroll + stage.height) / rowHeight))
  boxes.collect(layout, {
    left: span.left,
    right: span.left + span.width,
    firstRow,
    lastRow,
    pixels: stage.width,
    narrowest: 0.5,
  })
  return boxes
}

function hover(stage: Stage, layout: Layout, { span, scroll }: View, pen: CanvasRenderingContext2D): void {
  const node = nodeAt(layout, span.left + span.width * 0.3, Math.floor((scroll + 200) / DEFAULT_OPTIONS.rowHeight))
  const frame = node === undefined || node < 0 ? undefined : layout.tree.frame[node]
  stage.render(span, scroll, { frame, hovered: node, selected: undefined }, 'marks')
  readBack(pen)
}

function search({ tree }: Layout): void {
  const { matches } = searchFrames(tree.frames, { text: 'json.*method1', regularExpression: true })
  if (matchedPart(tree, matches).nodes === 0) throw new Error('no frame matched')
}

/** Draws visible boxes as SVG elements, which are reused. Layout is forced, nothing is painted. */
class SvgDrawing {
  readonly #svg: SVGSVGElement
  readonly #pool: SVGRectElement[] = []
  readonly #layout: Layout
  readonly #stage: Stage
  readonly #colours: Colours

  constructor(host: HTMLElement, layout: Layout, stage: Stage) {
    this.#layout = layout
    this.#stage = stage
    this.#colours = coloursOf(layout.tree, DEFAULT_OPTIONS)
    this.#svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    this.#svg.setAttribute('style', 'position:absolute;inset:0;width:100%;height:100%')
    host.append(this.#svg)
  }

  draw(view: View): void {
    const boxes = collected(this.#layout, view, this.#stage)
    for (let i = 0; i < boxes.length; i++) {
      const rect = (this.#pool[i] ??= this.#svg.appendChild(
        document.createElementNS('http://www.w3.org/2000/svg', 'rect'),
      ))
      rect.setAttribute('x', String(boxes.x[i]))
      rect.setAttribute('y', String(boxes.row[i] * 20 - view.scroll))
      rect.setAttribute('width', String(boxes.width[i]))
      rect.setAttribute('height', '19')
      rect.setAttribute('fill', boxes.node[i] < 0 ? '#ccc' : this.#colours.box[this.#colours.of(boxes.node[i])])
    }
    for (let i = boxes.length; i < this.#pool.length; i++) this.#pool[i].setAttribute('width', '0')
    this.#svg.getBBox()
  }
}

function drawAll(pen: CanvasRenderingContext2D, { tree, left, width }: Layout, { span, scroll }: View): void {
  const colours = coloursOf(tree, DEFAULT_OPTIONS)
  const scale = pen.canvas.width / span.width
  for (let i = 0; i < tree.length; i++) {
    pen.fillStyle = colours.box[colours.of(i)]
    pen.fillRect((left[i] - span.left) * scale, (tree.depth[i] + 1) * 20 - scroll, width[i] * scale, 19)
  }
  readBack(pen)
}

function readBack(pen: CanvasRenderingContext2D): void {
  pen.getImageData(0, 0, 1, 1)
}

const bench = { casesOf, cases: [] as BenchCase[], stepWall }

/** Runs a step. Returns the elapsed milliseconds. */
function stepWall(name: string, i: number): number {
  const one = bench.cases.find(each => each.name === name)
  const start = performance.now()
  one?.step(i)
  return performance.now() - start
}

export type Bench = typeof bench

declare global {
  var bench: Bench
}

globalThis.bench = bench
