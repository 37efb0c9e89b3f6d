// Requests, and the rows of traces, logs and metrics. Every field of OTLP has a column, so that the store can return requests
// unchanged.
import {
  arrayOf,
  defineTable,
  fewTexts,
  fixedBytes,
  float64,
  int32,
  int64,
  text,
  time64,
  uint32,
  uint64,
  uint8,
} from '../native/table.ts'
import { PARTITION, attributes, origin, original, unknownFields } from './shared-columns.ts'

/** One row per request: its resources and scopes in order, including empty ones. Its id identifies a retry. */
export const requests = defineTable(
  'requests',
  {
    tenant: origin.tenant,
    day: origin.day,
    received: origin.received,
    request: origin.request,
    /** profiles, traces, logs or metrics. */
    signal: fewTexts(),
    generation: fewTexts(),
    /** The sender's User-Agent. */
    client: fewTexts(),
    bytes: uint64(),
    accepted: uint32(),
    rejected: uint32(),
    resources: arrayOf(uint64()),
    scopes: arrayOf(uint64()),
    /** The index of each scope's resource. */
    scope_resources: arrayOf(uint32()),
    ...unknownFields,
  },
  { engine: 'merge', orderBy: '(tenant, received)', partitionBy: PARTITION, shardBy: 'sipHash64(request)' },
)

const nestedAttributes = {
  keys: arrayOf(arrayOf(fewTexts())),
  kinds: arrayOf(arrayOf(uint8())),
  values: arrayOf(arrayOf(text())),
} as const

export const spans = defineTable(
  'spans',
  {
    ...origin,
    /** The start for queries: `received` if the sender's time is 0 or beyond the type's range. */
    time: time64(),
    start_unix_nano: uint64('Delta(8), ZSTD(1)'),
    end_unix_nano: uint64('Delta(8), ZSTD(1)'),
    /** End minus start. 0 if the end is earlier. */
    duration_nano: uint64(),
    trace_id: fixedBytes(16),
    span_id: fixedBytes(8),
    /** All zero for a root span. */
    parent_span_id: fixedBytes(8),
    trace_state: text(),
    flags: uint32(),
    name: fewTexts(),
    kind: int32(),
    ...attributes,
    event_times: arrayOf(uint64(), 'Delta(8), ZSTD(1)'),
    event_names: arrayOf(fewTexts()),
    event_attribute_keys: nestedAttributes.keys,
    event_attribute_kinds: nestedAttributes.kinds,
    event_attribute_values: nestedAttributes.values,
    event_dropped_attributes: arrayOf(uint32()),
    dropped_events: uint32(),
    link_trace_ids: arrayOf(fixedBytes(16)),
    link_span_ids: arrayOf(fixedBytes(8)),
    link_trace_states: arrayOf(text()),
    link_flags: arrayOf(uint32()),
    link_attribute_keys: nestedAttributes.keys,
    link_attribute_kinds: nestedAttributes.kinds,
    link_attribute_values: nestedAttributes.values,
    link_dropped_attributes: arrayOf(uint32()),
    dropped_links: uint32(),
    status_code: int32(),
    status_message: text(),
    ...original,
  },
  {
    engine: 'merge',
    orderBy: '(tenant, service, name, time)',
    partitionBy: PARTITION,
    indexes: [
      'INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1',
      'INDEX by_time time TYPE minmax GRANULARITY 1',
      'INDEX by_request request TYPE bloom_filter GRANULARITY 4',
    ],
    shardBy: 'sipHash64(trace_id)',
  },
)

export const logs = defineTable(
  'logs',
  {
    ...origin,
    /** Its time, or else the time it was observed, or else `received`. */
    time: time64(),
    time_unix_nano: uint64('Delta(8), ZSTD(1)'),
    observed_unix_nano: uint64('Delta(8), ZSTD(1)'),
    severity_number: int32(),
    severity_text: fewTexts(),
    body_kind: uint8(),
    body: text(),
    ...attributes,
    flags: uint32(),
    /** All zero for none. */
    trace_id: fixedBytes(16),
    span_id: fixedBytes(8),
    event_name: fewTexts(),
    ...original,
  },
  {
    engine: 'merge',
    orderBy: '(tenant, service, time)',
    partitionBy: PARTITION,
    indexes: [
      'INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1',
      'INDEX by_time time TYPE minmax GRANULARITY 1',
      'INDEX by_request request TYPE bloom_filter GRANULARITY 4',
    ],
    shardBy: 'sipHash64(request)',
  },
)

/** One row per data point of every kind. A metric without points has one row with `point_index` 4294967295. */
export const metricPoints = defineTable(
  'metric_points',
  {
    ...origin,
    /** The n-th point of its metric. `item_index` counts metrics. */
    point_index: uint32(),
    name: fewTexts(),
    description: fewTexts(),
    metric_unit: fewTexts(),
    metadata_keys: arrayOf(fewTexts()),
    metadata_kinds: arrayOf(uint8()),
    metadata_values: arrayOf(text()),
    /** Numbered like Metric's fields: 0 none, 5 gauge, 7 sum, 9 histogram, 10 exponential histogram, 11 summary. */
    metric_kind: uint8(),
    temporality: int32(),
    monotonic: uint8(),
    time: time64(),
    start_unix_nano: uint64('Delta(8), ZSTD(1)'),
    time_unix_nano: uint64('Delta(8), ZSTD(1)'),
    ...attributes,
    flags: uint32(),
    /** Numbered like NumberDataPoint's fields: 0 none, 4 double, 6 int. */
    value_kind: uint8(),
    value_double: float64(),
    value_int: int64(),
    count: uint64(),
    /** Bits of set fields: 1 sum, 2 min, 4 max, 8 positive buckets, 16 negative buckets. */
    present: uint8(),
    sum: float64(),
    min: float64(),
    max: float64(),
    bucket_counts: arrayOf(uint64()),
    explicit_bounds: arrayOf(float64()),
    scale: int32(),
    zero_count: uint64(),
    zero_threshold: float64(),
    positive_offset: int32(),
    positive_counts: arrayOf(uint64()),
    negative_offset: int32(),
    negative_counts: arrayOf(uint64()),
    quantiles: arrayOf(float64()),
    quantile_values: arrayOf(float64()),
    exemplar_times: arrayOf(uint64()),
    exemplar_value_kinds: arrayOf(uint8()),
    exemplar_doubles: arrayOf(float64()),
    exemplar_ints: arrayOf(int64()),
    exemplar_trace_ids: arrayOf(fixedBytes(16)),
    exemplar_span_ids: arrayOf(fixedBytes(8)),
    exemplar_attribute_keys: nestedAttributes.keys,
    exemplar_attribute_kinds: nestedAttributes.kinds,
    exemplar_attribute_values: nestedAttributes.values,
    ...original,
  },
  {
    engine: 'merge',
    orderBy: '(tenant, name, service, time)',
    partitionBy: PARTITION,
    indexes: [
      'INDEX by_time time TYPE minmax GRANULARITY 1',
      'INDEX by_request request TYPE bloom_filter GRANULARITY 4',
    ],
    shardBy: 'sipHash64(service, name)',
  },
)
