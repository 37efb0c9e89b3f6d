// What can be said to the agent in code. Everything is optional; what is not given comes from the environment, and what is not
// there either has a default.
import type { ProfileKind } from '../record/recorder.ts'

export const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const
export type Protocol = (typeof PROTOCOLS)[number]

export const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const
export type ExportCompression = (typeof COMPRESSIONS)[number]

export const KINDS = ['cpu', 'wall', 'heap', 'allocations', 'events'] as const satisfies readonly ProfileKind[]
/** Without `allocations`: V8 tells of these or of what is alive, not of both. */
export const DEFAULT_KINDS = ['cpu', 'wall', 'heap', 'events'] as const satisfies readonly ProfileKind[]

export interface Settings {
  readonly serviceName?: string
  /** Beside those that are detected, over which they win. */
  readonly resourceAttributes?: Readonly<Record<string, string | number | boolean>>
  /** Where to. For HTTP, a URL without a path gets `/v1development/profiles`; one with a path is used as it is. */
  readonly endpoint?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: Protocol
  readonly compression?: ExportCompression
  /** For one request. */
  readonly timeoutMillis?: number
  /** PEM files: who the server may be, and who the agent is. */
  readonly certificate?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  /** A file to append to, or a directory to fill, instead of an endpoint. */
  readonly output?: string
  readonly exportIntervalMillis?: number
  /** How long the end of the process may wait for the last profiles. */
  readonly exitTimeoutMillis?: number
  readonly kinds?: readonly ProfileKind[]
  readonly sampleRateHz?: number
  readonly heapIntervalBytes?: number
  /** How far `capture` can look back; 0 turns it off. */
  readonly ringSeconds?: number
  readonly sourceMaps?: boolean
  readonly spanAttributes?: readonly string[]
  readonly baggageKeys?: readonly string[]
  /** The Broker that may ask for profiles: `host:port`, which is without TLS, or a URL. None, if not given. */
  readonly brokerEndpoint?: string
  /** By which the Broker knows that this process may take part. */
  readonly brokerToken?: string
  /** The Broker's platform, `default` if not given. */
  readonly brokerPlatform?: string
  readonly disabled?: boolean
}

export interface BrokerSettings {
  readonly address: string
  readonly token: string
  readonly platform: string
}

export interface Destination {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: Protocol
  readonly compression: ExportCompression
  readonly timeoutMillis: number
  /** Paths of PEM files. */
  readonly certificate: string | undefined
  readonly clientCertificate: string | undefined
  readonly clientKey: string | undefined
}

/** Everything decided. */
export interface Configuration {
  readonly disabled: boolean
  readonly serviceName: string | undefined
  readonly resourceAttributes: ReadonlyMap<string, string | number | boolean>
  readonly destination: Destination
  readonly output: string | undefined
  readonly exportIntervalMillis: number
  readonly exitTimeoutMillis: number
  readonly kinds: readonly ProfileKind[]
  readonly sampleRateHz: number
  readonly heapIntervalBytes: number
  readonly ringSeconds: number
  readonly sourceMaps: boolean
  readonly spanAttributes: readonly string[]
  readonly baggageKeys: readonly string[]
  readonly broker: BrokerSettings | undefined
}
