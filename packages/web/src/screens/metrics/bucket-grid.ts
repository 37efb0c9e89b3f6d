// The buckets of a distribution over time as cells: a column a step, a row a bucket, the least values lowest.
import type { MetricSeriesResponse } from '@hearth/client'

export interface BucketGrid {
  readonly columns: number
  readonly rows: number
  /** How many values, by `column * rows + row`. */
  readonly counts: Float64Array
  /** Of each row; infinite at the ends. */
  readonly lower: readonly number[]
  readonly upper: readonly number[]
  /** Milliseconds since 1970, and of a step. */
  readonly from: number
  readonly stepMs: number
}

/** More rows than these are not told apart on a screen; neighbours are taken together. */
const MOST_ROWS = 80

/** Undefined where the group has no buckets. */
export function bucketGrid(
  { step }: Pick<MetricSeriesResponse, 'step'>,
  { cells = [], points }: Pick<MetricSeriesResponse['groups'][number], 'cells' | 'points'>,
): BucketGrid | undefined {
  if (cells.length === 0 || points.length === 0) return undefined
  const stepNs = BigInt(step)
  const origin = points.reduce(
    (least, { time }) => (BigInt(time) < least ? BigInt(time) : least),
    BigInt(points[0].time),
  )
  const columnOf = (time: string): number => Number((BigInt(time) - origin) / stepNs)
  const columns = Math.max(...points.map(({ time }) => columnOf(time))) + 1
  const together = Math.ceil(cells.length / MOST_ROWS)
  const rows = Math.ceil(cells.length / together)
  const counts = new Float64Array(columns * rows)
  for (const { time, buckets = [] } of points) {
    const column = columnOf(time)
    for (const [i, count] of buckets.entries()) counts[column * rows + Math.floor(i / together)] += count
  }
  const edge = (value: number | string): number => (typeof value === 'number' ? value : Number(value))
  return {
    columns,
    rows,
    counts,
    lower: Array.from({ length: rows }, (_, row) => edge(cells[row * together].lower)),
    upper: Array.from({ length: rows }, (_, row) =>
      edge(cells[Math.min(cells.length, (row + 1) * together) - 1].upper),
    ),
    from: Number(origin / 1_000_000n),
    stepMs: Number(stepNs) / 1e6,
  }
}
