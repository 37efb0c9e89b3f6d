// A metric's series as the lines that the chart draws: a line a group, of distributions a line a quantile.
import type { AttributeValue, MetricSeriesResponse } from '@hearth/client'
import { valueText } from '../../api/value-text.ts'
import type { MetricShow } from '../../address/metric-search.ts'
import { millisOf } from '../../widgets/format-time.ts'
import type { Exemplar, SeriesColumns, SeriesLine } from '../../widgets/charts/series-columns.ts'

type Group = MetricSeriesResponse['groups'][number]
type Point = Group['points'][number]

/** Values in the metric's own unit; all others count something. */
const OWN_UNIT: ReadonlySet<MetricShow> = new Set(['quantiles', 'average', 'last', 'min', 'max'])

export function metricColumns(answer: MetricSeriesResponse, show: MetricShow): SeriesColumns {
  const { groups, quantiles, unit, kind } = answer
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
    if (show !== 'quantiles') return [line(group, title === '' ? answer.name : title, ({ value }) => finite(value))]
    return quantiles
      .map((quantile, q) => {
        const name = quantileText(quantile)
        return line(group, title === '' ? name : `${name} ${title}`, point => finite(point.quantiles?.[q]))
      })
      .reverse()
  })
  // Rates of distributions are of how many values there were, whatever those measure.
  const isOwn = OWN_UNIT.has(show) || ((show === 'rate' || show === 'increase') && !isDistribution)
  return {
    times,
    lines,
    exemplars: groups.flatMap((group, g) => exemplarsOf(group, g, show, show === 'quantiles' ? quantiles.length : 1)),
    // What is counted is in the metric's head; on the axis it would only take room.
    unit: isOwn && !unit.startsWith('{') ? unit : '',
    ...(show === 'rate' ? { per: '/s' } : {}),
    stepMs: Number(BigInt(answer.step)) / 1e6,
  }
}

/** By group and number, for `exemplarAt`. Where the chart is of other values than theirs, marks stand on their line. */
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

export function labelsText(labels: readonly AttributeValue[]): string {
  return labels.map(label => valueText(label) || '(none)').join(' · ')
}

/** `p99`; of the least and the most `min` and `max`. */
export function quantileText(quantile: number): string {
  if (quantile === 0) return 'min'
  return quantile === 1 ? 'max' : `p${Number((quantile * 100).toPrecision(6))}`
}

/** What cannot be drawn is a gap. */
function finite(value: number | string | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function numberOf({ intValue, doubleValue }: AttributeValue): number | undefined {
  if (intValue !== undefined) return Number(intValue)
  return finite(doubleValue)
}
