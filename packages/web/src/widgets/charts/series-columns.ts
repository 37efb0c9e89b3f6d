// Converts the groups of a series response to the aligned columns of a chart, the largest group first.
import { formatValue } from '@hearth/profile'
import type { AttributeValue, SeriesResponse } from '@hearth/client'
import { valueText } from '../../api/value-text.ts'
import { millisOf } from '../format-time.ts'

export interface SeriesLine {
  readonly title: string
  readonly sum: number
  /** One value for each time; undefined if the group has no profile. */
  readonly values: readonly (number | undefined)[]
}

export interface Exemplar {
  /** Identifies the profile or span for the caller. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** The index of its line. */
  readonly line: number
  /** Its vertical position. Undefined to place it on its line. */
  readonly value?: number
}

export interface SeriesColumns {
  /** Seconds since 1970, as uPlot requires. */
  readonly times: readonly number[]
  readonly lines: readonly SeriesLine[]
  readonly exemplars: readonly Exemplar[]
  readonly unit: string
  /** A suffix of the unit, for example `/s`. */
  readonly per?: string
  readonly stepMs: number
}

/** Formats a value of the chart with its unit. */
export function chartValue({ unit, per = '' }: Pick<SeriesColumns, 'unit' | 'per'>, value: number): string {
  return `${formatValue(value, unit)}${per}`
}

export function seriesColumns(response: SeriesResponse): SeriesColumns {
  const groups = response.groups
    .map(group => ({
      group,
      sum: combined(
        group.points.map(({ value }) => value),
        response.snapshots,
      ),
    }))
    .sort((a, b) => b.sum - a.sum)
  const times = [
    ...new Set(groups.flatMap(({ group }) => group.points.map(point => millisOf(point.time) / 1000))),
  ].sort((a, b) => a - b)
  const place = new Map(times.map((time, i) => [time, i]))
  const lines = groups.map(({ group, sum }): SeriesLine => {
    const values = new Array<number | undefined>(times.length).fill(undefined)
    for (const point of group.points) values[place.get(millisOf(point.time) / 1000)!] = point.value
    return { title: group.labels.length === 0 ? 'all' : labelsText(group.labels), sum, values }
  })
  const exemplars = groups.flatMap(({ group }, line) =>
    group.exemplars.map(({ profile, time }) => ({ key: profile, time: millisOf(time), line })),
  )
  return { times, lines, exemplars, unit: response.unit, stepMs: millisOf(response.step) }
}

/** The value of a line over the whole range. Snapshots of different steps are not added up. */
function combined(values: readonly number[], mode: SeriesResponse['snapshots']): number {
  if (mode === 'latest') return values.at(-1) ?? 0
  if (mode === 'maximum') return values.reduce((highest, value) => Math.max(highest, value), 0)
  const sum = values.reduce((all, value) => all + value, 0)
  return mode === 'average' ? sum / Math.max(1, values.length) : sum
}

/** The title of a group: the values of its labels. */
export function labelsText(labels: readonly AttributeValue[]): string {
  return labels.map(label => valueText(label) || '(none)').join(' · ')
}
