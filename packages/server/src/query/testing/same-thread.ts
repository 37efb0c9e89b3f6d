// Runs the tasks of query threads in the thread of the test, which starts faster. Arguments and results are cloned as between
// threads.
import { Transferred } from '../../workers/channel.ts'
import type { QueryContext } from '../query-context.ts'
import type { QueryTask, QueryTasks, TaskRunner } from '../threads/query-task.ts'

export function sameThread<Tasks extends QueryTasks>(queries: QueryContext, tasks: Tasks): TaskRunner<Tasks> {
  const run = (name: keyof Tasks, argument: unknown, signal = new AbortController().signal) =>
    (tasks[name] as QueryTask)(queries, structuredClone(argument) as never, signal)
  return {
    call: async (name, argument, { signal }) => received(await run(name, argument, signal)),
    async *stream(name, argument, { signal }) {
      for await (const item of run(name, argument, signal) as AsyncIterable<unknown>) yield received(item)
    },
  }
}

function received<Value>(result: unknown): Value {
  const transfer = result instanceof Transferred ? [...result.buffers] : []
  return structuredClone(result instanceof Transferred ? result.value : result, { transfer }) as Value
}
