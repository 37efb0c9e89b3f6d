// Converts rows of spans, logs and data points to OTLP messages.
import type { KeyValue } from '@hearth/profile'
import type { LogRecord, Span, SpanEvent, SpanLink } from '@hearth/signals'
import { readAttributes, readBlockAttributes, valueOfBytes } from '../attribute-text.ts'
import type { Block } from '../native/block.ts'
import type { ColumnValues } from '../native/column-values.ts'

export function readSpan(block: Block, row: number): Span {
  const parent = block.column('parent_span_id').bytes(row)
  const code = block.column('status_code').number(row)
  const message = block.column('status_message').text(row)
  return {
    traceId: block.column('trace_id').bytes(row).slice(),
    spanId: block.column('span_id').bytes(row).slice(),
    traceState: block.column('trace_state').text(row),
    parentSpanId: idOrNone(parent),
    name: block.column('name').text(row),
    kind: block.column('kind').number(row),
    startTimeUnixNano: block.column('start_unix_nano').bigint(row),
    endTimeUnixNano: block.column('end_unix_nano').bigint(row),
    attributes: readBlockAttributes(block, row),
    droppedAttributesCount: block.column('dropped_attributes').number(row),
    events: readEvents(block, row),
    droppedEventsCount: block.column('dropped_events').number(row),
    links: readLinks(block, row),
    droppedLinksCount: block.column('dropped_links').number(row),
    status: code === 0 && message === '' ? undefined : { message, code },
    flags: block.column('flags').number(row),
  }
}

function readEvents(block: Block, row: number): readonly SpanEvent[] {
  const names = list(block.column('event_names'), row, (values, k) => values.text(k))
  const times = list(block.column('event_times'), row, (values, k) => values.bigint(k))
  const dropped = list(block.column('event_dropped_attributes'), row, (values, k) => values.number(k))
  const attributes = nestedAttributes(block, 'event_attribute', row)
  return names.map((name, i) => ({
    timeUnixNano: times[i],
    name,
    attributes: attributes[i],
    droppedAttributesCount: dropped[i],
  }))
}

function readLinks(block: Block, row: number): readonly SpanLink[] {
  const traceIds = list(block.column('link_trace_ids'), row, (values, k) => idOrNone(values.bytes(k)))
  const spanIds = list(block.column('link_span_ids'), row, (values, k) => idOrNone(values.bytes(k)))
  const states = list(block.column('link_trace_states'), row, (values, k) => values.text(k))
  const flags = list(block.column('link_flags'), row, (values, k) => values.number(k))
  const dropped = list(block.column('link_dropped_attributes'), row, (values, k) => values.number(k))
  const attributes = nestedAttributes(block, 'link_attribute', row)
  return traceIds.map((traceId, i) => ({
    traceId,
    spanId: spanIds[i],
    traceState: states[i],
    attributes: attributes[i],
    droppedAttributesCount: dropped[i],
    flags: flags[i],
  }))
}

export function readLogRecord(block: Block, row: number): LogRecord {
  return {
    timeUnixNano: block.column('time_unix_nano').bigint(row),
    severityNumber: block.column('severity_number').number(row),
    severityText: block.column('severity_text').text(row),
    body: valueOfBytes(block.column('body_kind').number(row), block.column('body').bytes(row)),
    attributes: readBlockAttributes(block, row),
    droppedAttributesCount: block.column('dropped_attributes').number(row),
    flags: block.column('flags').number(row),
    traceId: idOrNone(block.column('trace_id').bytes(row)),
    spanId: idOrNone(block.column('span_id').bytes(row)),
    observedTimeUnixNano: block.column('observed_unix_nano').bigint(row),
    eventName: block.column('event_name').text(row),
  }
}

/** Returns a copy, so that no block is kept alive. Empty for an id of zeros, which means none in OTLP. */
export function idOrNone(id: Uint8Array): Uint8Array {
  return id.some(byte => byte !== 0) ? id.slice() : new Uint8Array(0)
}

/** Returns the array in row `row`. */
export function list<Value>(
  column: ColumnValues,
  row: number,
  read: (values: ColumnValues, k: number) => Value,
): readonly Value[] {
  const values: Value[] = []
  for (let k = column.from(row); k < column.to(row); k++) values.push(read(column.values, k))
  return values
}

/** Returns the attributes of each entry of a list, from the columns `${prefix}_keys`, `_kinds` and `_values`. */
export function nestedAttributes(block: Block, prefix: string, row: number): readonly (readonly KeyValue[])[] {
  const keys = block.column(`${prefix}_keys`)
  const kinds = block.column(`${prefix}_kinds`)
  const values = block.column(`${prefix}_values`)
  const lists: (readonly KeyValue[])[] = []
  for (let k = keys.from(row); k < keys.to(row); k++)
    lists.push(readAttributes(keys.values, kinds.values, values.values, k))
  return lists
}
