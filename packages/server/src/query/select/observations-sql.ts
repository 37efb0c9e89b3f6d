// Single observations in a statement: each timestamp of each sample with its value.
import { Intervals } from './intervals.ts'
import type { Measure } from './measure.ts'
import { LOOK_BACK, hasObserved, isBetween } from './observed.ts'
import type { Combined, ProfileRowsQuery } from './profile-rows.ts'
import { combinationOf, profileRows } from './profile-rows.ts'
import { profilesWhere } from './profiles-where.ts'
import type { Selection } from './selection.ts'
import type { Values } from '../statement.ts'

/** Repeats the entry of each sample in a list for each timestamp of the sample. */
export function eachOf(list: string): string {
  return `arrayFlatten(arrayMap((entry, n) -> arrayWithConstant(n, entry), ${list}, timestamp_counts))`
}

const VALUE_FORMS = {
  // One value per sample, which belongs to its first timestamp.
  single: 'empty(value_counts)',
  none: 'empty(values)',
  parallel: 'value_counts = timestamp_counts',
} as const
const only = (form: string, list: string): string => `if(${form}, ${list}, [])`
const IS_MIXED = `NOT (${Object.values(VALUE_FORMS).join(' OR ')})`
/**
 * The value of each timestamp. A lambda copies the lists that it indexes for each step, so only the last form does
 * that. It is for profiles in which some samples have values and some do not. For all others it gets empty lists.
 */
export const EACH_VALUE =
  `multiIf(${VALUE_FORMS.single}, arrayFlatten(arrayMap((total, n) -> arrayResize([total], n, toInt64(0)), ` +
  `${only(VALUE_FORMS.single, 'totals')}, ${only(VALUE_FORMS.single, 'timestamp_counts')})), ` +
  `${VALUE_FORMS.none}, arrayWithConstant(if(${VALUE_FORMS.none}, length(timestamps), 0), toInt64(1)), ` +
  `${VALUE_FORMS.parallel}, values, ` +
  'arrayFlatten(arrayMap((n, e, m) -> if(n = 0, arrayWithConstant(m, toInt64(1)), ' +
  `arrayResize(arraySlice(${only(IS_MIXED, 'values')}, e - n + 1, n), m, toInt64(0))), ` +
  `${only(IS_MIXED, 'value_counts')}, arrayCumSum(${only(IS_MIXED, 'value_counts')}), ${only(IS_MIXED, 'timestamp_counts')})))`

/** A thread reads 163,840 rows before another thread gets any. 1,700 profiles can have ten million observations. */
const BY_ALL_THREADS =
  ' SETTINGS merge_tree_min_rows_for_concurrent_read = 1, merge_tree_min_bytes_for_concurrent_read = 1'

export interface ObservationColumns {
  /** Columns of the profile, in addition to `series`, `time` and `attributes`. */
  readonly row?: readonly string[]
  /** An expression for the step of a row, if the result has steps. */
  readonly step?: string
  /** The series, and whether profiles are cumulative, if known. */
  readonly measure?: Combined & Partial<Pick<Measure, 'series'>>
  /** Adds `trace_head`, `trace_tail` and `span`: the bytes of the link's ids as numbers, 0 without a link. */
  readonly links?: boolean
  /** Whether to add `stack` and `sample_set`; true unless given. */
  readonly samples?: boolean
  /**
   * Includes intervals that extend into the range, clipped to it or whole. Unless given, only observations that begin
   * in the range.
   */
  readonly intervals?: 'cut' | 'whole'
}

/** For each sample eight bytes of the ids of its link. */
const LINK_PARTS = [
  ['trace_head', linkPart('link_trace_ids', 1)],
  ['trace_tail', linkPart('link_trace_ids', 9)],
  ['span', linkPart('link_span_ids', 1)],
] as const

function linkPart(ids: string, from: number): string {
  return (
    `arrayMap(l -> if(l = 0, 0, arrayMap(id -> reinterpretAsUInt64(substring(id, ${from}, 8)), ${ids})[l]), ` +
    'arrayResize(sample_links, length(sample_stacks)))'
  )
}

/**
 * `FROM … WHERE …` with one row per observation in the range of the query, which must be `exact`. Columns: `series`,
 * `time`, `attributes`, `at` (nanoseconds since 1970), `value` and, by default, `stack` and `sample_set`.
 */
export function observationsFrom(
  selection: Selection,
  values: Values,
  columns: ObservationColumns = {},
): Pick<ProfileRowsQuery, 'sql' | 'factor' | 'own'> {
  const { bySpan, running } = selection
  const { measure, step, samples: withSamples = true } = columns
  const rows = bySpan ? profilesWhere(selection, values) : selection.rowsWhere(values, measure?.series)
  const intervals = columns.intervals && Intervals.of(measure?.series ?? selection.series)
  const own = intervals === undefined ? [] : ['period']
  const row = [...new Set(['series', 'time', 'attributes', ...own, ...(columns.row ?? [])])]
  // Uses another name for the clipped value, because an alias with a column's name would refer to itself.
  const isCut = intervals !== undefined && columns.intervals === 'cut'
  const valueName = isCut ? 'whole_value' : 'value'
  const each: [name: string, lists: string][] = [[valueName, EACH_VALUE]]
  if (withSamples) each.push(['stack', eachOf('sample_stacks')], ['sample_set', eachOf('sample_attributes')])
  const chosen = chosenSamples(selection, values)
  if (chosen !== undefined) each.push(['chosen', eachOf(chosen)])
  if (columns.links === true) each.push(...LINK_PARTS.map(([name, part]) => [name, eachOf(part)] as [string, string]))
  // Most profiles near a short range have no observations in it. Checking their timestamps first halves the time of a
  // flame graph of 0.7 s.
  const isShort = running.to - running.from < 2n * LOOK_BACK
  const observed = ` AND ${hasObserved(values, running.from, running.to, intervals)}`
  // Snapshots with an observation in the range combine. All cumulative profiles are read to find the last one.
  const isCumulative = combinationOf(measure) === 'cumulative'
  const combined = `${selection.combinedWhere(values, measure?.series)}${isCumulative ? '' : observed}`
  const inner = profileRows({
    running,
    values,
    where: () => (isShort && !bySpan ? `${rows}${observed}` : rows),
    profiles: () => combined,
    measure,
    step,
    columns: [...row, 'timestamps', ...each.map(([name, list]) => `${list} AS each_${name}`)],
  })
  const { factor, own: weights } = inner
  const joined = each.map(([name]) => `each_${name} AS ${name}`)
  const names = [...row, 'at', ...each.map(([name]) => name), ...weights]
  const laidOut =
    `(SELECT ${names.join(', ')} FROM (${inner.sql}${BY_ALL_THREADS}) ` +
    `ARRAY JOIN timestamps AS at, ${joined.join(', ')})`
  const isChosen = chosen === undefined ? '' : ' AND chosen'
  const result = (sql: string) => ({ sql, factor, own: weights })
  if (intervals === undefined)
    return result(`FROM ${laidOut} WHERE ${isBetween(values, running.from, running.to)}${isChosen}`)
  const where = `${intervals.isWithin(values, valueName, running.from, running.to)}${isChosen}`
  if (!isCut) return result(`FROM ${laidOut} WHERE ${where}`)
  const cut = `${intervals.cut(values, valueName, running.from, running.to)} AS value`
  const cutNames = [...names.filter(name => name !== valueName), cut].join(', ')
  return result(`FROM (SELECT ${cutNames} FROM ${laidOut} WHERE ${where})`)
}

/** Whether each sample is selected; undefined if all are. */
function chosenSamples(selection: Selection, values: Values): string | undefined {
  const samples = selection.samplesWhere(values)
  if (selection.bySpan) {
    const links = `arrayMap((trace, span) -> toUInt8(${selection.linksWhere(values, 'trace', 'span')}), link_trace_ids, link_span_ids)`
    return (
      `arrayMap((stack, sample_set, link) -> toUInt8(link != 0 AND (${links})[link] AND ${samples}), ` +
      'sample_stacks, sample_attributes, sample_links)'
    )
  }
  if (selection.running.unlinked) {
    return (
      `arrayMap((stack, sample_set, link) -> toUInt8(link = 0 AND ${samples}), ` +
      'sample_stacks, sample_attributes, arrayResize(sample_links, length(sample_stacks)))'
    )
  }
  if (samples === '1') return undefined
  return `arrayMap((stack, sample_set) -> toUInt8(${samples}), sample_stacks, sample_attributes)`
}
