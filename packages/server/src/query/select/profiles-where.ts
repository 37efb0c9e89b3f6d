// Conditions for whole profiles that have a selected sample.
import { Intervals } from './intervals.ts'
import { hasObserved, mayHaveObserved } from './observed.ts'
import type { Selection } from './selection.ts'
import type { Values } from '../statement.ts'

/** On columns of `profiles`. */
export function profilesWhere(selection: Selection, values: Values): string {
  const { from, to, exact } = selection.running
  const { hasCumulative } = selection
  const observed = exact ? ` AND ${hasObserved(values, from, to, Intervals.of(selection.series))}` : ''
  if (selection.bySpan) {
    const tenant = values.text(selection.running.tenant)
    const series = values.ids(selection.series.map(row => row.id))
    const samples = selection.samplesWhere(values).replaceAll('sample_set', 'attributes')
    const times = exact ? mayHaveObserved(values, { from, to, hasCumulative }).map(each => ` AND ${each}`) : []
    return (
      `tenant = ${tenant} AND series IN ${series}${times.join('')}${observed} ` +
      'AND (request, received, scope_index, item_index) GLOBAL IN ' +
      `(SELECT request, received, scope_index, item_index FROM span_samples WHERE ${selection.rowsWhere(values)} AND ${samples})`
    )
  }
  const rows = `${selection.rowsWhere(values)}${observed}`
  const samples = selection.samplesWhere(values)
  if (samples === '1') return rows
  return `${rows} AND arrayExists((stack, sample_set) -> ${samples}, sample_stacks, sample_attributes)`
}

/** The numbers, from 1, of a profile's selected samples. Not for selections by span. */
export function keptSamples(selection: Selection, values: Values): string {
  const samples = selection.samplesWhere(values)
  return (
    `arrayFilter((n, stack, sample_set) -> ${samples}, ` +
    'arrayEnumerate(sample_stacks), sample_stacks, sample_attributes)'
  )
}
