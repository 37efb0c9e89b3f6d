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
  /** A further condition on the profile. */
  readonly profiles?: string
}

/** Eight bytes of the ids of each link. */
const LINK_IDS = {
  heads: idParts('link_trace_ids', 1),
  tails: idParts('link_trace_ids', 9),
  spans: idParts('link_span_ids', 1),
}

function idParts(ids: string, from: number): string {
  return `arrayMap(id -> reinterpretAsUInt64(substring(id, ${from}, 8)), ${ids})`
}

/** The same for each sample. */
const LINK_PARTS = [
  ['trace_head', linkPart(LINK_IDS.heads)],
  ['trace_tail', linkPart(LINK_IDS.tails)],
  ['span', linkPart(LINK_IDS.spans)],
] as const

function linkPart(parts: string): string {
  return `arrayMap(l -> if(l = 0, 0, ${parts}[l]), arrayResize(sample_links, length(sample_stacks)))`
}

/** Lists of profiles with more observations are returned only if all of them are in the range. */
const MAX_LISTED = 100_000

/** On columns of `profiles`: whether all observations begin in the range. */
function isWhole(values: Values, from: bigint, to: bigint): string {
  return `(arrayMin(timestamps) >= ${values.add('UInt64', from)} AND arrayMax(timestamps) < ${values.add('UInt64', to)})`
}

/** On columns of `profiles`: whether `listedProfiles` returns the lists of the profile. */
export function isListed({ running }: Selection, values: Values): string {
  return `(length(timestamps) <= ${MAX_LISTED} OR ${isWhole(values, running.from, running.to)})`
}

/**
 * A statement with one row per profile that has observations in the range, and its lists as they are stored. Observations have
 * `list_times` and `list_values`; samples have `list_counts`, their numbers of observations, `list_stacks`, `list_sets` and `list_links`,
 * numbers of the links from 1, and links have their ids. `kept` says which observations are in the range; it is empty if all are.
 * `counted` is the number of observations in the range that fulfil a condition on `at` and `value`. The lists are empty if `is_listed` is
 * 0. Only for selections of whole profiles that do not combine.
 */
export function listedProfiles(
  selection: Selection,
  values: Values,
  counted: string,
  { intervals: wanted }: Pick<ObservationColumns, 'intervals'>,
): string {
  const { from, to } = selection.running
  const intervals = wanted && Intervals.of(selection.series)
  const isWithin = intervals?.isWithin(values, 'value', from, to) ?? isBetween(values, from, to)
  const lists = {
    list_times: 'timestamps',
    list_counts: 'timestamp_counts',
    list_values: EACH_VALUE,
    list_stacks: 'sample_stacks',
    list_sets: 'sample_attributes',
    list_links: 'sample_links',
    link_heads: LINK_IDS.heads,
    link_tails: LINK_IDS.tails,
    link_spans: LINK_IDS.spans,
    kept: `if(${isWhole(values, from, to)}, [], arrayMap((at, value) -> toUInt8(${isWithin}), list_times, list_values))`,
  }
  const columns = Object.entries(lists).map(([name, list]) => `if(is_listed, ${list}, []) AS ${name}`)
  const count = counted === '0' ? '0' : `arrayCount((at, value) -> ${isWithin} AND ${counted}, list_times, list_values)`
  return (
    `SELECT series, period, toUInt8(${isListed(selection, values)}) AS is_listed, ${columns.join(', ')}, ${count} AS counted ` +
    `FROM profiles WHERE ${selection.rowsWhere(values)} AND ${hasObserved(values, from, to, intervals)}${BY_ALL_THREADS}`
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
  const further = columns.profiles === undefined ? '' : ` AND ${columns.profiles}`
  const combined = `${selection.combinedWhere(values, measure?.series)}${isCumulative ? '' : observed}${further}`
  const inner = profileRows({
    running,
    values,
    where: () => `${rows}${isShort && !bySpan ? observed : ''}${further}`,
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
