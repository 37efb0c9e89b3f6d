// Single observations in a statement: each timestamp of each sample with its value.
import type { Selection } from './selection.ts'
import type { Values } from './statement.ts'

/** How long before the range a profile may begin that has observations in it. */
export const LOOK_BACK = 600n * 1_000_000_000n

const TIMES =
  'arrayMap((n, e) -> arraySlice(timestamps, e - n + 1, n), timestamp_counts, arrayCumSum(timestamp_counts))'
/** A sample without values counts 1 for each of its timestamps; without counts every sample has one value, its total. */
const VALUES =
  'if(empty(value_counts), arrayMap(t -> [t], totals), ' +
  'arrayMap((n, e, m) -> if(n = 0, arrayResize([toInt64(1)], m, toInt64(1)), arraySlice(values, e - n + 1, n)), ' +
  'value_counts, arrayCumSum(value_counts), timestamp_counts))'

/**
 * `FROM …` with `series`, `stack`, `sample_set`, `at` (nanoseconds since 1970) and `value`, a row an observation between
 * `from` and `to`. The selection's own range has to begin LOOK_BACK before.
 */
export function observationsFrom(selection: Selection, values: Values, from: bigint, to: bigint): string {
  const rows = selection.rowsWhere(values)
  const samples = selection.samplesWhere(values)
  return (
    'FROM (SELECT series, stack, sample_set, arrayJoin(arrayZip(times, arrayResize(each_values, length(times), toInt64(0)))) AS pair, ' +
    'pair.1 AS at, pair.2 AS value ' +
    'FROM (SELECT series, attributes, stack, sample_set, times, each_values FROM ' +
    `(SELECT series, attributes, sample_stacks, sample_attributes, ${TIMES} AS all_times, ${VALUES} AS all_values ` +
    `FROM profiles WHERE ${rows} AND notEmpty(timestamp_counts)) ` +
    'ARRAY JOIN sample_stacks AS stack, sample_attributes AS sample_set, all_times AS times, all_values AS each_values) ' +
    `WHERE notEmpty(times) AND ${samples}) ` +
    `WHERE at >= ${values.add('UInt64', from)} AND at < ${values.add('UInt64', to)}`
  )
}
