// The settings of the agent in code. All are optional. A missing setting comes from the environment, then from the defaults.
import type { ProfileKind, RecorderOptions } from '../record/recorder-options.ts'

export const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const
export type Protocol = (typeof PROTOCOLS)[number]

export const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const
export type ExportCompression = (typeof COMPRESSIONS)[number]

export const KINDS = ['cpu', 'wall', 'heap', 'allocations', 'events', 'waits'] as const satisfies readonly ProfileKind[]
/**
 * Without `allocations`: V8 samples either live objects or all allocations, not both. Without `waits`: a hook on every asynchronous
 * resource costs time.
 */
export const DEFAULT_KINDS = ['cpu', 'wall', 'heap', 'events'] as const satisfies readonly ProfileKind[]

export interface Settings {
  readonly serviceName?: string
  /** Added to the detected attributes, and override them. */
  readonly resourceAttributes?: Readonly<Record<string, string | number | boolean>>
  /** The destination of profiles. An HTTP URL without a path gets `/v1development/profiles`. One with a path is used as it is. */
  readonly endpoint?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: Protocol
  readonly compression?: ExportCompression
  /** The timeout of a request. */
  readonly timeoutMillis?: number
  /** PEM files: the certificate authority of the server, and the client's key and certificate. */
  readonly certificate?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  /** A file to append to, or a directory to write files to, instead of an endpoint. */
  readonly output?: string
  readonly exportIntervalMillis?: number
  /** How long the exit of the process may wait for the last profiles. */
  readonly exitTimeoutMillis?: number
  readonly kinds?: readonly ProfileKind[]
  readonly sampleRateHz?: number
  readonly heapIntervalBytes?: number
  /** How far back `capture` can reach. 0 turns it off. */
  readonly ringSeconds?: number
  readonly sourceMaps?: boolean
  /** False sums equal samples and sends them without timestamps, for backends that reject timestamps. Default true. */
  readonly timestamps?: boolean
  readonly spanAttributes?: readonly string[]
  readonly baggageKeys?: readonly string[]
  /** The Broker that may request profiles: `host:port`, without TLS, or a URL. Without this setting, there is no Broker. */
  readonly brokerEndpoint?: string
  /** Authenticates this process to the Broker. */
  readonly brokerToken?: string
  /** The Broker's platform. Default `default`. */
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

/** All settings, after every decision. */
export interface Configuration extends Omit<RecorderOptions, 'resource' | 'onProblem'> {
  readonly disabled: boolean
  readonly serviceName: string | undefined
  readonly resourceAttributes: ReadonlyMap<string, string | number | boolean>
  readonly destination: Destination
  readonly output: string | undefined
  readonly exportIntervalMillis: number
  readonly exitTimeoutMillis: number
  readonly broker: BrokerSettings | undefined
}
