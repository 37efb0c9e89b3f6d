// The source of samples in a statement: the arrays of profiles, the samples of spans, or single observations for an
// exact range.
import type { Measure } from './measure.ts'
import { observationsFrom } from './observations-sql.ts'
import type { Combined } from './profile-rows.ts'
import { profileRows } from './profile-rows.ts'
import type { Selection } from './selection.ts'
import type { Values } from '../statement.ts'

export interface SampleColumns {
  /** Columns of the row, in addition to `series`, `time` and `attributes`. */
  readonly row?: readonly string[]
  /** Whether to add `sample_set`, the id of the sample's attributes. */
  readonly sets?: boolean
  /** An expression for the step of a row, if the result has steps. Adds the column `row_step`; see `stepColumn`. */
  readonly step?: string
}

/**
 * Totals beyond 64 bits. A sample whose values exceed 64 bits is stored with the limit as its total. This computes it
 * from the values.
 */
const EXACT_TOTALS =
  'if(overflowed = 1 AND notEmpty(value_counts), ' +
  'arrayMap((n, e, t) -> if(n = 0, toInt128(t), arraySum(v -> toInt128(v), arraySlice(values, e - n + 1, n))), ' +
  'value_counts, arrayCumSum(value_counts), totals), arrayMap(t -> toInt128(t), totals))'

/**
 * `FROM … WHERE …` with one row per sample: `series`, `time`, `stack`, `total` and the requested columns. With `wide`,
 * totals are Int128 and in the measure's unit. For an exact query, a row is an observation, or the part of an interval
 * in the range.
 */
export function samplesFrom(
  selection: Selection,
  values: Values,
  measure: Pick<Measure, 'factors'> & Combined & Partial<Pick<Measure, 'series'>>,
  wide: boolean,
  columns: SampleColumns = {},
): string {
  const scaled = (total: string) => (wide ? `${total}${factorOf(measure, values)}` : total)
  if (selection.running.exact) {
    const { row, step } = columns
    const observed = observationsFrom(selection, values, {
      measure,
      intervals: 'cut',
      ...(row === undefined ? {} : { row }),
      ...(step === undefined ? {} : { step }),
    })
    const given = unique(['series', 'time', ...(row ?? []), 'attributes', 'stack', 'sample_set', ...observed.own])
    const value = `${wide ? 'toInt128(value)' : 'value'}${observed.factor}`
    return `FROM (SELECT ${given.join(', ')}, ${scaled(value)} AS total ${observed.sql})`
  }
  const samplesWhere = selection.samplesWhere(values)
  const row = ['series', 'time', ...(columns.row ?? [])]
  const source = {
    running: selection.running,
    values,
    where: (from?: bigint) => selection.rowsWhere(values, measure.series, from),
    profiles: (from?: bigint) => selection.combinedWhere(values, measure.series, from),
    measure,
    step: columns.step,
  }
  if (selection.bySpan) {
    // The total has another name, because an alias with a column's name would refer to itself.
    const inner = profileRows({
      ...source,
      table: 'span_samples',
      columns: [
        ...row,
        'stack',
        'request',
        'scope_index',
        'item_index',
        'attributes AS sample_set',
        'total AS one_total',
      ],
    })
    const total = `${scaled(wide ? 'toInt128(one_total)' : 'one_total')}${inner.factor} AS total`
    const given = unique([...row, 'stack', 'sample_set', ...inner.own])
    return `FROM (SELECT ${given.join(', ')}, ${total} FROM (${inner.sql}) WHERE ${samplesWhere})`
  }
  const withSets = columns.sets === true || samplesWhere.includes('sample_set')
  const arrays = ['sample_stacks', ...(withSets ? ['sample_attributes'] : [])]
  const totals = wide ? `${EXACT_TOTALS} AS all_totals` : 'totals AS all_totals'
  const inner = profileRows({
    ...source,
    columns: [...row, 'attributes', ...arrays, totals],
  })
  const joined = [
    'sample_stacks AS stack',
    ...(withSets ? ['sample_attributes AS sample_set'] : []),
    'all_totals AS each_total',
  ]
  const given = unique([...row, 'attributes', 'stack', ...(withSets ? ['sample_set'] : []), ...inner.own])
  return (
    `FROM (SELECT ${given.join(', ')}, ${scaled('each_total')}${inner.factor} AS total FROM (${inner.sql}) ARRAY JOIN ${joined.join(', ')}) ` +
    `WHERE ${samplesWhere}`
  )
}

function unique(columns: readonly string[]): string[] {
  return [...new Set(columns)]
}

/** ` * factor` of the row's series. */
export function factorOf({ factors }: Pick<Measure, 'factors'>, values: Values): string {
  if (factors.size === 0) return ''
  const ids = values.ids(factors.keys())
  return ` * transform(series, ${ids}, ${values.add('Array(Int64)', [...factors.values()])}, toInt64(1))`
}
