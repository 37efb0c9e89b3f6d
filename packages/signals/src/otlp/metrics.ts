// The messages of metrics.proto. At most one field of a oneof (a metric's kind, a point's value) is not undefined.
import type { KeyValue, Resource, Scope } from './common.ts'
import { KEY_VALUE, RESOURCE, SCOPE } from './common.ts'
import type { Enumeration } from '../protobuf/field.ts'
import {
  bool,
  double,
  enumeration,
  fixed64,
  id,
  message,
  messages,
  oneOf,
  optional,
  repeated,
  sfixed64,
  sint32,
  text,
  uint32,
  uint64,
} from '../protobuf/field.ts'
import type { ContentOf } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'

const PACKAGE = 'opentelemetry.proto.metrics.v1'

export const AGGREGATION_TEMPORALITY = {
  name: `${PACKAGE}.AggregationTemporality`,
  values: {
    AGGREGATION_TEMPORALITY_UNSPECIFIED: 0,
    AGGREGATION_TEMPORALITY_DELTA: 1,
    AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
  },
} as const satisfies Enumeration

export const DATA_POINT_FLAGS = {
  name: `${PACKAGE}.DataPointFlags`,
  values: { DATA_POINT_FLAGS_DO_NOT_USE: 0, DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK: 1 },
} as const satisfies Enumeration

export const EXEMPLAR = defineMessage(`${PACKAGE}.Exemplar`, {
  timeUnixNano: fixed64(2),
  asDouble: oneOf('value', double(3)),
  spanId: id(4),
  traceId: id(5),
  asInt: oneOf('value', sfixed64(6)),
  filteredAttributes: messages<KeyValue>(7, KEY_VALUE),
})
export interface Exemplar extends ContentOf<typeof EXEMPLAR> {}

export const NUMBER_DATA_POINT = defineMessage(`${PACKAGE}.NumberDataPoint`, {
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  asDouble: oneOf('value', double(4)),
  exemplars: messages<Exemplar>(5, EXEMPLAR),
  asInt: oneOf('value', sfixed64(6)),
  attributes: messages<KeyValue>(7, KEY_VALUE),
  /** See DATA_POINT_FLAGS. */
  flags: uint32(8),
})
export interface NumberDataPoint extends ContentOf<typeof NUMBER_DATA_POINT> {}

export const HISTOGRAM_DATA_POINT = defineMessage(`${PACKAGE}.HistogramDataPoint`, {
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: optional(double(5)),
  bucketCounts: repeated(fixed64(6)),
  explicitBounds: repeated(double(7)),
  exemplars: messages<Exemplar>(8, EXEMPLAR),
  attributes: messages<KeyValue>(9, KEY_VALUE),
  flags: uint32(10),
  min: optional(double(11)),
  max: optional(double(12)),
})
export interface HistogramDataPoint extends ContentOf<typeof HISTOGRAM_DATA_POINT> {}

export const BUCKETS = defineMessage(`${PACKAGE}.ExponentialHistogramDataPoint.Buckets`, {
  offset: sint32(1),
  bucketCounts: repeated(uint64(2)),
})
export interface Buckets extends ContentOf<typeof BUCKETS> {}

export const EXPONENTIAL_HISTOGRAM_DATA_POINT = defineMessage(`${PACKAGE}.ExponentialHistogramDataPoint`, {
  attributes: messages<KeyValue>(1, KEY_VALUE),
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: optional(double(5)),
  scale: sint32(6),
  zeroCount: fixed64(7),
  positive: message<Buckets>(8, BUCKETS),
  negative: message<Buckets>(9, BUCKETS),
  flags: uint32(10),
  exemplars: messages<Exemplar>(11, EXEMPLAR),
  min: optional(double(12)),
  max: optional(double(13)),
  zeroThreshold: double(14),
})
export interface ExponentialHistogramDataPoint extends ContentOf<typeof EXPONENTIAL_HISTOGRAM_DATA_POINT> {}

export const VALUE_AT_QUANTILE = defineMessage(`${PACKAGE}.SummaryDataPoint.ValueAtQuantile`, {
  quantile: double(1),
  value: double(2),
})
export interface ValueAtQuantile extends ContentOf<typeof VALUE_AT_QUANTILE> {}

export const SUMMARY_DATA_POINT = defineMessage(`${PACKAGE}.SummaryDataPoint`, {
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  quantileValues: messages<ValueAtQuantile>(6, VALUE_AT_QUANTILE),
  attributes: messages<KeyValue>(7, KEY_VALUE),
  flags: uint32(8),
})
export interface SummaryDataPoint extends ContentOf<typeof SUMMARY_DATA_POINT> {}

export const GAUGE = defineMessage(`${PACKAGE}.Gauge`, {
  dataPoints: messages<NumberDataPoint>(1, NUMBER_DATA_POINT),
})
export interface Gauge extends ContentOf<typeof GAUGE> {}

export const SUM = defineMessage(`${PACKAGE}.Sum`, {
  dataPoints: messages<NumberDataPoint>(1, NUMBER_DATA_POINT),
  /** See AGGREGATION_TEMPORALITY. */
  aggregationTemporality: enumeration(2, AGGREGATION_TEMPORALITY),
  isMonotonic: bool(3),
})
export interface Sum extends ContentOf<typeof SUM> {}

export const HISTOGRAM = defineMessage(`${PACKAGE}.Histogram`, {
  dataPoints: messages<HistogramDataPoint>(1, HISTOGRAM_DATA_POINT),
  aggregationTemporality: enumeration(2, AGGREGATION_TEMPORALITY),
})
export interface Histogram extends ContentOf<typeof HISTOGRAM> {}

export const EXPONENTIAL_HISTOGRAM = defineMessage(`${PACKAGE}.ExponentialHistogram`, {
  dataPoints: messages<ExponentialHistogramDataPoint>(1, EXPONENTIAL_HISTOGRAM_DATA_POINT),
  aggregationTemporality: enumeration(2, AGGREGATION_TEMPORALITY),
})
export interface ExponentialHistogram extends ContentOf<typeof EXPONENTIAL_HISTOGRAM> {}

export const SUMMARY = defineMessage(`${PACKAGE}.Summary`, {
  dataPoints: messages<SummaryDataPoint>(1, SUMMARY_DATA_POINT),
})
export interface Summary extends ContentOf<typeof SUMMARY> {}

export const METRIC = defineMessage(`${PACKAGE}.Metric`, {
  name: text(1),
  description: text(2),
  unit: text(3),
  gauge: oneOf('data', message<Gauge>(5, GAUGE)),
  sum: oneOf('data', message<Sum>(7, SUM)),
  histogram: oneOf('data', message<Histogram>(9, HISTOGRAM)),
  exponentialHistogram: oneOf('data', message<ExponentialHistogram>(10, EXPONENTIAL_HISTOGRAM)),
  summary: oneOf('data', message<Summary>(11, SUMMARY)),
  metadata: messages<KeyValue>(12, KEY_VALUE),
})
export interface Metric extends ContentOf<typeof METRIC> {}

export const SCOPE_METRICS = defineMessage(`${PACKAGE}.ScopeMetrics`, {
  scope: message<Scope>(1, SCOPE),
  metrics: messages<Metric>(2, METRIC),
  schemaUrl: text(3),
})
export interface ScopeMetrics extends ContentOf<typeof SCOPE_METRICS> {}

export const RESOURCE_METRICS = defineMessage(`${PACKAGE}.ResourceMetrics`, {
  resource: message<Resource>(1, RESOURCE),
  scopeMetrics: messages<ScopeMetrics>(2, SCOPE_METRICS),
  schemaUrl: text(3),
})
export interface ResourceMetrics extends ContentOf<typeof RESOURCE_METRICS> {}

export const METRICS_DATA = defineMessage(`${PACKAGE}.MetricsData`, {
  resourceMetrics: messages<ResourceMetrics>(1, RESOURCE_METRICS),
})
export interface MetricsData extends ContentOf<typeof METRICS_DATA> {}
