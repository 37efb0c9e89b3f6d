// Distributions of measured values: histograms with explicit bounds, and exponential histograms. They are added up
// where that is exact, and give quantiles.
//
//   bounds 10, 20, 50 and bounds 10, 50    added up with bounds 10, 50, which both have
//   scale 3 and scale 1                    added up with scale 1: each of its buckets is four of the finer ones

/** One bucket: values above `lower`, up to `upper`. */
export interface Cell {
  readonly lower: number
  readonly upper: number
}

export interface Distribution {
  readonly cells: readonly Cell[]
  readonly counts: readonly number[]
  /** Whether values are distributed evenly by logarithm in a cell. */
  readonly exponential: boolean
}

export interface ExplicitBuckets {
  readonly bounds: readonly number[]
  /** One more than bounds, or none. */
  readonly counts: readonly bigint[]
}

export interface ExponentialBuckets {
  readonly scale: number
  readonly zeroThreshold: number
  readonly zeroCount: bigint
  /** Counts by index: bucket i contains values above base^i, up to base^(i+1), with the base 2^(2^-scale). */
  readonly positive: ReadonlyMap<number, bigint>
  readonly negative: ReadonlyMap<number, bigint>
}

/** The increase since the earlier counts; undefined if a bucket fell, which means a reset. */
export function explicitIncrease(was: ExplicitBuckets, is: ExplicitBuckets): ExplicitBuckets | undefined {
  if (was.counts.length !== is.counts.length || !sameNumbers(was.bounds, is.bounds)) return undefined
  const counts = is.counts.map((count, i) => count - was.counts[i])
  return counts.some(count => count < 0n) ? undefined : { bounds: is.bounds, counts }
}

export function exponentialIncrease(was: ExponentialBuckets, is: ExponentialBuckets): ExponentialBuckets | undefined {
  const scale = Math.min(was.scale, is.scale)
  const [before, after] = [downscaled(was, scale), downscaled(is, scale)]
  const positive = mapIncrease(before.positive, after.positive)
  const negative = mapIncrease(before.negative, after.negative)
  // Another threshold moves values into the zero bucket, so that buckets beside it fall.
  const zeroCount = is.zeroCount - was.zeroCount
  if (positive === undefined || negative === undefined || zeroCount < 0n) return undefined
  return { scale, zeroThreshold: is.zeroThreshold, zeroCount, positive, negative }
}

function mapIncrease(
  was: ReadonlyMap<number, bigint>,
  is: ReadonlyMap<number, bigint>,
): ReadonlyMap<number, bigint> | undefined {
  const increase = new Map(is)
  for (const [index, count] of was) {
    const more = (is.get(index) ?? 0n) - count
    if (more < 0n) return undefined
    increase.set(index, more)
  }
  return increase
}

/** The same distribution with fewer, wider buckets. */
function downscaled(buckets: ExponentialBuckets, scale: number): ExponentialBuckets {
  const by = buckets.scale - scale
  if (by <= 0) return buckets
  // Indexes have 33 bits: an offset and a position. A smaller scale has one bucket on each side of 1.
  const wider = (counts: ReadonlyMap<number, bigint>): Map<number, bigint> => {
    const sums = new Map<number, bigint>()
    for (const [index, count] of counts) {
      const at = by > 40 ? (index < 0 ? -1 : 0) : Math.floor(index / 2 ** by)
      sums.set(at, (sums.get(at) ?? 0n) + count)
    }
    return sums
  }
  return { ...buckets, scale, positive: wider(buckets.positive), negative: wider(buckets.negative) }
}

export class ExplicitSum {
  #bounds: readonly number[] | undefined
  #counts: number[] = []

  add({ bounds, counts }: ExplicitBuckets): void {
    if (counts.length !== bounds.length + 1) return
    const numbers = counts.map(Number)
    if (this.#bounds === undefined) {
      this.#bounds = bounds
      this.#counts = numbers
      return
    }
    const theirs = new Set(bounds)
    const common = this.#bounds.filter(bound => theirs.has(bound))
    const [own, others] = [coarser(this.#bounds, this.#counts, common), coarser(bounds, numbers, common)]
    this.#bounds = common
    this.#counts = own.map((count, i) => count + others[i])
  }

  get bounds(): readonly number[] | undefined {
    return this.#bounds
  }

  /** The distribution with these bounds, which must be a subset of the sum's bounds. */
  distribution(bounds = this.#bounds ?? []): Distribution {
    const cells = Array.from({ length: bounds.length + 1 }, (_, i) => ({
      lower: i === 0 ? -Infinity : bounds[i - 1],
      upper: i === bounds.length ? Infinity : bounds[i],
    }))
    const counts = this.#bounds === undefined ? cells.map(() => 0) : coarser(this.#bounds, this.#counts, bounds)
    return { cells, counts, exponential: false }
  }
}

/** Counts by a subset of the bounds. */
function coarser(bounds: readonly number[], counts: readonly number[], common: readonly number[]): number[] {
  const sums = Array.from({ length: common.length + 1 }, () => 0)
  let at = 0
  for (const [i, count] of counts.entries()) {
    sums[at] += count
    if (i < bounds.length && bounds[i] === common[at]) at++
  }
  return sums
}

/** More buckets are merged: a screen cannot show them. */
const MAX_BUCKETS = 320

export class ExponentialSum {
  #sum: ExponentialBuckets | undefined

  add(buckets: ExponentialBuckets): void {
    if (this.#sum === undefined) {
      this.#sum = withinLimit(buckets)
      return
    }
    const scale = Math.min(this.#sum.scale, buckets.scale)
    const [own, others] = [downscaled(this.#sum, scale), downscaled(buckets, scale)]
    this.#sum = withinLimit({
      scale,
      zeroThreshold: Math.max(own.zeroThreshold, others.zeroThreshold),
      zeroCount: own.zeroCount + others.zeroCount,
      positive: added(own.positive, others.positive),
      negative: added(own.negative, others.negative),
    })
  }

  get buckets(): ExponentialBuckets | undefined {
    return this.#sum
  }

  /** The distribution with the buckets of another sum, which contains this one. */
  distribution(like = this.#sum): Distribution {
    if (like === undefined) return { cells: [], counts: [], exponential: true }
    const own = this.#sum === undefined ? undefined : downscaled(this.#sum, like.scale)
    const cells: Cell[] = []
    const counts: number[] = []
    const push = (lower: number, upper: number, count: bigint | undefined): void => {
      cells.push({ lower, upper })
      counts.push(Number(count ?? 0n))
    }
    const edge = (index: number): number => 2 ** (index * 2 ** -like.scale)
    for (const index of indexes(like.negative).toReversed()) {
      push(-edge(index + 1), -edge(index), own?.negative.get(index))
    }
    if (like.zeroCount > 0n) push(-like.zeroThreshold, like.zeroThreshold, own?.zeroCount)
    for (const index of indexes(like.positive)) push(edge(index), edge(index + 1), own?.positive.get(index))
    return { cells, counts, exponential: true }
  }
}

function added(a: ReadonlyMap<number, bigint>, b: ReadonlyMap<number, bigint>): ReadonlyMap<number, bigint> {
  const sums = new Map(a)
  for (const [index, count] of b) sums.set(index, (sums.get(index) ?? 0n) + count)
  return sums
}

function withinLimit(buckets: ExponentialBuckets): ExponentialBuckets {
  let fits = buckets
  while (widthOf(fits.positive) + widthOf(fits.negative) > MAX_BUCKETS) fits = downscaled(fits, fits.scale - 1)
  return fits
}

function widthOf(counts: ReadonlyMap<number, bigint>): number {
  const [least, most] = rangeOf(counts)
  return most - least + 1
}

function rangeOf(counts: ReadonlyMap<number, bigint>): [number, number] {
  let [least, most] = [Infinity, -Infinity]
  for (const [index, count] of counts) {
    if (count === 0n) continue
    least = Math.min(least, index)
    most = Math.max(most, index)
  }
  return least === Infinity ? [0, -1] : [least, most]
}

/** From the first to the last bucket that is not empty. */
function indexes(counts: ReadonlyMap<number, bigint>): number[] {
  const [least, most] = rangeOf(counts)
  return Array.from({ length: most - least + 1 }, (_, i) => least + i)
}

/** Undefined if nothing was counted, or if only the count of values is known. */
export function quantileOf({ cells, counts, exponential }: Distribution, quantile: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const rank = quantile * total
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (count === 0 || before + count < rank) {
      before += count
      continue
    }
    return within(cells[i], (rank - before) / count, exponential)
  }
  const last = counts.findLastIndex(count => count > 0)
  return within(cells[last], 1, exponential)
}

/** For an infinite cell its finite end, because nothing limits the values. */
function within({ lower, upper }: Cell, share: number, exponential: boolean): number | undefined {
  if (lower === -Infinity && upper === Infinity) return undefined
  if (upper === Infinity) return lower
  if (lower === -Infinity) return upper > 0 ? upper * share : upper
  if (exponential && lower > 0) return lower * (upper / lower) ** share
  if (exponential && upper < 0) return -(-lower * (upper / lower) ** share)
  return lower + (upper - lower) * share
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
