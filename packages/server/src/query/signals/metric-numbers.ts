// Gauges and sums over time. Each stream of points is evaluated by itself before streams are combined. The engine
// computes the increase of a counter point by point, because a reset can occur between any two.
import { NumberKind } from '../../store/signals/write-metrics.ts'
import type { AttributeKey } from '../select/attribute-key.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { MetricIdentity } from './metric-list.ts'
import { pointRows } from './metric-points.ts'
import { PointGroups } from './point-groups.ts'

/** The sums of a step. */
export interface NumberSums {
  /** The number of points. */
  points: number
  sum: number
  min: number
  max: number
  /** The last values of all streams added up, and the number of streams. */
  last: number
  streams: number
  /** The increase of counters; undefined if no point has a predecessor. */
  increase: number | undefined
  /** The same as integers; undefined if a point is a double. */
  whole: WholeSums | undefined
}

type WholeSums = Readonly<Record<'sum' | 'min' | 'max' | 'last' | 'increase', bigint>>

export interface MetricReadOptions {
  readonly service: string | undefined
  readonly keys: readonly AttributeKey[]
  readonly step: bigint
}

/**
 * The maximum age of the point before the range that the first point is compared with: more than the usual minute
 * between exports.
 */
export const POINT_LOOK_BACK = 600_000_000_000n

export type NumberGroups = PointGroups<Map<number, NumberSums>>

export async function readNumbers(
  running: RunningQuery,
  metric: MetricIdentity,
  { service, keys, step }: MetricReadOptions,
): Promise<NumberGroups> {
  const isCounter = metric.kind === 'sum' && metric.monotonic && metric.temporality !== 'delta'
  const values = new Values()
  const columns = [
    'start_unix_nano',
    'value_kind',
    'value_int',
    `if(value_kind = ${NumberKind.int}, toFloat64(value_int), value_double) AS number`,
  ]
  const rows = pointRows(running, values, metric, {
    service,
    keys,
    step,
    lookBack: isCounter ? POINT_LOOK_BACK : 0n,
    columns,
  })
  const source = isCounter ? withIncreases(rows, values.add('UInt64', running.from)) : `${DELTAS} FROM (${rows})`
  const block = await running.selectLimited(
    'SELECT step_number, resource, scope, labels, sum(each_points) AS points, sum(each_sum) AS sum, min(each_min) AS min, ' +
      'max(each_max) AS max, sum(each_last) AS last, count() AS streams, sum(each_increase) AS increase, ' +
      'sum(increases) AS increases, sum(doubles) AS doubles, sum(each_sum_int) AS sum_int, min(each_min_int) AS min_int, ' +
      'max(each_max_int) AS max_int, sum(toInt128(each_last_int)) AS last_int, sum(each_increase_int) AS increase_int FROM (' +
      'SELECT stream, step_number, resource, scope, labels, count() AS each_points, ' +
      `${exactSum} AS each_sum, min(number) AS each_min, max(number) AS each_max, argMax(number, (at, received)) AS each_last, ` +
      'ifNull(sum(increase), 0) AS each_increase, count(increase) AS increases, countIf(NOT is_whole) AS doubles, ' +
      'sum(toInt128(value_int)) AS each_sum_int, min(value_int) AS each_min_int, max(value_int) AS each_max_int, ' +
      'argMax(value_int, (at, received)) AS each_last_int, sum(ifNull(increase_int, toInt128(0))) AS each_increase_int ' +
      `FROM (${source}) WHERE step_number >= 0 GROUP BY stream, step_number, resource, scope, labels) ` +
      'GROUP BY step_number, resource, scope, labels ORDER BY step_number',
    values.all,
    'points of groups',
  )
  const groups: NumberGroups = new PointGroups(running, keys, () => new Map<number, NumberSums>())
  await groups.load([block])
  for (let row = 0; row < block.rows; row++) {
    const number = (name: string) => block.column(name).number(row)
    const steps = groups.at(block, row)
    const step = Number(block.column('step_number').bigint(row))
    const has = block.column('increases').bigint(row) > 0n
    const bigint = (name: string) => block.column(`${name}_int`).bigint(row)
    const isWhole = block.column('doubles').bigint(row) === 0n
    const found: NumberSums = {
      points: Number(block.column('points').bigint(row)),
      sum: number('sum'),
      min: number('min'),
      max: number('max'),
      last: number('last'),
      streams: Number(block.column('streams').bigint(row)),
      increase: has ? number('increase') : undefined,
      whole: isWhole
        ? {
            sum: bigint('sum'),
            min: bigint('min'),
            max: bigint('max'),
            last: bigint('last'),
            increase: bigint('increase'),
          }
        : undefined,
    }
    const known = steps.get(step)
    steps.set(step, known === undefined ? found : together(known, found))
  }
  return groups
}

function together(a: NumberSums, b: NumberSums): NumberSums {
  const { increase } = a
  return {
    points: a.points + b.points,
    sum: a.sum + b.sum,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    last: a.last + b.last,
    streams: a.streams + b.streams,
    increase: increase === undefined ? b.increase : increase + (b.increase ?? 0),
    whole: a.whole && b.whole && wholeTogether(a.whole, b.whole),
  }
}

function wholeTogether(a: WholeSums, b: WholeSums): WholeSums {
  return {
    sum: a.sum + b.sum,
    min: a.min < b.min ? a.min : b.min,
    max: a.max > b.max ? a.max : b.max,
    last: a.last + b.last,
    increase: a.increase + b.increase,
  }
}

/** Integers are added up exactly: a hundred counters of 2^53 exceed the precision of doubles. */
const isInt = `value_kind = ${NumberKind.int}`
const exactSum = `toFloat64(sumIf(toInt128(value_int), ${isInt})) + sumIf(number, NOT (${isInt}))`

/** Delta points are increases themselves. Gauges and sums that can fall have none. */
const DELTAS =
  'SELECT stream, at, received, step_number, resource, scope, labels, value_kind, value_int, number, toNullable(number) AS increase, ' +
  `toNullable(toInt128(value_int)) AS increase_int, ${isInt} AS is_whole`

/**
 * Adds the increase of each point over its predecessor in the stream. A later start time or a smaller value means a
 * reset, and the whole value is the increase. The same holds for the first point of a stream that starts in the range.
 */
function withIncreases(rows: string, from: string): string {
  const frame = 'PARTITION BY stream ORDER BY at, received ROWS BETWEEN 1 PRECEDING AND CURRENT ROW'
  const before = (column: string) => `lagInFrame(${column}, 1) OVER (${frame})`
  const bothInt = `${isInt} AND was_kind = ${NumberKind.int}`
  const isReset = `(was_start != 0 AND start_unix_nano > was_start) OR if(${bothInt}, value_int < was_int, number < was_number)`
  const increase = (value: string, difference: string): string =>
    `multiIf(nth = 1, if(start_unix_nano >= ${from} AND start_unix_nano != 0, toNullable(${value}), NULL), ` +
    `${isReset}, toNullable(${value}), ${difference})`
  const ints = 'toNullable(toInt128(value_int) - toInt128(was_int))'
  return (
    'SELECT stream, at, received, step_number, resource, scope, labels, value_kind, value_int, number, ' +
    `${increase('number', `if(${bothInt}, toFloat64(${ints}), toNullable(number - was_number))`)} AS increase, ` +
    `${increase('toInt128(value_int)', ints)} AS increase_int, ` +
    `${isInt} AND (nth = 1 OR was_kind = ${NumberKind.int}) AS is_whole FROM (` +
    `SELECT *, count() OVER (${frame}) AS nth, ${before('start_unix_nano')} AS was_start, ${before('value_kind')} AS was_kind, ` +
    `${before('value_int')} AS was_int, ${before('number')} AS was_number FROM (${rows}))`
  )
}
