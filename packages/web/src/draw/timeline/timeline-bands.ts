// The lanes and the overview of a timeline as pixels. Their content changes from pixel to pixel, so drawing boxes would
// take many times as long. One pixel here is one CSS pixel.
import { MARK, ROLES, RUNNING } from '../../timeline/roles.ts'
import { BandPixels } from './band-pixels.ts'
import { penOf } from '../canvas-layers.ts'
import type { TimelineRow } from './timeline-rows.ts'
import { BAND_HEIGHT, SPAN_HEIGHT } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { HEAD_HEIGHT, OVERVIEW_HEIGHT, gutterOf } from './timeline-scene.ts'

/** The height of ticks for events without a duration. */
const MARK_HEIGHT = 4

interface Bands {
  readonly pixels: BandPixels
  /** An image over the same memory. */
  readonly image: ImageData
}

/** Pixels that are kept from frame to frame. */
export class BandImage {
  readonly #canvas = document.createElement('canvas')
  readonly #overview = document.createElement('canvas')
  #overviewOf: Pick<TimelineScene, 'overview' | 'colours' | 'width'> | undefined
  #bands: Bands | undefined
  #parts: Float32Array[] = []
  /** The colours of a lane's roles, and of the area above them. */
  readonly #own = new Int32Array(ROLES.length + 1)

  /** Paints the visible rows. */
  paint(pen: CanvasRenderingContext2D, scene: TimelineScene, shown: readonly TimelineRow[]): void {
    const gutter = gutterOf(scene.width)
    const [wide, high] = [Math.floor(scene.width - gutter), Math.ceil(scene.height - HEAD_HEIGHT)]
    if (wide < 1 || high < 1) return
    const { pixels, image } = this.#fit(wide, high)
    const { paperPixel } = scene.colours
    // Lanes write all of their pixels. The area between them is paper.
    let written = 0
    for (const row of shown) {
      if (row.kind !== 'lane') continue
      const top = Math.round(row.top - scene.scroll + row.levels * SPAN_HEIGHT + 3)
      if (top >= high || top + BAND_HEIGHT <= 0) continue
      if (top > written) pixels.fill(paperPixel, written, top)
      this.#lane(scene, row.thread, top, pixels)
      written = top + BAND_HEIGHT
    }
    if (written < high) pixels.fill(paperPixel, written, high)
    if (scene.ratio === 1) {
      pen.putImageData(image, gutter, HEAD_HEIGHT, 0, 0, wide, high)
      return
    }
    penOf(this.#canvas, false).putImageData(image, 0, 0)
    pen.imageSmoothingEnabled = false
    pen.drawImage(this.#canvas, 0, 0, wide, high, gutter, HEAD_HEIGHT, wide, high)
  }

  /** Paints the overview, which does not depend on the visible span and is made once. */
  paintOverview(pen: CanvasRenderingContext2D, scene: TimelineScene): void {
    const { overview, colours, width } = scene
    const gutter = gutterOf(width)
    const wide = Math.max(1, Math.floor(width - gutter))
    const known = this.#overviewOf
    if (known?.overview !== overview || known.colours !== colours || known.width !== width) {
      this.#overviewOf = { overview, colours, width }
      this.#overview.width = wide
      this.#overview.height = OVERVIEW_HEIGHT
      const own = penOf(this.#overview, true)
      own.fillStyle = colours.roles[RUNNING]
      for (let x = 0; x < wide; x++) {
        const part = overview[Math.floor((x * overview.length) / wide)]
        if (part > 0) own.fillRect(x, OVERVIEW_HEIGHT - 2, 1, -Math.max(1, part * (OVERVIEW_HEIGHT - 6)))
      }
    }
    pen.imageSmoothingEnabled = false
    pen.drawImage(this.#overview, gutter, 0, wide, OVERVIEW_HEIGHT)
  }

  /** Stacks the roles of each pixel. Events without a duration are ticks at the bottom. */
  #lane({ lanes, colours, span }: TimelineScene, thread: number, top: number, bands: BandPixels): void {
    const found: Float32Array[] = []
    for (let role = 0; role < ROLES.length; role++) {
      if (role === MARK || !lanes.hasRole(thread, role)) continue
      const parts = this.#partsOf(role, bands.wide)
      if (!lanes.fill(thread, role, span.left, span.left + span.width, parts)) continue
      this.#own[found.length] = colours.pixels[role]
      found.push(parts)
    }
    this.#own[found.length] = colours.paperPixel
    bands.lane(top, found, this.#own)
    if (!lanes.hasRole(thread, MARK)) return
    const marks = this.#partsOf(MARK, bands.wide)
    if (!lanes.fill(thread, MARK, span.left, span.left + span.width, marks)) return
    bands.ticks(top, MARK_HEIGHT, marks, colours.pixels[MARK])
  }

  #partsOf(role: number, wide: number): Float32Array {
    const known = this.#parts[role]
    if (known?.length === wide) return known
    return (this.#parts[role] = new Float32Array(wide))
  }

  #fit(wide: number, high: number): Bands {
    if (this.#bands?.pixels.wide === wide && this.#bands.pixels.high === high) return this.#bands
    const pixels = new BandPixels(wide, high)
    this.#canvas.width = pixels.line
    this.#canvas.height = high
    const image = new ImageData(new Uint8ClampedArray(pixels.pixels.buffer), pixels.line, high)
    return (this.#bands = { pixels, image })
  }
}
