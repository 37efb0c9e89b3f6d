// The pixels of lanes: columns of time, each filled from the bottom up by role. A frame writes a million pixels, so the
// cost per pixel decides the cost of a frame.
import { ROLES } from '../../timeline/roles.ts'
import { BAND_HEIGHT } from './timeline-rows.ts'

export class BandPixels {
  readonly wide: number
  readonly high: number
  /**
   * The distance in pixels from one line to the next. It is rounded up to a multiple of four, because columns are
   * written in fours.
   */
  readonly line: number
  readonly pixels: Int32Array<ArrayBuffer>
  readonly #sums: Float32Array
  /** The ends by column, and the same memory with four columns per number. */
  readonly #ends: Uint8Array
  readonly #foursOfEnds: Uint32Array
  /** By height and column, including the full height, which is not drawn. */
  readonly #steps: Uint8Array
  readonly #foursOfSteps: Uint32Array

  constructor(wide: number, high: number) {
    this.wide = wide
    this.high = high
    this.line = (wide + 3) & ~3
    this.pixels = new Int32Array(this.line * high)
    this.#sums = new Float32Array(wide)
    const ends = new ArrayBuffer(this.line)
    this.#ends = new Uint8Array(ends)
    this.#foursOfEnds = new Uint32Array(ends)
    const steps = new ArrayBuffer(this.line * (BAND_HEIGHT + 1))
    this.#steps = new Uint8Array(steps)
    this.#foursOfSteps = new Uint32Array(steps)
  }

  /** Fills lines with one colour. */
  fill(colour: number, from: number, until: number): void {
    this.pixels.fill(colour, from * this.line, until * this.line)
  }

  /**
   * Writes every pixel of a lane, any line of which can be out of sight. `roles` has at most ROLES.length roles, the
   * lowest first, with their part of each column, 0 to 1. `colours` has their colours and then the colour of the area
   * above them.
   */
  lane(top: number, roles: readonly Float32Array[], colours: Int32Array): void {
    if (roles.length > ROLES.length) throw new RangeError(`${roles.length} roles in a lane`)
    this.#stack(roles)
    this.#write(top, colours)
  }

  /** Draws ticks at the bottom of a lane, in every column with a number other than 0. */
  ticks(top: number, height: number, numbers: Float32Array, colour: number): void {
    const { pixels, wide, high, line } = this
    const until = Math.min(high, top + BAND_HEIGHT)
    for (let y = Math.max(0, top + BAND_HEIGHT - height); y < until; y++) {
      for (let x = 0; x < wide; x++) if (numbers[x] > 0) pixels[y * line + x] = colour
    }
  }

  /** Counts how many stacked roles end at each height of each column. Every role above 0 is visible. */
  #stack(roles: readonly Float32Array[]): void {
    const { wide, line } = this
    const steps = this.#steps.fill(0)
    const ends = this.#ends.fill(0)
    const sums = this.#sums.fill(0)
    for (const parts of roles) {
      for (let x = 0; x < wide; x++) {
        const part = parts[x]
        let end = ends[x]
        if (part > 0) {
          sums[x] += part * BAND_HEIGHT
          end = Math.min(BAND_HEIGHT, Math.max(end + 1, (sums[x] + 0.5) | 0))
          ends[x] = end
        }
        steps[end * line + x]++
      }
    }
  }

  /**
   * Writes from the bottom up. Each line equals the one below it except in columns where a role ends. Four columns are
   * compared at once. The role of a pixel is the number of roles that ended below it. Testing each role for each pixel
   * took four times as long.
   */
  #write(top: number, colours: Int32Array): void {
    const { pixels, high, line } = this
    const steps = this.#foursOfSteps
    const ended = this.#foursOfEnds.fill(0)
    const fours = ended.length
    for (let height = 0; height < BAND_HEIGHT; height++) {
      const y = top + BAND_HEIGHT - 1 - height
      if (y < 0) return
      const isInSight = y < high
      const isFirst = height === 0 || y === high - 1
      if (isInSight && !isFirst) pixels.copyWithin(y * line, (y + 1) * line, (y + 2) * line)
      const from = height * fours
      for (let four = 0; four < fours; four++) {
        const step = steps[from + four]
        if (step === 0 && !isFirst) continue
        // There are fewer roles than a byte holds, so one addition adds four columns.
        const now = ended[four] + step
        ended[four] = now
        if (!isInSight) continue
        const at = y * line + four * 4
        pixels[at] = colours[now & 255]
        pixels[at + 1] = colours[(now >>> 8) & 255]
        pixels[at + 2] = colours[(now >>> 16) & 255]
        pixels[at + 3] = colours[now >>> 24]
      }
    }
  }
}
