// querier.v1.QuerierService: its methods with their request and response messages. They run in query threads.
import type { Message } from '@hearth/signals'
import { GOOGLE_PROFILE } from '../messages/google-profile.ts'
import * as messages from '../messages/querier-messages.ts'
import * as types from '../messages/types-messages.ts'
import { analyzeQuery, getProfileStats, labelNames, labelValues, profileTypes, series } from './labels/label-catalog.ts'
import type { QuerierContext } from './part-queries.ts'
import { selectHeatmap } from './select-heatmap.ts'
import { selectSeries } from './select-series.ts'
import {
  diff,
  mergedPprof,
  selectMergeProfile,
  selectMergeSpanProfile,
  selectMergeStacktraces,
} from './select-stacks.ts'

export interface QuerierMethod<Request = unknown, Response = unknown> {
  readonly name: string
  readonly request: Message<Request>
  readonly response: Message<Response>
  readonly respond: (context: QuerierContext, request: Request) => Promise<Response>
  /** The same response as protobuf, for methods that have it in this form. */
  readonly respondProto?: (context: QuerierContext, request: Request) => Promise<Uint8Array>
}

function method<Request, Response>(
  name: string,
  request: Message<Request>,
  response: Message<Response>,
  respond: (context: QuerierContext, request: Request) => Promise<Response>,
  respondProto?: (context: QuerierContext, request: Request) => Promise<Uint8Array>,
): QuerierMethod {
  return { name, request, response, respond, respondProto } as unknown as QuerierMethod
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
  method('SelectMergeProfile', messages.SELECT_MERGE_PROFILE_REQUEST, GOOGLE_PROFILE, selectMergeProfile, mergedPprof),
  method('SelectSeries', messages.SELECT_SERIES_REQUEST, messages.SELECT_SERIES_RESPONSE, selectSeries),
  method('SelectHeatmap', messages.SELECT_HEATMAP_REQUEST, messages.SELECT_HEATMAP_RESPONSE, selectHeatmap),
  method('Diff', messages.DIFF_REQUEST, messages.DIFF_RESPONSE, diff),
  method('AnalyzeQuery', messages.ANALYZE_QUERY_REQUEST, messages.ANALYZE_QUERY_RESPONSE, analyzeQuery),
  method('GetProfileStats', types.GET_PROFILE_STATS_REQUEST, types.GET_PROFILE_STATS_RESPONSE, getProfileStats),
]
