// Requests that a query thread runs after a start: flame graphs of a service by each API, and the lists that dashboards show. V8
// has compiled most of their code when users send the first ones.
import { flameGraph } from './api/v1/profiles/flame-graph.ts'
import { apiTasks } from './api/v1/query-tasks.ts'
import { QueryGate } from './api/v1/limits/query-gate.ts'
import { encodeMessage } from './pyroscope/message-bytes.ts'
import { SELECT_MERGE_STACKTRACES_REQUEST } from './pyroscope/messages/querier-messages.ts'
import { typeId, typeOfSeries } from './pyroscope/querier/profile-type.ts'
import { querierTasks } from './pyroscope/querier/querier-tasks.ts'
import { QueryError } from './query/query-error.ts'
import type { QueryContext } from './query/query-context.ts'
import type { PracticeSeries } from './query/warm-up.ts'
import { Refusal } from './receive/refusal.ts'

const NANOS_PER_MILLI = 1_000_000n
const NEVER = new AbortController().signal

/** Failures are ignored: a user who sends such a request sees the error. */
export async function practiseRequests(queries: QueryContext, practice: PracticeSeries): Promise<void> {
  try {
    await pyroscopeFlameGraph(queries, practice)
    await apiFlameGraph(queries, practice)
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof QueryError)) throw error
  }
}

async function pyroscopeFlameGraph(queries: QueryContext, { tenant, series, from, to }: PracticeSeries): Promise<void> {
  const body = encodeMessage(SELECT_MERGE_STACKTRACES_REQUEST, 'proto', {
    profileTypeID: typeId(typeOfSeries(series, undefined, false)),
    labelSelector: `{service_name=${JSON.stringify(series.service)}}`,
    start: from / NANOS_PER_MILLI,
    end: to / NANOS_PER_MILLI,
    maxNodes: undefined,
    format: 0,
    stackTraceSelector: undefined,
    profileIdSelector: [],
    traceIdSelector: [],
    spanSelector: [],
  })
  const caller = { tenant, limits: {}, maxNodes: limits.nodes }
  await querierTasks.querierMethod(
    queries,
    { caller, method: 'SelectMergeStacktraces', encoding: 'proto', body },
    NEVER,
  )
}

async function apiFlameGraph(queries: QueryContext, { tenant, series, from, to }: PracticeSeries): Promise<void> {
  const { service, type, unit } = series
  const parameters = flameGraph.request.parse({
    selector: `${type}:${unit} {service.name=${JSON.stringify(service)}}`,
    from: String(from),
    to: String(to),
  })
  const caller = { tenant, limits: {}, tenantLimits: limits, now: to, pathParameter: '' }
  const accepted = { columns: true, encoding: 'identity' } as const
  const request = { endpoint: flameGraph.name, caller, parameters, accepted }
  const parts = apiTasks.apiQuery(queries, request, NEVER)
  let isDone = false
  while (!isDone) isDone = (await parts.next()).done === true
}

const limits = new QueryGate().limitsOf('')
