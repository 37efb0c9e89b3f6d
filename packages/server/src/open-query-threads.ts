// Opens the threads that run the queries of all APIs.
import { FormatError } from '@hearth/profile'
import type { ApiTasks } from './api/v1/query-tasks.ts'
import { TimeError } from './api/v1/request/times.ts'
import { RequestError } from './api/v1/response/request-error.ts'
import type { MonitorTasks } from './monitor/monitor-tasks.ts'
import type { QuerierTasks } from './pyroscope/querier/querier-tasks.ts'
import { QueryError, QuerySyntaxError } from './query/query-error.ts'
import type { QueryThreadsOptions } from './query/threads/query-threads.ts'
import { QueryThreads } from './query/threads/query-threads.ts'
import { Refusal } from './receive/refusal.ts'
import { EngineError } from './store/engine.ts'
import { workerEntry } from './workers/worker-entry.ts'

const KINDS = [QueryError, QuerySyntaxError, EngineError, RequestError, TimeError, Refusal, FormatError]

export function openQueryThreads(
  options: Omit<QueryThreadsOptions, 'entry' | 'kinds'>,
): QueryThreads<ApiTasks & QuerierTasks & MonitorTasks> {
  return new QueryThreads({ ...options, entry: workerEntry('query-worker', import.meta.url), kinds: KINDS })
}
