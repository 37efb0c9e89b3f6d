// The sums of the runs of one side, by frame.
import type { FrameSums } from '../top.ts'

export interface RunSums {
  readonly value: Float64Array
  readonly variance: Float64Array
  /** The sum of each run's squared value, divided by the run's exposure. */
  readonly squares: Float64Array
}

/** A run to add to a side. */
export interface AddedRun {
  readonly values: FrameSums
  /** The variance of each value. */
  readonly variances: FrameSums
  /** The sum of all values, and its variance. */
  readonly sum: number
  readonly variance: number
}

export class SideSums {
  readonly self: RunSums
  readonly total: RunSums
  /** For each frame 1 if a run has it. */
  readonly seen: Uint8Array
  /** The sum of all values, and its variance. */
  sum = 0
  variance = 0
  /** The denominator of rates: the sum, or the number of runs. */
  exposure = 0
  /** The number of runs with values. */
  runs = 0
  readonly #isShare: boolean

  constructor(frames: number, compare: 'share' | 'value') {
    const empty = (): RunSums => ({
      value: new Float64Array(frames),
      variance: new Float64Array(frames),
      squares: new Float64Array(frames),
    })
    this.self = empty()
    this.total = empty()
    this.seen = new Uint8Array(frames)
    this.#isShare = compare === 'share'
  }

  /** Runs without values are skipped. */
  add({ values, variances, sum, variance }: AddedRun): void {
    if (sum <= 0) return
    const exposure = this.#isShare ? sum : 1
    for (const [sums, kind] of [[this.self, 'self'] as const, [this.total, 'total'] as const]) {
      for (let f = 0; f < this.seen.length; f++) {
        sums.value[f] += values[kind][f]
        sums.variance[f] += variances[kind][f]
        sums.squares[f] += values[kind][f] ** 2 / exposure
      }
    }
    for (let f = 0; f < this.seen.length; f++) this.seen[f] |= values.seen[f]
    this.sum += sum
    this.variance += variance
    this.exposure += exposure
    this.runs++
  }
}
