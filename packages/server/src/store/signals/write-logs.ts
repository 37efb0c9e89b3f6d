// Writes log records as rows.
import type { LogRecord, LogsData } from '@hearth/signals'
import { LOG_RECORD } from '@hearth/signals'
import { kindOfValue, pushAttributes, pushValue } from '../attribute-text.ts'
import { logs } from '../schema/signal-tables.ts'
import type { ScopePosition } from '../containers.ts'
import type { ItemWriting, WrittenItems } from './item-rows.ts'
import { pushOrigin, pushOriginal, queryTime, writeContainers } from './item-rows.ts'

export function writeLogs(to: ItemWriting, data: LogsData): WrittenItems {
  return writeContainers(
    to,
    data,
    data.resourceLogs,
    resource => resource.scopeLogs,
    (scope, position) => {
      for (const [i, record] of scope.logRecords.entries()) writeRecord(to, record, position, i)
      return scope.logRecords.length
    },
  )
}

function writeRecord({ rows, context }: ItemWriting, record: LogRecord, position: ScopePosition, index: number): void {
  const { columns } = rows.batch(logs)
  pushOrigin(columns, context, position, index)
  columns.time.push(queryTime(context, record.timeUnixNano, record.observedTimeUnixNano))
  columns.time_unix_nano.push(record.timeUnixNano)
  columns.observed_unix_nano.push(record.observedTimeUnixNano)
  columns.severity_number.push(record.severityNumber)
  columns.severity_text.push(record.severityText)
  columns.body_kind.push(kindOfValue(record.body))
  pushValue(columns.body, record.body)
  pushAttributes(columns, record.attributes)
  columns.dropped_attributes.push(record.droppedAttributesCount)
  columns.flags.push(record.flags)
  columns.trace_id.push(record.traceId)
  columns.span_id.push(record.spanId)
  columns.event_name.push(record.eventName)
  pushOriginal(columns.original, LOG_RECORD, record)
}
