// Operations that delay others, in the requests of a range.
import type { InterferenceTable, LedgerSpan } from '@hearth/profile'
import { interference as interferenceOf } from '@hearth/profile'
import type { Query } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { SpanFilter } from '../signals/span-filter.ts'
import type { RequestsChoice } from './operation-requests.ts'
import { operationRequests } from './operation-requests.ts'

export interface FoundInterference extends InterferenceTable {
  /** The number of requests in the range, and of those that were read. Costs are scaled from these to all. */
  readonly found: number
  readonly requests: number
  readonly spans: readonly LedgerSpan[]
}

/** With a name in the filter: the pairs in which this operation waits or makes others wait. */
export async function interference(
  context: QueryContext,
  query: Query,
  { name, ...filter }: SpanFilter = {},
  choice: Pick<RequestsChoice, 'limit'> = {},
): Promise<FoundInterference> {
  const { found, loaded, spans } = await operationRequests(context, query, filter, choice)
  if (loaded === undefined) return { found, requests: 0, spans: [], operations: [], pairs: [] }
  const { operations, pairs } = interferenceOf(loaded.ledgers, Array.from(spans.keys()))
  const isNamed = (row: number): boolean => operations[row].name === name
  return {
    operations,
    pairs: name === undefined ? pairs : pairs.filter(({ delayed, by }) => isNamed(delayed) || isNamed(by)),
    found,
    requests: spans.length,
    spans: loaded.ledgers.input.spans,
  }
}
