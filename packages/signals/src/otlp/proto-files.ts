// The .proto files of OTLP and of the messages in its errors, for gRPC reflection.
import type { Message } from '../protobuf/field.ts'
import type { ProtoFile, ProtoSource } from '../protobuf/proto-file.ts'
import { protoFiles, typesIn } from '../protobuf/proto-file.ts'
import { OPEN_ANY_VALUE, OPEN_ARRAY_VALUE, OPEN_KEY_VALUE, OPEN_KEY_VALUE_LIST } from './attributes.ts'
import { ENTITY_REF, RESOURCE, SCOPE } from './common.ts'
import type { ExportService } from './export-services.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import * as logs from './logs.ts'
import * as metrics from './metrics.ts'
import * as profiles from './profiles.ts'
import { ANY, DURATION, RETRY_INFO, RPC_STATUS } from './rpc-status.ts'
import * as traces from './traces.ts'

const ROOT = 'opentelemetry/proto'

function serviceFile<Data, Rejected extends string>(
  name: string,
  { service, request, response, partialSuccess }: ExportService<Data, Rejected>,
): ProtoSource {
  return { name: `${ROOT}/collector/${name}`, service, types: [request, response, partialSuccess] as Message[] }
}

export const PROTO_SOURCES: readonly ProtoSource[] = [
  {
    name: `${ROOT}/common/v1/common.proto`,
    types: [OPEN_ANY_VALUE, OPEN_ARRAY_VALUE, OPEN_KEY_VALUE_LIST, OPEN_KEY_VALUE, SCOPE, ENTITY_REF] as Message[],
  },
  { name: `${ROOT}/resource/v1/resource.proto`, types: [RESOURCE as Message] },
  { name: `${ROOT}/trace/v1/trace.proto`, types: typesIn(traces) },
  { name: `${ROOT}/logs/v1/logs.proto`, types: typesIn(logs) },
  { name: `${ROOT}/metrics/v1/metrics.proto`, types: typesIn(metrics) },
  { name: `${ROOT}/profiles/v1development/profiles.proto`, types: typesIn(profiles) },
  serviceFile('trace/v1/trace_service.proto', EXPORT_SERVICES.traces),
  serviceFile('logs/v1/logs_service.proto', EXPORT_SERVICES.logs),
  serviceFile('metrics/v1/metrics_service.proto', EXPORT_SERVICES.metrics),
  serviceFile('profiles/v1development/profiles_service.proto', EXPORT_SERVICES.profiles),
  { name: 'google/protobuf/any.proto', types: [ANY as Message] },
  { name: 'google/protobuf/duration.proto', types: [DURATION as Message] },
  { name: 'google/rpc/status.proto', types: [RPC_STATUS as Message] },
  { name: 'google/rpc/error_details.proto', types: [RETRY_INFO as Message] },
]

export const PROTO_FILES: readonly ProtoFile[] = protoFiles(PROTO_SOURCES)
