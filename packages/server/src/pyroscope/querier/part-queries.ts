// Converts a client's selection to queries for the query engine. One query is enough if all stored data of the type has
// one form. Counts of samples need another, which multiplies each by its period. The results are added up.
import { bytesOfHex } from '../../store/hex.ts'
import { parseReference } from '../../query/select/profile-reference.ts'
import { havePeriods } from '../../query/select/sampled-time.ts'
import type { QueryContext } from '../../query/query-context.ts'
import { QueryError } from '../../query/query-error.ts'
import type { Only, Query, QueryLimits } from '../../query/query.ts'
import { RunningQuery } from '../../query/query.ts'
import { resolve } from '../../query/select/selection.ts'
import type { Matcher, Selector } from '../../query/selector/selector.ts'
import type { SeriesRow } from '../../query/select/series-rows.ts'
import { readSeries } from '../../query/select/read-series.ts'
import { Values } from '../../query/statement.ts'
import { badQuery } from '../../receive/refusal.ts'
import type { ReadEngine } from '../../store/engine.ts'
import type { CallSite } from '../messages/types-messages.ts'
import { stacksFrom } from './call-site.ts'
import type { LabelSelector } from './labels/label-selector.ts'
import { matchingTypes, readLabelSelector } from './labels/label-selector.ts'
import type { PyroscopeType, TypePart } from './profile-type.ts'
import { isTypeId, parseTypeId, partsOfType } from './profile-type.ts'

/** The tenant, limits and engine of a request. */
export interface QuerierContext {
  readonly queries: QueryContext
  readonly engine: ReadEngine
  readonly tenant: string
  readonly signal: AbortSignal
  readonly limits: QueryLimits
  /** The maximum number of nodes in a response. */
  readonly maxNodes: number
}

/** Nanoseconds since 1970: start (inclusive) and end (exclusive). */
export interface TimeRange {
  readonly from: bigint
  readonly to: bigint
}

export interface Selected extends TimeRange {
  readonly type: PyroscopeType
  readonly selector: string
  /** Selects any of these ids. All if absent. */
  readonly profileIds?: readonly string[]
  readonly traceIds?: readonly string[]
  readonly spanIds?: readonly string[]
  /** Names of functions, root first. Selects stacks that begin with them. */
  readonly callSite?: readonly CallSite[]
}

const NANOS_PER_MILLI = 1_000_000n
const LAST_TIME = 2n ** 63n - 1n
/** The maximum number of profile, trace or span ids in one request. */
const MAX_IDS = 1000

/** Both ends are inclusive. Throws Refusal if the range ends before it begins. */
export function rangeOfMillis(start: bigint, end: bigint): TimeRange {
  if (start < 0n || end < start)
    throw badQuery(`the range from ${start} to ${end} ends before it begins; times are milliseconds since 1970`)
  const last = LAST_TIME / NANOS_PER_MILLI - 1n
  if (start > last) throw badQuery(`the range begins at ${start}; times are milliseconds since 1970`)
  return { from: start * NANOS_PER_MILLI, to: ((end > last ? last : end) + 1n) * NANOS_PER_MILLI }
}

/** The same for queries of names, in which an absent range means everything. */
export function anyRangeOfMillis(start: bigint, end: bigint): TimeRange {
  return start === 0n && end === 0n ? { from: 0n, to: LAST_TIME } : rangeOfMillis(start, end)
}

/** The queries for everything of a type. Empty if the type is not stored. */
export async function partsFor(context: QuerierContext, selected: Selected): Promise<Query[]> {
  const query = queryIn(context, selected)
  const labels = await readLabelSelector(context.engine, query, selected.selector)
  const only = idsOf(selected, labels)
  if ((await matchingTypes(context.engine, query, [selected.type], labels.types)).length === 0) return []
  const stacks = await stacksFrom(new RunningQuery(context.engine, { ...query, selector: '' }), selected.callSite ?? [])
  const parts: Query[] = []
  for (const part of partsOfType(selected.type, await seriesOf(context, query))) {
    const partQuery = await bySpan(context, {
      ...query,
      selector: selectorOf(labels.selector, part),
      only: { ...only, ...(stacks === undefined ? {} : { stacks }), series: part.series },
    })
    parts.push(part.byPeriod ? await timesPeriod(context, partQuery) : partQuery)
  }
  return parts
}

/** The queries for everything that a selector finds, of all types. */
export async function queriesFor(
  context: QuerierContext,
  range: TimeRange,
  text: string,
  knownTypes: (query: Query) => Promise<readonly PyroscopeType[]>,
): Promise<Query[]> {
  const query = queryIn(context, range)
  const labels = await readLabelSelector(context.engine, query, text)
  const only = idsOf({}, labels)
  if (labels.types.length === 0) return [await bySpan(context, { ...query, selector: labels.selector, only })]
  const exact = labels.types.find(({ label, operator }) => label === '__profile_type__' && operator === '=')
  // A label that no profile has is not an error here.
  if (exact !== undefined && !isTypeId(exact.value)) return []
  const types = exact === undefined ? await knownTypes(query) : [parseTypeId(exact.value)]
  const series = await seriesOf(context, query)
  const queries: Query[] = []
  for (const type of await matchingTypes(context.engine, query, types, labels.types)) {
    for (const part of partsOfType(type, series)) {
      const selector = selectorOf(labels.selector, part)
      queries.push(await bySpan(context, { ...query, selector, only: { ...only, series: part.series } }))
    }
  }
  return queries
}

export function queryIn({ tenant, signal, limits }: QuerierContext, { from, to }: TimeRange): Query {
  // Pyroscope adds up all snapshots of a range.
  return { tenant, from, to, signal, limits, snapshots: 'sum' }
}

export async function seriesOf({ engine }: QuerierContext, query: Query): Promise<readonly SeriesRow[]> {
  return await readSeries(new RunningQuery(engine, { ...query, selector: '' }), undefined)
}

function selectorOf({ matchers, predicates }: Selector, { matcher }: TypePart): Selector {
  const all = matcher === undefined ? matchers : [...matchers, matcher]
  return { profileType: undefined, matchers: all, predicates }
}

function idsOf({ profileIds = [], traceIds = [], spanIds = [] }: Partial<Selected>, labels: LabelSelector): Only {
  for (const list of [profileIds, traceIds, spanIds])
    if (list.length > MAX_IDS) throw badQuery(`${list.length} ids in one request; the limit is ${MAX_IDS}`)
  const traces = bothOf(
    traceIds.map(id => hexId(id, 16, 'trace')),
    labels.traceIds,
  )
  const spans = bothOf(
    spanIds.map(id => hexId(id, 8, 'span')),
    labels.spanIds,
  )
  const references = profileIds.filter(isReference)
  const ids = profileIds.filter(id => !isReference(id)).map(profileIdBytes)
  return {
    ...(traces === undefined ? {} : { traceIds: traces.map(bytesOfHex) }),
    ...(spans === undefined ? {} : { spanIds: spans.map(bytesOfHex) }),
    ...(profileIds.length === 0 ? {} : { profileIds: ids, profiles: references.map(parseReference) }),
  }
}

function bothOf(given: readonly string[], inLabels: readonly string[] | undefined): readonly string[] | undefined {
  if (given.length === 0) return inLabels
  return inLabels === undefined ? given : given.filter(id => inLabels.includes(id))
}

function hexId(text: string, bytes: number, what: string): string {
  if (text.length === 2 * bytes && /^[0-9a-fA-F]+$/.test(text)) return text.toLowerCase()
  throw badQuery(`${JSON.stringify(text.slice(0, 100))} is not the id of a ${what}; use ${2 * bytes} hex digits`)
}

/** Whether this is the reference by which exemplars name profiles without an id. */
function isReference(id: string): boolean {
  return /^[0-9a-f]{16}-[0-9a-f]{32}-/.test(id)
}

function profileIdBytes(text: string): Uint8Array {
  const digits = text.replaceAll('-', '')
  if (digits.length === 32 && /^[0-9a-fA-F]+$/.test(digits)) return bytesOfHex(digits)
  throw badQuery(`${JSON.stringify(text.slice(0, 100))} is not the id of a profile; use a UUID`)
}

/**
 * Samples refer to their spans by links. Profilers without traces store the span's id in an attribute instead. If no
 * link leads to a span, this query looks for the attribute.
 */
async function bySpan({ engine }: QuerierContext, query: Query): Promise<Query> {
  const { traceIds, spanIds, ...others } = query.only ?? {}
  if (traceIds === undefined && spanIds === undefined) return query
  const selection = await resolve(new RunningQuery(engine, query))
  const values = new Values()
  const block = await selection.running.select(
    `SELECT 1 FROM span_samples WHERE ${selection.rowsWhere(values)} LIMIT 1`,
    values.all,
  )
  if (block.rows > 0) return query
  const { matchers, predicates } = query.selector as Selector
  const ofIds = [attributeOf('trace_id', traceIds), attributeOf('span_id', spanIds)].filter(each => each !== undefined)
  return {
    ...query,
    only: others,
    selector: { profileType: undefined, matchers: [...matchers, ...ofIds], predicates },
  }
}

function attributeOf(key: string, ids: readonly Uint8Array[] | undefined): Matcher | undefined {
  if (ids === undefined) return undefined
  const value = `(?i:${ids.map(id => Buffer.from(id).toString('hex')).join('|')})`
  return { kind: 'value', level: 'sample', key, operator: '=~', value, position: 0, valuePosition: 0 }
}

/** Throws QueryError if a profile has no period. */
async function timesPeriod({ engine }: QuerierContext, query: Query): Promise<Query> {
  const selection = await resolve(new RunningQuery(engine, query))
  if (!(await havePeriods(selection)))
    throw new QueryError(
      'mixed-periods',
      'samples that were counted without a period cannot be converted to time; choose another profile type',
    )
  return { ...query, timesPeriod: true }
}
