// Opens the exporter of the configuration.
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp, writeOtlpJson } from '@hearth/profile/recording'
import type { Configuration } from '../configuration/options.ts'
import { compressor } from './compress.ts'
import type { ProfilesExporter } from './exporter.ts'
import { FileExporter } from './file-exporter.ts'
import { openTransport } from './open-transport.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { ThreadTransport } from './thread-transport.ts'

export interface OpenOptions {
  readonly serviceName: string
  readonly version: string
  readonly onProblem: (problem: string) => void
  /** Sends from a thread of its own. Default false. Only for the built agent: a thread cannot load its sources. */
  readonly inThread?: boolean
}

export function openExporter(
  { output, destination }: Pick<Configuration, 'output' | 'destination'>,
  { serviceName, version, onProblem, inThread = false }: OpenOptions,
): ProfilesExporter {
  if (output !== undefined) return new FileExporter({ path: output, serviceName, onProblem })
  const { protocol, url, compression } = destination
  const userAgent = `hearth-agent/${version}`
  const thread = inThread ? new ThreadTransport(destination, userAgent, onProblem) : undefined
  return new OtlpExporter({
    transport: thread ?? openTransport(destination, userAgent, onProblem),
    encode: protocol === 'http/json' ? encodeJson : encodeOtlp,
    compress: thread !== undefined && compression === 'gzip' ? thread.gzip : compressor(compression),
    // Without the password and the query, which may contain secrets.
    destination: protocol === 'grpc' ? url.origin : `${url.origin}${url.pathname}`,
    onProblem,
  })
}

function encodeJson(profiles: Profiles): Uint8Array {
  return writeOtlpJson(profiles, { fresh: true }).bytes
}
