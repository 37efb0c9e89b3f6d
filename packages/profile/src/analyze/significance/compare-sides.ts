// Compares the sums of two sides, frame by frame. README.md has the method.
import { seenFrames } from '../top.ts'
import {
  binomialTail,
  falseDiscoveryRates,
  studentQuantile,
  studentTail,
  trigamma,
  trigammaInverse,
} from './distributions.ts'
import type { SideSums } from './side-sums.ts'

export interface CompareOptions {
  /** Compares shares of the sum of a side, or values per run. Default: 'share'. */
  readonly compare?: 'share' | 'value'
  /** The relative increase that does not count as a change, such as 0.05. Then only larger increases are significant. */
  readonly tolerance?: number
  /**
   * The denominator of shares. `sum` is the sum of a side. `typical` scales the sides so that the typical function has the same share
   * on both: then the increase of one function does not decrease the others. Default: 'sum'.
   */
  readonly reference?: 'sum' | 'typical'
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

export interface SidesComparison {
  /** The frames that occur on a side. */
  readonly frame: Uint32Array
  readonly self: ComparedValues
  readonly total: ComparedValues
  /** The number of runs with values on each side. */
  readonly runs: readonly [before: number, after: number]
  /** How much the runs of a side differ beyond sampling: a standard deviation, relative to the rate of a function. */
  readonly variation: number
  /** The degrees of freedom of the tests; Infinity if no side has several runs. */
  readonly degrees: number
  /** The share of a typical function afterwards, divided by its share before. 1 unless the reference is `typical`. */
  readonly factor: number
}

/** The weight of the common variation in the variance of a function, in degrees of freedom: at least, and at most. */
const PRIOR_FREEDOM = 4
const MAX_PRIOR = 200
/** With fewer functions, it is not known how alike their variances are. */
const MIN_ALIKE = 10
/** A run with this many observations of a function shows its variation well. */
const FULL_WEIGHT = 50
/** Below this number of expected observations, the normal approximation is wrong. */
const MIN_EXPECTED = 10
/** Functions with fewer observations on both sides together cannot be significant. They would only dilute the others. */
const MIN_OBSERVATIONS = 5

export function compareSides(was: SideSums, is: SideSums, options: CompareOptions = {}): SidesComparison {
  const frame = seenFrames(was.seen.map((seen, i) => seen | is.seen[i]))
  const reference = options.reference === 'typical' ? typicalRatio(was, is, frame) : EXACT
  const kinds = (['self', 'total'] as const).map(kind => new Comparison(was, is, kind, options, reference, frame))
  const tests = kinds.flatMap(kind => kind.tests())
  const p = Float64Array.from(tests, test => test.kind.p[test.row])
  const q = falseDiscoveryRates(p)
  for (const [i, { kind, row }] of tests.entries()) kind.q[row] = q[i]
  const [self, total] = kinds
  const { variation, degrees } = self
  return { frame, self, total, runs: [was.runs, is.runs], variation, degrees, factor: reference.factor }
}

/** The smallest change that a test with the false positive probability `p` finds in four of five cases. */
export function detectableChange(margin: number, degrees: number, p: number): number {
  return (margin / studentQuantileFor(degrees)) * (studentQuantile(p / 2, degrees) + POWER_80)
}

/** The standard deviations that 80 % of normal values exceed, negated. */
const POWER_80 = 0.8416

/** How the shares of one side compare with those of the other if a function did not change. */
interface Reference {
  readonly factor: number
  /** The variance of the factor, relative to its square. */
  readonly variance: number
}

const EXACT: Reference = { factor: 1, variance: 0 }
/** Functions with fewer observations on a side say little about the typical ratio. */
const MIN_TYPICAL = 20
/** With fewer functions, there is no typical one. */
const MIN_FUNCTIONS = 5

/** The weighted median of the ratios of shares. A function counts by the square root of its observations. */
function typicalRatio(was: SideSums, is: SideSums, frame: Uint32Array): Reference {
  const ratios: { readonly log: number; readonly weight: number; readonly variance: number }[] = []
  for (const f of frame) {
    const observations = [was, is].map(({ self }) => (self.variance[f] > 0 ? self.value[f] ** 2 / self.variance[f] : 0))
    if (Math.min(...observations) < MIN_TYPICAL) continue
    const variance = 1 / observations[0] + 1 / observations[1]
    const log = Math.log(is.self.value[f] / is.exposure / (was.self.value[f] / was.exposure))
    ratios.push({ log, variance, weight: Math.sqrt(1 / variance) })
  }
  if (ratios.length < MIN_FUNCTIONS) return EXACT
  ratios.sort((a, b) => a.log - b.log)
  const all = ratios.reduce((sum, { weight }) => sum + weight, 0)
  let below = 0
  const middle = ratios.find(({ weight }) => (below += weight) >= all / 2) ?? ratios[0]
  // The variance of a median is larger than that of a mean.
  const variance = (Math.PI / 2) * ratios.reduce((sum, each) => sum + each.weight ** 2 * each.variance, 0)
  return { factor: Math.exp(middle.log), variance: variance / all ** 2 }
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
  readonly degrees: number
  readonly #freedom: number
  readonly #prior: number
  readonly #was: SideSums
  readonly #is: SideSums
  readonly #kind: 'self' | 'total'
  readonly #isShare: boolean
  readonly #reference: Reference
  readonly #frame: Uint32Array

  constructor(
    was: SideSums,
    is: SideSums,
    kind: 'self' | 'total',
    { compare = 'share', tolerance = 0 }: CompareOptions,
    reference: Reference,
    frame: Uint32Array,
  ) {
    this.#was = was
    this.#is = is
    this.#kind = kind
    this.#isShare = compare === 'share'
    this.#reference = reference
    this.#frame = frame
    const column = (): Float64Array => new Float64Array(frame.length)
    ;[this.before, this.after, this.margin] = [column(), column(), column()]
    ;[this.p, this.q] = [column().fill(1), column().fill(1)]
    this.#freedom = Math.max(0, was.runs - 1) + Math.max(0, is.runs - 1)
    this.variation = Math.sqrt(this.#commonVariation())
    this.#prior = this.#priorFreedom()
    this.degrees = this.#freedom === 0 ? Infinity : this.#freedom + this.#prior
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
    const { factor, variance: uncertain } = this.#reference
    const exposures = [was.exposure, is.exposure * factor] as const
    const [wasRate, isRate] = [wasValue / exposures[0], isValue / exposures[1]]
    this.before[row] = wasRate
    this.after[row] = isRate
    const growth = 1 + tolerance
    // The rate of both sides if nothing changed beyond the tolerance.
    const rate = (wasValue + isValue) / (exposures[0] + growth * exposures[1])
    const weights = [this.#weight(was, is, f), this.#weight(is, was, f)] as const
    const unexplained = this.#dispersions(f)
    const { degrees } = this
    const spread = (first: number, second: number, scale: number): number =>
      Math.sqrt(
        (unexplained[1] * this.#variance(second, weights[1], is, f)) / exposures[1] +
          (unexplained[0] * scale * scale * this.#variance(first, weights[0], was, f)) / exposures[0] +
          uncertain * second * second,
      )
    // Without a tolerance, the interval is that of the plain change.
    this.margin[row] = studentQuantileFor(degrees) * spread(wasRate, isRate, 1)
    const change = isRate - growth * wasRate
    const expected = [
      (rate * exposures[0]) / (weights[0] * unexplained[0]),
      (growth * rate * exposures[1]) / (weights[1] * unexplained[1]),
    ]
    const sides = tolerance > 0 ? 1 : 2
    const size = tolerance > 0 ? change : Math.abs(change)
    if (Math.min(...expected) >= MIN_EXPECTED) {
      const deviation = spread(rate, growth * rate, growth)
      this.p[row] = deviation === 0 ? 1 : Math.min(1, sides * studentTail(size / deviation, degrees))
      return
    }
    const observed = [wasValue / (weights[0] * unexplained[0]), isValue / (weights[1] * unexplained[1])]
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

  /** The number of observations of a run, on average. */
  #runObservations(side: SideSums, other: SideSums, f: number): number {
    const rate = side[this.#kind].value[f] / side.exposure
    const variance = this.#variance(rate, this.#weight(side, other, f), side, f)
    return variance <= 0 ? 0 : (rate * rate * side.exposure) / (side.runs * variance)
  }

  /** How much the runs of a function vary around the rate of their side, for each side with several runs. */
  #spreads(f: number): Spread[] {
    const sides = [
      [this.#was, this.#is],
      [this.#is, this.#was],
    ] as const
    return sides.flatMap(([side, other]) => {
      const { value, squares } = side[this.#kind]
      const rate = value[f] / side.exposure
      const variance = this.#variance(rate, this.#weight(side, other, f), side, f)
      if (side.runs < 2 || variance <= 0) return []
      return {
        squares: Math.max(0, squares[f] - value[f] * rate) / variance,
        freedom: side.runs - 1,
        observations: this.#runObservations(side, other, f),
      }
    })
  }

  /** The average of the functions, each with up to the same weight. Functions with few observations say little. */
  #commonVariation(): number {
    if (this.#freedom === 0) return 0
    let [sum, weights] = [0, 0]
    for (const f of this.#frame) {
      const { squares, scale } = summed(this.#spreads(f))
      const observations = scale / this.#freedom
      if (observations < 1) continue
      const weight = Math.min(1, observations / FULL_WEIGHT)
      sum += (weight * (squares - this.#freedom)) / scale
      weights += weight
    }
    return weights === 0 ? 0 : Math.max(0, sum / weights)
  }

  /** The variance of the runs of a function, relative to what sampling and the common variation explain. */
  #relativeVariance(f: number): number | undefined {
    const spreads = this.#spreads(f)
    const { freedom } = summed(spreads)
    if (freedom === 0) return undefined
    const common = this.variation ** 2
    return spreads.reduce((sum, each) => sum + each.squares / (1 + common * each.observations), 0) / freedom
  }

  /**
   * How similar the variances of functions are, in degrees of freedom: the spread of their logarithms beyond that of chi-squared
   * values (Smyth 2004). If they are all alike, the common variation counts more than the few runs of one function.
   */
  #priorFreedom(): number {
    if (this.#freedom === 0) return PRIOR_FREEDOM
    const logs: number[] = []
    for (const f of this.#frame) {
      const { scale } = summed(this.#spreads(f))
      if (scale / this.#freedom < MIN_TYPICAL) continue
      const relative = this.#relativeVariance(f) ?? 0
      if (relative > 0) logs.push(Math.log(relative))
    }
    if (logs.length < MIN_ALIKE) return PRIOR_FREEDOM
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
    const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
    const excess = variance - trigamma(this.#freedom / 2)
    const estimated = excess <= 0 ? MAX_PRIOR : 2 * trigammaInverse(excess)
    return Math.min(MAX_PRIOR, Math.max(PRIOR_FREEDOM, estimated))
  }

  /** The variance of each side's runs of a function, in variances of sampling. */
  #dispersions(f: number): readonly [was: number, is: number] {
    if (this.#freedom === 0) return [1, 1]
    const own = this.#relativeVariance(f)
    const relative = own === undefined ? 1 : (this.#freedom * own + this.#prior) / (this.#freedom + this.#prior)
    const of = (side: SideSums, other: SideSums): number =>
      Math.max(1, relative * (1 + this.variation ** 2 * this.#runObservations(side, other, f)))
    return [of(this.#was, this.#is), of(this.#is, this.#was)]
  }
}

interface Spread {
  /** The squared deviations of the runs, in variances of sampling: about the degrees of freedom if only sampling varies. */
  readonly squares: number
  readonly freedom: number
  /** The average number of observations of a run. */
  readonly observations: number
}

/** `scale` is the factor by which a relative variance between runs adds to the squares. */
function summed(spreads: readonly Spread[]): { squares: number; freedom: number; scale: number } {
  const sums = { squares: 0, freedom: 0, scale: 0 }
  for (const { squares, freedom, observations } of spreads) {
    sums.squares += squares
    sums.freedom += freedom
    sums.scale += freedom * observations
  }
  return sums
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
