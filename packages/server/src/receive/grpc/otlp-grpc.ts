// OTLP over gRPC. The services are declared with raw bytes, so that the hot decoders read them without message objects.
import type {
  ServerInterceptingCallInterface,
  ServerUnaryCall,
  StatusObject,
  UntypedServiceImplementation,
  sendUnaryData,
  status,
} from '@grpc/grpc-js'
import {
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  logVerbosity,
  setLogVerbosity,
} from '@grpc/grpc-js'
import type { Gatekeeper, Identity } from '../../access/gatekeeper.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import type { Signal } from '../../store/keeper.ts'
import type { Admission } from '../admission.ts'
import type { HealthService } from './grpc-health.ts'
import { addHealth } from './grpc-health.ts'
import { addReflection } from './grpc-reflection.ts'
import type { GrpcService } from './raw-method.ts'
import { acceptCompressions, keepCompressed } from './message-compression.ts'
import { NOTHING, firstValue, rawMethod } from './raw-method.ts'
import { limitArrival } from './slow-requests.ts'
import { responseBody, statusBody } from '../otlp-responses.ts'
import { accessRefusal } from '../http/otlp-http.ts'
import { VERSION_HEADER, profilesVersion } from '../profiles-version.ts'
import type { ReceiveEvents, Receiver } from '../receiver.ts'
import { Code, Refusal } from '../refusal.ts'
import type { TlsFiles } from '../tls-files.ts'

const COLLECTOR = 'opentelemetry.proto.collector'

export const OTLP_SERVICES: readonly (readonly [service: string, signal: Signal])[] = [
  [`${COLLECTOR}.profiles.v1development.ProfilesService`, 'profiles'],
  [`${COLLECTOR}.profiles.v1experimental.ProfilesService`, 'profiles'],
  [`${COLLECTOR}.trace.v1.TraceService`, 'traces'],
  [`${COLLECTOR}.logs.v1.LogsService`, 'logs'],
  [`${COLLECTOR}.metrics.v1.MetricsService`, 'metrics'],
]

const SIGNAL_OF_PATH = new Map(OTLP_SERVICES.map(([service, signal]) => [`/${service}/Export`, signal]))

export interface OtlpGrpcOptions {
  readonly receiver: Receiver
  readonly gatekeeper: Gatekeeper
  readonly admission: Admission
  readonly events: ReceiveEvents
  readonly health: HealthService
  /** Services of other folders on the same port. */
  readonly services?: readonly GrpcService[]
  readonly maxBody: number
  /** A call is ended if its request is not complete after this time. */
  readonly clientTimeoutMs: number
  readonly tls: TlsFiles | undefined
  readonly onError: (error: unknown) => void
}

interface ExportCall {
  readonly identity: Identity
  /** The compression of the message; empty if it is not compressed. */
  contentEncoding: string
}

export class OtlpGrpcServer {
  readonly #server: Server
  readonly #options: OtlpGrpcOptions
  /** Running exports, from the check before their message. */
  readonly #calls = new WeakMap<Metadata, ExportCall>()
  readonly #endStreams: () => void

  constructor(options: OtlpGrpcOptions) {
    this.#options = options
    // The library's messages for stderr are reported as errors, too.
    setLogVerbosity(logVerbosity.NONE)
    this.#server = new Server({
      'grpc.max_receive_message_length': options.maxBody,
      // Responses and events have their own limits.
      'grpc.max_send_message_length': -1,
      // A sender with thousands of calls waits for its own calls. Admission bounds the memory of all senders.
      'grpc.max_concurrent_streams': 256,
      'grpc.keepalive_permit_without_calls': 1,
      // Detects peers that disappeared, and ends their streams.
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_timeout_ms': 10_000,
      interceptors: [
        ({ path, requestStream }, call) => {
          if (!requestStream) limitArrival(call, options.clientTimeoutMs)
          return this.#gate(path, call)
        },
      ],
    })
    for (const [service, signal] of OTLP_SERVICES) {
      const implementation: UntypedServiceImplementation = {
        Export: (call: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>) => {
          void this.#export(signal, call, callback)
        },
      }
      this.#server.addService({ Export: rawMethod(`/${service}/Export`) }, implementation)
    }
    const { services = [] } = options
    for (const { definition, implementation } of services) this.#server.addService(definition, implementation)
    const endHealth = addHealth(this.#server, options.health)
    const endReflection = addReflection(
      this.#server,
      services.flatMap(({ files = [] }) => files),
    )
    this.#endStreams = () => {
      for (const { end } of services) end?.()
      endHealth()
      endReflection()
    }
  }

  async listen(host: string, port: number): Promise<number> {
    const { tls } = this.#options
    const pair = tls === undefined ? [] : [{ private_key: tls.key, cert_chain: tls.cert }]
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(tls.ca ?? NOTHING, pair, tls.requestCert)
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, bound) => {
        if (error === null) resolve(bound)
        else reject(new Error(`OTLP over gRPC: ${error.message}`, { cause: error }))
      })
    })
  }

  /** Waits for running calls, and cancels them after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    await new Promise<void>(resolve => {
      const timer = setTimeout(() => {
        this.#server.forceShutdown()
        resolve()
      }, timeoutMs)
      this.#endStreams()
      this.#server.tryShutdown(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Checks access and memory before a message is read. */
  #gate(path: string, call: ServerInterceptingCallInterface): ServerInterceptingCall {
    const signal = SIGNAL_OF_PATH.get(path)
    if (signal === undefined) {
      acceptCompressions(call, this.#options.maxBody)
      return new ServerInterceptingCall(call)
    }
    return new ServerInterceptingCall(call, {
      start: next =>
        next({
          onReceiveMetadata: (metadata, goOn) => {
            try {
              const exporting: ExportCall = { identity: this.#identify(metadata), contentEncoding: '' }
              this.#calls.set(metadata, exporting)
              keepCompressed(call, encoding => (exporting.contentEncoding = encoding))
              if (signal === 'profiles') profilesVersion(metadata.get(VERSION_HEADER))
              this.#options.admission.check()
            } catch (error) {
              call.sendStatus(this.#statusFor(signal, error))
              return
            }
            goOn(metadata)
          },
        }),
    })
  }

  #identify(metadata: Metadata): Identity {
    const scopeOrgId = firstValue(metadata, 'x-scope-orgid')
    return this.#options.gatekeeper.identify(
      { authorization: firstValue(metadata, 'authorization'), scopeOrgId },
      'write',
    )
  }

  async #export(
    signal: Signal,
    { request, metadata }: ServerUnaryCall<Buffer, Uint8Array>,
    callback: sendUnaryData<Uint8Array>,
  ): Promise<void> {
    const { admission, receiver } = this.#options
    try {
      const { identity, contentEncoding } = this.#calls.get(metadata)!
      const admitted = admission.admit(request.length)
      try {
        const client = firstValue(metadata, 'user-agent') ?? ''
        const version = signal === 'profiles' ? profilesVersion(metadata.get(VERSION_HEADER)) : ''
        const sender = { transport: 'grpc', identity, client, version } as const
        const incoming = { ...sender, signal, encoding: 'protobuf', body: request, contentEncoding } as const
        callback(NOTHING, responseBody(await receiver.receive(incoming), 'protobuf'))
      } finally {
        admitted.release()
      }
    } catch (error) {
      callback(this.#statusFor(signal, error))
    }
  }

  #statusFor(signal: Signal, error: unknown): StatusObject {
    const refusal = this.#refusalFor(error)
    this.#options.events.refused(signal, refusal)
    const metadata = new Metadata()
    // google.rpc.Status with RetryInfo tells the sender how long to wait.
    metadata.set('grpc-status-details-bin', Buffer.from(statusBody(refusal, 'protobuf')))
    return { code: refusal.code as status, details: refusal.message, metadata }
  }

  #refusalFor(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    if (error instanceof AccessError) return accessRefusal(error)
    this.#options.onError(error)
    return new Refusal(500, Code.internal, 'internal', 'internal error; see the server log')
  }
}
