// The querier on free ports over a real store, with all its transports.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { fastify } from 'fastify'
import { LiveAccess, accessFileIn } from '../../access/access-file.ts'
import { Gatekeeper } from '../../access/gatekeeper.ts'
import { QueryGate } from '../../api/v1/limits/query-gate.ts'
import type { QueryStore } from '../../query/testing/query-store.ts'
import { openQueryStore } from '../../query/testing/query-store.ts'
import { sameThread } from '../../query/testing/same-thread.ts'
import { Admission } from '../../receive/admission.ts'
import { addPyroscopeQuerier } from '../querier/add-querier.ts'
import { querierService } from '../querier/grpc-querier.ts'
import { querierTasks } from '../querier/querier-tasks.ts'

export interface QuerierServer {
  readonly store: QueryStore
  readonly url: string
  readonly grpcUrl: string
  readonly errors: unknown[]
  /** The directory of the access file, for tokens. */
  readonly directory: string
  readonly gate: QueryGate
  close(): Promise<void>
}

export async function startQuerier(nowMs?: number): Promise<QuerierServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-querier-'))
  const store = await openQueryStore()
  const errors: unknown[] = []
  const gate = new QueryGate({ limits: { nodes: 100_000 } })
  const options = {
    threads: sameThread(store.queries, querierTasks),
    gate,
    gatekeeper: new Gatekeeper(new LiveAccess(accessFileIn(directory), error => errors.push(error)), true),
    admission: new Admission(1 << 24),
    maxBody: 1 << 20,
    onError: (error: unknown) => void errors.push(error),
    ...(nowMs === undefined ? {} : { now: () => nowMs }),
  }
  // The main port parses JSON for its own API. That must not affect the added routes.
  const app = fastify({ logger: false, forceCloseConnections: true })
  app.post('/echo', async request => request.body)
  addPyroscopeQuerier(app, options)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const grpc = new Server()
  const { definition, implementation } = querierService(options)
  grpc.addService(definition, implementation)
  const grpcPort = await new Promise<number>((resolve, reject) => {
    const done = (error: unknown, port: number): void => (error instanceof Error ? reject(error) : resolve(port))
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done)
  })
  const server: QuerierServer = {
    store,
    url,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    errors,
    directory,
    gate,
    close: async () => {
      grpc.forceShutdown()
      await app.close()
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return server
}
