// Both receivers on free ports, with a store that only remembers what it was given.
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { LiveAccess } from '../../access/access-file.ts'
import { Gatekeeper } from '../../access/gatekeeper.ts'
import type { Keeper, ReceivedRequest } from '../../store/keeper.ts'
import { Admission } from '../admission.ts'
import { OTLP_SERVICES, OtlpGrpcServer } from '../grpc/otlp-grpc.ts'
import { OtlpHttpServer } from '../http/otlp-http.ts'
import { Receiver } from '../receiver.ts'
import type { TlsFiles } from '../tls-files.ts'
import { LocalWriter } from './local-writer.ts'

export class KeptRequests implements Keeper {
  readonly requests: ReceivedRequest[] = []
  /** Before a request is kept; what it throws is thrown. */
  before: (request: ReceivedRequest) => Promise<void> = async () => {}

  async keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'> {
    await this.before(request)
    this.requests.push(request)
    return 'kept'
  }

  get last(): ReceivedRequest {
    const last = this.requests.at(-1)
    if (last === undefined) throw new Error('nothing was kept')
    return last
  }
}

export interface ReceiversOptions {
  readonly maxBody?: number
  readonly maxInFlight?: number
  readonly maxAttributes?: number
  readonly corsOrigins?: readonly string[]
  readonly clientTimeoutMs?: number
  readonly tls?: TlsFiles
  readonly ready?: () => boolean
}

export interface Receivers {
  readonly kept: KeptRequests
  readonly writer: LocalWriter
  readonly admission: Admission
  /** As `refused traces undecodable`. */
  readonly events: string[]
  readonly errors: unknown[]
  readonly http: string
  readonly httpPort: number
  readonly grpcPort: number
  close(): Promise<void>
}

export async function startReceivers(options: ReceiversOptions = {}): Promise<Receivers> {
  const {
    maxBody = 1 << 20,
    maxInFlight = 1 << 22,
    maxAttributes = 64,
    corsOrigins = [],
    clientTimeoutMs = 60_000,
    tls,
    ready,
  } = options
  const kept = new KeptRequests()
  const admission = new Admission(maxInFlight)
  const events: string[] = []
  const errors: unknown[] = []
  const receiveEvents = {
    received: (request: { readonly signal: string }, generation: string) =>
      events.push(`received ${request.signal} ${generation}`.trim()),
    rejected: (signal: string, reason: string, count: number) => events.push(`rejected ${signal} ${reason} ${count}`),
    unknownFields: (signal: string, outcome: string, count: number) =>
      events.push(`unknown fields ${signal} ${outcome} ${count}`),
    refused: (signal: string, { reason }: { readonly reason: string }) => events.push(`refused ${signal} ${reason}`),
  }
  const writer = new LocalWriter({ keeper: kept, admission, maxAttributes, maxBody })
  const common = {
    receiver: new Receiver({ writer, events: receiveEvents }),
    gatekeeper: new Gatekeeper(new LiveAccess(join(tmpdir(), 'hearth-no-such-access.json'), () => {}), true),
    admission,
    events: receiveEvents,
    maxBody,
    tls,
    onError: (error: unknown) => errors.push(error),
  }
  const services = OTLP_SERVICES.map(([service]) => service)
  const http = new OtlpHttpServer({ ...common, clientTimeoutMs, site: { host: '127.0.0.1', corsOrigins } })
  const grpc = new OtlpGrpcServer({ ...common, clientTimeoutMs, health: { ready: ready ?? (() => true), services } })
  const httpPort = await http.listen('127.0.0.1', 0)
  const grpcPort = await grpc.listen('127.0.0.1', 0)
  return {
    kept,
    writer,
    admission,
    events,
    errors,
    http: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${httpPort}`,
    httpPort,
    grpcPort,
    close: async () => {
      await Promise.all([http.close(5000), grpc.close(5000)])
    },
  }
}
