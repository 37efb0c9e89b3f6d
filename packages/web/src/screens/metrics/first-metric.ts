// The metric that the Metrics screen opens with.
import type { MetricRow } from '@hearth/client'

/** The metric to show first: the duration of requests, or else the one with the most points. A single point is no line. */
export function firstMetric(metrics: readonly MetricRow[]): MetricRow | undefined {
  const rank = ({ name, points }: MetricRow): number =>
    points < 2 ? 2 : /^http\.server\..*duration$|^rpc\.server\..*duration$/.test(name) ? 0 : 1
  return metrics.toSorted((a, b) => rank(a) - rank(b) || b.points - a.points).at(0)
}
