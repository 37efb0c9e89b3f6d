// Pyroscope's types.v1: labels, profile types, series and stack selectors. Times are milliseconds since 1970.
// Every message is exported: proto-files.ts takes them from the exports.
import type { ContentOf } from '@hearth/signals'
import {
  bool,
  defineProtoJson,
  double,
  int32,
  int64,
  message,
  messages,
  named,
  repeated,
  text,
  uint32,
} from '@hearth/signals'

const PACKAGE = 'types.v1'

export const LABEL_PAIR = defineProtoJson(`${PACKAGE}.LabelPair`, { name: text(1), value: text(2) })
export interface LabelPair extends ContentOf<typeof LABEL_PAIR> {}

export const LABELS = defineProtoJson(`${PACKAGE}.Labels`, { labels: messages<LabelPair>(1, LABEL_PAIR) })
export interface LabelsMessage extends ContentOf<typeof LABELS> {}

/** The ID is `name:sampleType:sampleUnit:periodType:periodUnit`. */
export const PROFILE_TYPE = defineProtoJson(`${PACKAGE}.ProfileType`, {
  ID: named({ proto: 'ID' }, text(1)),
  name: text(2),
  sampleType: text(4),
  sampleUnit: text(5),
  periodType: text(6),
  periodUnit: text(7),
})
export interface ProfileTypeMessage extends ContentOf<typeof PROFILE_TYPE> {}

export const EXEMPLAR = defineProtoJson(`${PACKAGE}.Exemplar`, {
  timestamp: int64(1),
  profileId: text(2),
  spanId: text(3),
  value: int64(4),
  labels: messages<LabelPair>(5, LABEL_PAIR),
  traceId: text(6),
})
export interface ExemplarMessage extends ContentOf<typeof EXEMPLAR> {}

export const POINT = defineProtoJson(`${PACKAGE}.Point`, {
  value: double(1),
  timestamp: int64(2),
  exemplars: messages<ExemplarMessage>(4, EXEMPLAR),
})
export interface PointMessage extends ContentOf<typeof POINT> {}

export const SERIES = defineProtoJson(`${PACKAGE}.Series`, {
  labels: messages<LabelPair>(1, LABEL_PAIR),
  points: messages<PointMessage>(2, POINT),
})
export interface Series extends ContentOf<typeof SERIES> {}

export const HEATMAP_SLOT = defineProtoJson(`${PACKAGE}.HeatmapSlot`, {
  /** The end of the step. */
  timestamp: int64(1),
  yMin: repeated(double(2)),
  counts: repeated(int32(3)),
  exemplars: messages<ExemplarMessage>(4, EXEMPLAR),
})
export interface HeatmapSlot extends ContentOf<typeof HEATMAP_SLOT> {}

export const HEATMAP_SERIES = defineProtoJson(`${PACKAGE}.HeatmapSeries`, {
  labels: messages<LabelPair>(1, LABEL_PAIR),
  slots: messages<HeatmapSlot>(2, HEATMAP_SLOT),
})
export interface HeatmapSeries extends ContentOf<typeof HEATMAP_SERIES> {}

export const CALL_SITE = defineProtoJson(`${PACKAGE}.Location`, { name: text(1) })
export interface CallSite extends ContentOf<typeof CALL_SITE> {}

export const GO_PGO = defineProtoJson(`${PACKAGE}.GoPGO`, { keepLocations: uint32(1), aggregateCallees: bool(2) })
export interface GoPgo extends ContentOf<typeof GO_PGO> {}

export const STACK_TRACE_SELECTOR = defineProtoJson(`${PACKAGE}.StackTraceSelector`, {
  /** Root first: selects stacks that begin with these functions. */
  callSite: messages<CallSite>(1, CALL_SITE),
  goPgo: message<GoPgo>(2, GO_PGO),
})
export interface StackTraceSelector extends ContentOf<typeof STACK_TRACE_SELECTOR> {}

export const LABEL_VALUES_REQUEST = defineProtoJson(`${PACKAGE}.LabelValuesRequest`, {
  name: text(1),
  matchers: repeated(text(2)),
  start: int64(3),
  end: int64(4),
})
export interface LabelValuesRequest extends ContentOf<typeof LABEL_VALUES_REQUEST> {}

export const LABEL_VALUES_RESPONSE = defineProtoJson(`${PACKAGE}.LabelValuesResponse`, { names: repeated(text(1)) })
export interface LabelValuesResponse extends ContentOf<typeof LABEL_VALUES_RESPONSE> {}

export const LABEL_NAMES_REQUEST = defineProtoJson(`${PACKAGE}.LabelNamesRequest`, {
  matchers: repeated(text(1)),
  start: int64(2),
  end: int64(3),
})
export interface LabelNamesRequest extends ContentOf<typeof LABEL_NAMES_REQUEST> {}

export const LABEL_NAMES_RESPONSE = defineProtoJson(`${PACKAGE}.LabelNamesResponse`, { names: repeated(text(1)) })
export interface LabelNamesResponse extends ContentOf<typeof LABEL_NAMES_RESPONSE> {}

export const GET_PROFILE_STATS_REQUEST = defineProtoJson(`${PACKAGE}.GetProfileStatsRequest`, {})

export const GET_PROFILE_STATS_RESPONSE = defineProtoJson(`${PACKAGE}.GetProfileStatsResponse`, {
  dataIngested: bool(1),
  oldestProfileTime: int64(2),
  newestProfileTime: int64(3),
})
export interface GetProfileStatsResponse extends ContentOf<typeof GET_PROFILE_STATS_RESPONSE> {}

export const AGGREGATION = {
  name: `${PACKAGE}.TimeSeriesAggregationType`,
  values: { TIME_SERIES_AGGREGATION_TYPE_SUM: 0, TIME_SERIES_AGGREGATION_TYPE_AVERAGE: 1 },
} as const

export const EXEMPLAR_TYPE = {
  name: `${PACKAGE}.ExemplarType`,
  values: {
    EXEMPLAR_TYPE_UNSPECIFIED: 0,
    EXEMPLAR_TYPE_NONE: 1,
    EXEMPLAR_TYPE_INDIVIDUAL: 2,
    EXEMPLAR_TYPE_SPAN: 3,
  },
} as const
