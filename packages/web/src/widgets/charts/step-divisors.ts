// The divisors of the points of a chart.
import type { SeriesResponse } from '@hearth/client'
import type { Divisors } from '../../address/divisor.ts'
import { withLongerSteps } from './series-columns.ts'

/** The divisors of the value of one step of the chart. Requests are assumed to be even over the covered time. */
export function stepDivisors(response: SeriesResponse, divisors: Divisors, total: number): Divisors {
  const { step, groups } = withLongerSteps(response)
  const seconds = Number(step) / 1e9
  const steps = new Set(groups.flatMap(({ points }) => points.map(({ time }) => time))).size
  return { ...divisors, seconds, requests: (divisors.requests ?? 0) / Math.max(1, steps), total }
}
