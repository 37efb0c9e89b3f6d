// The entry file of query threads. It must not import the embedded engine: a thread that used it never ends.
import { apiTasks } from './api/v1/query-tasks.ts'
import { monitorTasks } from './monitor/monitor-tasks.ts'
import { querierTasks } from './pyroscope/querier/querier-tasks.ts'
import { practiseRequests } from './practise-requests.ts'
import { hostQueries } from './query/threads/host-queries.ts'

hostQueries({ ...apiTasks, ...querierTasks, ...monitorTasks }, practiseRequests)
