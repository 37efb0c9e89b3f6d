// Bytes to objects and back, for each message that goes over the wire alone. Broken input is a FormatError that names the
// format, the byte and the field; nothing else is thrown.
import { BackwardWriter, FormatError, JsonError, JsonWriter } from '@hearth/profile'
import {
  EXPORT_LOGS_REQUEST,
  EXPORT_LOGS_RESPONSE,
  EXPORT_METRICS_REQUEST,
  EXPORT_METRICS_RESPONSE,
  EXPORT_PROFILES_REQUEST,
  EXPORT_PROFILES_RESPONSE,
  EXPORT_TRACE_REQUEST,
  EXPORT_TRACE_RESPONSE,
} from './export-services.ts'
import type {
  ExportLogsServiceResponse,
  ExportMetricsServiceResponse,
  ExportProfilesServiceResponse,
  ExportTraceServiceResponse,
} from './export-services.ts'
import { JsonCursor } from '../protobuf/json-cursor.ts'
import type { LogsData } from './logs.ts'
import type { Message } from '../protobuf/message.ts'
import type { MetricsData } from './metrics.ts'
import type { ProfilesData } from './profiles.ts'
import type { RpcStatus } from './rpc-status.ts'
import { RPC_STATUS } from './rpc-status.ts'
import type { TracesData } from './traces.ts'
import type { DecodeOptions } from '../protobuf/wire-cursor.ts'
import { WireCursor, WireFault, memoryLimitOf } from '../protobuf/wire-cursor.ts'

export type { DecodeOptions }

export interface Codec<T> {
  /** Ids and bytes of the result are views of `bytes`, which must not change as long as they are used. */
  readonly decode: (bytes: Uint8Array, options?: DecodeOptions) => T
  readonly decodeJson: (bytes: Uint8Array, options?: DecodeOptions) => T
  readonly encode: (content: T) => Uint8Array
  readonly encodeJson: (content: T) => Uint8Array
}

/** `format` names it in errors. */
export function codecOf<T>(message: Message<T>, format: string): Codec<T> {
  return {
    decode: (bytes, options = {}) => decode(message, format, bytes, options),
    decodeJson: (bytes, options = {}) => decodeJson(message, format, bytes, options),
    encode: content => {
      const writer = new BackwardWriter(4096)
      message.write(writer, content)
      return writer.finish()
    },
    encodeJson: content => {
      const writer = new JsonWriter()
      message.writeJson(writer, content)
      return writer.finish()
    },
  }
}

function decode<T>(message: Message<T>, format: string, bytes: Uint8Array, options: DecodeOptions): T {
  // Node's Buffer is another class: the engine would compile every loop for both.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  try {
    return message.read(new WireCursor(plain, memoryLimitOf(plain.length, options)), plain.length, undefined)
  } catch (error) {
    throw error instanceof WireFault ? error.inFormat(format) : error
  }
}

function decodeJson<T>(message: Message<T>, format: string, bytes: Uint8Array, options: DecodeOptions): T {
  const cursor = new JsonCursor(bytes, format, memoryLimitOf(bytes.length, options))
  try {
    const content = message.readJson(cursor)
    if (cursor.peek() !== 'end') cursor.fail('more after the end of the message')
    return content
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { offset, line, column, what, path } = error
    throw new FormatError(format, offset, `${what} (line ${line}, column ${column})`, path)
  }
}

export const traces: Codec<TracesData> = codecOf(EXPORT_TRACE_REQUEST, 'OTLP traces')
export const logs: Codec<LogsData> = codecOf(EXPORT_LOGS_REQUEST, 'OTLP logs')
export const metrics: Codec<MetricsData> = codecOf(EXPORT_METRICS_REQUEST, 'OTLP metrics')
/** To check other readers against; the server reads profiles with @hearth/profile. */
export const plainProfiles: Codec<ProfilesData> = codecOf(EXPORT_PROFILES_REQUEST, 'OTLP profiles')

export const tracesResponse: Codec<ExportTraceServiceResponse> = codecOf(EXPORT_TRACE_RESPONSE, 'OTLP traces response')
export const logsResponse: Codec<ExportLogsServiceResponse> = codecOf(EXPORT_LOGS_RESPONSE, 'OTLP logs response')
export const metricsResponse: Codec<ExportMetricsServiceResponse> = codecOf(
  EXPORT_METRICS_RESPONSE,
  'OTLP metrics response',
)
export const profilesResponse: Codec<ExportProfilesServiceResponse> = codecOf(
  EXPORT_PROFILES_RESPONSE,
  'OTLP profiles response',
)
export const rpcStatus: Codec<RpcStatus> = codecOf(RPC_STATUS, 'google.rpc.Status')
