// Histograms, exponential histograms and summaries over time. For cumulative ones, the last point of each step is read,
// and compared with the one before. So the buckets of a stream are read once per step, however often it was sent.
import type { Block } from '../../store/native/block.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import { Present } from '../../store/signals/write-metrics.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { ExplicitBuckets, ExponentialBuckets } from './distribution.ts'
import { ExplicitSum, ExponentialSum, explicitIncrease, exponentialIncrease } from './distribution.ts'
import type { MetricIdentity } from './metric-list.ts'
import type { MetricReadOptions } from './metric-numbers.ts'
import { POINT_LOOK_BACK } from './metric-numbers.ts'
import { pointRows } from './metric-points.ts'
import { PointGroups } from './point-groups.ts'

/** The sums of a step. */
export class DistributionSums {
  points = 0
  /** The number of measured values, and their sum; undefined if no point has a predecessor. */
  count: bigint | undefined
  sum: number | undefined
  /** Only if points have them and describe only their own step. */
  min: number | undefined
  max: number | undefined
  readonly explicit = new ExplicitSum()
  readonly exponential = new ExponentialSum()
  /** For summaries: the values by quantile, weighted by the number of measurements. */
  readonly quantiles = new Map<number, { sum: number; weight: number }>()

  add(increase: Increase): void {
    this.count = (this.count ?? 0n) + increase.count
    if (increase.sum !== undefined) this.sum = (this.sum ?? 0) + increase.sum
    if (increase.min !== undefined) this.min = Math.min(this.min ?? Infinity, increase.min)
    if (increase.max !== undefined) this.max = Math.max(this.max ?? -Infinity, increase.max)
    if (increase.explicit !== undefined) this.explicit.add(increase.explicit)
    if (increase.exponential !== undefined) this.exponential.add(increase.exponential)
  }

  addQuantiles(quantiles: readonly (readonly [number, number])[], count: bigint): void {
    for (const [quantile, value] of quantiles) {
      if (Number.isNaN(value)) continue
      const known = this.quantiles.get(quantile) ?? { sum: 0, weight: 0 }
      // A summary with a count of zero still has values.
      const weight = Math.max(1, Number(count))
      this.quantiles.set(quantile, { sum: known.sum + value * weight, weight: known.weight + weight })
    }
  }
}

interface Increase {
  readonly count: bigint
  readonly sum: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly explicit: ExplicitBuckets | undefined
  readonly exponential: ExponentialBuckets | undefined
}

interface Point extends Increase {
  readonly stream: bigint
  readonly start: bigint
  readonly quantiles: readonly (readonly [number, number])[]
}

export type DistributionGroups = PointGroups<Map<number, DistributionSums>>

/** 250 MB at 160 buckets. */
const MAX_POINTS = 200_000

const COLUMNS =
  'start_unix_nano, count, present, sum, min, max, bucket_counts, explicit_bounds, scale, zero_count, zero_threshold, ' +
  'positive_offset, positive_counts, negative_offset, negative_counts, quantiles, quantile_values'

export async function readDistributions(
  running: RunningQuery,
  metric: MetricIdentity,
  { service, keys, step }: MetricReadOptions,
): Promise<DistributionGroups> {
  // Summaries have no temporality. Their counts are cumulative.
  const isCumulative = metric.temporality !== 'delta' || metric.kind === 'summary'
  const values = new Values()
  const lookBack = isCumulative ? POINT_LOOK_BACK : 0n
  const rows = pointRows(running, values, metric, { service, keys, step, lookBack, columns: [COLUMNS] })
  // A counter that was reset within a step has another start time. The last point before the reset counts too.
  const last = isCumulative ? ' LIMIT 1 BY stream, step_number, start_unix_nano' : ''
  const block = await running.selectLimited(
    `SELECT * FROM (${rows}) ORDER BY stream DESC, at DESC, received DESC${last}`,
    values.all,
    'points; a longer step or a narrower selector makes them fewer',
    Math.min(MAX_POINTS, running.maxRows),
  )
  const groups: DistributionGroups = new PointGroups(running, keys, () => new Map<number, DistributionSums>())
  await groups.load([block])
  let was: Point | undefined
  // From the last row to the first; rows are sorted by time.
  for (let row = block.rows - 1; row >= 0; row--) {
    const is = pointAt(block, row, metric.kind)
    const before = was?.stream === is.stream ? was : undefined
    was = is
    const step = Number(block.column('step_number').bigint(row))
    if (step < 0) continue
    const steps = groups.at(block, row)
    let sums = steps.get(step)
    if (sums === undefined) steps.set(step, (sums = new DistributionSums()))
    sums.points++
    sums.addQuantiles(is.quantiles, is.count)
    const increase = isCumulative ? increaseOf(before, is, running.from) : is
    if (increase !== undefined) sums.add(increase)
  }
  return groups
}

/** The increase as for counters in metric-numbers.ts. Minima and maxima are cumulative, so the step has none. */
function increaseOf(was: Point | undefined, is: Point, from: bigint): Increase | undefined {
  const whole = { ...is, min: undefined, max: undefined }
  if (was === undefined) return is.start !== 0n && is.start >= from ? whole : undefined
  if ((was.start !== 0n && is.start > was.start) || is.count < was.count) return whole
  const explicit =
    was.explicit === undefined || is.explicit === undefined ? undefined : explicitIncrease(was.explicit, is.explicit)
  const exponential =
    was.exponential === undefined || is.exponential === undefined
      ? undefined
      : exponentialIncrease(was.exponential, is.exponential)
  const beganAnew =
    (is.explicit !== undefined && explicit === undefined) || (is.exponential !== undefined && exponential === undefined)
  if (beganAnew) return whole
  const sum = is.sum === undefined || was.sum === undefined ? undefined : is.sum - was.sum
  return { count: is.count - was.count, sum, min: undefined, max: undefined, explicit, exponential }
}

function pointAt(block: Block, row: number, kind: MetricIdentity['kind']): Point {
  const number = (name: string) => block.column(name).number(row)
  const bigint = (name: string) => block.column(name).bigint(row)
  const present = number('present')
  const has = (bit: number, name: string) => ((present & bit) === 0 ? undefined : number(name))
  const quantiles = numbersOf(block.column('quantiles'), row)
  const quantileValues = numbersOf(block.column('quantile_values'), row)
  return {
    stream: bigint('stream'),
    start: bigint('start_unix_nano'),
    count: bigint('count'),
    // A summary always has a sum.
    sum: kind === 'summary' ? number('sum') : has(Present.sum, 'sum'),
    min: has(Present.min, 'min'),
    max: has(Present.max, 'max'),
    explicit:
      kind === 'histogram'
        ? {
            bounds: numbersOf(block.column('explicit_bounds'), row),
            counts: countsOf(block.column('bucket_counts'), row),
          }
        : undefined,
    exponential:
      kind === 'exponential-histogram'
        ? {
            scale: number('scale'),
            zeroThreshold: number('zero_threshold'),
            zeroCount: bigint('zero_count'),
            positive: indexed(number('positive_offset'), countsOf(block.column('positive_counts'), row)),
            negative: indexed(number('negative_offset'), countsOf(block.column('negative_counts'), row)),
          }
        : undefined,
    quantiles: quantiles.map((quantile, i) => [quantile, quantileValues[i]] as const),
  }
}

function numbersOf(column: ColumnValues, row: number): number[] {
  const from = column.from(row)
  return Array.from({ length: column.to(row) - from }, (_, k) => column.values.number(from + k))
}

function countsOf(column: ColumnValues, row: number): bigint[] {
  const from = column.from(row)
  return Array.from({ length: column.to(row) - from }, (_, k) => column.values.bigint(from + k))
}

function indexed(offset: number, counts: readonly bigint[]): ReadonlyMap<number, bigint> {
  return new Map(counts.flatMap((count, i) => (count === 0n ? [] : [[offset + i, count] as const])))
}
