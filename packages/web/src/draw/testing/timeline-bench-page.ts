// The code in the page that bench/web/timeline.ts measures: frames of a million events on a hundred threads while
// zooming, panning and scrolling, and of a flame chart of a million calls. The time of a frame includes reading one
// pixel back, so the browser cannot defer the work.
import type { CallTree } from '@hearth/profile'
import { ROOT, layOut } from '@hearth/profile'
import type { TimelineEvents } from '../../timeline/events.ts'
import { ROLES } from '../../timeline/roles.ts'
import { DEFAULT_OPTIONS } from '../flame-graph/flame-graph-view.ts'
import { layerIn, penOf } from '../canvas-layers.ts'
import { Stage } from '../flame-graph/stage.ts'
import { timelineColours } from '../timeline/timeline-colours.ts'
import { Lanes } from '../timeline/timeline-lanes.ts'
import { BandImage } from '../timeline/timeline-bands.ts'
import { paintTimeline, paintTimelineMarks } from '../timeline/timeline-paint.ts'
import type { Rows } from '../timeline/timeline-rows.ts'
import { NO_OVERLAYS, rowsOf } from '../timeline/timeline-rows.ts'
import type { TimelineScene } from '../timeline/timeline-scene.ts'
import { HEAD_HEIGHT } from '../timeline/timeline-scene.ts'
import type { Span } from '../flame-graph/viewport.ts'
import { within } from '../flame-graph/viewport.ts'
import { syntheticEvents } from './synthetic-events.ts'

interface Case {
  readonly name: string
  readonly steps: number
  readonly boxes: number | undefined
  step(i: number): void
}

const CALLS = 1_000_000
const ROWS = 40
const PEER_COLOURS = ROLES.map((_, i) => `hsl(${i * 40} 60% 50%)`)
const CHOICE = { sort: 'busy', hidden: new Set<string>(), search: '' } as const

class Drawing {
  readonly pen: CanvasRenderingContext2D
  readonly #upper: CanvasRenderingContext2D
  readonly #bands = new BandImage()
  readonly #overview = new Float32Array(1024).fill(0.5)
  readonly #size: { readonly width: number; readonly height: number; readonly ratio: number }

  constructor(host: HTMLElement) {
    const { clientWidth: width, clientHeight: height } = host
    const ratio = window.devicePixelRatio
    this.#size = { width, height, ratio }
    const [lower, upper] = [layerIn(host), layerIn(host)]
    for (const canvas of [lower, upper]) {
      canvas.width = width * ratio
      canvas.height = height * ratio
    }
    this.pen = penOf(lower, false)
    this.#upper = penOf(upper, true)
  }

  draw(lanes: Lanes, rows: Rows, span: Span, scroll: number): void {
    const scene: TimelineScene = {
      lanes,
      rows,
      colours: timelineColours('light'),
      span,
      whole: lanes.events.whole,
      scroll,
      ...this.#size,
      clock: undefined,
      fontFamily: 'sans-serif',
      overview: this.#overview,
    }
    paintTimeline(this.pen, scene, this.#bands)
    paintTimelineMarks(this.#upper, scene, { pointer: span.left + span.width / 3, cursor: undefined, range: undefined })
    this.pen.getImageData(0, 0, 1, 1)
  }
}

function casesOf(count: number, threads: number, frames: number): Case[] {
  const host = document.getElementById('graph')!
  const events = syntheticEvents(count, threads)
  const lanes = new Lanes(events)
  const rows = rowsOf(lanes, CHOICE, NO_OVERLAYS)
  const drawing = new Drawing(host)
  const deepest = Math.max(0, rows.height - host.clientHeight + HEAD_HEIGHT)
  const tour = tourOf(events.whole, frames)
  const show = (i: number): void => drawing.draw(lanes, rows, tour[i].span, deepest * tour[i].part)
  for (let i = 0; i < frames; i += 4) show(i)
  const chart = new Chart(host, frames)
  const touch = (): void => {
    drawing.pen.fillRect(0, 0, 1, 1)
    drawing.pen.getImageData(0, 0, 1, 1)
  }
  return [
    // The cost of showing a changed canvas and of the call itself. It is subtracted from all other cases.
    { name: 'nothing', steps: 40, boxes: undefined, step: touch },
    { name: 'first picture', steps: 5, boxes: count, step: () => firstPicture(events, drawing) },
    { name: 'frame, zooming and panning', steps: frames, boxes: count, step: show },
    { name: 'frame, whole range', steps: 40, boxes: count, step: i => drawing.draw(lanes, rows, all(events), i) },
    {
      name: 'peer: Canvas 2D, one box per visible event',
      steps: 12,
      boxes: count,
      step: i => drawEach(drawing.pen, events, tour[(i * 20) % frames].span),
    },
    { name: 'what is at a place', steps: 40, boxes: count, step: i => pointAt(lanes, i) },
    { name: 'flame chart of a million calls, frame', steps: frames, boxes: CALLS, step: i => chart.draw(i) },
  ]
}

/** Draws a rectangle for every visible event of every thread. */
function drawEach(pen: CanvasRenderingContext2D, events: TimelineEvents, { left, width }: Span): void {
  const { threads, first, start, duration, role } = events
  const { width: pixels, height } = pen.canvas
  const scale = pixels / width
  pen.clearRect(0, 0, pixels, height)
  for (let t = 0; t < threads.length; t++) {
    for (let i = first[t]; i < first[t + 1]; i++) {
      if (start[i] + duration[i] < left || start[i] > left + width) continue
      pen.fillStyle = PEER_COLOURS[role[i]]
      pen.fillRect((start[i] - left) * scale, t * 28, Math.max(1, duration[i] * scale), 24)
    }
  }
  pen.getImageData(0, 0, 1, 1)
}

function all({ whole }: TimelineEvents): Span {
  return { left: 0, width: whole }
}

/** Runs everything from the columns to their pixels. */
function firstPicture(events: TimelineEvents, drawing: Drawing): void {
  const lanes = new Lanes(events)
  drawing.draw(lanes, rowsOf(lanes, CHOICE, NO_OVERLAYS), all(events), 0)
}

function pointAt(lanes: Lanes, i: number): void {
  const { whole, threads } = lanes.events
  for (let t = 0; t < threads.length; t++) lanes.eventAt(t, (whole * (i + 0.5)) / 40, whole / 1600)
}

/** Zooms from the whole to a hundred-thousandth and out again elsewhere, with panning. */
function tourOf(whole: number, frames: number): { readonly span: Span; readonly part: number }[] {
  const legs = 4
  return Array.from({ length: frames }, (_, i) => {
    const leg = Math.floor((i * legs) / frames)
    const part = ((i * legs) / frames) % 1
    const width = whole / 100_000 ** (part < 0.5 ? part * 2 : 2 - part * 2)
    const middle = whole * ((leg + 0.5) / legs + 0.1 * Math.sin(part * 12))
    return { span: within({ left: middle - width / 2, width }, whole), part }
  })
}

/** A chart of calls in time order, equally many on each row. */
class Chart {
  readonly #stage: Stage
  readonly #tour: readonly { readonly span: Span; readonly part: number }[]
  readonly #pen: CanvasRenderingContext2D

  constructor(host: HTMLElement, frames: number) {
    const layout = layOut(chartTree())
    const own = host.appendChild(document.createElement('div'))
    Object.assign(own.style, { position: 'absolute', inset: '0' })
    this.#stage = new Stage(own, DEFAULT_OPTIONS, () => undefined)
    this.#stage.setLayout(layout)
    this.#tour = tourOf(layout.whole, frames)
    this.#pen = own.querySelector('canvas')!.getContext('2d')!
    for (let i = 0; i < frames; i += 4) this.draw(i)
  }

  draw(i: number): void {
    this.#stage.render(
      this.#tour[i].span,
      0,
      { frame: undefined, hovered: undefined, selected: undefined },
      'everything',
    )
    this.#pen.getImageData(0, 0, 1, 1)
  }
}

function chartTree(): CallTree {
  const towers = CALLS / ROWS
  const parent = new Int32Array(CALLS)
  const end = new Uint32Array(CALLS)
  const depth = new Uint32Array(CALLS)
  const frame = new Uint32Array(CALLS)
  const total = new Float64Array(CALLS)
  const start = new Float64Array(CALLS)
  for (let tower = 0; tower < towers; tower++) {
    for (let row = 0; row < ROWS; row++) {
      const i = tower * ROWS + row
      parent[i] = row === 0 ? ROOT : i - 1
      end[i] = (tower + 1) * ROWS
      depth[i] = row
      frame[i] = (tower * 7 + row * 13) % 500
      start[i] = tower * 1e6 + row * 5e3
      total[i] = 9e5 - row * 1e4
    }
  }
  const names = Array.from({ length: 500 }, (_, i) => `package${i % 20}.function${i}`)
  const none = names.map(() => '')
  return {
    length: CALLS,
    parent,
    end,
    depth,
    frame,
    frames: { length: 500, name: names, file: none, mapping: none, type: none, line: none, address: none },
    order: 'root-first',
    unit: 'ns',
    self: new Float64Array(CALLS).fill(1e4),
    total,
    selfExact: undefined,
    totalExact: undefined,
    sum: BigInt(towers * 9e5),
    before: undefined,
    hiddenNodes: 0,
    times: { start, whole: towers * 1e6 },
  }
}

const bench = { casesOf, cases: [] as Case[], stepWall }

/** Runs a step. Returns the elapsed milliseconds. */
function stepWall(name: string, i: number): number {
  const one = bench.cases.find(each => each.name === name)
  const begun = performance.now()
  one?.step(i)
  return performance.now() - begun
}

Object.assign(globalThis, { bench })
