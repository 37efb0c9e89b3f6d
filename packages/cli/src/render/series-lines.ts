// Totals over time, one line per group:
//
//   SERVICE.NAME    SUM   PEAK  OVER TIME
//   checkout     53.2 s  4.1 s  ▁▂▅█▃▁ ▂▂▁
import type { AttributeValue, SeriesResponse } from '@hearth/client'
import { compareLongs, formatTime, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

const BARS = '▁▂▃▄▅▆▇█'
/** The width of a chart. More steps share cells. */
const CHART_CELLS = 60

export function seriesLines(series: SeriesResponse, count: number, width: number | undefined): string[] {
  const { unit, groupBy, groups } = series
  const step = BigInt(series.step)
  const times = groups.flatMap(({ points }) => points.map(({ time }) => BigInt(time)))
  if (times.length === 0) return ['no data in this range']
  const first = times.reduce((least, time) => (time < least ? time : least))
  const last = times.reduce((most, time) => (time > most ? time : most))
  const steps = Number((last - first) / step) + 1
  const sorted = groups
    .map(group => ({ group, sum: group.points.reduce((sum, point) => sum + BigInt(point.sum), 0n) }))
    .sort((a, b) => compareLongs(b.sum, a.sum))
  const peak = greatest(groups.flatMap(({ points }) => points.map(({ value }) => value)))
  const rows = sorted.slice(0, count).map(({ group, sum }) => {
    const values = new Map(group.points.map(({ time, value }) => [Number((BigInt(time) - first) / step), value]))
    return [
      ...group.labels.map(label => printable(valueText(label))),
      formatValue(sum, unit),
      formatValue(greatest([...values.values()]), unit),
      chart(values, steps, peak),
    ]
  })
  const columns = [
    ...groupBy.map(title => ({ title: printable(title).toUpperCase(), flexible: true })),
    { title: 'SUM', align: 'right' },
    { title: 'PEAK', align: 'right' },
    { title: 'OVER TIME' },
  ] as const
  const left = sorted.length - rows.length
  const more = left > 0 ? [`and ${countOf(left, 'group')} more (-n ${sorted.length} shows all)`] : []
  const range = `from ${formatTime(first)} in steps of ${formatValue(step, 'ns')}`
  return [range, '', ...table(columns, rows, width), ...more]
}

/** One cell per step, or per several steps, of which it shows the maximum. Steps without data stay empty. */
function chart(values: ReadonlyMap<number, number>, steps: number, peak: number): string {
  const cells = Math.min(steps, CHART_CELLS)
  const byCell = new Map<number, number>()
  for (const [step, value] of values) {
    const cell = Math.floor((step * cells) / steps)
    byCell.set(cell, Math.max(byCell.get(cell) ?? value, value))
  }
  return Array.from({ length: cells }, (_, cell) => {
    const value = byCell.get(cell)
    if (value === undefined) return ' '
    const level = peak > 0 ? Math.floor((Math.max(0, value) / peak) * (BARS.length - 1)) : 0
    return BARS[level]
  })
    .join('')
    .trimEnd()
}

/** Math.max takes its numbers as arguments, which may be too many here. */
function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity)
}

function valueText(value: AttributeValue): string {
  const { stringValue, boolValue, intValue, doubleValue } = value
  const simple = stringValue ?? boolValue ?? intValue ?? doubleValue
  if (simple !== undefined) return String(simple)
  return Object.keys(value).length === 0 ? '-' : JSON.stringify(value)
}
