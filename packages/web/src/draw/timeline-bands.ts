// The lanes of a timeline and its overview as pixels: what they show changes from pixel to pixel, so that drawing boxes would
// take many times as long. One pixel here is one CSS pixel.
import { MARK, ROLES, RUNNING } from '../timeline/roles.ts'
import { penOf } from './stage.ts'
import type { TimelineRow } from './timeline-rows.ts'
import { BAND_HEIGHT, SPAN_HEIGHT } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { GUTTER, HEAD_HEIGHT, OVERVIEW_HEIGHT } from './timeline-scene.ts'

/** Of moments. */
const MARK_HEIGHT = 4

/** Kept from frame to frame. */
export class BandImage {
  readonly #canvas = document.createElement('canvas')
  readonly #overview = document.createElement('canvas')
  #overviewOf: Pick<TimelineScene, 'overview' | 'colours' | 'width'> | undefined
  #image: ImageData | undefined
  #pixels = new Int32Array(0)
  #parts: Float32Array[] = []
  #ends = new Uint8Array(0)
  #cursor = new Uint8Array(0)
  #runs = new Uint32Array(0)

  /** Of the rows that are in sight. */
  paint(pen: CanvasRenderingContext2D, scene: TimelineScene, shown: readonly TimelineRow[]): void {
    const [wide, high] = [Math.floor(scene.width - GUTTER), Math.ceil(scene.height - HEAD_HEIGHT)]
    if (wide < 1 || high < 1) return
    const image = this.#fit(wide, high)
    this.#pixels.fill(scene.colours.paperPixel)
    for (const row of shown) if (row.kind === 'lane') this.#lane(scene, row, wide, high)
    if (scene.ratio === 1) {
      pen.putImageData(image, GUTTER, HEAD_HEIGHT)
      return
    }
    penOf(this.#canvas, false).putImageData(image, 0, 0)
    pen.imageSmoothingEnabled = false
    pen.drawImage(this.#canvas, GUTTER, HEAD_HEIGHT, wide, high)
  }

  /** The same for every part of the time that is shown, so that it is made once. */
  paintOverview(pen: CanvasRenderingContext2D, scene: TimelineScene): void {
    const { overview, colours, width } = scene
    const wide = Math.max(1, Math.floor(width - GUTTER))
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
    pen.drawImage(this.#overview, GUTTER, 0, wide, OVERVIEW_HEIGHT)
  }

  /** Each pixel's time from the bottom up by what it was spent on; moments are a row of ticks at the bottom. */
  #lane({ lanes, colours, span, scroll }: TimelineScene, row: TimelineRow, wide: number, high: number): void {
    const top = Math.round(row.top - scroll + row.levels * SPAN_HEIGHT + 3)
    if (top >= high || top + BAND_HEIGHT <= 0) return
    const roles: number[] = []
    for (let role = 0; role < ROLES.length; role++) {
      if (!lanes.hasRole(row.thread, role)) continue
      if (lanes.fill(row.thread, role, span.left, span.left + span.width, this.#partsOf(role, wide))) roles.push(role)
    }
    if (roles.length === 0) return
    const isMark = roles.at(-1) === MARK
    const marks = isMark ? this.#parts[MARK] : undefined
    if (isMark) roles.pop()
    this.#stack(roles, wide)
    this.#write(roles, marks, top, wide, high, colours.pixels)
  }

  /** How high each role reaches in each column, one upon the other. What is there at all is seen, however little it is. */
  #stack(roles: readonly number[], wide: number): void {
    if (this.#ends.length < roles.length * wide) this.#ends = new Uint8Array(roles.length * wide)
    const ends = this.#ends
    const sums = this.#partsOf(ROLES.length, wide).fill(0)
    for (let i = 0; i < roles.length; i++) {
      const parts = this.#parts[roles[i]]
      const at = i * wide
      for (let x = 0; x < wide; x++) {
        const below = i === 0 ? 0 : ends[at - wide + x]
        const part = parts[x]
        if (part <= 0) {
          ends[at + x] = below
          continue
        }
        sums[x] += part * BAND_HEIGHT
        const drawn = (sums[x] + 0.5) | 0
        ends[at + x] = drawn <= below ? Math.min(BAND_HEIGHT, below + 1) : Math.min(BAND_HEIGHT, drawn)
      }
    }
  }

  #write(
    roles: readonly number[],
    marks: Float32Array | undefined,
    top: number,
    wide: number,
    high: number,
    colours: Int32Array,
  ): void {
    const own = Int32Array.from(roles, role => colours[role])
    const runs = this.#findRuns(roles.length, wide)
    if (runs * 6 < wide) this.#writeRuns(runs, own, top, wide, high)
    else this.#writeRows(own, top, wide, high)
    if (marks === undefined) return
    const pixels = this.#pixels
    const [from, to] = [Math.max(0, top + BAND_HEIGHT - MARK_HEIGHT), Math.min(high, top + BAND_HEIGHT)]
    for (let y = from; y < to; y++) {
      for (let x = 0; x < wide; x++) if (marks[x] > 0) pixels[y * wide + x] = colours[MARK]
    }
  }

  /** Where columns begin that differ from those before them; how many. */
  #findRuns(count: number, wide: number): number {
    if (this.#runs.length < wide) this.#runs = new Uint32Array(wide)
    const ends = this.#ends
    const all = this.#runs
    let runs = 0
    for (let x = 0; x < wide; x++) {
      let isSame = x > 0
      for (let at = x, i = 0; isSame && i < count; i++, at += wide) isSame = ends[at] === ends[at - 1]
      if (!isSame) all[runs++] = x
    }
    return runs
  }

  /** Near enough to see single events there are few, and each is a box. */
  #writeRuns(runs: number, own: Int32Array, top: number, wide: number, high: number): void {
    const pixels = this.#pixels
    const ends = this.#ends
    const bottom = top + BAND_HEIGHT
    for (let run = 0; run < runs; run++) {
      const x = this.#runs[run]
      const end = run + 1 < runs ? this.#runs[run + 1] : wide
      let low = 0
      for (let i = 0; i < own.length; i++) {
        const up = ends[i * wide + x]
        const last = Math.min(high, bottom - low)
        for (let y = Math.max(0, bottom - up); y < last; y++) pixels.fill(own[i], y * wide + x, y * wide + end)
        low = up
      }
    }
  }

  /** Row by row from the bottom up, each from left to right, as memory likes it: column by column took twice as long. */
  #writeRows(own: Int32Array, top: number, wide: number, high: number): void {
    const pixels = this.#pixels
    const ends = this.#ends
    const count = own.length
    if (this.#cursor.length < wide) this.#cursor = new Uint8Array(wide)
    const cursor = this.#cursor.fill(0)
    for (let height = 0; height < BAND_HEIGHT; height++) {
      const y = top + BAND_HEIGHT - 1 - height
      const isInSight = y >= 0 && y < high
      const at = y * wide
      for (let x = 0; x < wide; x++) {
        let i = cursor[x]
        if (i === count) continue
        if (ends[i * wide + x] <= height) {
          do i++
          while (i < count && ends[i * wide + x] <= height)
          cursor[x] = i
          if (i === count) continue
        }
        if (isInSight) pixels[at + x] = own[i]
      }
    }
  }

  #partsOf(role: number, wide: number): Float32Array {
    const known = this.#parts[role]
    if (known?.length === wide) return known
    return (this.#parts[role] = new Float32Array(wide))
  }

  #fit(wide: number, high: number): ImageData {
    if (this.#image === undefined || this.#image.width !== wide || this.#image.height !== high) {
      this.#canvas.width = wide
      this.#canvas.height = high
      this.#image = new ImageData(wide, high)
      this.#pixels = new Int32Array(this.#image.data.buffer)
    }
    return this.#image
  }
}
