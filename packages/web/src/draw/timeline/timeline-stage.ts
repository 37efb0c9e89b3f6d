// The canvases of a timeline and its frames. At most one frame is pending.
import type { Theme } from '../theme.ts'
import type { TickClock } from '../time-ticks.ts'
import { CanvasLayers } from '../canvas-layers.ts'
import { BandImage } from './timeline-bands.ts'
import { timelineColours } from './timeline-colours.ts'
import type { Lanes } from './timeline-lanes.ts'
import type { TimelineMarks } from './timeline-paint.ts'
import { paintTimeline, paintTimelineMarks } from './timeline-paint.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { gutterOf } from './timeline-scene.ts'
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
  readonly #layers: CanvasLayers
  readonly #bands = new BandImage()
  readonly #fontFamily: string
  readonly #content: () => TimelineContent | undefined
  #theme: Theme
  #clock: TickClock | undefined
  #overview: Float32Array = new Float32Array(OVERVIEW_PARTS)
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
    this.#layers = new CanvasLayers(host, options.label, () => {
      onResize()
      this.#render('everything')
    })
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

  setTheme(theme: Theme): void {
    this.#theme = theme
    this.draw('everything')
  }

  setClock(clock: TickClock | undefined): void {
    this.#clock = clock
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
    this.#layers.destroy()
  }

  #frame(): void {
    this.#request = 0
    const stale = this.#stale
    this.#stale = 'nothing'
    if (stale !== 'nothing') this.#render(stale)
  }

  #render(what: 'marks' | 'everything'): void {
    const content = this.#content()
    const { width, height, ratio, pen, upperPen } = this.#layers
    this.#layers.fit()
    if (content === undefined || width <= gutterOf(width)) return
    const scene: TimelineScene = {
      ...content,
      colours: timelineColours(this.#theme),
      width,
      height,
      ratio,
      fontFamily: this.#fontFamily,
      clock: this.#clock,
      overview: this.#overview,
    }
    if (what === 'everything') paintTimeline(pen, scene, this.#bands)
    paintTimelineMarks(upperPen, scene, content.marks)
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
