// querier.v1.QuerierService: its methods with their request and response messages, for Connect and for gRPC.
import type { Message } from '@hearth/signals'
import type { QueryGate } from '../../api/v1/limits/query-gate.ts'
import type { QueryContext } from '../../query/query-context.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { AdmitOptions } from '../admit-request.ts'
import { GOOGLE_PROFILE } from '../messages/google-profile.ts'
import * as messages from '../messages/querier-messages.ts'
import * as types from '../messages/types-messages.ts'
import { analyzeQuery, getProfileStats, labelNames, labelValues, profileTypes, series } from './labels/label-catalog.ts'
import type { QuerierContext } from './part-queries.ts'
import { selectHeatmap } from './select-heatmap.ts'
import { selectSeries } from './select-series.ts'
import { diff, selectMergeProfile, selectMergeSpanProfile, selectMergeStacktraces } from './select-stacks.ts'

export interface QuerierOptions extends AdmitOptions {
  readonly queries: QueryContext
  /** Shared with the other query APIs, so that all queries of a tenant count together. */
  readonly gate: Pick<QueryGate, 'run' | 'queryLimits' | 'limitsOf'>
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

export interface QuerierMethod<Request = unknown, Response = unknown> {
  readonly name: string
  readonly request: Message<Request>
  readonly response: Message<Response>
  readonly answer: (context: QuerierContext, request: Request) => Promise<Response>
}

function method<Request, Response>(
  name: string,
  request: Message<Request>,
  response: Message<Response>,
  answer: (context: QuerierContext, request: Request) => Promise<Response>,
): QuerierMethod {
  return { name, request, response, answer } as unknown as QuerierMethod
}

export const QUERIER_METHODS: readonly QuerierMethod[] = [
  method('ProfileTypes', messages.PROFILE_TYPES_REQUEST, messages.PROFILE_TYPES_RESPONSE, profileTypes),
  method('LabelValues', types.LABEL_VALUES_REQUEST, types.LABEL_VALUES_RESPONSE, labelValues),
  method('LabelNames', types.LABEL_NAMES_REQUEST, types.LABEL_NAMES_RESPONSE, labelNames),
  method('Series', messages.SERIES_REQUEST, messages.SERIES_RESPONSE, series),
  method(
    'SelectMergeStacktraces',
    messages.SELECT_MERGE_STACKTRACES_REQUEST,
    messages.SELECT_MERGE_STACKTRACES_RESPONSE,
    selectMergeStacktraces,
  ),
  method(
    'SelectMergeSpanProfile',
    messages.SELECT_MERGE_SPAN_PROFILE_REQUEST,
    messages.SELECT_MERGE_SPAN_PROFILE_RESPONSE,
    selectMergeSpanProfile,
  ),
  method('SelectMergeProfile', messages.SELECT_MERGE_PROFILE_REQUEST, GOOGLE_PROFILE, selectMergeProfile),
  method('SelectSeries', messages.SELECT_SERIES_REQUEST, messages.SELECT_SERIES_RESPONSE, selectSeries),
  method('SelectHeatmap', messages.SELECT_HEATMAP_REQUEST, messages.SELECT_HEATMAP_RESPONSE, selectHeatmap),
  method('Diff', messages.DIFF_REQUEST, messages.DIFF_RESPONSE, diff),
  method('AnalyzeQuery', messages.ANALYZE_QUERY_REQUEST, messages.ANALYZE_QUERY_RESPONSE, analyzeQuery),
  method('GetProfileStats', types.GET_PROFILE_STATS_REQUEST, types.GET_PROFILE_STATS_RESPONSE, getProfileStats),
]

/** Waits for the tenant's turn. Cancels the work when the client disconnects or its time limit is over. */
export async function runQuery<Response>(
  { queries, gate }: QuerierOptions,
  { tenant, signal, timeoutMs }: Caller,
  answer: (context: QuerierContext) => Promise<Response>,
): Promise<Response> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const either = late === undefined ? signal : AbortSignal.any([signal, late])
  const limits = gate.queryLimits(tenant)
  const context = {
    queries,
    engine: queries.engine,
    tenant,
    signal: either,
    limits,
    maxNodes: gate.limitsOf(tenant).nodes,
  }
  try {
    return await gate.run(tenant, either, () => answer(context))
  } catch (error) {
    if (signal.aborted) throw new Refusal(499, Code.canceled, 'query', 'the client disconnected')
    if (late?.aborted === true)
      throw new Refusal(504, Code.deadlineExceeded, 'query', `not answered within the client's ${timeoutMs} ms`)
    throw error
  }
}

export interface Caller {
  readonly tenant: string
  readonly signal: AbortSignal
  /** The client's time limit. */
  readonly timeoutMs: number | undefined
}
