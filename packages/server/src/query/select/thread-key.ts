// The key of a lane in responses and queries: the id of the process's resource, then the id and name of the thread as text.
// Id or name is empty if samples do not have it. The suffix `?` means that samples with the id and no name belong to the
// lane, too. Lanes of goroutines and processors start with their kind and have no name.
//
//   18364758544493064720/42/worker%2F3
//   18364758544493064720/42/worker%2F3?
//   goroutine:18364758544493064720/17/
import type { LaneKind } from '@hearth/profile'
import { laneKindOf } from '@hearth/profile'
import { QueryError } from '../query-error.ts'

export interface ThreadName {
  readonly kind: LaneKind
  /** The id of the resource. Threads of different processes can have the same id and name. */
  readonly resource: bigint
  /** The first of the kind's attributes that a sample has: thread.id. */
  readonly id: string
  /** thread.name. */
  readonly name: string
  /** Whether samples with the id and without a name belong to the thread. */
  readonly hasUnnamed: boolean
}

export function printThread({ kind, resource, id, name, hasUnnamed }: ThreadName): string {
  const of = kind === 'thread' ? '' : `${kind}:`
  return `${of}${resource}/${encodeURIComponent(id)}/${encodeURIComponent(name)}${hasUnnamed ? '?' : ''}`
}

const KEY = /^(?:[a-z]+:)?(\d{1,20})\/([^/]*)\/([^/?]*)(\??)$/

/** Throws QueryError. */
export function parseThread(key: string): ThreadName {
  const parts = KEY.exec(key)
  const kind = laneKindOf(key)
  const refuse = (): never => {
    throw new QueryError(
      'argument',
      `${JSON.stringify(key.slice(0, 60))} is not a thread key; use a key from an events response`,
    )
  }
  if (parts === null || (kind === 'thread' && key.includes(':'))) return refuse()
  const [, resource, id, name, unnamed] = parts
  try {
    return {
      kind,
      resource: BigInt(resource),
      id: decodeURIComponent(id),
      name: decodeURIComponent(name),
      hasUnnamed: unnamed === '?',
    }
  } catch {
    return refuse()
  }
}
