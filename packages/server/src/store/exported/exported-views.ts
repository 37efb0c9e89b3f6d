// Views of the exporter's tables with the columns of Hearth's own, so that the same queries run over both. The exporter stores
// attributes as texts. It does not store flags of spans, dropped counts, and the kinds of values.
//
//   exported_spans           otel_traces
//   exported_logs            otel_logs
//   exported_metric_points   otel_metrics_gauge, _sum, _histogram, _exponential_histogram, _summary
//
// Columns of the exporter that conditions use (times, services, names) keep their names' types, so that its primary keys and partitions
// limit what is read. `trace_hex` serves its index of trace ids.
import { ValueKind } from '@hearth/profile'
import type { TableDefinition } from '../native/table.ts'
import { splitCodec } from '../native/table.ts'
import { logs, metricPoints, spans } from '../schema/signal-tables.ts'
import { quoteName, quoteText } from '../sql-text.ts'
import type { ExporterAddress, MetricKind } from './exporter-address.ts'
import { METRIC_KINDS } from './exporter-address.ts'

/** The types of columns by table and column. A table that does not exist has no entry. */
export type KnownTypes = ReadonlyMap<string, ReadonlyMap<string, string>>

type Expressions = Readonly<Record<string, string>>

/** A column of the exporter's table: the first of the names that the table has, or else the default. */
type ColumnOf = (names: string | readonly string[], otherwise?: string) => string

const NO_ATTRIBUTES = "CAST(map(), 'Map(LowCardinality(String), String)')"
const KIND_NAMES = "['internal', 'server', 'client', 'producer', 'consumer']"
const STATUS_NAMES = "['ok', 'error']"

/** Texts that look like integers are integers, so that conditions such as `>= 500` hold. */
const KIND_OF_TEXT = `if(match(text, '^(0|-?[1-9][0-9]{0,17})$'), ${ValueKind.int}, ${ValueKind.string})`

const attributesOf = (map: string): Expressions => ({
  attribute_keys: `mapKeys(${map})`,
  attribute_kinds: `arrayMap(text -> ${KIND_OF_TEXT}, mapValues(${map}))`,
  attribute_values: `mapValues(${map})`,
})

const nestedAttributesOf = (prefix: string, maps: string): Expressions => ({
  [`${prefix}_attribute_keys`]: `arrayMap(each -> mapKeys(each), ${maps})`,
  [`${prefix}_attribute_kinds`]: `arrayMap(each -> arrayMap(text -> ${KIND_OF_TEXT}, mapValues(each)), ${maps})`,
  [`${prefix}_attribute_values`]: `arrayMap(each -> mapValues(each), ${maps})`,
})

/** An id of the exporter is hex, or empty. */
const idOf = (hex: string, bytes: number): string => `toFixedString(substring(unhex(${hex}), 1, ${bytes}), ${bytes})`
const idsOf = (list: string, bytes: number): string => `arrayMap(hex -> ${idOf('hex', bytes)}, ${list})`
const nanosOf = (time: string): string => `toUInt64(toUnixTimestamp64Nano(toDateTime64(${time}, 9)))`
const zeros = (list: string): string => `arrayMap(_ -> 0, ${list})`

/** The ids of a row's resource and scope in Hearth's tables, see container-copies.ts. */
export const RESOURCE_ID = 'cityHash64(ResourceAttributes)'
export function scopeId(has: (column: string) => boolean): string {
  return `cityHash64(ScopeName, toString(ScopeVersion), ${has('ScopeAttributes') ? 'ScopeAttributes' : NO_ATTRIBUTES})`
}

function sharedExpressions(column: ColumnOf, time: string, identity: string, tenant: string): Expressions {
  return {
    tenant: quoteText(tenant),
    day: `toDate(${time})`,
    received: time,
    request: `sipHash128(${identity})`,
    resource: RESOURCE_ID,
    scope: scopeId(name => column([name], '') !== ''),
    service: 'ServiceName',
    time,
  }
}

function spanExpressions(column: ColumnOf, tenant: string): Expressions {
  return {
    ...sharedExpressions(column, 'Timestamp', 'TraceId, SpanId, Timestamp', tenant),
    start_unix_nano: nanosOf('Timestamp'),
    end_unix_nano: `${nanosOf('Timestamp')} + toUInt64(Duration)`,
    duration_nano: 'toUInt64(Duration)',
    trace_id: idOf('TraceId', 16),
    span_id: idOf('SpanId', 8),
    parent_span_id: idOf('ParentSpanId', 8),
    trace_state: 'TraceState',
    name: 'SpanName',
    // Older versions write SPAN_KIND_SERVER and STATUS_CODE_OK.
    kind: `indexOf(${KIND_NAMES}, lower(replaceOne(toString(SpanKind), 'SPAN_KIND_', '')))`,
    status_code: `indexOf(${STATUS_NAMES}, lower(replaceOne(toString(StatusCode), 'STATUS_CODE_', '')))`,
    status_message: 'StatusMessage',
    ...attributesOf('SpanAttributes'),
    event_times: `arrayMap(each -> ${nanosOf('each')}, \`Events.Timestamp\`)`,
    event_names: '`Events.Name`',
    ...nestedAttributesOf('event', '`Events.Attributes`'),
    event_dropped_attributes: zeros('`Events.Name`'),
    link_trace_ids: idsOf('`Links.TraceId`', 16),
    link_span_ids: idsOf('`Links.SpanId`', 8),
    link_trace_states: '`Links.TraceState`',
    link_flags: zeros('`Links.TraceId`'),
    ...nestedAttributesOf('link', '`Links.Attributes`'),
    link_dropped_attributes: zeros('`Links.TraceId`'),
  }
}

function logExpressions(column: ColumnOf, tenant: string): Expressions {
  return {
    ...sharedExpressions(column, 'Timestamp', 'Timestamp, TraceId, SpanId, ServiceName, Body, LogAttributes', tenant),
    time_unix_nano: nanosOf('Timestamp'),
    observed_unix_nano: nanosOf('Timestamp'),
    severity_number: 'SeverityNumber',
    severity_text: 'SeverityText',
    body_kind: `if(Body = '', ${ValueKind.empty}, ${ValueKind.string})`,
    body: 'Body',
    ...attributesOf('LogAttributes'),
    flags: 'TraceFlags',
    trace_id: idOf('TraceId', 16),
    span_id: idOf('SpanId', 8),
    event_name: column(['EventName'], "''"),
  }
}

/** Numbered like Metric's fields, see the column metric_kind. */
const KIND_NUMBERS: Readonly<Record<MetricKind, number>> = {
  gauge: 5,
  sum: 7,
  histogram: 9,
  exponential_histogram: 10,
  summary: 11,
}

/** Bits of `present`. The exporter stores zeros for a missing minimum and maximum. */
const SUM_MIN_MAX = '1 + if(Min = 0 AND Max = 0, 0, 6)'

const DOUBLE_VALUE: Expressions = { value_kind: '4', value_double: 'Value' }

function numbersOf(kind: MetricKind, column: ColumnOf): Expressions {
  const aggregated = {
    temporality: column(['AggregationTemporality', 'AggTemp'], '0'),
    count: 'Count',
    sum: 'Sum',
    min: column(['Min'], '0'),
    max: column(['Max'], '0'),
  }
  switch (kind) {
    case 'gauge':
      return DOUBLE_VALUE
    case 'sum':
      return { ...DOUBLE_VALUE, temporality: aggregated.temporality, monotonic: 'IsMonotonic' }
    case 'histogram':
      return { ...aggregated, present: SUM_MIN_MAX, bucket_counts: 'BucketCounts', explicit_bounds: 'ExplicitBounds' }
    case 'exponential_histogram':
      return {
        ...aggregated,
        present: `${SUM_MIN_MAX} + 24`,
        scale: 'Scale',
        zero_count: 'ZeroCount',
        positive_offset: 'PositiveOffset',
        positive_counts: 'PositiveBucketCounts',
        negative_offset: 'NegativeOffset',
        negative_counts: 'NegativeBucketCounts',
      }
    case 'summary':
      return {
        count: 'Count',
        sum: 'Sum',
        present: '1',
        quantiles: '`ValueAtQuantiles.Quantile`',
        quantile_values: '`ValueAtQuantiles.Value`',
      }
  }
}

function metricExpressions(kind: MetricKind, column: ColumnOf, tenant: string): Expressions {
  const identity = 'MetricName, ServiceName, Attributes, TimeUnix'
  const exemplars: Expressions = {
    exemplar_times: `arrayMap(each -> ${nanosOf('each')}, \`Exemplars.TimeUnix\`)`,
    exemplar_value_kinds: 'arrayMap(_ -> 4, `Exemplars.TimeUnix`)',
    exemplar_doubles: '`Exemplars.Value`',
    exemplar_ints: zeros('`Exemplars.TimeUnix`'),
    exemplar_trace_ids: idsOf('`Exemplars.TraceId`', 16),
    exemplar_span_ids: idsOf('`Exemplars.SpanId`', 8),
    ...nestedAttributesOf('exemplar', '`Exemplars.FilteredAttributes`'),
  }
  return {
    ...sharedExpressions(column, 'TimeUnix', identity, tenant),
    name: 'MetricName',
    description: 'MetricDescription',
    metric_unit: 'MetricUnit',
    metric_kind: String(KIND_NUMBERS[kind]),
    start_unix_nano: nanosOf('StartTimeUnix'),
    time_unix_nano: nanosOf('TimeUnix'),
    ...attributesOf('Attributes'),
    flags: 'Flags',
    ...numbersOf(kind, column),
    ...(kind === 'summary' ? {} : exemplars),
  }
}

/** The view's name by the table that it replaces in queries. */
export const VIEWS: Readonly<Record<string, string>> = {
  spans: 'exported_spans',
  logs: 'exported_logs',
  metric_points: 'exported_metric_points',
}

/** The SELECT of each view, by its name. Throws for tables that Hearth cannot read. */
export function viewSelects(address: ExporterAddress, types: KnownTypes): ReadonlyMap<string, string> {
  const { tenant, metrics } = address
  const one = (
    table: TableDefinition,
    name: string,
    expressions: (column: ColumnOf) => Expressions,
    traced: boolean,
  ) => {
    const known = types.get(name)
    const text = known === undefined ? undefined : selectOf(table, address.database, name, known, expressions, traced)
    return text === undefined ? [] : [text]
  }
  const points = METRIC_KINDS.flatMap(kind =>
    one(metricPoints, metrics[kind], column => metricExpressions(kind, column, tenant), false),
  )
  const of = (table: TableDefinition, selects: readonly string[], traced: boolean): readonly [string, string] => [
    VIEWS[table.name],
    selects.length === 0 ? emptySelect(table, traced) : selects.join('\nUNION ALL\n'),
  ]
  return new Map([
    of(
      spans,
      one(spans, address.traces, column => spanExpressions(column, tenant), true),
      true,
    ),
    of(
      logs,
      one(logs, address.logs, column => logExpressions(column, tenant), true),
      true,
    ),
    of(metricPoints, points, false),
  ])
}

/** No rows, while the exporter has not created its table yet. */
function emptySelect(table: TableDefinition, traced: boolean): string {
  return `SELECT *${traced ? ", '' AS trace_hex" : ''} FROM ${quoteName(table.name)} WHERE 0`
}

function selectOf(
  table: TableDefinition,
  database: string,
  name: string,
  types: ReadonlyMap<string, string>,
  expressionsOf: (column: ColumnOf) => Expressions,
  traced: boolean,
): string {
  const attributes = types.get('ResourceAttributes') ?? ''
  if (!attributes.startsWith('Map('))
    throw new Error(
      `${name}.ResourceAttributes has the type ${attributes === '' ? '(no such column)' : attributes}; ` +
        'Hearth reads tables of the ClickHouse exporter with attributes as maps (json: false)',
    )
  const expressions = expressionsOf(
    (names, otherwise = '') => [names].flat().find(each => types.has(each)) ?? otherwise,
  )
  const columns = Object.entries(table.columns).map(([column, { ddl }]) => {
    const [type] = splitCodec(ddl)
    const expression = expressions[column]
    if (expression === undefined) return `defaultValueOfTypeName(${quoteText(type)}) AS ${quoteName(column)}`
    // A cast would hide the column from the primary key.
    if (types.get(expression) === type) return `${expression} AS ${quoteName(column)}`
    if (type === 'DateTime64(9)') return `toDateTime64(${expression}, 9) AS ${quoteName(column)}`
    return `CAST(${expression}, ${quoteText(type)}) AS ${quoteName(column)}`
  })
  if (traced) columns.push('TraceId AS trace_hex')
  return `SELECT\n  ${columns.join(',\n  ')}\nFROM ${quoteName(database)}.${quoteName(name)}`
}
