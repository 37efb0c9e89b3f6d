// A metric of any kind over time: rates of counters, gauges, quantiles and buckets of distributions, and exemplars.
import type { AnyValue } from '@hearth/profile'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { Cell, Distribution } from './distribution.ts'
import { ExplicitSum, ExponentialSum, quantileOf } from './distribution.ts'
import { checkItemSelector } from './items-where.ts'
import type { DistributionSums } from './metric-distributions.ts'
import { readDistributions } from './metric-distributions.ts'
import type { MetricExemplar } from './metric-exemplars.ts'
import { readExemplars } from './metric-exemplars.ts'
import type { NumberSums, MetricReadOptions } from './metric-numbers.ts'
import { readNumbers } from './metric-numbers.ts'
import type { FoundMetric, MetricChosen } from './metric-points.ts'
import { findMetric } from './metric-points.ts'
import { groupKeys, groupText } from './point-groups.ts'

const METRIC_AGGREGATIONS = ['rate', 'increase', 'average', 'last', 'min', 'max', 'count'] as const
/**
 * rate, increase: the increase of a counter per second or per step; for distributions the number of measured values.
 * average, min, max: of the points of a gauge, or of a distribution's values. last: the last point of each stream; the
 * sum of several streams, or the average for gauges. count: the number of points.
 */
type MetricAggregation = (typeof METRIC_AGGREGATIONS)[number]

export interface MetricSeriesChoice extends MetricChosen {
  /** Nanoseconds. The first step begins at the start of the range. */
  readonly step: bigint
  readonly groupBy?: readonly string[]
  readonly aggregation?: MetricAggregation
  /** For distributions; 0.5, 0.9 and 0.99 unless given. Summaries have the quantiles that were sent. */
  readonly quantiles?: readonly number[]
  /** Whether to return the buckets of distributions, for heat maps. */
  readonly buckets?: boolean
  /** The number of exemplars for each group; none unless given. */
  readonly exemplars?: number
}

export interface MetricPoint {
  /** The start of the step. Steps without data have no point. */
  readonly time: bigint
  /** Undefined if it is unknown: the first point of a counter, or a distribution without a sum. */
  readonly value: number | undefined
  /** The value, if it is a sum, minimum, maximum or last value of integers. */
  readonly whole: bigint | undefined
  /** One per quantile of the series. */
  readonly quantiles: readonly (number | undefined)[]
  /** One per cell of the group. */
  readonly buckets: readonly number[]
}

export interface MetricGroup {
  /** One per entry of groupBy. */
  readonly labels: readonly AnyValue[]
  readonly points: readonly MetricPoint[]
  readonly cells: readonly Cell[]
  readonly exemplars: readonly MetricExemplar[]
}

export interface MetricSeries extends FoundMetric {
  readonly step: bigint
  readonly aggregation: MetricAggregation
  readonly groupBy: readonly string[]
  readonly quantiles: readonly number[]
  readonly groups: readonly MetricGroup[]
}

const MAX_STEPS = 10_000n
const MAX_QUANTILES = 20
const MAX_EXEMPLARS = 1000
const USUAL_QUANTILES = [0.5, 0.9, 0.99]

export async function metricSeries(
  context: QueryContext,
  query: Query,
  choice: MetricSeriesChoice,
): Promise<MetricSeries> {
  const { step, groupBy = [], quantiles: wanted = USUAL_QUANTILES, buckets = false, exemplars = 0 } = choice
  const running = new RunningQuery(context.engine, query)
  if (step < 1n) throw new QueryError('argument', `the step is ${step} ns; it must be positive`)
  if ((running.to - running.from + step - 1n) / step > MAX_STEPS) {
    throw new QueryError('argument', `more than ${MAX_STEPS} steps; use longer ones`)
  }
  if (wanted.length > MAX_QUANTILES || wanted.some(q => !(q >= 0 && q <= 1))) {
    throw new QueryError('argument', `quantiles must be up to ${MAX_QUANTILES} numbers from 0 to 1`)
  }
  if (exemplars !== 0) checkCount('exemplars', exemplars, MAX_EXEMPLARS)
  const keys = groupKeys(groupBy)
  await checkItemSelector(running, 'point')
  const metric = await findMetric(running, choice)
  const aggregation = aggregationFor(metric, choice.aggregation)
  const options: MetricReadOptions = { service: choice.service, keys, step }
  const seconds = Number(step) / 1e9
  const timeOf = (number: number): bigint => running.from + BigInt(number) * step
  const named = exemplars === 0 ? undefined : await readExemplars(running, metric, options, exemplars)
  const all = new Map<string, MetricGroup>()
  const put = (labels: readonly AnyValue[], group: Omit<MetricGroup, 'labels' | 'exemplars'>): void => {
    all.set(groupText(labels), { labels, ...group, exemplars: named?.get(groupText(labels)) ?? [] })
  }
  let quantiles: readonly number[] = []
  if (metric.kind === 'gauge' || metric.kind === 'sum') {
    for (const { labels, content } of (await readNumbers(running, metric, options)).all) {
      const points = sorted(content).map(([number, sums]) => {
        return {
          time: timeOf(number),
          value: numberValue(sums, metric, aggregation, seconds),
          whole: wholeValue(sums, metric, aggregation),
          quantiles: [],
          buckets: [],
        }
      })
      put(labels, { points, cells: [] })
    }
  } else {
    const groups = (await readDistributions(running, metric, options)).all
    quantiles = metric.kind === 'summary' ? sentQuantiles(groups.map(({ content }) => content)) : [...wanted]
    for (const { labels, content } of groups)
      put(labels, distributionGroup(content, { metric, aggregation, quantiles, buckets, seconds, timeOf }))
  }
  return { ...metric, step, aggregation, groupBy: keys.map(({ name }) => name), quantiles, groups: [...all.values()] }
}

function aggregationFor(metric: FoundMetric, requested: MetricAggregation | undefined): MetricAggregation {
  const { kind, temporality, monotonic } = metric
  const counts = kind === 'sum' && (monotonic || temporality === 'delta')
  const allowed: readonly MetricAggregation[] =
    kind === 'gauge'
      ? ['average', 'last', 'min', 'max', 'count']
      : kind === 'sum'
        ? counts
          ? ['rate', 'increase', 'last', 'count']
          : ['last', 'average', 'min', 'max', 'count']
        : ['rate', 'increase', 'average', 'min', 'max', 'count']
  if (requested === undefined) return allowed[0]
  if (!allowed.includes(requested)) {
    const what = kind === 'sum' ? (counts ? 'a counter' : 'a sum that may go down') : `a metric of kind ${kind}`
    throw new QueryError('argument', `there is no ${requested} of ${what}; there are ${allowed.join(', ')}`)
  }
  return requested
}

function sorted<Content>(steps: ReadonlyMap<number, Content>): [number, Content][] {
  return [...steps].sort(([a], [b]) => a - b)
}

function numberValue(
  sums: NumberSums,
  { kind }: FoundMetric,
  aggregation: MetricAggregation,
  seconds: number,
): number | undefined {
  switch (aggregation) {
    case 'rate':
      return sums.increase === undefined ? undefined : sums.increase / seconds
    case 'increase':
      return sums.increase
    case 'average':
      return sums.sum / sums.points
    case 'last':
      return kind === 'gauge' ? sums.last / sums.streams : sums.last
    case 'min':
      return sums.min
    case 'max':
      return sums.max
    case 'count':
      return sums.points
  }
}

function wholeValue(
  { whole, increase, streams }: NumberSums,
  { kind }: FoundMetric,
  aggregation: MetricAggregation,
): bigint | undefined {
  switch (aggregation) {
    case 'increase':
      return increase === undefined ? undefined : whole?.increase
    case 'last':
      return kind === 'gauge' && streams > 1 ? undefined : whole?.last
    case 'min':
      return whole?.min
    case 'max':
      return whole?.max
    case 'rate':
    case 'average':
    case 'count':
      return undefined
  }
}

interface DistributionChoice {
  readonly metric: FoundMetric
  readonly aggregation: MetricAggregation
  readonly quantiles: readonly number[]
  readonly buckets: boolean
  readonly seconds: number
  readonly timeOf: (number: number) => bigint
}

function distributionGroup(
  steps: ReadonlyMap<number, DistributionSums>,
  { metric, aggregation, quantiles, buckets, seconds, timeOf }: DistributionChoice,
): Omit<MetricGroup, 'labels' | 'exemplars'> {
  const like = commonCells(metric, steps)
  const points = sorted(steps).map(([number, sums]) => ({
    time: timeOf(number),
    value: distributionValue(sums, aggregation, seconds),
    whole: aggregation === 'increase' ? sums.count : undefined,
    quantiles:
      metric.kind === 'summary'
        ? quantiles.map(quantile => {
            const known = sums.quantiles.get(quantile)
            return known === undefined ? undefined : known.sum / known.weight
          })
        : quantiles.map(quantile => quantileOf(ownDistribution(metric, sums), quantile)),
    buckets: buckets ? like(sums).counts : [],
  }))
  const [first] = steps.values()
  return { points, cells: buckets && first !== undefined ? like(first).cells : [] }
}

/** Uses its own buckets, which are finer than the common cells of all steps. */
function ownDistribution({ kind }: FoundMetric, sums: DistributionSums): Distribution {
  return kind === 'histogram' ? sums.explicit.distribution() : sums.exponential.distribution()
}

/** Every step with the same cells. */
function commonCells(
  { kind }: FoundMetric,
  steps: ReadonlyMap<number, DistributionSums>,
): (sums: DistributionSums) => Distribution {
  if (kind === 'summary') return () => ({ cells: [], counts: [], exponential: false })
  if (kind === 'histogram') {
    const whole = new ExplicitSum()
    for (const { explicit } of steps.values()) {
      const { bounds } = explicit
      if (bounds !== undefined) whole.add({ bounds, counts: [...bounds.map(() => 0n), 0n] })
    }
    return sums => sums.explicit.distribution(whole.bounds ?? [])
  }
  const whole = new ExponentialSum()
  for (const { exponential } of steps.values()) if (exponential.buckets !== undefined) whole.add(exponential.buckets)
  return sums => sums.exponential.distribution(whole.buckets)
}

function distributionValue(
  sums: DistributionSums,
  aggregation: MetricAggregation,
  seconds: number,
): number | undefined {
  const { count, sum, min, max, points } = sums
  switch (aggregation) {
    case 'rate':
      return count === undefined ? undefined : Number(count) / seconds
    case 'increase':
      return count === undefined ? undefined : Number(count)
    case 'average':
      return count === undefined || count === 0n || sum === undefined ? undefined : sum / Number(count)
    case 'min':
      return min
    case 'max':
      return max
    case 'count':
      return points
    case 'last':
      return undefined
  }
}

function sentQuantiles(groups: readonly ReadonlyMap<number, DistributionSums>[]): number[] {
  const all = new Set<number>()
  for (const steps of groups)
    for (const { quantiles } of steps.values()) for (const quantile of quantiles.keys()) all.add(quantile)
  return [...all].sort((a, b) => a - b).slice(0, MAX_QUANTILES)
}
