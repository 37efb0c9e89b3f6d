// The rules of traces, logs and metrics that `validate` checks. Ids are stable, because scripts rely on them. The level is
// that of the source, MUST or SHOULD. A field that the source calls required is a MUST.
import type { Level } from '@hearth/profile'

export interface SignalRule {
  readonly id: string
  readonly level: Level
  /** The statement that is true if the rule holds. */
  readonly title: string
  readonly source: 'trace.proto' | 'logs.proto' | 'metrics.proto' | 'common.proto' | 'data model' | 'W3C' | 'protobuf'
}

export const SIGNAL_RULES = [
  must('decodable', 'the file can be decoded', 'protobuf'),
  must('attribute-key-empty', 'no attribute has an empty key', 'data model'),
  must('attribute-keys-unique', 'no two attributes of one message have the same key', 'common.proto'),
  must('value-keys-unique', 'no key-value list inside an attribute value has duplicate keys', 'common.proto'),

  must('span-trace-id', 'the trace id of a span has 16 bytes that are not all zero', 'trace.proto'),
  must('span-id', 'the id of a span has 8 bytes that are not all zero', 'trace.proto'),
  must('span-parent-id', 'the parent id of a span is empty or has 8 bytes', 'trace.proto'),
  must('span-name', 'a span has a name', 'trace.proto'),
  must('span-start', 'a span has a start time', 'trace.proto'),
  should('span-end', 'a span ends, and not before its start', 'trace.proto'),
  must('span-event-name', 'an event of a span has a name', 'trace.proto'),
  must('span-link-id', 'a link has a trace id of 16 bytes and a span id of 8, not all zero', 'trace.proto'),
  should('trace-state', 'a trace state has the form of W3C: up to 32 different keys with values', 'W3C'),

  must('log-trace-id', 'the trace id of a log record is empty or has 16 bytes that are not all zero', 'logs.proto'),
  must('log-span-id', 'the span id of a log record is empty or has 8 bytes that are not all zero', 'logs.proto'),
  should('log-span-without-trace', 'a log record with a span id has a trace id', 'logs.proto'),
  should('log-time', 'a log record has a time or an observed time', 'logs.proto'),

  must('metric-name', 'a metric has a name', 'data model'),
  must('metric-data', 'a metric has data of one kind', 'data model'),
  should('metric-unit-ucum', 'the unit of a metric is spelled as in UCUM', 'data model'),
  must('metric-temporality', 'sums and histograms have a temporality', 'metrics.proto'),
  must('point-time', 'a data point has a time', 'metrics.proto'),
  must('point-start', 'a data point does not start after its time', 'data model'),
  must('point-value', 'a number data point has a value, unless its flag says that none was recorded', 'data model'),
  must('histogram-buckets', 'buckets, bounds and count of a histogram agree', 'metrics.proto'),
  should('histogram-range', 'the minimum of a histogram is not above its maximum', 'data model'),
  must('summary-quantiles', 'the quantiles of a summary are between 0 and 1', 'metrics.proto'),
  must('summary-values', 'the values of a summary are not negative', 'metrics.proto'),
  must('exemplar-id', 'the ids of an exemplar are empty or have 16 and 8 bytes', 'metrics.proto'),

  should('enum-known', 'enum fields have a value that OTLP defines', 'protobuf'),
] as const satisfies readonly SignalRule[]

export type SignalRuleId = (typeof SIGNAL_RULES)[number]['id']

function must<const Id extends string>(id: Id, title: string, source: SignalRule['source']) {
  return { id, level: 'must', title, source } as const
}

function should<const Id extends string>(id: Id, title: string, source: SignalRule['source']) {
  return { id, level: 'should', title, source } as const
}
