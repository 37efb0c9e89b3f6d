// How well regressions are found: simulated services with known noise and injected changes, beside the limit that theory sets.
// `npm run bench:regressions`.
//
// A service has 200 functions, four instances per version and 100 samples a second each. Instances differ in each function by a
// known standard deviation. A new version is compared with an hour of the one before, when it is 30 s old and at each doubling up to
// 17 hours, as the server does.
import { SideSums, compareSides, looksAt, normalTail, rateOfLook } from '@hearth/profile'
import { randomFrom } from './inputs.ts'
import { writeFigures } from '../write-figures.ts'

const FUNCTIONS = 200
const INSTANCES = 4
const HERTZ = 100
const HOUR = 3600
const SERVICES = 40
/** The changed function has this share of the cost. */
const SHARE = 0.02
const LOOKS = 12
const AGES = Array.from({ length: LOOKS }, (_, i) => 30 * 2 ** i)
const LOOKS_PER_WEEK = 168

class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomFrom(seed)
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#next())) * Math.cos(2 * Math.PI * this.#next())
  }

  poisson(mean: number): number {
    if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()))
    let [count, product] = [0, this.#next()]
    for (const limit = Math.exp(-mean); product > limit; product *= this.#next()) count++
    return count
  }
}

/** Few functions have most of the cost. Function 0 is the one that changes. */
const RATES = (() => {
  const rest = Array.from({ length: FUNCTIONS - 1 }, (_, i) => 1 / (i + 3))
  const sum = rest.reduce((a, b) => a + b)
  return [SHARE, ...rest.map(rate => ((1 - SHARE) * rate) / sum)]
})()

/** One side: each instance is a run with rates of its own. `change` is added to function 0, as a share of the total. */
function side(random: Random, noise: number, seconds: number, change: number): SideSums {
  const sums = new SideSums(FUNCTIONS, 'share')
  for (let instance = 0; instance < INSTANCES; instance++) {
    const counts = Float64Array.from(RATES, (rate, f) => {
      const own = (rate + (f === 0 ? change : 0)) * Math.max(0, 1 + noise * random.normal())
      return random.poisson(own * HERTZ * seconds)
    })
    const values = { self: counts, total: counts, selfExact: undefined, totalExact: undefined, seen: seenIn(counts) }
    const sum = counts.reduce((a, b) => a + b, 0)
    sums.add({ values, variances: values, sum, variance: sum })
  }
  return sums
}

function seenIn(counts: Float64Array): Uint8Array {
  return Uint8Array.from(counts, count => (count > 0 ? 1 : 0))
}

/** Rows with a significant increase. */
function increases(was: SideSums, is: SideSums, maxRate: number): number[] {
  const { frame, self } = compareSides(was, is, { reference: 'typical' })
  return Array.from(frame).filter((_, i) => self.q[i] <= maxRate && self.after[i] > self.before[i])
}

/** The variance of the change of function 0's share that nobody can avoid: sampling and instances. */
function variance(noise: number, seconds: number, change: number): number {
  const of = (share: number, length: number): number =>
    (share * (1 - share)) / (HERTZ * INSTANCES * length) + (noise * share) ** 2 / INSTANCES
  return of(SHARE, HOUR) + of(SHARE + change, seconds)
}

/** The probability that a test that knows the function and the noise finds the change. It tests one of all functions. */
function power(noise: number, seconds: number, change: number, rate: number): number {
  const z = quantile(rate / FUNCTIONS / 2)
  return normalTail(z - change / Math.sqrt(variance(noise, seconds, change)))
}

function quantile(tail: number): number {
  let [low, high] = [0, 10]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (normalTail(middle) > tail) low = middle
    else high = middle
  }
  return high
}

/** The smallest change with the given probability of being found at an age. */
function smallest(found: (change: number) => number): number {
  let [low, high] = [0, 1]
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2
    if (found(middle) < 0.8) low = middle
    else high = middle
  }
  return high
}

const percent = (value: number): string => `${Number((100 * value).toPrecision(2))} %`

function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${seconds / 60} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** The share of services in which the change was found by the last look, the median delay, and the same of the ideal test. */
function detection(noise: number, change: number, seed: number): string[] {
  const random = new Random(seed)
  const delays: number[] = []
  for (let i = 0; i < SERVICES; i++) {
    const was = side(random, noise, HOUR, 0)
    const age = AGES.find(seconds =>
      increases(was, side(random, noise, seconds, change), rateOfLook(looksAt(seconds))).includes(0),
    )
    delays.push(age ?? Infinity)
  }
  delays.sort((a, b) => a - b)
  const median = delays[SERVICES / 2]
  const ideal = AGES.find(seconds => power(noise, seconds, change, rateOfLook(looksAt(seconds))) >= 0.5)
  const best = Math.max(...AGES.map(seconds => power(noise, seconds, change, rateOfLook(looksAt(seconds)))))
  const found = delays.filter(delay => delay < Infinity).length / SERVICES
  return [
    percent(change),
    percent(noise),
    percent(found),
    best > 0.995 ? '100 %' : percent(best),
    median === Infinity ? 'not found' : duration(median),
    ideal === undefined ? 'not visible' : duration(ideal),
  ]
}

/** The smallest change that is found in 80 % of the services at an age, beside the limit. */
function limits(noise: number, seconds: number, seed: number): string[] {
  const rate = rateOfLook(looksAt(seconds))
  const limit = smallest(change => power(noise, seconds, change, rate))
  const found = smallest(change => {
    const random = new Random(seed)
    let count = 0
    for (let i = 0; i < SERVICES; i++) {
      const was = side(random, noise, HOUR, 0)
      if (increases(was, side(random, noise, seconds, change), rate).includes(0)) count++
    }
    return count / SERVICES
  })
  const samples = (HERTZ * INSTANCES * seconds).toLocaleString('en')
  return [duration(seconds), samples, percent(noise), percent(found), percent(limit), `${(found / limit).toFixed(1)}×`]
}

/** Findings without a change: a week of hourly comparisons with yesterday and last week, and two deployments. */
function falseFindings(noise: number, seed: number): number {
  const random = new Random(seed)
  let count = 0
  // A finding is rare, so that few weeks would show mostly chance.
  const weeks = 50
  for (let week = 0; week < weeks; week++) {
    for (let hour = 0; hour < LOOKS_PER_WEEK; hour++) {
      const is = side(random, noise, HOUR, 0)
      const rate = 0.05 / LOOKS_PER_WEEK
      const found = increases(side(random, noise, HOUR, 0), is, rate)
      if (found.length === 0) continue
      const again = increases(side(random, noise, HOUR, 0), is, rate)
      count += found.filter(f => again.includes(f)).length
    }
    for (let deployment = 0; deployment < 2; deployment++) {
      const was = side(random, noise, HOUR, 0)
      const seen = new Set<number>()
      for (const seconds of AGES)
        for (const f of increases(was, side(random, noise, seconds, 0), rateOfLook(looksAt(seconds)))) seen.add(f)
      count += seen.size
    }
  }
  return count / weeks
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' ---: ').join('|')}|`,
    ...rows.map(row => `| ${row.join(' | ')} |`),
  ]
}

const changes = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
const noises = [0.01, 0.05]
const lines = [
  ...table(
    ['change, of the total', 'instances differ by', 'found within 17 h', 'ideal test', 'median delay', 'ideal test'],
    noises.flatMap((noise, n) => changes.map((change, c) => detection(noise, change, 100 * n + c))),
  ),
  '',
  ...table(
    ['age', 'samples', 'instances differ by', 'found in 80 %', 'limit', 'ratio'],
    noises.flatMap((noise, n) => [60, 600, 3600].map((seconds, i) => limits(noise, seconds, 1000 + 10 * n + i))),
  ),
  '',
  ...table(
    ['instances differ by', 'false findings per service and week'],
    noises.map((noise, n) => [percent(noise), falseFindings(noise, 2000 + n).toFixed(2)]),
  ),
]
console.log(lines.join('\n'))
writeFigures('bench:regressions', lines.join('\n'))
