// Slow vs. fast: divides the traces of one operation into two sets by duration, and compares their profiles.
import type { DiffTree } from '@hearth/profile'
import { canonicalUnit, requestDeviations } from '@hearth/profile'
import type { Diff, DiffChoice, DiffSide } from '../trees/diff.ts'
import { diff } from '../trees/diff.ts'
import { countsSamples } from '../select/measure.ts'
import { LOOK_BACK } from '../select/observed.ts'
import { profilesWhere } from '../select/profiles-where.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import { idOf } from '../select/span-tree.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { SpanFilter } from './span-filter.ts'
import { HAS_END, SpanConditions } from './span-filter.ts'

export interface CompareTracesChoice extends Omit<DiffChoice, 'scale'> {
  /** The profile type to compare: `cpu`. */
  readonly profiles?: string
  /** Nanoseconds. A trace is slow if its longest matching span takes at least this long. */
  readonly threshold?: bigint
  /** Instead of a threshold: the quantile of durations to use as the threshold; 0.9 unless given. */
  readonly quantile?: number
  /** Instead of both: the traces themselves, in hex. */
  readonly slow?: readonly string[]
  readonly fast?: readonly string[]
  /** The maximum number of traces in each set, latest first; 500 unless given. */
  readonly limit?: number
}

interface TraceSet {
  /** The number of traces with samples. The latest of them are compared. */
  readonly found: number
  readonly traceIds: readonly string[]
}

/** The traces of a set that are compared, and their values. */
export interface ComparedTraces extends TraceSet {
  /** The number of compared traces that have a selected sample. */
  readonly sampled: number
  /** The number of selected samples, as often as the profiler took each. */
  readonly samples: number
  /** The sum of their values per compared trace. */
  readonly perTrace: number
}

export interface TraceComparison {
  /** Undefined if the query names the traces. */
  readonly threshold: bigint | undefined
  readonly slow: ComparedTraces
  readonly fast: ComparedTraces
  /**
   * `before` is the fast set, `after` the slow set. Unless it is normalised, the fast set is scaled to the number of slow
   * traces, so that both sides are of as many requests.
   */
  readonly diff: Diff
  /** The change of each node's total per trace, in standard deviations of the change that chance alone causes. */
  readonly deviations: Float64Array
}

const MAX_TRACES = 2_000
/** The maximum of DateTime64(9). */
const LAST_TIME = 2n ** 63n - 1n

export async function compareTraces(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  choice: CompareTracesChoice = {},
): Promise<TraceComparison> {
  const { profiles = '', threshold, quantile = 0.9, slow, fast, limit = 500, ...tree } = choice
  checkCount('limit', limit, MAX_TRACES)
  if (!(quantile > 0 && quantile < 1))
    throw new QueryError('argument', `the quantile is ${quantile}; it must be between 0 and 1`)
  if ((slow === undefined) !== (fast === undefined)) {
    throw new QueryError('argument', 'give the traces of both sets (slow and fast), or of none')
  }
  const split =
    slow !== undefined && fast !== undefined
      ? { threshold: undefined, slow: namedSet(slow), fast: namedSet(fast) }
      : await splitByDuration(context, query, filter, threshold, quantile, limit)
  const { tenant, signal, limits, receivedBefore } = query
  const common = {
    tenant,
    ...widened(query),
    ...(profiles === '' ? {} : { selector: profiles }),
    ...(signal === undefined ? {} : { signal }),
    ...(limits === undefined ? {} : { limits }),
    ...(receivedBefore === undefined ? {} : { receivedBefore }),
  }
  const of = (set: TraceSet): Query => ({
    ...common,
    only: { traceIds: set.traceIds.map(id => idOf(id, 16, 'trace')) },
  })
  const scale = split.slow.traceIds.length / split.fast.traceIds.length
  const found = await diff(context, of(split.fast), of(split.slow), { scale, ...tree })
  const fastSet = await comparedTraces(context, of(split.fast), split.fast, found.before)
  const slowSet = await comparedTraces(context, of(split.slow), split.slow, found.after)
  return {
    threshold: split.threshold,
    slow: slowSet,
    fast: fastSet,
    diff: found,
    deviations: deviationsOf(found.tree, fastSet, slowSet),
  }
}

async function comparedTraces(
  context: QueryContext,
  query: Query,
  set: TraceSet,
  { sum }: DiffSide,
): Promise<ComparedTraces> {
  const selection = await resolve(new RunningQuery(context.engine, query))
  const values = new Values()
  const samplesWhere = selection.samplesWhere(values).replaceAll('sample_set', 'attributes')
  const rows =
    'SELECT trace_id, series, total, request, received, scope_index, item_index, sample_index FROM span_samples ' +
    `WHERE ${selection.rowsWhere(values)} AND ${samplesWhere}`
  const profiles =
    'SELECT request, received, scope_index, item_index, timestamp_counts, period FROM profiles ' +
    `WHERE ${profilesWhere(selection, values)}`
  const block = await selection.running.select(
    `SELECT sum(${observationsOf(selection, values)}) AS samples, uniqExact(trace_id) AS sampled ` +
      `FROM (${rows}) AS linked GLOBAL ANY LEFT JOIN (${profiles}) AS held ` +
      'USING (request, received, scope_index, item_index)',
    values.all,
  )
  return {
    ...set,
    samples: Number(block.column('samples').bigint(0)),
    sampled: Number(block.column('sampled').bigint(0)),
    perTrace: Number(sum) / set.traceIds.length,
  }
}

/**
 * How often the profiler took a stored sample, which may be the sum of many: its number of timestamps, its count, or its
 * value in periods.
 */
function observationsOf({ series }: Selection, values: Values): string {
  const counted = values.ids(series.filter(countsSamples).map(({ id }) => id))
  const isPeriodic = ({ unit, periodUnit }: SeriesRow): boolean => canonicalUnit(unit) === canonicalUnit(periodUnit)
  const periodic = values.ids(series.filter(isPeriodic).map(({ id }) => id))
  const size = 'toUInt64(abs(total))'
  return (
    'toUInt64(greatest(1, multiIf(timestamp_counts[sample_index + 1] > 0, toUInt64(timestamp_counts[sample_index + 1]), ' +
    `series IN ${counted}, ${size}, series IN ${periodic} AND period > 0, intDiv(${size}, toUInt64(period)), toUInt64(1))))`
  )
}

function deviationsOf(tree: DiffTree, fast: ComparedTraces, slow: ComparedTraces): Float64Array {
  const sideOf = ({ samples, traceIds, perTrace }: ComparedTraces) => ({
    samples,
    requests: traceIds.length,
    sum: perTrace,
  })
  const [before, after] = [sideOf(fast), sideOf(slow)]
  const scaledRequests = before.requests * (tree.scale === 0 ? 1 : tree.scale)
  return Float64Array.from(tree.total, (total, node) =>
    requestDeviations(
      { ...before, value: tree.before.total[node] / scaledRequests },
      { ...after, value: total / after.requests },
    ),
  )
}

/** Profiles begin before the spans in them. */
function widened({ from, to }: Pick<Query, 'from' | 'to'>): { readonly from: bigint; readonly to: bigint } {
  const until = to + LOOK_BACK
  return { from: from > LOOK_BACK ? from - LOOK_BACK : 0n, to: until > LAST_TIME ? LAST_TIME : until }
}

function namedSet(ids: readonly string[]): TraceSet {
  if (ids.length === 0 || ids.length > MAX_TRACES) {
    throw new QueryError('argument', `a set of ${ids.length} traces; it must have 1 to ${MAX_TRACES}`)
  }
  for (const id of ids) idOf(id, 16, 'trace')
  const traceIds = [...new Set(ids.map(id => id.toLowerCase()))]
  return { found: traceIds.length, traceIds }
}

interface Split {
  readonly threshold: bigint | undefined
  readonly slow: TraceSet
  readonly fast: TraceSet
}

async function splitByDuration(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  given: bigint | undefined,
  quantile: number,
  limit: number,
): Promise<Split> {
  if (filter.name === undefined) {
    throw new QueryError('argument', 'the name of the operation is required to compare its traces by duration')
  }
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const wide = widened(running)
  const samplesOf = (values: Values): string =>
    [
      `tenant = ${values.text(running.tenant)}`,
      `time >= ${values.time(wide.from)}`,
      `time < ${values.time(wide.to)}`,
      ...running.receivedWhere(values),
    ].join(' AND ')
  const source = (values: Values): string =>
    'SELECT trace_id AS trace, max(duration_nano) AS longest, max(time) AS latest FROM spans ' +
    `WHERE ${conditions.where(values)} AND ${HAS_END} AND trace_id GLOBAL IN ` +
    `(SELECT trace_id FROM span_samples WHERE ${samplesOf(values)}) GROUP BY trace_id`
  const threshold = given ?? (await thresholdOf(running, source, quantile))
  const values = new Values()
  const block = await running.select(
    `SELECT lower(hex(trace)) AS id, longest >= ${values.add('UInt64', threshold)} AS is_slow, ` +
      `count() OVER (PARTITION BY is_slow) AS found FROM (${source(values)}) ` +
      `ORDER BY is_slow, latest DESC, id LIMIT ${limit} BY is_slow`,
    values.all,
  )
  const setOf = (slow: number): TraceSet => {
    const rows = Array.from({ length: block.rows }, (_, row) => row).filter(
      row => block.column('is_slow').number(row) === slow,
    )
    return {
      found: rows.length === 0 ? 0 : Number(block.column('found').bigint(rows[0])),
      traceIds: rows.map(row => block.column('id').text(row)),
    }
  }
  const [slow, fast] = [setOf(1), setOf(0)]
  for (const [set, what] of [
    [slow, 'as slow as that'],
    [fast, 'faster than that'],
  ] as const) {
    if (set.found > 0) continue
    const message = `no trace with samples is ${what}: ${JSON.stringify(filter.name.slice(0, 120))} at ${threshold} ns`
    throw new QueryError('not-found', message)
  }
  return { threshold, slow, fast }
}

async function thresholdOf(
  running: RunningQuery,
  source: (values: Values) => string,
  quantile: number,
): Promise<bigint> {
  const values = new Values()
  // A parameter of an aggregate function cannot be bound. The value is checked to be a number.
  const block = await running.select(
    `SELECT quantileExactHigh(${Number(quantile).toFixed(6)})(longest) AS threshold FROM (${source(values)})`,
    values.all,
  )
  return block.rows === 0 ? 0n : block.column('threshold').bigint(0)
}
