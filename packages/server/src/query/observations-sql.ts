// Single observations in a statement: each timestamp of each sample with its value.
import { profilesWhere } from './profiles-where.ts'
import type { Selection } from './selection.ts'
import type { Values } from './statement.ts'

/** How long before the range a profile may begin that has observations in it. */
export const LOOK_BACK = 600n * 1_000_000_000n

/** Of a row of `profiles`, for each sample the list of its timestamps, */
export const TIMES =
  'arrayMap((n, e) -> arraySlice(timestamps, e - n + 1, n), timestamp_counts, arrayCumSum(timestamp_counts))'
/** and of its values. A sample without any counts 1 for each of its timestamps; without counts every sample has one value, its total. */
export const VALUES =
  'if(empty(value_counts), arrayMap(t -> [t], totals), ' +
  'arrayMap((n, e, m) -> if(n = 0, arrayResize([toInt64(1)], m, toInt64(1)), arraySlice(values, e - n + 1, n)), ' +
  'value_counts, arrayCumSum(value_counts), timestamp_counts))'

/**
 * `FROM …` with `series`, `stack`, `sample_set`, `at` (nanoseconds since 1970) and `value`, a row an observation between
 * `from` and `to`. The selection's own range has to begin LOOK_BACK before.
 */
export function observationsFrom(selection: Selection, values: Values, from: bigint, to: bigint): string {
  const { bySpan } = selection
  const rows = bySpan ? profilesWhere(selection, values) : selection.rowsWhere(values)
  const samples = selection.samplesWhere(values)
  // What conditions on a sample of a span look at.
  const own = bySpan ? 'request, scope_index, item_index, link_trace_ids, link_span_ids, ' : ''
  const links = bySpan ? ', sample_links AS link' : ''
  const linked = bySpan
    ? `link != 0 AND ${selection.linksWhere(values, 'link_trace_ids[link]', 'link_span_ids[link]')} AND `
    : ''
  return (
    'FROM (SELECT series, stack, sample_set, arrayJoin(arrayZip(times, arrayResize(each_values, length(times), toInt64(0)))) AS pair, ' +
    'pair.1 AS at, pair.2 AS value ' +
    `FROM (SELECT series, attributes, ${own}stack, sample_set, ${bySpan ? 'link, ' : ''}times, each_values FROM ` +
    `(SELECT series, attributes, ${own}${bySpan ? 'sample_links, ' : ''}sample_stacks, sample_attributes, ` +
    `${TIMES} AS all_times, ${VALUES} AS all_values ` +
    `FROM profiles WHERE ${rows} AND notEmpty(timestamp_counts)) ` +
    `ARRAY JOIN sample_stacks AS stack, sample_attributes AS sample_set, all_times AS times, all_values AS each_values${links}) ` +
    `WHERE ${linked}notEmpty(times) AND ${samples}) ` +
    `WHERE at >= ${values.add('UInt64', from)} AND at < ${values.add('UInt64', to)}`
  )
}
