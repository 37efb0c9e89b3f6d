// Codecs of the messages that senders and the server exchange.
import type { Codec } from '../protobuf/codec.ts'
import { codecOf } from '../protobuf/codec.ts'
import type { ExportResponse } from './export-services.ts'
import { EXPORT_SERVICES } from './export-services.ts'
import type { LogsData } from './logs.ts'
import type { MetricsData } from './metrics.ts'
import type { ProfilesData } from './profiles.ts'
import type { RpcStatus } from './rpc-status.ts'
import { RPC_STATUS } from './rpc-status.ts'
import type { TracesData } from './traces.ts'

const services = EXPORT_SERVICES

export const traces: Codec<TracesData> = codecOf(services.traces.request, 'OTLP traces')
export const logs: Codec<LogsData> = codecOf(services.logs.request, 'OTLP logs')
export const metrics: Codec<MetricsData> = codecOf(services.metrics.request, 'OTLP metrics')
/** For tests that check other readers. The server reads profiles with @hearth/profile. */
export const plainProfiles: Codec<ProfilesData> = codecOf(services.profiles.request, 'OTLP profiles')

export const tracesResponse: Codec<ExportResponse<'rejectedSpans'>> = codecOf(
  services.traces.response,
  'OTLP traces response',
)
export const logsResponse: Codec<ExportResponse<'rejectedLogRecords'>> = codecOf(
  services.logs.response,
  'OTLP logs response',
)
export const metricsResponse: Codec<ExportResponse<'rejectedDataPoints'>> = codecOf(
  services.metrics.response,
  'OTLP metrics response',
)
export const profilesResponse: Codec<ExportResponse<'rejectedProfiles'>> = codecOf(
  services.profiles.response,
  'OTLP profiles response',
)
export const rpcStatus: Codec<RpcStatus> = codecOf(RPC_STATUS, 'google.rpc.Status')
