// Lists traces that have a matching span, in pages, and the operations of services.
import { unknownCursor } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import { readSeries } from '../select/read-series.ts'
import { idOf } from '../select/span-tree.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { SpanFilter, SpanKind } from './span-filter.ts'
import { HAS_END, SPAN_KINDS, SpanConditions } from './span-filter.ts'
import type { ProfiledType } from './span-profiles.ts'

export interface TraceListChoice {
  /** Latest first unless 'duration' is given, which sorts longest first. */
  readonly sort?: 'time' | 'duration'
  /** 100 unless given. */
  readonly limit?: number
  /** The end of the previous page. */
  readonly after?: string
}

interface TraceRow {
  readonly traceId: string
  /** The matching span; the longest if there are several. */
  readonly span: TraceRowSpan
  /** The number of matching spans. */
  readonly matching: number
  /** The first span without a parent, or the first span if all have one. */
  readonly root: TraceRowSpan
  /** The start of its first span, and the end of its last. */
  readonly start: bigint
  readonly duration: bigint
  readonly spans: number
  readonly errors: number
  /** At most 20, sorted by name. */
  readonly services: readonly string[]
  /** The number of profile samples in it. */
  readonly samples: number
  /** The samples by type, sorted by name. */
  readonly profiles: readonly TraceProfiles[]
}

interface TraceProfiles extends ProfiledType {
  readonly samples: number
  readonly value: bigint
}

interface TraceRowSpan {
  readonly spanId: string
  readonly service: string
  readonly name: string
  readonly start: bigint
  readonly duration: bigint
}

export interface TraceList {
  readonly traces: readonly TraceRow[]
  readonly next: string | undefined
}

const MAX_TRACES = 1_000
const MAX_SERVICES = 20
const SPAN_TUPLE = 'lower(hex(span_id)), toString(service), toString(name), start_unix_nano, duration_nano'

export async function listTraces(
  context: QueryContext,
  query: Query,
  filter: SpanFilter = {},
  { sort = 'time', limit = 100, after }: TraceListChoice = {},
): Promise<TraceList> {
  checkCount('limit', limit, MAX_TRACES)
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const values = new Values()
  const key = sort === 'time' ? 'min(toUnixTimestamp64Nano(time))' : 'toInt64(max(duration_nano))'
  const beyond = after === undefined ? '' : ` HAVING ${pageCondition(values, after)}`
  const block = await running.select(
    `SELECT trace_id AS trace, ${key} AS sort_key, count() AS matching, argMax((${SPAN_TUPLE}), duration_nano) AS longest ` +
      `FROM spans WHERE ${conditions.where(values)} GROUP BY trace_id${beyond} ` +
      `ORDER BY sort_key DESC, trace DESC LIMIT ${limit + 1}`,
    values.all,
  )
  const length = Math.min(block.rows, limit)
  const ids = Array.from({ length }, (_, row) => block.column('trace').bytes(row).slice())
  const summaries = await summariesOf(running, ids)
  const traces = ids.flatMap((id, row) => {
    const traceId = Buffer.from(id).toString('hex')
    const summary = summaries.get(traceId)
    const matching = Number(block.column('matching').bigint(row))
    return summary === undefined ? [] : [{ traceId, span: spanOf(block.column('longest'), row), matching, ...summary }]
  })
  const last = length - 1
  const next =
    block.rows > limit
      ? `${block.column('sort_key').bigint(last)}.${Buffer.from(ids[last]).toString('hex')}`
      : undefined
  return { traces, next }
}

function pageCondition(values: Values, cursor: string): string {
  const match = /^(\d{1,19})\.([0-9a-f]{32})$/.exec(cursor)
  if (match === null) throw unknownCursor(cursor)
  const key = values.add('Int64', BigInt.asIntN(64, BigInt(match[1])))
  return `(sort_key, trace) < (${key}, ${values.add('FixedString(16)', idOf(match[2], 16, 'trace'))})`
}

interface TupleColumn {
  readonly parts: readonly { text(row: number): string; bigint(row: number): bigint }[]
}

function spanOf({ parts }: TupleColumn, row: number): TraceRowSpan {
  return {
    spanId: parts[0].text(row),
    service: parts[1].text(row),
    name: parts[2].text(row),
    start: parts[3].bigint(row),
    duration: parts[4].bigint(row),
  }
}

type Summary = Omit<TraceRow, 'traceId' | 'span' | 'matching'>

/** Summaries of whole traces, regardless of the query's range. */
async function summariesOf(running: RunningQuery, ids: readonly Uint8Array[]): Promise<ReadonlyMap<string, Summary>> {
  const found = new Map<string, Summary>()
  if (ids.length === 0) return found
  const values = new Values()
  const where = `tenant = ${values.text(running.tenant)} AND trace_id IN ${values.add('Array(FixedString(16))', ids)}`
  const noParent = values.add('FixedString(8)', new Uint8Array(8))
  const [block, profiles] = await Promise.all([
    running.select(
      `SELECT lower(hex(trace_id)) AS trace, argMin((${SPAN_TUPLE}), (parent_span_id != ${noParent}, start_unix_nano)) AS root, ` +
        `min(start_unix_nano) AS first, max(if(${HAS_END}, end_unix_nano, start_unix_nano)) AS last, ` +
        'uniqExact(span_id) AS spans, uniqExactIf(span_id, status_code = 2) AS errors, ' +
        `arraySort(groupUniqArray(${MAX_SERVICES})(toString(service))) AS services ` +
        `FROM spans WHERE ${where} GROUP BY trace_id`,
      values.all,
    ),
    profilesOf(running, where, values),
  ])
  for (let row = 0; row < block.rows; row++) {
    const trace = block.column('trace').text(row)
    const start = block.column('first').bigint(row)
    const services = block.column('services')
    found.set(trace, {
      root: spanOf(block.column('root'), row),
      start,
      duration: block.column('last').bigint(row) - start,
      spans: Number(block.column('spans').bigint(row)),
      errors: Number(block.column('errors').bigint(row)),
      services: Array.from({ length: services.to(row) - services.from(row) }, (_, k) =>
        services.values.text(services.from(row) + k),
      ),
      samples: (profiles.get(trace) ?? []).reduce((sum, { samples }) => sum + samples, 0),
      profiles: profiles.get(trace) ?? [],
    })
  }
  return found
}

/** By type, for traces by their ids in hex. */
async function profilesOf(
  running: RunningQuery,
  where: string,
  values: Values,
): Promise<ReadonlyMap<string, readonly TraceProfiles[]>> {
  const [series, block] = await Promise.all([
    readSeries(running, undefined),
    running.select(
      'SELECT lower(hex(trace_id)) AS trace, series, count() AS samples, toString(sum(toInt128(total))) AS value ' +
        `FROM span_samples WHERE ${where} GROUP BY trace_id, series`,
      values.all,
    ),
  ])
  const typeOf = new Map(series.map(({ id, type, unit }) => [id, { type, unit }]))
  const found = new Map<string, Map<string, TraceProfiles>>()
  for (let row = 0; row < block.rows; row++) {
    const seriesType = typeOf.get(block.column('series').bigint(row))
    // Became visible after the series were read. The next query has both.
    if (seriesType === undefined) continue
    const { type, unit } = seriesType
    const trace = block.column('trace').text(row)
    const types = found.get(trace) ?? new Map<string, TraceProfiles>()
    found.set(trace, types)
    const known = types.get(`${type}:${unit}`)
    types.set(`${type}:${unit}`, {
      type,
      unit,
      samples: (known?.samples ?? 0) + Number(block.column('samples').bigint(row)),
      value: (known?.value ?? 0n) + BigInt(block.column('value').text(row)),
    })
  }
  return new Map(
    Array.from(found, ([trace, types]) => [
      trace,
      Array.from(types)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, row]) => row),
    ]),
  )
}

interface OperationRow {
  readonly service: string
  readonly name: string
  readonly kind: SpanKind
  readonly spans: number
  readonly errors: number
  /** The number of spans without an end, which do not count in the durations. */
  readonly open: number
  /** Nanoseconds. Quantiles are approximate (t-digest). Undefined if no span has an end. */
  readonly durations: Durations | undefined
}

interface Durations {
  readonly least: bigint
  readonly most: bigint
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

export interface OperationChoice {
  /** 1000 unless given. */
  readonly limit?: number
}

export interface OperationList {
  /** Sorted by the number of spans, largest first. */
  readonly operations: readonly OperationRow[]
  /** Whether there are more. */
  readonly truncated: boolean
}

const MAX_OPERATIONS = 10_000

export async function listOperations(
  context: QueryContext,
  query: Query,
  filter: SpanFilter = {},
  { limit = 1000 }: OperationChoice = {},
): Promise<OperationList> {
  checkCount('limit', limit, MAX_OPERATIONS)
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const values = new Values()
  const block = await running.select(
    'SELECT toString(service) AS of_service, toString(name) AS of_name, kind, count() AS spans, ' +
      `countIf(status_code = 2) AS errors, countIf(NOT (${HAS_END})) AS open, ` +
      `minIf(duration_nano, ${HAS_END}) AS least, maxIf(duration_nano, ${HAS_END}) AS most, ` +
      `arrayMap(q -> toFloat64(q), quantilesTDigestIf(0.5, 0.9, 0.99)(duration_nano, ${HAS_END})) AS q ` +
      `FROM spans WHERE ${conditions.where(values)} GROUP BY service, name, kind ` +
      `ORDER BY spans DESC, of_service, of_name, kind LIMIT ${limit + 1}`,
    values.all,
  )
  const operations: OperationRow[] = []
  for (let row = 0; row < Math.min(block.rows, limit); row++) {
    const spans = Number(block.column('spans').bigint(row))
    const open = Number(block.column('open').bigint(row))
    const q = block.column('q')
    const [p50, p90, p99] = [0, 1, 2].map(k => q.values.number(q.from(row) + k))
    const least = block.column('least').bigint(row)
    operations.push({
      service: block.column('of_service').text(row),
      name: block.column('of_name').text(row),
      kind: SPAN_KINDS[block.column('kind').number(row)] ?? 'unspecified',
      spans,
      errors: Number(block.column('errors').bigint(row)),
      open,
      durations: open === spans ? undefined : { least, most: block.column('most').bigint(row), p50, p90, p99 },
    })
  }
  return { operations, truncated: block.rows > limit }
}
