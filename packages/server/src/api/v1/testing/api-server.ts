// The API on its own port, with a store that has profiles.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LiveAccess, accessFileIn } from '../../../access/access-file.ts'
import { Gatekeeper } from '../../../access/gatekeeper.ts'
import { Metrics } from '../../../observe/metrics.ts'
import type { PlainProfile } from '../../../query/testing/plain-profiles.ts'
import { START, plainProfile } from '../../../query/testing/plain-profiles.ts'
import type { QueryStore } from '../../../query/testing/query-store.ts'
import { openQueryStore } from '../../../query/testing/query-store.ts'
import { sameThread } from '../../../query/testing/same-thread.ts'
import type { TaskRunner } from '../../../query/threads/query-task.ts'
import type { Engine } from '../../../store/engine.ts'
import { Saved } from '../../../saved/saved.ts'
import { HttpServer } from '../../http-server.ts'
import { addApiV1 } from '../add-api-v1.ts'
import type { QueryGateOptions } from '../limits/query-gate.ts'
import { QueryGate } from '../limits/query-gate.ts'
import type { ApiTasks } from '../query-tasks.ts'
import { apiTasks } from '../query-tasks.ts'
import { testStatus } from './test-status.ts'

export const TEST_FROM = START
export const TEST_TO = START + 60_000_000_000n
export const TEST_RANGE = { from: String(TEST_FROM), to: String(TEST_TO) }

export interface ApiServer {
  readonly at: QueryStore
  readonly gate: QueryGate
  readonly profiles: readonly PlainProfile[]
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly port: number
  /** The data directory, with the access file. */
  readonly directory: string
  /** Errors that the server logged as its own. */
  readonly errors: unknown[]
  close(): Promise<void>
}

export interface ApiServerOptions extends QueryGateOptions {
  readonly corsOrigins?: readonly string[]
  /** Query threads; queries run in the thread of the test unless given. */
  readonly threads?: (engine: Engine) => TaskRunner<ApiTasks> & { close(): Promise<void> }
}

export async function openApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-api-v1-'))
  const [profiles] = fc.sample(fc.array(plainProfile, { minLength: 30, maxLength: 30 }), { seed: 11, numRuns: 1 })
  // Enough for two concurrent queries: the tested one and one that observes it.
  const at = await openQueryStore({ threads: 6 })
  await at.keep('default', profiles)
  const gatekeeper = new Gatekeeper(new LiveAccess(accessFileIn(directory), () => {}), true)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const gate = new QueryGate(options)
  const queryThreads = options.threads?.(at.store.engine)
  const threads = queryThreads ?? sameThread(at.queries, apiTasks)
  const server = new HttpServer({
    gatekeeper,
    metrics: new Metrics(),
    readiness: () => ({ ready: true, problems: [] }),
    version: 'test',
    tls: undefined,
    site: { host: '127.0.0.1', corsOrigins: options.corsOrigins ?? [] },
    onError,
    addRoutes: app =>
      addApiV1(app, { threads, gatekeeper, gate, status: testStatus(gate), onError, saved: new Saved(directory) }),
  })
  const port = await server.listen('127.0.0.1', 0)
  return {
    at,
    gate,
    profiles,
    url: `http://127.0.0.1:${port}`,
    port,
    directory,
    errors,
    async close() {
      await server.close(1000)
      await queryThreads?.close()
      await at.close()
      rmSync(directory, { recursive: true })
    },
  }
}
