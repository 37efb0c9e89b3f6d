// Converts the series of a metric to the lines of a chart: one per group, or one per group and quantile.
import type { AttributeValue, MetricSeriesResponse } from '@hearth/client'
import type { MetricShow } from '../../address/metric-search.ts'
import { millisOf } from '../../widgets/format-time.ts'
import type { Exemplar, SeriesColumns, SeriesLine } from '../../widgets/charts/series-columns.ts'
import { labelsText } from '../../widgets/charts/series-columns.ts'

type Group = MetricSeriesResponse['groups'][number]
type Point = Group['points'][number]

/** The views whose values have the unit of the metric. All others are counts. */
const OWN_UNIT: ReadonlySet<MetricShow> = new Set(['quantiles', 'average', 'last', 'min', 'max'])

export function metricColumns(response: MetricSeriesResponse, show: MetricShow): SeriesColumns {
  const { groups, quantiles, unit, kind } = response
  const isDistribution = kind !== 'gauge' && kind !== 'sum'
  const times = [...new Set(groups.flatMap(({ points }) => points.map(point => millisOf(point.time) / 1000)))].sort(
    (a, b) => a - b,
  )
  const place = new Map(times.map((time, i) => [time, i]))
  const line = (group: Group, title: string, of: (point: Point) => number | undefined): SeriesLine => {
    const values = new Array<number | undefined>(times.length).fill(undefined)
    for (const point of group.points) values[place.get(millisOf(point.time) / 1000)!] = of(point)
    const known = values.filter(value => value !== undefined)
    return { title, values, sum: known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length }
  }
  const lines = groups.flatMap(group => {
    const title = labelsText(group.labels)
    if (show !== 'quantiles') return [line(group, title === '' ? response.name : title, ({ value }) => finite(value))]
    return quantiles
      .map((quantile, q) => {
        const name = quantileText(quantile)
        return line(group, title === '' ? name : `${name} ${title}`, point => finite(point.quantiles?.[q]))
      })
      .reverse()
  })
  // The rate of a distribution is the rate of its number of values, so it does not have the unit of the metric.
  const isOwn = OWN_UNIT.has(show) || ((show === 'rate' || show === 'increase') && !isDistribution)
  return {
    times,
    lines,
    exemplars: groups.flatMap((group, g) => exemplarsOf(group, g, show, show === 'quantiles' ? quantiles.length : 1)),
    // The header names what is counted, so the axis does not repeat it.
    unit: isOwn && !unit.startsWith('{') ? unit : '',
    ...(show === 'rate' ? { per: '/s' } : {}),
    stepMs: Number(BigInt(response.step)) / 1e6,
  }
}

/** The key is the group and the index, for `exemplarAt`. If the chart shows other values, a mark is placed on its line. */
function exemplarsOf({ exemplars }: Group, group: number, show: MetricShow, linesOfGroup: number): Exemplar[] {
  return exemplars.flatMap(({ time, value, traceId }, i) => {
    const own = numberOf(value)
    if (traceId === '') return []
    const stands = OWN_UNIT.has(show) && own !== undefined ? { value: own } : {}
    return [{ key: `${group}/${i}`, time: millisOf(time), line: group * linesOfGroup, ...stands }]
  })
}

export function exemplarAt({ groups }: MetricSeriesResponse, key: string): Group['exemplars'][number] | undefined {
  const [group, i] = key.split('/').map(Number)
  return groups[group]?.exemplars[i]
}

/** For example `p99`, or `min` and `max` for 0 and 1. */
export function quantileText(quantile: number): string {
  if (quantile === 0) return 'min'
  return quantile === 1 ? 'max' : `p${Number((quantile * 100).toPrecision(6))}`
}

/** Returns undefined, a gap in the line, for a value that cannot be drawn. */
function finite(value: number | string | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function numberOf({ intValue, doubleValue }: AttributeValue): number | undefined {
  if (intValue !== undefined) return Number(intValue)
  return finite(doubleValue)
}
