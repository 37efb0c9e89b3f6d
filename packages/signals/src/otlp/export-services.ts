// What goes over the wire to and from the four Export services. A request has the fields of its signal's data message, so
// that either can be read as the other.
import { int64, message, text } from '../protobuf/field.ts'
import { LOGS_DATA } from './logs.ts'
import type { ContentOf, Message } from '../protobuf/message.ts'
import { defineMessage, sameFields } from '../protobuf/message.ts'
import { METRICS_DATA } from './metrics.ts'
import { PROFILES_DATA } from './profiles.ts'
import { TRACES_DATA } from './traces.ts'

export const TRACE_SERVICE_PACKAGE = 'opentelemetry.proto.collector.trace.v1'
export const LOGS_SERVICE_PACKAGE = 'opentelemetry.proto.collector.logs.v1'
export const METRICS_SERVICE_PACKAGE = 'opentelemetry.proto.collector.metrics.v1'
export const PROFILES_SERVICE_PACKAGE = 'opentelemetry.proto.collector.profiles.v1development'

/** One method of a gRPC service. */
export interface ExportService {
  /** With its package, as `opentelemetry.proto.collector.trace.v1.TraceService`. */
  readonly name: string
  readonly request: Message
  readonly response: Message
}

export const EXPORT_TRACE_REQUEST = sameFields(`${TRACE_SERVICE_PACKAGE}.ExportTraceServiceRequest`, TRACES_DATA)

export const EXPORT_TRACE_PARTIAL_SUCCESS = defineMessage(`${TRACE_SERVICE_PACKAGE}.ExportTracePartialSuccess`, {
  rejectedSpans: int64(1),
  errorMessage: text(2),
})
export interface ExportTracePartialSuccess extends ContentOf<typeof EXPORT_TRACE_PARTIAL_SUCCESS> {}

export const EXPORT_TRACE_RESPONSE = defineMessage(`${TRACE_SERVICE_PACKAGE}.ExportTraceServiceResponse`, {
  /** Undefined when everything was accepted. */
  partialSuccess: message<ExportTracePartialSuccess>(1, EXPORT_TRACE_PARTIAL_SUCCESS),
})
export interface ExportTraceServiceResponse extends ContentOf<typeof EXPORT_TRACE_RESPONSE> {}

export const EXPORT_LOGS_REQUEST = sameFields(`${LOGS_SERVICE_PACKAGE}.ExportLogsServiceRequest`, LOGS_DATA)

export const EXPORT_LOGS_PARTIAL_SUCCESS = defineMessage(`${LOGS_SERVICE_PACKAGE}.ExportLogsPartialSuccess`, {
  rejectedLogRecords: int64(1),
  errorMessage: text(2),
})
export interface ExportLogsPartialSuccess extends ContentOf<typeof EXPORT_LOGS_PARTIAL_SUCCESS> {}

export const EXPORT_LOGS_RESPONSE = defineMessage(`${LOGS_SERVICE_PACKAGE}.ExportLogsServiceResponse`, {
  partialSuccess: message<ExportLogsPartialSuccess>(1, EXPORT_LOGS_PARTIAL_SUCCESS),
})
export interface ExportLogsServiceResponse extends ContentOf<typeof EXPORT_LOGS_RESPONSE> {}

export const EXPORT_METRICS_REQUEST = sameFields(`${METRICS_SERVICE_PACKAGE}.ExportMetricsServiceRequest`, METRICS_DATA)

export const EXPORT_METRICS_PARTIAL_SUCCESS = defineMessage(`${METRICS_SERVICE_PACKAGE}.ExportMetricsPartialSuccess`, {
  rejectedDataPoints: int64(1),
  errorMessage: text(2),
})
export interface ExportMetricsPartialSuccess extends ContentOf<typeof EXPORT_METRICS_PARTIAL_SUCCESS> {}

export const EXPORT_METRICS_RESPONSE = defineMessage(`${METRICS_SERVICE_PACKAGE}.ExportMetricsServiceResponse`, {
  partialSuccess: message<ExportMetricsPartialSuccess>(1, EXPORT_METRICS_PARTIAL_SUCCESS),
})
export interface ExportMetricsServiceResponse extends ContentOf<typeof EXPORT_METRICS_RESPONSE> {}

export const EXPORT_PROFILES_REQUEST = sameFields(
  `${PROFILES_SERVICE_PACKAGE}.ExportProfilesServiceRequest`,
  PROFILES_DATA,
)

export const EXPORT_PROFILES_PARTIAL_SUCCESS = defineMessage(
  `${PROFILES_SERVICE_PACKAGE}.ExportProfilesPartialSuccess`,
  { rejectedProfiles: int64(1), errorMessage: text(2) },
)
export interface ExportProfilesPartialSuccess extends ContentOf<typeof EXPORT_PROFILES_PARTIAL_SUCCESS> {}

export const EXPORT_PROFILES_RESPONSE = defineMessage(`${PROFILES_SERVICE_PACKAGE}.ExportProfilesServiceResponse`, {
  partialSuccess: message<ExportProfilesPartialSuccess>(1, EXPORT_PROFILES_PARTIAL_SUCCESS),
})
export interface ExportProfilesServiceResponse extends ContentOf<typeof EXPORT_PROFILES_RESPONSE> {}

/** All have one method, Export. */
export const EXPORT_SERVICES = {
  traces: {
    name: `${TRACE_SERVICE_PACKAGE}.TraceService`,
    request: EXPORT_TRACE_REQUEST as Message,
    response: EXPORT_TRACE_RESPONSE as Message,
  },
  logs: {
    name: `${LOGS_SERVICE_PACKAGE}.LogsService`,
    request: EXPORT_LOGS_REQUEST as Message,
    response: EXPORT_LOGS_RESPONSE as Message,
  },
  metrics: {
    name: `${METRICS_SERVICE_PACKAGE}.MetricsService`,
    request: EXPORT_METRICS_REQUEST as Message,
    response: EXPORT_METRICS_RESPONSE as Message,
  },
  profiles: {
    name: `${PROFILES_SERVICE_PACKAGE}.ProfilesService`,
    request: EXPORT_PROFILES_REQUEST as Message,
    response: EXPORT_PROFILES_RESPONSE as Message,
  },
} satisfies Record<string, ExportService>
