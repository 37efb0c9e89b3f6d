// The changes of every function between two sides of one or more runs each, with their significance. README.md has the method.
import type { Profiles } from '../../model/columns/profiles.ts'
import type { SnapshotMode } from '../../model/temporality/gauge-types.ts'
import { countedRows } from '../../model/temporality/snapshots.ts'
import type { Grouping, LocationFrames } from '../stacks/location-frames.ts'
import { sharedLocationFrames } from '../stacks/location-frames.ts'
import { stackPaths } from '../stacks/stack-paths.ts'
import { stackWeights } from '../stacks/stack-weights.ts'
import { seenFrames, sumFrames } from '../top.ts'
import type { FrameTable } from '../tree/frame-table.ts'
import { binomialTail, falseDiscoveryRates, studentQuantile, studentTail } from './distributions.ts'
import { stackVariances } from './observations.ts'

export interface RunsSide {
  readonly profiles: Profiles
  /** The profiles of each run, of one type and unit. Runs without values are skipped. */
  readonly runs: readonly (readonly number[])[]
}

export interface CompareRunsOptions extends Partial<Grouping> {
  /** Compares shares of the sum of a side, or values per run. Default: 'share'. */
  readonly compare?: 'share' | 'value'
  /** The relative increase that does not count as a change, such as 0.05. Then only larger increases are significant. */
  readonly tolerance?: number
  readonly snapshots?: SnapshotMode | undefined
}

/** The self or total of functions. Columns are parallel to `RunsComparison.frame`. */
export interface ComparedValues {
  /** The share of the side's sum, from 0 to 1, or the value per run. */
  readonly before: Float64Array
  readonly after: Float64Array
  /** Half the width of the 95 % confidence interval of the change. */
  readonly margin: Float64Array
  /** The probability of such a change by chance. */
  readonly p: Float64Array
  /** The false discovery rate of all changes at least as significant as this one. */
  readonly q: Float64Array
}

export interface RunsComparison {
  /** Rows of `frames`. */
  readonly frame: Uint32Array
  readonly frames: FrameTable
  readonly self: ComparedValues
  readonly total: ComparedValues
  /** The number of runs with values on each side. */
  readonly runs: readonly [before: number, after: number]
  /** How much the runs of a side differ beyond sampling: a standard deviation, relative to the rate of a function. */
  readonly variation: number
}

/** The weight of the common variation in the variance of a function, in degrees of freedom. */
const PRIOR_FREEDOM = 4
/** A run with this many observations of a function shows its variation well. */
const FULL_WEIGHT = 50
/** Below this number of expected observations, the normal approximation is wrong. */
const MIN_EXPECTED = 10
/** Functions with fewer observations on both sides together cannot be significant. They would only dilute the others. */
const MIN_OBSERVATIONS = 5

/**
 * Each profile as a run, to estimate how much they vary. Profiles that do not simply add up, such as cumulative ones and snapshots of a
 * state, are one run together.
 */
export function profilesAsRuns(profiles: Profiles, rows: readonly number[]): (readonly number[])[] {
  const counted = countedRows(profiles, rows)
  const isPlain = counted.factors === undefined && counted.rows.length === rows.length
  return isPlain ? rows.map(row => [row]) : [rows]
}

/** Throws RangeError if the profiles of a side cannot be added up. */
export function compareRuns(before: RunsSide, after: RunsSide, options: CompareRunsOptions = {}): RunsComparison {
  const { by = 'function', inlined = true, addresses, compare = 'share', tolerance = 0, snapshots } = options
  const tables = sharedLocationFrames([before.profiles.dictionary, after.profiles.dictionary], {
    by,
    inlined,
    addresses,
  })
  const sides = [before, after].map((side, i) => sumRuns(side, tables[i], compare, snapshots))
  const [was, is] = sides
  const frame = seenFrames(was.seen.map((seen, i) => seen | is.seen[i]))
  const kinds = (['self', 'total'] as const).map(kind => new Comparison(was, is, kind, compare, tolerance, frame))
  const tests = kinds.flatMap(kind => kind.tests())
  const p = Float64Array.from(tests, test => test.kind.p[test.row])
  const q = falseDiscoveryRates(p)
  for (const [i, { kind, row }] of tests.entries()) kind.q[row] = q[i]
  const [self, total] = kinds
  return { frame, frames: tables[1].table, self, total, runs: [was.runs, is.runs], variation: self.variation }
}

interface RunSums {
  readonly value: Float64Array
  readonly variance: Float64Array
  /** The sum of each run's squared value, divided by the run's exposure. */
  readonly squares: Float64Array
}

interface SideSums {
  readonly self: RunSums
  readonly total: RunSums
  readonly seen: Uint8Array
  /** The sum of all values, and its variance. */
  readonly sum: number
  readonly variance: number
  /** The denominator of rates: the sum, or the number of runs. */
  readonly exposure: number
  readonly runs: number
}

function sumRuns(
  { profiles, runs }: RunsSide,
  frames: LocationFrames,
  compare: 'share' | 'value',
  snapshots: SnapshotMode | undefined,
): SideSums {
  const empty = (): RunSums => ({
    value: new Float64Array(frames.length),
    variance: new Float64Array(frames.length),
    squares: new Float64Array(frames.length),
  })
  const [self, total] = [empty(), empty()]
  const seen = new Uint8Array(frames.length)
  let [sum, variance, exposure, counted] = [0, 0, 0, 0]
  for (const rows of runs) {
    const weights = stackWeights(profiles, rows, { snapshots })
    const runSum = weights.weight.reduce((all, weight) => all + weight, 0)
    if (runSum <= 0) continue
    const weight = stackVariances(profiles, rows, weights, snapshots)
    const paths = stackPaths(frames, weights)
    const values = sumFrames(paths, { weight: weights.weight, exact: undefined })
    const variances = sumFrames(paths, { weight, exact: undefined })
    const runExposure = compare === 'share' ? runSum : 1
    for (const [sums, kind] of [[self, 'self'] as const, [total, 'total'] as const]) {
      for (let f = 0; f < frames.length; f++) {
        sums.value[f] += values[kind][f]
        sums.variance[f] += variances[kind][f]
        sums.squares[f] += values[kind][f] ** 2 / runExposure
      }
    }
    for (let f = 0; f < seen.length; f++) seen[f] |= values.seen[f]
    sum += runSum
    variance += weight.reduce((all, one) => all + one, 0)
    exposure += runExposure
    counted++
  }
  return { self, total, seen, sum, variance, exposure, runs: counted }
}

/** Compares the self or the total of every function. */
class Comparison implements ComparedValues {
  readonly before: Float64Array
  readonly after: Float64Array
  readonly margin: Float64Array
  readonly p: Float64Array
  readonly q: Float64Array
  /** See RunsComparison. */
  readonly variation: number
  readonly #freedom: number
  readonly #was: SideSums
  readonly #is: SideSums
  readonly #kind: 'self' | 'total'
  readonly #isShare: boolean
  readonly #frame: Uint32Array

  constructor(
    was: SideSums,
    is: SideSums,
    kind: 'self' | 'total',
    compare: 'share' | 'value',
    tolerance: number,
    frame: Uint32Array,
  ) {
    this.#was = was
    this.#is = is
    this.#kind = kind
    this.#isShare = compare === 'share'
    this.#frame = frame
    const column = (): Float64Array => new Float64Array(frame.length)
    ;[this.before, this.after, this.margin] = [column(), column(), column()]
    ;[this.p, this.q] = [column().fill(1), column().fill(1)]
    this.#freedom = Math.max(0, was.runs - 1) + Math.max(0, is.runs - 1)
    this.variation = Math.sqrt(this.#commonVariation())
    if (was.runs === 0 || is.runs === 0) return
    for (let row = 0; row < frame.length; row++) this.#compare(row, tolerance)
  }

  /** The rows that can be significant. */
  tests(): { readonly kind: Comparison; readonly row: number }[] {
    const rows = Array.from(this.#frame, (_, row) => row)
    return rows.filter(row => this.#observations(row) >= MIN_OBSERVATIONS).map(row => ({ kind: this, row }))
  }

  #compare(row: number, tolerance: number): void {
    const [was, is] = [this.#was, this.#is]
    const f = this.#frame[row]
    const [wasValue, isValue] = [was[this.#kind].value[f], is[this.#kind].value[f]]
    const [wasRate, isRate] = [wasValue / was.exposure, isValue / is.exposure]
    this.before[row] = wasRate
    this.after[row] = isRate
    const growth = 1 + tolerance
    // The rate of both sides if nothing changed beyond the tolerance.
    const rate = (wasValue + isValue) / (was.exposure + growth * is.exposure)
    const weights = [this.#weight(was, is, f), this.#weight(is, was, f)] as const
    const unexplained = this.#dispersion(f)
    const degrees = this.#freedom === 0 ? Infinity : this.#freedom + PRIOR_FREEDOM
    const spread = (first: number, second: number): number =>
      Math.sqrt(
        unexplained *
          (this.#variance(second, weights[1], is, f) / is.exposure +
            (growth * growth * this.#variance(first, weights[0], was, f)) / was.exposure),
      )
    // Without a tolerance, the interval is that of the plain change.
    this.margin[row] =
      studentQuantileFor(degrees) *
      Math.sqrt(
        unexplained *
          (this.#variance(isRate, weights[1], is, f) / is.exposure +
            this.#variance(wasRate, weights[0], was, f) / was.exposure),
      )
    const change = isRate - growth * wasRate
    const expected = [
      (rate * was.exposure) / (weights[0] * unexplained),
      (growth * rate * is.exposure) / (weights[1] * unexplained),
    ]
    const sides = tolerance > 0 ? 1 : 2
    const size = tolerance > 0 ? change : Math.abs(change)
    if (Math.min(...expected) >= MIN_EXPECTED) {
      const deviation = spread(rate, growth * rate)
      this.p[row] = deviation === 0 ? 1 : Math.min(1, sides * studentTail(size / deviation, degrees))
      return
    }
    const observed = [wasValue / (weights[0] * unexplained), isValue / (weights[1] * unexplained)]
    const all = observed[0] + observed[1]
    const isIncrease = change > 0
    if (all <= 0 || (tolerance > 0 && !isIncrease)) return
    const part = expected[1] / (expected[0] + expected[1])
    const tail = isIncrease ? binomialTail(observed[1], all, part) : binomialTail(observed[0], all, 1 - part)
    this.p[row] = Math.min(1, sides * tail)
  }

  /** The average weight of an observation of a function. A side without it takes that of the other. */
  #weight(side: SideSums, other: SideSums, f: number): number {
    for (const { [this.#kind]: sums } of [side, other]) {
      if (sums.value[f] > 0 && sums.variance[f] > 0) return sums.variance[f] / sums.value[f]
    }
    return side.sum > 0 && side.variance > 0 ? side.variance / side.sum : 1
  }

  /** The variance of a rate, times the exposure, from sampling alone. */
  #variance(rate: number, weight: number, side: SideSums, f: number): number {
    if (!this.#isShare) return weight * rate
    const rest = side.sum - side[this.#kind].value[f]
    const restWeight = rest > 0 ? Math.max(0, side.variance - side[this.#kind].variance[f]) / rest : weight
    const share = Math.min(1, Math.max(0, rate))
    return weight * share * (1 - share) ** 2 + restWeight * (1 - share) * share ** 2
  }

  #observations(row: number): number {
    const f = this.#frame[row]
    let all = 0
    for (const { [this.#kind]: sums } of [this.#was, this.#is]) {
      if (sums.variance[f] > 0) all += sums.value[f] ** 2 / sums.variance[f]
    }
    return all
  }

  /** How much the runs of a function vary around the rate of their side. */
  #spread(f: number): Spread {
    let [squares, observations] = [0, 0]
    for (const [side, other] of [
      [this.#was, this.#is],
      [this.#is, this.#was],
    ]) {
      const { value, squares: runSquares } = side[this.#kind]
      const rate = value[f] / side.exposure
      const variance = this.#variance(rate, this.#weight(side, other, f), side, f)
      if (side.runs < 2 || variance <= 0) continue
      squares += Math.max(0, runSquares[f] - value[f] * rate) / variance
      observations += ((side.runs - 1) * rate * rate * side.exposure) / (side.runs * variance)
    }
    return { squares, observations: observations / this.#freedom }
  }

  /** The average of the functions, each with up to the same weight. Functions with few observations say little. */
  #commonVariation(): number {
    if (this.#freedom === 0) return 0
    let [sum, weights] = [0, 0]
    for (const f of this.#frame) {
      const { squares, observations } = this.#spread(f)
      if (observations < 1) continue
      const weight = Math.min(1, observations / FULL_WEIGHT)
      sum += (weight * (squares / this.#freedom - 1)) / observations
      weights += weight
    }
    return weights === 0 ? 0 : Math.max(0, sum / weights)
  }

  /** The variance of the runs of a function, in variances of sampling. */
  #dispersion(f: number): number {
    if (this.#freedom === 0) return 1
    const { squares, observations } = this.#spread(f)
    const common = 1 + this.variation ** 2 * observations
    return Math.max(1, (squares + PRIOR_FREEDOM * common) / (this.#freedom + PRIOR_FREEDOM))
  }
}

interface Spread {
  /** The squared deviations of the runs, in variances of sampling: about the degrees of freedom if only sampling varies. */
  readonly squares: number
  /** The average number of observations of a run. */
  readonly observations: number
}

const quantiles = new Map<number, number>()

/** The half width of a 95 % interval in standard deviations. */
function studentQuantileFor(freedom: number): number {
  const known = quantiles.get(freedom)
  if (known !== undefined) return known
  const quantile = studentQuantile(0.025, freedom)
  quantiles.set(freedom, quantile)
  return quantile
}
