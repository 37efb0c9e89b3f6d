// The server's groups of points as the aligned columns that the chart draws, largest group first.
import { formatValue } from '@hearth/profile'
import type { AttributeValue, SeriesResponse } from '@hearth/client'
import { millisOf } from '../format-time.ts'

export interface SeriesLine {
  readonly title: string
  readonly sum: number
  /** One for each time; undefined where the group has no profile. */
  readonly values: readonly (number | undefined)[]
}

export interface Exemplar {
  /** What it is known by to whoever made the columns: a profile, a span. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** Of the line it belongs to. */
  readonly line: number
  /** Where it stands; on its line unless given. */
  readonly value?: number
}

export interface SeriesColumns {
  /** Seconds since 1970, as the chart wants them. */
  readonly times: readonly number[]
  readonly lines: readonly SeriesLine[]
  readonly exemplars: readonly Exemplar[]
  readonly unit: string
  /** After the unit, as `/s`. */
  readonly per?: string
  readonly stepMs: number
}

/** A value of the chart for people. */
export function chartValue({ unit, per = '' }: Pick<SeriesColumns, 'unit' | 'per'>, value: number): string {
  return `${formatValue(value, unit)}${per}`
}

export function seriesColumns(answer: SeriesResponse): SeriesColumns {
  const groups = answer.groups
    .map(group => ({ group, sum: group.points.reduce((sum, point) => sum + point.value, 0) }))
    .sort((a, b) => b.sum - a.sum)
  const times = [
    ...new Set(groups.flatMap(({ group }) => group.points.map(point => millisOf(point.time) / 1000))),
  ].sort((a, b) => a - b)
  const place = new Map(times.map((time, i) => [time, i]))
  const lines = groups.map(({ group, sum }): SeriesLine => {
    const values = new Array<number | undefined>(times.length).fill(undefined)
    for (const point of group.points) values[place.get(millisOf(point.time) / 1000)!] = point.value
    return { title: groupTitle(group.labels), sum, values }
  })
  const exemplars = groups.flatMap(({ group }, line) =>
    group.exemplars.map(({ profile, time }) => ({ key: profile, time: millisOf(time), line })),
  )
  return { times, lines, exemplars, unit: answer.unit, stepMs: millisOf(answer.step) }
}

function groupTitle(labels: readonly AttributeValue[]): string {
  return labels.length === 0 ? 'all' : labels.map(valueText).join(' · ')
}

export function valueText(value: AttributeValue): string {
  if (value.stringValue !== undefined) return value.stringValue === '' ? '""' : value.stringValue
  if (value.intValue !== undefined) return value.intValue
  if (value.doubleValue !== undefined) return String(value.doubleValue)
  if (value.boolValue !== undefined) return String(value.boolValue)
  if (value.bytesValue !== undefined) return value.bytesValue
  return value.arrayValue === undefined && value.kvlistValue === undefined ? '(none)' : JSON.stringify(value)
}
