// Runs the queries of Pyroscope's clients in query threads, in a slot of their tenant.
import type { MissingData } from '../../http/missing-data.ts'
import type { QueryGate } from '../../api/v1/limits/query-gate.ts'
import type { TaskRunner } from '../../query/threads/query-task.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import { owned } from '../../workers/owned.ts'
import type { AdmitOptions } from '../admit-request.ts'
import type { MethodCall, QuerierCaller, QuerierTasks } from './querier-tasks.ts'

export interface QuerierOptions extends AdmitOptions {
  /** The threads that run queries. */
  readonly threads: TaskRunner<QuerierTasks>
  /** Shared with the other query APIs, so that all queries of a tenant count together. */
  readonly gate: Pick<QueryGate, 'run' | 'queryLimits' | 'limitsOf'>
  readonly onError: (error: unknown) => void
  readonly missingData?: MissingData
  /** Milliseconds since 1970; the system clock unless given. */
  readonly now?: () => number
}

export interface Caller {
  readonly tenant: string
  readonly signal: AbortSignal
  /** The client's time limit. */
  readonly timeoutMs: number | undefined
}

/** Calls a method of the querier. Returns the encoded response. */
export async function callQuerier(
  options: QuerierOptions,
  caller: Caller,
  { method, encoding, body }: Omit<MethodCall, 'caller'>,
): Promise<Uint8Array> {
  return await runQuery(options, caller, (plain, signal) => {
    const call = { caller: plain, method, encoding, body: owned(body) }
    return options.threads.call('querierMethod', call, { tenant: caller.tenant, signal })
  })
}

/** Waits for the tenant's turn. Cancels the work when the client disconnects or its time limit is over. */
export async function runQuery<Response>(
  { gate }: QuerierOptions,
  { tenant, signal, timeoutMs }: Caller,
  run: (caller: QuerierCaller, signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const either = late === undefined ? signal : AbortSignal.any([signal, late])
  const caller = { tenant, limits: gate.queryLimits(tenant), maxNodes: gate.limitsOf(tenant).nodes }
  try {
    return await gate.run(tenant, either, () => run(caller, either))
  } catch (error) {
    if (signal.aborted) throw new Refusal(499, Code.canceled, 'query', 'the client disconnected')
    if (late?.aborted === true)
      throw new Refusal(504, Code.deadlineExceeded, 'query', `no response within the client's ${timeoutMs} ms`)
    throw error
  }
}
