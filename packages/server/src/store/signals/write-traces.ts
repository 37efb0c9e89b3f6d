// Writes spans as rows: one column per OTLP field, with events and links as arrays.
import type { Span, TracesData } from '@hearth/signals'
import { SPAN } from '@hearth/signals'
import { pushAttributes } from '../attribute-text.ts'
import type { ColumnsOf } from '../native/table.ts'
import { spans } from '../schema/signal-tables.ts'
import type { ScopePosition } from '../containers.ts'
import type { ItemWriting, WrittenItems } from './item-rows.ts'
import { pushNestedAttributes, pushOrigin, pushOriginal, queryTime, writeContainers } from './item-rows.ts'

export function writeTraces(to: ItemWriting, traces: TracesData): WrittenItems {
  return writeContainers(
    to,
    traces,
    traces.resourceSpans,
    resource => resource.scopeSpans,
    (scope, position) => {
      for (const [i, span] of scope.spans.entries()) writeSpan(to, span, position, i)
      return scope.spans.length
    },
  )
}

function writeSpan({ rows, context }: ItemWriting, span: Span, position: ScopePosition, index: number): void {
  const { columns } = rows.batch(spans)
  const { startTimeUnixNano: start, endTimeUnixNano: end } = span
  pushOrigin(columns, context, position, index)
  columns.time.push(queryTime(context, start, end))
  columns.start_unix_nano.push(start)
  columns.end_unix_nano.push(end)
  columns.duration_nano.push(end > start ? end - start : 0n)
  columns.trace_id.push(span.traceId)
  columns.span_id.push(span.spanId)
  columns.parent_span_id.push(span.parentSpanId)
  columns.trace_state.push(span.traceState)
  columns.flags.push(span.flags)
  columns.name.push(span.name)
  columns.kind.push(span.kind)
  pushAttributes(columns, span.attributes)
  columns.dropped_attributes.push(span.droppedAttributesCount)
  writeEvents(columns, span)
  writeLinks(columns, span)
  columns.status_code.push(span.status?.code ?? 0)
  columns.status_message.push(span.status?.message ?? '')
  pushOriginal(columns.original, SPAN, span)
}

type SpanColumns = ColumnsOf<(typeof spans)['columns']>

function writeEvents(columns: SpanColumns, { events, droppedEventsCount }: Span): void {
  for (const event of events) {
    columns.event_times.values.push(event.timeUnixNano)
    columns.event_names.values.push(event.name)
    columns.event_dropped_attributes.values.push(event.droppedAttributesCount)
  }
  columns.event_times.endRow()
  columns.event_names.endRow()
  columns.event_dropped_attributes.endRow()
  pushNestedAttributes(
    {
      keys: columns.event_attribute_keys,
      kinds: columns.event_attribute_kinds,
      values: columns.event_attribute_values,
    },
    events.map(event => event.attributes),
  )
  columns.dropped_events.push(droppedEventsCount)
}

function writeLinks(columns: SpanColumns, { links, droppedLinksCount }: Span): void {
  for (const link of links) {
    columns.link_trace_ids.values.push(link.traceId)
    columns.link_span_ids.values.push(link.spanId)
    columns.link_trace_states.values.push(link.traceState)
    columns.link_flags.values.push(link.flags)
    columns.link_dropped_attributes.values.push(link.droppedAttributesCount)
  }
  columns.link_trace_ids.endRow()
  columns.link_span_ids.endRow()
  columns.link_trace_states.endRow()
  columns.link_flags.endRow()
  columns.link_dropped_attributes.endRow()
  pushNestedAttributes(
    { keys: columns.link_attribute_keys, kinds: columns.link_attribute_kinds, values: columns.link_attribute_values },
    links.map(link => link.attributes),
  )
  columns.dropped_links.push(droppedLinksCount)
}
