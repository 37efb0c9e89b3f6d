// The buckets of a distribution over time as cells: one column per step, one row per bucket, the smallest values at the bottom.
import type { MetricSeriesResponse } from '@hearth/client'

export interface BucketGrid {
  readonly columns: number
  readonly rows: number
  /** The number of values, by `column * rows + row`. */
  readonly counts: Float64Array
  /** The bounds of each row, infinite at the ends. */
  readonly lower: readonly number[]
  readonly upper: readonly number[]
  /** The start, in milliseconds since 1970. */
  readonly from: number
  readonly stepMs: number
}

/** The maximum number of rows, so that each stays distinguishable. More buckets are merged with their neighbours. */
const MAX_ROWS = 80

/** Returns undefined if the group has no buckets. */
export function bucketGrid(
  { step }: Pick<MetricSeriesResponse, 'step'>,
  { cells = [], points }: Pick<MetricSeriesResponse['groups'][number], 'cells' | 'points'>,
): BucketGrid | undefined {
  if (cells.length === 0 || points.length === 0) return undefined
  const stepNs = BigInt(step)
  const origin = points.reduce(
    (first, { time }) => (BigInt(time) < first ? BigInt(time) : first),
    BigInt(points[0].time),
  )
  const columnOf = (time: string): number => Number((BigInt(time) - origin) / stepNs)
  const columns = Math.max(...points.map(({ time }) => columnOf(time))) + 1
  const merged = Math.ceil(cells.length / MAX_ROWS)
  const rows = Math.ceil(cells.length / merged)
  const counts = new Float64Array(columns * rows)
  for (const { time, buckets = [] } of points) {
    const column = columnOf(time)
    for (const [i, count] of buckets.entries()) counts[column * rows + Math.floor(i / merged)] += count
  }
  const edge = (value: number | string): number => (typeof value === 'number' ? value : Number(value))
  return {
    columns,
    rows,
    counts,
    lower: Array.from({ length: rows }, (_, row) => edge(cells[row * merged].lower)),
    upper: Array.from({ length: rows }, (_, row) => edge(cells[Math.min(cells.length, (row + 1) * merged) - 1].upper)),
    from: Number(origin / 1_000_000n),
    stepMs: Number(stepNs) / 1e6,
  }
}
