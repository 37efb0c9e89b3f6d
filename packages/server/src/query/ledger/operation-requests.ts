// The requests of an operation with their ledgers: the basis of average ledgers, of slow vs. fast, of interference, and of metrics.
import type { AnyValue, RequestAttribute, RequestLedgers } from '@hearth/profile'
import { requestLedgers, valueText } from '@hearth/profile'
import { readBlockAttributes } from '../../store/attribute-text.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { Containers } from '../signals/containers-of.ts'
import type { SpanFilter, SpanKind } from '../signals/span-filter.ts'
import { HAS_END, SPAN_KINDS, SpanConditions } from '../signals/span-filter.ts'
import { Values } from '../statement.ts'
import type { StoredSpan } from './ledger-spans.ts'
import { COLUMNS, ONCE, spanRows } from './ledger-spans.ts'
import type { LoadedLedgers } from './load-ledgers.ts'
import { loadLedgers } from './load-ledgers.ts'

export interface OperationRequests {
  /** The number of matching spans. */
  readonly found: number
  /** Undefined if there are no requests. */
  readonly loaded: LoadedLedgers | undefined
  readonly requests: RequestLedgers
  /** The span of each request. Row i is also row i of the ledgers' spans. */
  readonly spans: readonly StoredSpan[]
  /** The attributes of a request and of its resource. Empty unless they were requested. */
  readonly attributesOf: (request: number) => readonly RequestAttribute[]
}

export interface RequestsChoice {
  /** Above this number, a random sample; 20,000 unless given. */
  readonly limit?: number
  /** Whether to read attributes. */
  readonly attributes?: boolean
}

const MAX_REQUESTS = 50_000
const DEFAULT_REQUESTS = 20_000
const NO_REQUESTS: RequestLedgers = {
  length: 0,
  span: new Int32Array(0),
  start: new BigInt64Array(0),
  duration: new Float64Array(0),
  nanos: new Float64Array(0),
}

/**
 * The requests that start in the query's range. Without a name in the filter, requests are spans that a service receives (server and
 * consumer) and spans without a parent. With a name, they are the spans of that name. If some of them are received, those that are sent
 * (client and producer) are calls of the same operation in another service, and no requests of their own.
 */
export async function operationRequests(
  context: QueryContext,
  query: Query,
  filter: SpanFilter,
  { limit = DEFAULT_REQUESTS, attributes = false }: RequestsChoice = {},
): Promise<OperationRequests> {
  checkCount('limit', limit, MAX_REQUESTS)
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, filter)
  const values = new Values()
  const received = numbersOf(['server', 'consumer'])
  const isRequest =
    filter.name === undefined ? ` AND (kind IN (${received}) OR parent_span_id = toFixedString('', 8))` : ''
  const isSent = filter.name === undefined ? '0' : `kind IN (${numbersOf(['client', 'producer'])})`
  const more = attributes ? ', attribute_keys, attribute_kinds, attribute_values' : ''
  const block = await running.select(
    `SELECT *, count() OVER () AS found FROM (SELECT ${COLUMNS}${more}, ${isSent} AS is_sent, ` +
      `max(kind IN (${received})) OVER () AS has_received FROM spans WHERE ${conditions.where(values)} AND ` +
      `${HAS_END}${isRequest} ${ONCE}) WHERE NOT (is_sent AND has_received) ORDER BY cityHash64(trace, span) LIMIT ${limit}`,
    values.all,
  )
  const spans = spanRows(block)
  if (spans.length === 0) return { found: 0, loaded: undefined, requests: NO_REQUESTS, spans, attributesOf: () => [] }
  const { tenant, signal, limits, receivedBefore, from, to } = query
  const plain = { tenant, from, to, ...(signal && { signal }), ...(limits && { limits }) }
  const loaded = await loadLedgers(context, receivedBefore === undefined ? plain : { ...plain, receivedBefore }, spans)
  const ofResources = attributes ? await resourceAttributes(running, block) : []
  const attributesOf = (request: number): readonly RequestAttribute[] => {
    if (!attributes) return []
    const own = plainAttributes(readBlockAttributes(block, request))
    const inherited = ofResources[request].filter(({ key }) => own.every(each => each.key !== key))
    return [...own, ...inherited]
  }
  return {
    found: Number(block.column('found').bigint(0)),
    loaded,
    requests: requestLedgers(loaded.ledgers, Array.from(spans.keys())),
    spans,
    attributesOf,
  }
}

function numbersOf(kinds: readonly SpanKind[]): string {
  return kinds.map(kind => SPAN_KINDS.indexOf(kind)).join(', ')
}

/** The attributes of the resource of each row. */
async function resourceAttributes(
  running: RunningQuery,
  block: Parameters<typeof spanRows>[0],
): Promise<readonly (readonly RequestAttribute[])[]> {
  const containers = new Containers(running)
  const numbers = Array.from({ length: block.rows }, (_, row) => containers.resource(block.column('resource'), row))
  const { resources } = await containers.load()
  const known = resources.map(({ attributes }) => plainAttributes(attributes))
  return numbers.map(number => known[number])
}

/** Attributes with a plain value. */
function plainAttributes(attributes: Iterable<{ readonly key: string; readonly value: AnyValue }>): RequestAttribute[] {
  const plain: RequestAttribute[] = []
  for (const { key, value } of attributes) {
    const isNumber = typeof value === 'bigint' || typeof value === 'number'
    if (isNumber || typeof value === 'string' || typeof value === 'boolean')
      plain.push({ key, value: valueText(value), isNumber })
  }
  return plain
}
