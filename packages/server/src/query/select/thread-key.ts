// The key of a thread in responses and queries: the id of the process's resource, then the thread's id and name as
// text. Id or name is empty if samples do not have it.
//
//   18364758544493064720/42/worker%2F3
import { QueryError } from '../query-error.ts'

export interface ThreadName {
  /** The id of the resource. Threads of different processes can have the same id and name. */
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
    throw new QueryError(
      'argument',
      `${JSON.stringify(key.slice(0, 60))} is not a thread key; use a key from an events response`,
    )
  }
  if (parts === null) return refuse()
  try {
    return { resource: BigInt(parts[1]), id: decodeURIComponent(parts[2]), name: decodeURIComponent(parts[3]) }
  } catch {
    return refuse()
  }
}
