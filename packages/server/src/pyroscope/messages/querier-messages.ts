// Pyroscope's querier.v1: requests of Grafana and Pyroscope's clients, and the responses. Times are milliseconds since
// 1970.
// Every message is exported: proto-files.ts takes them from the exports.
import type { ContentOf } from '@hearth/signals'
import {
  bool,
  bytes,
  defineProtoJson,
  double,
  enumeration,
  int64,
  message,
  messages,
  named,
  optional,
  repeated,
  text,
  uint64,
} from '@hearth/signals'
import type { GoogleProfile } from './google-profile.ts'
import { GOOGLE_PROFILE } from './google-profile.ts'
import type { HeatmapSeries, LabelsMessage, ProfileTypeMessage, Series, StackTraceSelector } from './types-messages.ts'
import {
  AGGREGATION,
  EXEMPLAR_TYPE,
  HEATMAP_SERIES,
  LABELS,
  PROFILE_TYPE,
  SERIES,
  STACK_TRACE_SELECTOR,
} from './types-messages.ts'

const PACKAGE = 'querier.v1'

export const QUERIER_SERVICE = `${PACKAGE}.QuerierService`

const PROFILE_TYPE_ID = named({ proto: 'profile_typeID' }, text(1))

export const PROFILE_FORMAT = {
  name: `${PACKAGE}.ProfileFormat`,
  values: {
    PROFILE_FORMAT_UNSPECIFIED: 0,
    PROFILE_FORMAT_FLAMEGRAPH: 1,
    PROFILE_FORMAT_TREE: 2,
    PROFILE_FORMAT_DOT: 3,
    PROFILE_FORMAT_PPROF: 4,
  },
} as const

export const HEATMAP_QUERY_TYPE = {
  name: `${PACKAGE}.HeatmapQueryType`,
  values: { HEATMAP_QUERY_TYPE_UNSPECIFIED: 0, HEATMAP_QUERY_TYPE_INDIVIDUAL: 1, HEATMAP_QUERY_TYPE_SPAN: 2 },
} as const

export const PROFILE_TYPES_REQUEST = defineProtoJson(`${PACKAGE}.ProfileTypesRequest`, {
  start: int64(1),
  end: int64(2),
})
export interface ProfileTypesRequest extends ContentOf<typeof PROFILE_TYPES_REQUEST> {}

export const PROFILE_TYPES_RESPONSE = defineProtoJson(`${PACKAGE}.ProfileTypesResponse`, {
  profileTypes: messages<ProfileTypeMessage>(1, PROFILE_TYPE),
})
export interface ProfileTypesResponse extends ContentOf<typeof PROFILE_TYPES_RESPONSE> {}

export const SERIES_REQUEST = defineProtoJson(`${PACKAGE}.SeriesRequest`, {
  matchers: repeated(text(1)),
  labelNames: repeated(text(2)),
  start: int64(3),
  end: int64(4),
})
export interface SeriesRequest extends ContentOf<typeof SERIES_REQUEST> {}

export const SERIES_RESPONSE = defineProtoJson(`${PACKAGE}.SeriesResponse`, {
  labelsSet: messages<LabelsMessage>(2, LABELS),
})
export interface SeriesResponse extends ContentOf<typeof SERIES_RESPONSE> {}

/** Nodes of one depth. See FLAME_GRAPH. */
export const LEVEL = defineProtoJson(`${PACKAGE}.Level`, { values: repeated(int64(1)) })
export interface LevelMessage extends ContentOf<typeof LEVEL> {}

/** Four numbers per node: offset from the end of the previous node, total, self, row in `names`. */
export const FLAME_GRAPH = defineProtoJson(`${PACKAGE}.FlameGraph`, {
  names: repeated(text(1)),
  levels: messages<LevelMessage>(2, LEVEL),
  total: int64(3),
  maxSelf: int64(4),
})
export interface FlameGraphMessage extends ContentOf<typeof FLAME_GRAPH> {}

/** Seven numbers per node: offset, total and self of the left side, the same of the right side, row in `names`. */
export const FLAME_GRAPH_DIFF = defineProtoJson(`${PACKAGE}.FlameGraphDiff`, {
  names: repeated(text(1)),
  levels: messages<LevelMessage>(2, LEVEL),
  total: int64(3),
  maxSelf: int64(4),
  leftTicks: named({ proto: 'leftTicks' }, int64(5)),
  rightTicks: named({ proto: 'rightTicks' }, int64(6)),
})
export interface FlameGraphDiff extends ContentOf<typeof FLAME_GRAPH_DIFF> {}

export const PPROF_PROFILE = defineProtoJson(`${PACKAGE}.PprofProfile`, {
  profile: message<GoogleProfile>(1, GOOGLE_PROFILE),
})
export interface PprofProfile extends ContentOf<typeof PPROF_PROFILE> {}

export const SELECT_MERGE_STACKTRACES_REQUEST = defineProtoJson(`${PACKAGE}.SelectMergeStacktracesRequest`, {
  profileTypeID: PROFILE_TYPE_ID,
  labelSelector: text(2),
  start: int64(3),
  end: int64(4),
  maxNodes: optional(int64(5)),
  format: enumeration(6, PROFILE_FORMAT),
  stackTraceSelector: message<StackTraceSelector>(7, STACK_TRACE_SELECTOR),
  /** UUIDs. */
  profileIdSelector: repeated(text(8)),
  /** Hex: 32 and 16 digits. */
  traceIdSelector: repeated(text(10)),
  spanSelector: repeated(text(11)),
})
export interface SelectMergeStacktracesRequest extends ContentOf<typeof SELECT_MERGE_STACKTRACES_REQUEST> {}

export const SELECT_MERGE_STACKTRACES_RESPONSE = defineProtoJson(`${PACKAGE}.SelectMergeStacktracesResponse`, {
  flamegraph: message<FlameGraphMessage>(1, FLAME_GRAPH),
  tree: bytes(2),
  dot: text(3),
  pprof: message<PprofProfile>(5, PPROF_PROFILE),
})
export interface SelectMergeStacktracesResponse extends ContentOf<typeof SELECT_MERGE_STACKTRACES_RESPONSE> {}

export const SELECT_MERGE_SPAN_PROFILE_REQUEST = defineProtoJson(`${PACKAGE}.SelectMergeSpanProfileRequest`, {
  profileTypeID: PROFILE_TYPE_ID,
  labelSelector: text(2),
  spanSelector: repeated(text(3)),
  start: int64(4),
  end: int64(5),
  maxNodes: optional(int64(6)),
  format: enumeration(7, PROFILE_FORMAT),
})
export interface SelectMergeSpanProfileRequest extends ContentOf<typeof SELECT_MERGE_SPAN_PROFILE_REQUEST> {}

export const SELECT_MERGE_SPAN_PROFILE_RESPONSE = defineProtoJson(`${PACKAGE}.SelectMergeSpanProfileResponse`, {
  flamegraph: message<FlameGraphMessage>(1, FLAME_GRAPH),
  tree: bytes(2),
})
export interface SelectMergeSpanProfileResponse extends ContentOf<typeof SELECT_MERGE_SPAN_PROFILE_RESPONSE> {}

/** The response is a GOOGLE_PROFILE. */
export const SELECT_MERGE_PROFILE_REQUEST = defineProtoJson(`${PACKAGE}.SelectMergeProfileRequest`, {
  profileTypeID: PROFILE_TYPE_ID,
  labelSelector: text(2),
  start: int64(3),
  end: int64(4),
  maxNodes: optional(int64(5)),
  stackTraceSelector: message<StackTraceSelector>(6, STACK_TRACE_SELECTOR),
  profileIdSelector: repeated(text(7)),
  traceIdSelector: repeated(text(8)),
})
export interface SelectMergeProfileRequest extends ContentOf<typeof SELECT_MERGE_PROFILE_REQUEST> {}

export const SELECT_SERIES_REQUEST = defineProtoJson(`${PACKAGE}.SelectSeriesRequest`, {
  profileTypeID: PROFILE_TYPE_ID,
  labelSelector: text(2),
  start: int64(3),
  end: int64(4),
  groupBy: repeated(text(5)),
  /** In seconds. */
  step: double(6),
  aggregation: optional(enumeration(7, AGGREGATION)),
  stackTraceSelector: message<StackTraceSelector>(8, STACK_TRACE_SELECTOR),
  limit: optional(int64(9)),
  exemplarType: enumeration(10, EXEMPLAR_TYPE),
})
export interface SelectSeriesRequest extends ContentOf<typeof SELECT_SERIES_REQUEST> {}

export const SELECT_SERIES_RESPONSE = defineProtoJson(`${PACKAGE}.SelectSeriesResponse`, {
  series: messages<Series>(1, SERIES),
})
export interface SelectSeriesResponse extends ContentOf<typeof SELECT_SERIES_RESPONSE> {}

export const SELECT_HEATMAP_REQUEST = defineProtoJson(`${PACKAGE}.SelectHeatmapRequest`, {
  profileTypeID: PROFILE_TYPE_ID,
  labelSelector: text(2),
  start: int64(3),
  end: int64(4),
  step: double(5),
  groupBy: repeated(text(6)),
  queryType: enumeration(7, HEATMAP_QUERY_TYPE),
  exemplarType: enumeration(8, EXEMPLAR_TYPE),
  limit: optional(int64(9)),
})
export interface SelectHeatmapRequest extends ContentOf<typeof SELECT_HEATMAP_REQUEST> {}

export const SELECT_HEATMAP_RESPONSE = defineProtoJson(`${PACKAGE}.SelectHeatmapResponse`, {
  series: messages<HeatmapSeries>(1, HEATMAP_SERIES),
})
export interface SelectHeatmapResponse extends ContentOf<typeof SELECT_HEATMAP_RESPONSE> {}

export const DIFF_REQUEST = defineProtoJson(`${PACKAGE}.DiffRequest`, {
  left: message<SelectMergeStacktracesRequest>(1, SELECT_MERGE_STACKTRACES_REQUEST),
  right: message<SelectMergeStacktracesRequest>(2, SELECT_MERGE_STACKTRACES_REQUEST),
})
export interface DiffRequest extends ContentOf<typeof DIFF_REQUEST> {}

export const DIFF_RESPONSE = defineProtoJson(`${PACKAGE}.DiffResponse`, {
  flamegraph: message<FlameGraphDiff>(1, FLAME_GRAPH_DIFF),
})
export interface DiffResponse extends ContentOf<typeof DIFF_RESPONSE> {}

export const ANALYZE_QUERY_REQUEST = defineProtoJson(`${PACKAGE}.AnalyzeQueryRequest`, {
  start: int64(2),
  end: int64(3),
  query: text(4),
})
export interface AnalyzeQueryRequest extends ContentOf<typeof ANALYZE_QUERY_REQUEST> {}

/** The amount of data that one kind of component reads. */
export const QUERY_SCOPE = defineProtoJson(`${PACKAGE}.QueryScope`, {
  componentType: text(1),
  componentCount: uint64(2),
  blockCount: uint64(3),
  seriesCount: uint64(4),
  profileCount: uint64(5),
  sampleCount: uint64(6),
  indexBytes: uint64(7),
  profileBytes: uint64(8),
  symbolBytes: uint64(9),
})
export interface QueryScope extends ContentOf<typeof QUERY_SCOPE> {}

export const QUERY_IMPACT = defineProtoJson(`${PACKAGE}.QueryImpact`, {
  totalBytesInTimeRange: uint64(2),
  totalQueriedSeries: uint64(3),
  deduplicationNeeded: bool(4),
})
export interface QueryImpact extends ContentOf<typeof QUERY_IMPACT> {}

export const ANALYZE_QUERY_RESPONSE = defineProtoJson(`${PACKAGE}.AnalyzeQueryResponse`, {
  queryScopes: messages<QueryScope>(1, QUERY_SCOPE),
  queryImpact: message<QueryImpact>(2, QUERY_IMPACT),
})
export interface AnalyzeQueryResponse extends ContentOf<typeof ANALYZE_QUERY_RESPONSE> {}
