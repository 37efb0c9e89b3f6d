// Opens the exporter of the configuration.
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp, writeOtlpJson } from '@hearth/profile/recording'
import type { Configuration } from '../configuration/options.ts'
import { compressor } from './compress.ts'
import type { ProfilesExporter } from './exporter.ts'
import { FileExporter } from './file-exporter.ts'
import { GrpcTransport } from './grpc-transport.ts'
import { HttpTransport } from './http-transport.ts'
import { OtlpExporter } from './otlp-exporter.ts'

export interface OpenOptions {
  readonly serviceName: string
  readonly version: string
  readonly onProblem: (problem: string) => void
}

export function openExporter(
  { output, destination }: Pick<Configuration, 'output' | 'destination'>,
  { serviceName, version, onProblem }: OpenOptions,
): ProfilesExporter {
  if (output !== undefined) return new FileExporter({ path: output, serviceName, onProblem })
  const { protocol, url, compression } = destination
  const userAgent = `hearth-agent/${version}`
  return new OtlpExporter({
    transport: new (protocol === 'grpc' ? GrpcTransport : HttpTransport)(destination, userAgent, onProblem),
    encode: protocol === 'http/json' ? encodeJson : encodeOtlp,
    compress: compressor(compression),
    // Without the password and the query, which may contain secrets.
    destination: protocol === 'grpc' ? url.origin : `${url.origin}${url.pathname}`,
    onProblem,
  })
}

function encodeJson(profiles: Profiles): Uint8Array {
  return writeOtlpJson(profiles, { fresh: true }).bytes
}
