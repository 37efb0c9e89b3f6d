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

export async function interference(
  context: QueryContext,
  query: Query,
  filter: SpanFilter = {},
  choice: Pick<RequestsChoice, 'limit'> = {},
): Promise<FoundInterference> {
  const { found, loaded, spans } = await operationRequests(context, query, filter, choice)
  if (loaded === undefined) return { found, requests: 0, spans: [], operations: [], pairs: [] }
  const table = interferenceOf(loaded.ledgers, Array.from(spans.keys()))
  return { ...table, found, requests: spans.length, spans: loaded.ledgers.input.spans }
}
