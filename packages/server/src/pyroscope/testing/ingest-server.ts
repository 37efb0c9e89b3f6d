// A server with both ingest APIs on free ports. Its store records what it receives, or is a real one.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { fastify } from 'fastify'
import { LiveAccess } from '../../access/access-file.ts'
import { Gatekeeper } from '../../access/gatekeeper.ts'
import { Admission } from '../../receive/admission.ts'
import { Receiver } from '../../receive/receiver.ts'
import { LocalWriter } from '../../receive/testing/local-writer.ts'
import { KeptRequests } from '../../receive/testing/receivers.ts'
import type { Keeper } from '../../store/keeper.ts'
import { addPyroscopeIngest } from '../ingest/add-ingest.ts'
import { pusherService } from '../ingest/grpc-push.ts'
import { pyroscopeIngestReader } from '../ingest/ingest.ts'
import { pyroscopePushReader } from '../ingest/push.ts'

export const NOW = 1_790_000_000_123

export interface IngestServer {
  readonly kept: KeptRequests
  readonly admission: Admission
  readonly errors: unknown[]
  readonly events: string[]
  readonly url: string
  readonly grpcPort: number
  close(): Promise<void>
}

export interface IngestServerOptions {
  readonly maxBody?: number
  readonly maxInFlight?: number
  readonly accessFile?: string
  /** A real store, which receives the recorded profiles too. */
  readonly keeper?: Keeper
}

export async function startIngest(options: IngestServerOptions = {}): Promise<IngestServer> {
  const { maxBody = 1 << 20, maxInFlight = 1 << 24 } = options
  const { accessFile = join(tmpdir(), 'hearth-no-such-access.json') } = options
  const kept = new KeptRequests()
  const { keeper } = options
  if (keeper !== undefined)
    kept.before = async request => {
      await keeper.keep(request)
    }
  const errors: unknown[] = []
  const events: string[] = []
  const receiveEvents = {
    received: (_request: object, generation: string) => void events.push(`received ${generation}`),
    rejected: () => {},
    unknownFields: () => {},
    refused: (_signal: string, { reason }: { readonly reason: string }) => void events.push(`refused ${reason}`),
  }
  const admission = new Admission(maxInFlight)
  const readers = { ...pyroscopePushReader, ...pyroscopeIngestReader }
  const common = {
    receiver: new Receiver({
      writer: new LocalWriter({ keeper: kept, admission, maxAttributes: 8, maxBody, readers }),
      events: receiveEvents,
    }),
    gatekeeper: new Gatekeeper(new LiveAccess(accessFile, error => errors.push(error)), true),
    admission,
    events: receiveEvents,
    maxBody,
    onError: (error: unknown) => void errors.push(error),
    now: () => NOW,
  }
  // The main port parses JSON for its own API. That must not affect the added routes.
  const app = fastify({ logger: false, forceCloseConnections: true })
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.post('/echo', async request => request.body)
  addPyroscopeIngest(app, common)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const grpc = new Server()
  const { definition, implementation } = pusherService(common)
  grpc.addService(definition, implementation)
  const grpcPort = await new Promise<number>((resolve, reject) => {
    const done = (error: unknown, port: number): void => (error instanceof Error ? reject(error) : resolve(port))
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done)
  })
  return {
    kept,
    admission,
    errors,
    events,
    url,
    grpcPort,
    close: async () => {
      grpc.forceShutdown()
      await app.close()
    },
  }
}
