// The requests that services handled: spans of servers and consumers, and spans without a parent.
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import { Values } from '../statement.ts'
import { HAS_END, SPAN_KINDS, SpanConditions } from '../signals/span-filter.ts'

export interface ServiceRequests {
  readonly count: number
  readonly errors: number
  /** Approximate, in nanoseconds; 0 if no request has ended. */
  readonly p50: number
  readonly p95: number
}

/** By service. The selector of the query is ignored. */
export async function serviceRequests(
  context: QueryContext,
  { selector: _, ...query }: Query,
): Promise<ReadonlyMap<string, ServiceRequests>> {
  const running = new RunningQuery(context.engine, query)
  const conditions = await SpanConditions.of(running, query, {})
  const values = new Values()
  const kinds = [SPAN_KINDS.indexOf('server'), SPAN_KINDS.indexOf('consumer')].join(', ')
  const noParent = values.add('FixedString(8)', new Uint8Array(8))
  const block = await running.select(
    'SELECT toString(service) AS of_service, count() AS requests, countIf(status_code = 2) AS errors, ' +
      `arrayMap(q -> toFloat64(q), quantilesTDigestIf(0.5, 0.95)(duration_nano, ${HAS_END})) AS q ` +
      `FROM spans WHERE ${conditions.where(values)} AND (kind IN (${kinds}) OR parent_span_id = ${noParent}) ` +
      'GROUP BY service ORDER BY of_service',
    values.all,
  )
  const found = new Map<string, ServiceRequests>()
  for (let row = 0; row < block.rows; row++) {
    const q = block.column('q')
    const [p50, p95] = [0, 1].map(k => q.values.number(q.from(row) + k)).map(each => (Number.isNaN(each) ? 0 : each))
    found.set(block.column('of_service').text(row), {
      count: Number(block.column('requests').bigint(row)),
      errors: Number(block.column('errors').bigint(row)),
      p50,
      p95,
    })
  }
  return found
}
