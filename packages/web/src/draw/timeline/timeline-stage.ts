// The two canvases of a timeline, their size and pixel ratio, and its frames. At most one frame is pending.
import type { Theme } from '../theme.ts'
import { layerIn, penOf } from '../flame-graph/stage.ts'
import { BandImage } from './timeline-bands.ts'
import { timelineColours } from './timeline-colours.ts'
import type { Lanes } from './timeline-lanes.ts'
import type { TimelineMarks } from './timeline-paint.ts'
import { paintTimeline, paintTimelineMarks } from './timeline-paint.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { GUTTER } from './timeline-scene.ts'
import { RUNNING } from '../../timeline/roles.ts'

export interface StageOptions {
  readonly theme: Theme
  readonly fontFamily: string
  readonly label: string
}

/** The content of a scene. The stage adds size and colours. */
export type TimelineContent = Pick<TimelineScene, 'lanes' | 'rows' | 'span' | 'whole' | 'scroll'> & {
  readonly marks: TimelineMarks
}

const OVERVIEW_PARTS = 1024

export class TimelineStage {
  /** The upper canvas, which receives the events. */
  readonly canvas: HTMLCanvasElement
  readonly #lower: HTMLCanvasElement
  readonly #pen: CanvasRenderingContext2D
  readonly #upperPen: CanvasRenderingContext2D
  readonly #observer: ResizeObserver
  readonly #bands = new BandImage()
  readonly #fontFamily: string
  readonly #content: () => TimelineContent | undefined
  #theme: Theme
  #overview: Float32Array = new Float32Array(OVERVIEW_PARTS)
  #width = 0
  #height = 0
  #stale: 'nothing' | 'marks' | 'everything' = 'nothing'
  #request = 0

  /** Calls `content` before every frame. */
  constructor(
    host: HTMLElement,
    options: StageOptions,
    content: () => TimelineContent | undefined,
    onResize: () => void,
  ) {
    this.#theme = options.theme
    this.#fontFamily = options.fontFamily
    this.#content = content
    this.#lower = layerIn(host)
    this.#lower.setAttribute('aria-hidden', 'true')
    this.canvas = layerIn(host)
    this.canvas.tabIndex = 0
    // The timeline handles keys itself, which requires the role "application". onAnnounce describes the effect of a
    // key.
    this.canvas.setAttribute('role', 'application')
    this.canvas.setAttribute('aria-label', options.label)
    this.canvas.style.touchAction = 'none'
    this.canvas.style.outlineOffset = '-2px'
    this.#pen = penOf(this.#lower, false)
    this.#upperPen = penOf(this.canvas, true)
    this.#measure(host)
    this.#observer = new ResizeObserver(() => {
      this.#measure(host)
      onResize()
      this.#render('everything')
    })
    this.#observer.observe(host)
  }

  /** CSS pixels. */
  get width(): number {
    return this.#width
  }

  get height(): number {
    return this.#height
  }

  setTheme(theme: Theme): void {
    this.#theme = theme
    this.draw('everything')
  }

  /** Sets the threads that the overview sums. */
  setThreads(lanes: Lanes, threads: readonly number[]): void {
    this.#overview = overviewOf(lanes, threads)
    this.draw('everything')
  }

  draw(what: 'marks' | 'everything'): void {
    if (this.#stale !== 'everything') this.#stale = what
    if (this.#request === 0) this.#request = requestAnimationFrame(() => this.#frame())
  }

  destroy(): void {
    cancelAnimationFrame(this.#request)
    this.#observer.disconnect()
    this.#lower.remove()
    this.canvas.remove()
  }

  #frame(): void {
    this.#request = 0
    const stale = this.#stale
    this.#stale = 'nothing'
    if (stale !== 'nothing') this.#render(stale)
  }

  #render(what: 'marks' | 'everything'): void {
    const content = this.#content()
    const ratio = this.#fitCanvases()
    if (content === undefined || this.#width <= GUTTER) return
    const scene: TimelineScene = {
      ...content,
      colours: timelineColours(this.#theme),
      width: this.#width,
      height: this.#height,
      ratio,
      fontFamily: this.#fontFamily,
      overview: this.#overview,
    }
    if (what === 'everything') paintTimeline(this.#pen, scene, this.#bands)
    paintTimelineMarks(this.#upperPen, scene, content.marks)
  }

  #measure(host: HTMLElement): void {
    this.#width = host.clientWidth
    this.#height = host.clientHeight
  }

  /** Sets the size only if it changed, because setting it clears the canvas. */
  #fitCanvases(): number {
    const ratio = Math.max(1, window.devicePixelRatio)
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)]
    for (const canvas of [this.#lower, this.canvas]) {
      if (canvas.width === width && canvas.height === height) continue
      canvas.width = width
      canvas.height = height
    }
    return ratio
  }
}

/** The running time in each part of the whole, relative to the maximum. */
function overviewOf(lanes: Lanes, threads: readonly number[]): Float32Array {
  const sums = new Float32Array(OVERVIEW_PARTS)
  const parts = new Float32Array(OVERVIEW_PARTS)
  const { whole } = lanes.events
  for (const thread of threads) {
    if (!lanes.fill(thread, RUNNING, 0, whole, parts)) continue
    for (let x = 0; x < parts.length; x++) sums[x] += parts[x]
  }
  const max = sums.reduce((high, each) => Math.max(high, each), 0)
  return max === 0 ? sums : sums.map(each => each / max)
}
