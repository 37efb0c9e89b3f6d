// The messages of logs.proto.
import type { AnyValue, KeyValue, Resource, Scope } from './common.ts'
import { ANY_VALUE, KEY_VALUE, RESOURCE, SCOPE } from './common.ts'
import type { Enumeration } from '../protobuf/field.ts'
import { enumeration, fixed32, fixed64, id, message, messages, text, uint32 } from '../protobuf/field.ts'
import type { ContentOf } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'

const PACKAGE = 'opentelemetry.proto.logs.v1'

const SEVERITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const

/** Four numbers for each level, from TRACE at 1 to FATAL4 at 24. */
export const SEVERITY_NUMBER: Enumeration = {
  name: `${PACKAGE}.SeverityNumber`,
  values: Object.fromEntries([
    ['SEVERITY_NUMBER_UNSPECIFIED', 0],
    ...SEVERITIES.flatMap((level, i) =>
      ['', '2', '3', '4'].map((step, j) => [`SEVERITY_NUMBER_${level}${step}`, 4 * i + j + 1] as const),
    ),
  ]),
}

export const LOG_RECORD_FLAGS = {
  name: `${PACKAGE}.LogRecordFlags`,
  values: { LOG_RECORD_FLAGS_DO_NOT_USE: 0, LOG_RECORD_FLAGS_TRACE_FLAGS_MASK: 0xff },
} as const satisfies Enumeration

export const LOG_RECORD = defineMessage(`${PACKAGE}.LogRecord`, {
  timeUnixNano: fixed64(1),
  /** See SEVERITY_NUMBER. */
  severityNumber: enumeration(2, SEVERITY_NUMBER),
  severityText: text(3),
  body: message<AnyValue>(5, ANY_VALUE),
  attributes: messages<KeyValue>(6, KEY_VALUE),
  droppedAttributesCount: uint32(7),
  /** See LOG_RECORD_FLAGS. */
  flags: fixed32(8),
  /** Empty if the record belongs to no trace. */
  traceId: id(9),
  spanId: id(10),
  observedTimeUnixNano: fixed64(11),
  eventName: text(12),
})
export interface LogRecord extends ContentOf<typeof LOG_RECORD> {
  /** The unknown fields of the body, as parts of an attribute. */
  readonly bodyUnknown?: Uint8Array
}

export const SCOPE_LOGS = defineMessage(`${PACKAGE}.ScopeLogs`, {
  scope: message<Scope>(1, SCOPE),
  logRecords: messages<LogRecord>(2, LOG_RECORD),
  schemaUrl: text(3),
})
export interface ScopeLogs extends ContentOf<typeof SCOPE_LOGS> {}

export const RESOURCE_LOGS = defineMessage(`${PACKAGE}.ResourceLogs`, {
  resource: message<Resource>(1, RESOURCE),
  scopeLogs: messages<ScopeLogs>(2, SCOPE_LOGS),
  schemaUrl: text(3),
})
export interface ResourceLogs extends ContentOf<typeof RESOURCE_LOGS> {}

export const LOGS_DATA = defineMessage(`${PACKAGE}.LogsData`, {
  resourceLogs: messages<ResourceLogs>(1, RESOURCE_LOGS),
})
export interface LogsData extends ContentOf<typeof LOGS_DATA> {}
