// The four Export services and their messages. A request has the fields of its signal's data message, so either can be read
// as the other.
import type { Field } from '../protobuf/field.ts'
import { int64, message, text } from '../protobuf/field.ts'
import type { Message } from '../protobuf/field.ts'
import { defineMessage, sameFields } from '../protobuf/message.ts'
import type { ProtoService } from '../protobuf/proto-file.ts'
import { LOGS_DATA } from './logs.ts'
import { METRICS_DATA } from './metrics.ts'
import { PROFILES_DATA } from './profiles.ts'
import { TRACES_DATA } from './traces.ts'

/** How many items were rejected, and why. */
/** The signals of OTLP, profiles first. */
export const SIGNALS = ['profiles', 'traces', 'logs', 'metrics'] as const
export type Signal = (typeof SIGNALS)[number]

export type PartialSuccess<Rejected extends string> = { readonly errorMessage: string } & Readonly<
  Record<Rejected, bigint>
>

export interface ExportResponse<Rejected extends string> {
  /** Undefined if everything was accepted. */
  readonly partialSuccess: PartialSuccess<Rejected> | undefined
}

export interface ExportService<Data, Rejected extends string> {
  readonly service: ProtoService
  readonly request: Message<Data>
  readonly response: Message<ExportResponse<Rejected>>
  readonly partialSuccess: Message<PartialSuccess<Rejected>>
}

/** Defines `collector.trace.v1.TraceService` with ExportTraceServiceRequest and so on. */
function defineExport<Data, Rejected extends string>(
  packageName: string,
  signal: string,
  data: Message<Data>,
  rejected: Rejected,
): ExportService<Data, Rejected> {
  const prefix = `opentelemetry.proto.collector.${packageName}`
  const request = sameFields(`${prefix}.Export${signal}ServiceRequest`, data)
  const counts = { [rejected]: int64(1) } as Record<Rejected, Field<bigint>>
  const partialSuccess = defineMessage(`${prefix}.Export${signal}PartialSuccess`, {
    ...counts,
    errorMessage: text(2),
  }) as unknown as Message<PartialSuccess<Rejected>>
  const response = defineMessage(`${prefix}.Export${signal}ServiceResponse`, {
    partialSuccess: message<PartialSuccess<Rejected>>(1, partialSuccess),
  })
  const service = { name: `${prefix}.${signal}Service`, methods: [{ name: 'Export', request, response }] }
  return { service, request, response, partialSuccess }
}

export const EXPORT_SERVICES = {
  traces: defineExport('trace.v1', 'Trace', TRACES_DATA, 'rejectedSpans'),
  logs: defineExport('logs.v1', 'Logs', LOGS_DATA, 'rejectedLogRecords'),
  metrics: defineExport('metrics.v1', 'Metrics', METRICS_DATA, 'rejectedDataPoints'),
  profiles: defineExport('profiles.v1development', 'Profiles', PROFILES_DATA, 'rejectedProfiles'),
}
