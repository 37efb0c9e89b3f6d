// Adds up the histograms of intervals: Prometheus expects counts that only grow, or begin again at zero.
import type { RecordedHistogram, RecordedPoint } from './recording-rule.ts'

/** Above this number of series, only those of the new points are kept: their counts begin again. */
const MAX_SERIES = 2000

/** The sum of both for each set of labels, at the time of the last point. */
export function addHistograms(before: readonly RecordedPoint[], points: readonly RecordedPoint[]): RecordedPoint[] {
  const sums = new Map<string, RecordedPoint>()
  const add = (point: RecordedPoint): void => {
    const key = JSON.stringify(point.labels)
    const known = sums.get(key)
    sums.set(key, known === undefined ? point : { ...point, ...added(known.histogram, point.histogram) })
  }
  for (const point of [...before, ...points]) add(point)
  if (sums.size <= MAX_SERIES) return [...sums.values()]
  sums.clear()
  for (const point of points) add(point)
  return [...sums.values()]
}

function added(
  a: RecordedHistogram | undefined,
  b: RecordedHistogram | undefined,
): Pick<RecordedPoint, 'histogram' | 'value'> {
  if (a === undefined || b === undefined) return { value: 0 }
  const histogram = {
    count: a.count + b.count,
    sum: a.sum + b.sum,
    buckets: a.buckets.map((count, i) => count + b.buckets[i]),
  }
  return { histogram, value: histogram.sum / histogram.count }
}
