// Single observations in a statement: each timestamp of each sample with its value.
import { Intervals } from './intervals.ts'
import type { Measure } from './measure.ts'
import { LOOK_BACK, hasObserved, isBetween } from './observed.ts'
import { profileRows } from './profile-rows.ts'
import { profilesWhere } from './profiles-where.ts'
import type { Selection } from './selection.ts'
import type { Values } from '../statement.ts'

/** For each timestamp what its sample has of a list with an entry a sample. */
export function eachOf(list: string): string {
  return `arrayFlatten(arrayMap((entry, n) -> arrayWithConstant(n, entry), ${list}, timestamp_counts))`
}

const VALUE_FORMS = {
  // A value a sample, which is that of its first timestamp.
  single: 'empty(value_counts)',
  none: 'empty(values)',
  parallel: 'value_counts = timestamp_counts',
} as const
const only = (form: string, list: string): string => `if(${form}, ${list}, [])`
const IS_MIXED = `NOT (${Object.values(VALUE_FORMS).join(' OR ')})`
/**
 * For each timestamp its value. Lists that a lambda looks into are copied for each of its steps, so nothing does that but
 * the last form, of profiles some of whose samples have values and some have not; for all others it is given empty lists.
 */
export const EACH_VALUE =
  `multiIf(${VALUE_FORMS.single}, arrayFlatten(arrayMap((total, n) -> arrayResize([total], n, toInt64(0)), ` +
  `${only(VALUE_FORMS.single, 'totals')}, ${only(VALUE_FORMS.single, 'timestamp_counts')})), ` +
  `${VALUE_FORMS.none}, arrayWithConstant(if(${VALUE_FORMS.none}, length(timestamps), 0), toInt64(1)), ` +
  `${VALUE_FORMS.parallel}, values, ` +
  'arrayFlatten(arrayMap((n, e, m) -> if(n = 0, arrayWithConstant(m, toInt64(1)), ' +
  `arrayResize(arraySlice(${only(IS_MIXED, 'values')}, e - n + 1, n), m, toInt64(0))), ` +
  `${only(IS_MIXED, 'value_counts')}, arrayCumSum(${only(IS_MIXED, 'value_counts')}), ${only(IS_MIXED, 'timestamp_counts')})))`

/** A thread reads 163,840 rows before another one is given any; of profiles 1,700 can have ten million observations. */
const BY_ALL_THREADS =
  ' SETTINGS merge_tree_min_rows_for_concurrent_read = 1, merge_tree_min_bytes_for_concurrent_read = 1'

export interface ObservationColumns {
  /** Columns of the profile, beside `series`, `time` and `attributes`. */
  readonly row?: readonly string[]
  /** Of cumulative profiles the last one counts for each of these; an expression of columns of the row. */
  readonly lastBy?: string
  /** Which series, and whether profiles are cumulative, where that is known. */
  readonly measure?: Pick<Measure, 'temporality'> & Partial<Pick<Measure, 'series'>>
  /** `trace_head`, `trace_tail` and `span`: the bytes of the ids of its link as numbers, 0 where it has none. */
  readonly links?: boolean
  /** Whether `stack` and `sample_set` are wanted; true unless given. */
  readonly samples?: boolean
  /** Intervals that reach into the range, too: what of them is in it, or as they are. Unless given, only what begins in it. */
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
 * `FROM … WHERE …` with `series`, `time`, `attributes`, `at` (nanoseconds since 1970), `value` and, unless not wanted, `stack` and
 * `sample_set`, a row an observation in the query's range, which has to be `exact`.
 */
export function observationsFrom(selection: Selection, values: Values, columns: ObservationColumns = {}): string {
  const { bySpan, running } = selection
  const { measure, lastBy, samples: withSamples = true } = columns
  const rows = bySpan ? profilesWhere(selection, values) : selection.rowsWhere(values, measure?.series)
  const intervals = columns.intervals && Intervals.of(measure?.series ?? selection.series)
  const own = intervals === undefined ? [] : ['period']
  const row = [...new Set(['series', 'time', 'attributes', ...own, ...(columns.row ?? [])])]
  // Under another name where it is cut, since an alias that is a column's name would stand for itself.
  const isCut = intervals !== undefined && columns.intervals === 'cut'
  const valueName = isCut ? 'whole_value' : 'value'
  const each: [name: string, lists: string][] = [[valueName, EACH_VALUE]]
  if (withSamples) each.push(['stack', eachOf('sample_stacks')], ['sample_set', eachOf('sample_attributes')])
  const chosen = chosenSamples(selection, values)
  if (chosen !== undefined) each.push(['chosen', eachOf(chosen)])
  if (columns.links === true) each.push(...LINK_PARTS.map(([name, part]) => [name, eachOf(part)] as [string, string]))
  // Most of the profiles that may have observations of a short range have none, and their timestamps alone tell: of 0.7 s a
  // flame graph takes less than half of the time. Of cumulative ones the last is sought among all of them.
  const isShort = running.to - running.from < 2n * LOOK_BACK
  const isLooked = isShort && !bySpan && measure?.temporality !== 'cumulative'
  const looked = isLooked ? `${rows} AND ${hasObserved(values, running.from, running.to, intervals)}` : rows
  const inner = profileRows(looked, measure, lastBy, [
    ...row,
    'timestamps',
    ...each.map(([name, list]) => `${list} AS each_${name}`),
  ])
  const joined = each.map(([name]) => `each_${name} AS ${name}`)
  const names = [...row, 'at', ...each.map(([name]) => name)]
  const laidOut =
    `(SELECT ${names.join(', ')} FROM (${inner}${BY_ALL_THREADS}) ` +
    `ARRAY JOIN timestamps AS at, ${joined.join(', ')})`
  const isChosen = chosen === undefined ? '' : ' AND chosen'
  if (intervals === undefined) return `FROM ${laidOut} WHERE ${isBetween(values, running.from, running.to)}${isChosen}`
  const where = `${intervals.isWithin(values, valueName, running.from, running.to)}${isChosen}`
  if (!isCut) return `FROM ${laidOut} WHERE ${where}`
  const cut = `${intervals.cut(values, valueName, running.from, running.to)} AS value`
  return `FROM (SELECT ${[...names.filter(name => name !== valueName), cut].join(', ')} FROM ${laidOut} WHERE ${where})`
}

/** For each sample whether it is selected; undefined where all are. */
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
