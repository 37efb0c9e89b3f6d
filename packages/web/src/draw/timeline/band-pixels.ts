// The pixels of lanes: columns of time, each filled from the bottom up by what it was spent on. A frame writes a million of
// them, so that what is done for each is what a frame costs.
import { ROLES } from '../../timeline/roles.ts'
import { BAND_HEIGHT } from './timeline-rows.ts'

export class BandPixels {
  readonly wide: number
  readonly high: number
  /** From a pixel to the one below it: up to three more than are shown, as columns are written by fours. */
  readonly line: number
  readonly pixels: Int32Array<ArrayBuffer>
  readonly #sums: Float32Array
  /** By column; and the same memory, four columns a number. */
  readonly #ends: Uint8Array
  readonly #foursOfEnds: Uint32Array
  /** By height and column; also at the full height, which is not drawn. */
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

  /** Lines of one colour. */
  fill(colour: number, from: number, until: number): void {
    this.pixels.fill(colour, from * this.line, until * this.line)
  }

  /**
   * A lane of which any line may be out of sight: for each of at most ROLES.length roles, the lowest first, its part of each
   * column, 0 to 1. `colours` are theirs, and then the one of what is above them all. Writes every pixel of the lane.
   */
  lane(top: number, roles: readonly Float32Array[], colours: Int32Array): void {
    if (roles.length > ROLES.length) throw new RangeError(`${roles.length} roles in a lane`)
    this.#stack(roles)
    this.#write(top, colours)
  }

  /** At the bottom of a lane, in every column of which the number is not 0. */
  ticks(top: number, height: number, numbers: Float32Array, colour: number): void {
    const { pixels, wide, high, line } = this
    const until = Math.min(high, top + BAND_HEIGHT)
    for (let y = Math.max(0, top + BAND_HEIGHT - height); y < until; y++) {
      for (let x = 0; x < wide; x++) if (numbers[x] > 0) pixels[y * line + x] = colour
    }
  }

  /** How many roles end at each height of each column, one upon the other. What is there at all is seen, however little. */
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
   * From the bottom up, each line as the one below it but for the columns where a role ends, four of which are looked at
   * at once. A pixel's role is how many ended below it: asking each whether its role goes on took four times as long.
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
        // Roles are fewer than a byte holds, so that one addition is four.
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
