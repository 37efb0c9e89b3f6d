// Slow against fast: traces of one operation in two sets by its duration, and what their profiles differ in.
import type { Diff, DiffChoice } from '../trees/diff.ts'
import { diff } from '../trees/diff.ts'
import { LOOK_BACK } from '../select/observed.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { idOf } from '../select/span-tree.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { SpanFilter } from './span-filter.ts'
import { HAS_END, SpanConditions } from './span-filter.ts'

export interface CompareChoice extends DiffChoice {
  /** Which profiles are compared: `cpu`. */
  readonly profiles?: string
  /** Nanoseconds; traces whose longest fitting span takes as long or longer are slow. */
  readonly threshold?: bigint
  /** Instead of a threshold: the quantile of durations that is one; 0.9 unless given. */
  readonly quantile?: number
  /** Instead of both: the traces themselves, in hex. */
  readonly slow?: readonly string[]
  readonly fast?: readonly string[]
  /** How many traces of each set, the latest first; 500 unless given. */
  readonly limit?: number
}

export interface TraceSet {
  /** How many there are with samples, of which the latest are compared. */
  readonly found: number
  readonly traceIds: readonly string[]
}

export interface TraceComparison {
  /** Undefined where the traces were named. */
  readonly threshold: bigint | undefined
  readonly slow: TraceSet
  readonly fast: TraceSet
  /** `before` is the fast ones, `after` the slow ones. */
  readonly diff: Diff
}

const MOST_TRACES = 2_000
/** What a DateTime64(9) holds. */
const LAST_TIME = 2n ** 63n - 1n

export async function compareTraces(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  choice: CompareChoice = {},
): Promise<TraceComparison> {
  const { profiles = '', threshold, quantile = 0.9, slow, fast, limit = 500, ...tree } = choice
  checkCount('limit', limit, MOST_TRACES)
  if (!(quantile > 0 && quantile < 1))
    throw new QueryError('argument', `a quantile of ${quantile}; it is between 0 and 1`)
  if ((slow === undefined) !== (fast === undefined)) {
    throw new QueryError('argument', 'the traces of both sets have to be named, or of none')
  }
  const split =
    slow !== undefined && fast !== undefined
      ? { threshold: undefined, slow: namedSet(slow), fast: namedSet(fast) }
      : await splitByDuration(context, query, filter, threshold, quantile, limit)
  const { tenant, signal, limits } = query
  const asked = {
    tenant,
    ...widened(query),
    ...(profiles === '' ? {} : { selector: profiles }),
    ...(signal === undefined ? {} : { signal }),
    ...(limits === undefined ? {} : { limits }),
  }
  const of = (set: TraceSet): Query => ({
    ...asked,
    only: { traceIds: set.traceIds.map(id => idOf(id, 16, 'trace')) },
  })
  return { ...split, diff: await diff(context, of(split.fast), of(split.slow), { normalise: true, ...tree }) }
}

/** Profiles begin before the spans in them do. */
function widened({ from, to }: Pick<Query, 'from' | 'to'>): { readonly from: bigint; readonly to: bigint } {
  const until = to + LOOK_BACK
  return { from: from > LOOK_BACK ? from - LOOK_BACK : 0n, to: until > LAST_TIME ? LAST_TIME : until }
}

function namedSet(ids: readonly string[]): TraceSet {
  if (ids.length === 0 || ids.length > MOST_TRACES) {
    throw new QueryError('argument', `a set of ${ids.length} traces; it has to have 1 to ${MOST_TRACES}`)
  }
  for (const id of ids) idOf(id, 16, 'trace')
  const traceIds = [...new Set(ids.map(id => id.toLowerCase()))]
  return { found: traceIds.length, traceIds }
}

async function splitByDuration(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  given: bigint | undefined,
  quantile: number,
  limit: number,
): Promise<Pick<TraceComparison, 'threshold' | 'slow' | 'fast'>> {
  if (filter.name === undefined) {
    throw new QueryError('argument', 'traces are compared by the duration of one operation: give its name')
  }
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const wide = widened(running)
  const source = (values: Values): string =>
    'SELECT trace_id AS trace, max(duration_nano) AS longest, max(time) AS latest FROM spans ' +
    `WHERE ${conditions.where(values)} AND ${HAS_END} AND trace_id GLOBAL IN ` +
    `(SELECT trace_id FROM span_samples WHERE tenant = ${values.text(running.tenant)} AND ` +
    `time >= ${values.time(wide.from)} AND time < ${values.time(wide.to)}) GROUP BY trace_id`
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
    const message = `no trace with samples is ${what}: ${JSON.stringify(filter.name.slice(0, 120))} of ${threshold} ns`
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
  // A parameter of a function's own is no place for a bound value; the number is checked to be one.
  const block = await running.select(
    `SELECT quantileExactHigh(${Number(quantile).toFixed(6)})(longest) AS threshold FROM (${source(values)})`,
    values.all,
  )
  return block.rows === 0 ? 0n : block.column('threshold').bigint(0)
}
