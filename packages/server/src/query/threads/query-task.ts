// Tasks are the functions that run in query threads. Each has a name, by which the main thread calls it.
import type { Transferred } from '../../workers/channel.ts'
import type { QueryContext } from '../query-context.ts'

/** Arguments, results and items must be cloneable. */
export type QueryTask<Argument = never, Result = unknown> = (
  queries: QueryContext,
  argument: Argument,
  signal: AbortSignal,
) => Promise<Result> | AsyncIterable<Result>

export type QueryTasks = Readonly<Record<string, QueryTask>>

/** The functions that the main thread calls: the tasks without their context. */
export type TaskHandlers<Tasks extends QueryTasks> = {
  readonly [Name in keyof Tasks & string]: (
    argument: Parameters<Tasks[Name]>[1],
    signal: AbortSignal,
  ) => ReturnType<Tasks[Name]>
}

type Plain<Value> = Value extends Transferred<infer Inner> ? Inner : Value
export type TaskResult<Task extends QueryTask> =
  ReturnType<Task> extends AsyncIterable<infer Item> ? Plain<Item> : Plain<Awaited<ReturnType<Task>>>

export interface TaskOptions {
  readonly tenant: string
  readonly signal?: AbortSignal | undefined
}

/** Runs tasks in a thread. */
export interface TaskRunner<Tasks extends QueryTasks> {
  /** For tasks with one result. */
  call<Name extends keyof Tasks & string>(
    name: Name,
    argument: Parameters<Tasks[Name]>[1],
    options: TaskOptions,
  ): Promise<TaskResult<Tasks[Name]>>
  /** For tasks that return an iterable. Leaving the loop cancels the task. */
  stream<Name extends keyof Tasks & string>(
    name: Name,
    argument: Parameters<Tasks[Name]>[1],
    options: TaskOptions,
  ): AsyncGenerator<TaskResult<Tasks[Name]>, void, undefined>
}
