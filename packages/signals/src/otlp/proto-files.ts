// The .proto files that the message types stand for, as FileDescriptorProtos: what gRPC reflection gives to tools such as
// grpcurl. Made from the same tables as the codecs, and encoded with them.
import { BackwardWriter } from '@hearth/profile'
import { ANY_VALUE, ENTITY_REF, KEY_VALUE, RESOURCE, SCOPE } from './common.ts'
import type { ProtoService } from '../protobuf/describe-file.ts'
import { FILE_DESCRIPTOR, describeFile, typesUsed } from '../protobuf/describe-file.ts'
import {
  EXPORT_LOGS_PARTIAL_SUCCESS,
  EXPORT_METRICS_PARTIAL_SUCCESS,
  EXPORT_PROFILES_PARTIAL_SUCCESS,
  EXPORT_SERVICES,
  EXPORT_TRACE_PARTIAL_SUCCESS,
} from './export-services.ts'
import type { Enumeration } from '../protobuf/field.ts'
import * as logs from './logs.ts'
import type { Message } from '../protobuf/message.ts'
import * as metrics from './metrics.ts'
import { OPEN_ARRAY_VALUE, OPEN_KEY_VALUE_LIST } from './open-values.ts'
import * as profiles from './profiles.ts'
import { ANY, DURATION, RETRY_INFO, RPC_STATUS } from './rpc-status.ts'
import * as traces from './traces.ts'

export interface ProtoFile {
  /** As `opentelemetry/proto/trace/v1/trace.proto`. */
  readonly name: string
  readonly package: string
  /** Names of the files whose types are used. */
  readonly dependencies: readonly string[]
  /** Full names of messages, enums and services. */
  readonly symbols: readonly string[]
  /** Full names of its services alone. */
  readonly services: readonly string[]
  /** A FileDescriptorProto. */
  protobufDescriptor(): Uint8Array
}

/** What a .proto file has in it. */
export interface ProtoSource {
  readonly name: string
  readonly types: readonly (Message | Enumeration)[]
  readonly service?: ProtoService
}

/** A module's messages and enumerations. */
function typesOf(module: Readonly<Record<string, unknown>>): (Message | Enumeration)[] {
  return Object.values(module) as (Message | Enumeration)[]
}

function serviceFile(name: string, service: ProtoService, partialSuccess: Message): ProtoSource {
  return { name, service, types: [service.request, service.response, partialSuccess] }
}

const ROOT = 'opentelemetry/proto'
const COLLECTOR = `${ROOT}/collector`

export const PROTO_SOURCES: readonly ProtoSource[] = [
  {
    name: `${ROOT}/common/v1/common.proto`,
    types: [ANY_VALUE, OPEN_ARRAY_VALUE, OPEN_KEY_VALUE_LIST, KEY_VALUE, SCOPE, ENTITY_REF] as Message[],
  },
  { name: `${ROOT}/resource/v1/resource.proto`, types: [RESOURCE as Message] },
  { name: `${ROOT}/trace/v1/trace.proto`, types: typesOf(traces) },
  { name: `${ROOT}/logs/v1/logs.proto`, types: typesOf(logs) },
  { name: `${ROOT}/metrics/v1/metrics.proto`, types: typesOf(metrics) },
  { name: `${ROOT}/profiles/v1development/profiles.proto`, types: typesOf(profiles) },
  serviceFile(
    `${COLLECTOR}/trace/v1/trace_service.proto`,
    EXPORT_SERVICES.traces,
    EXPORT_TRACE_PARTIAL_SUCCESS as Message,
  ),
  serviceFile(`${COLLECTOR}/logs/v1/logs_service.proto`, EXPORT_SERVICES.logs, EXPORT_LOGS_PARTIAL_SUCCESS as Message),
  serviceFile(
    `${COLLECTOR}/metrics/v1/metrics_service.proto`,
    EXPORT_SERVICES.metrics,
    EXPORT_METRICS_PARTIAL_SUCCESS as Message,
  ),
  serviceFile(
    `${COLLECTOR}/profiles/v1development/profiles_service.proto`,
    EXPORT_SERVICES.profiles,
    EXPORT_PROFILES_PARTIAL_SUCCESS as Message,
  ),
  { name: 'google/protobuf/any.proto', types: [ANY as Message] },
  { name: 'google/protobuf/duration.proto', types: [DURATION as Message] },
  { name: 'google/rpc/status.proto', types: [RPC_STATUS as Message] },
  { name: 'google/rpc/error_details.proto', types: [RETRY_INFO as Message] },
]

/** The files of some sources; types that they use may be defined in `others`. */
export function protoFiles(sources: readonly ProtoSource[], others: readonly ProtoFile[] = []): ProtoFile[] {
  const fileOfType = new Map([
    ...others.flatMap(({ name, symbols }) => symbols.map(symbol => [symbol, name] as const)),
    ...sources.flatMap(({ name, types }) => types.map(type => [type.name, name] as const)),
  ])
  return sources.map(source => protoFile(source, fileOfType))
}

export const PROTO_FILES: readonly ProtoFile[] = protoFiles(PROTO_SOURCES)

/** The one of the files that defines a message, an enumeration or a service. */
export function fileOfSymbol(files: readonly ProtoFile[], symbol: string): ProtoFile | undefined {
  // Methods and fields belong to the file of what they are in.
  const isIn = (owner: string): boolean => symbol === owner || symbol.startsWith(`${owner}.`)
  return files.find(file => file.symbols.some(isIn))
}

function protoFile({ name, types, service }: ProtoSource, fileOfType: ReadonlyMap<string, string>): ProtoFile {
  const services = service === undefined ? [] : [service.name]
  // Types and packages are told apart by their first letter.
  const [packageName] = (types[0]?.name ?? services[0]).split(/\.(?=[A-Z])/)
  const used = typesUsed(types, service).map(type => fileOfType.get(type)!)
  const dependencies = [...new Set(used)].filter(file => file !== name).toSorted()
  return {
    name,
    package: packageName,
    dependencies,
    symbols: [...types.map(type => type.name), ...services],
    services,
    protobufDescriptor: () => {
      const writer = new BackwardWriter(4096)
      FILE_DESCRIPTOR.write(writer, describeFile({ name, packageName, dependencies, types, service }))
      return writer.finish()
    },
  }
}
