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

export function seriesColumns(plain: SeriesResponse): SeriesColumns {
  const response = withLongerSteps(plain)
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

type SeriesGroup = SeriesResponse['groups'][number]

/**
 * Joins steps until each is as long as the pause between two profiles. Shorter steps would show when profiles arrive, as a saw
 * with teeth down to 0, instead of what they measure. Snapshots do not add up, so their steps stay.
 */
export function withLongerSteps(response: SeriesResponse): SeriesResponse {
  const step = millisOf(response.step)
  const { aggregation } = response
  if (response.snapshots !== undefined || aggregation === 'average' || step <= 0) return response
  const factor = Math.max(1, ...response.groups.map(group => Math.round(typicalPause(group) / step)))
  if (factor === 1) return response
  const length = BigInt(response.step) * BigInt(factor)
  const joined = (group: SeriesGroup): SeriesGroup => {
    const points = new Map<bigint, SeriesGroup['points'][number]>()
    for (const point of group.points) {
      const time = BigInt(point.time) - (BigInt(point.time) % length)
      const before = points.get(time)
      const sum = BigInt(point.sum) + BigInt(before?.sum ?? 0)
      // A rate is per second of the step, which becomes longer.
      const value = (aggregation === 'rate' ? point.value / factor : point.value) + (before?.value ?? 0)
      points.set(time, { ...point, time: String(time), value, sum: String(sum) })
    }
    return { ...group, points: [...points.values()] }
  }
  return { ...response, step: String(length), groups: response.groups.map(joined) }
}

/** The median time between two steps with a value, in milliseconds; 0 for fewer than three. */
function typicalPause({ points }: SeriesGroup): number {
  const times = points.filter(({ value }) => value !== 0).map(({ time }) => millisOf(time))
  const pauses = times.slice(1).map((time, i) => time - times[i])
  return pauses.length < 2 ? 0 : pauses.sort((a, b) => a - b)[Math.floor(pauses.length / 2)]
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
