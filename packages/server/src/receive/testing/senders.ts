// Sends raw bytes over HTTP and gRPC, for requests that OpenTelemetry's exporters never send.
import type { ChannelCredentials, ClientDuplexStream, ClientOptions, ServiceError } from '@grpc/grpc-js'
import { Client, Metadata, credentials } from '@grpc/grpc-js'

export const PROTOBUF = 'application/x-protobuf'
export const JSON_TYPE = 'application/json'

export interface ReceivedResponse {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly body: Uint8Array
  readonly text: string
}

export async function post(
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReceivedResponse> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return receivedResponse(await fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers: { ...headers } }))
}

export async function receivedResponse(response: Response): Promise<ReceivedResponse> {
  const body = new Uint8Array(await response.arrayBuffer())
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: response.headers,
    body,
    text: Buffer.from(body).toString('utf8'),
  }
}

export const SERVICES = {
  profiles: 'opentelemetry.proto.collector.profiles.v1development.ProfilesService',
  oldProfiles: 'opentelemetry.proto.collector.profiles.v1experimental.ProfilesService',
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
} as const

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes)
const unchanged = (bytes: Buffer): Buffer => bytes

export class GrpcSender {
  readonly client: Client

  constructor(
    port: number,
    options: ClientOptions = {},
    security: ChannelCredentials = credentials.createInsecure(),
    host = '127.0.0.1',
  ) {
    this.client = new Client(`${host}:${port}`, security, options)
  }

  export(
    service: keyof typeof SERVICES,
    bytes: Uint8Array,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<Uint8Array> {
    return this.call(`/${SERVICES[service]}/Export`, bytes, metadata)
  }

  call(
    path: string,
    bytes: Uint8Array,
    metadata: Metadata | Readonly<Record<string, string>> = {},
  ): Promise<Uint8Array> {
    const headers = metadata instanceof Metadata ? metadata : new Metadata()
    if (!(metadata instanceof Metadata)) for (const [name, value] of Object.entries(metadata)) headers.set(name, value)
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, asIs, unchanged, bytes, headers, {}, (error, value) => {
        if (error === null) resolve(value ?? new Uint8Array(0))
        else reject(error)
      })
    })
  }

  /** Returns the error of a refused export. */
  async refusal(
    service: keyof typeof SERVICES,
    bytes: Uint8Array,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ServiceError> {
    return this.export(service, bytes, metadata).then(
      () => Promise.reject(new Error('the export was accepted')),
      (error: unknown) => error as ServiceError,
    )
  }

  /** Opens a stream of raw bytes. */
  stream(path: string): ClientDuplexStream<Uint8Array, Buffer> {
    return this.client.makeBidiStreamRequest(path, asIs, unchanged)
  }

  close(): void {
    this.client.close()
  }
}
