// Threads as answers name them and queries choose them: the process by its resource, then the thread's own id and name as
// text, either empty where samples do not say.
//
//   18364758544493064720/42/worker%2F3
import { QueryError } from '../query-error.ts'

export interface ThreadName {
  /** Id of the resource: threads of different processes may have the same id and name. */
  readonly resource: bigint
  /** thread.id. */
  readonly id: string
  /** thread.name. */
  readonly name: string
}

export function printThread({ resource, id, name }: ThreadName): string {
  return `${resource}/${encodeURIComponent(id)}/${encodeURIComponent(name)}`
}

const KEY = /^(\d{1,20})\/([^/]*)\/([^/]*)$/

/** Throws QueryError. */
export function parseThread(key: string): ThreadName {
  const parts = KEY.exec(key)
  const refuse = (): never => {
    throw new QueryError('argument', `${JSON.stringify(key.slice(0, 60))} names no thread; events have such names`)
  }
  if (parts === null) return refuse()
  try {
    return { resource: BigInt(parts[1]), id: decodeURIComponent(parts[2]), name: decodeURIComponent(parts[3]) }
  } catch {
    return refuse()
  }
}
