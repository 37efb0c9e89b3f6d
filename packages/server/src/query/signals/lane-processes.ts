// Assigns spans and log records to the processes of a timeline. Senders of different signals describe one process by
// different attributes (see same-process.ts). An item that matches no process goes to the first process of its service, so that
// no item of a service is lost.
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { Values } from '../statement.ts'
import { isSameProcess, identities } from './same-process.ts'

/** Each is compared with those of all rows. */
const MAX_PROCESSES = 1_000

/** The value of thread.id as text, on columns of `spans` and `logs`; empty if absent. */
export const THREAD_ID = "attribute_values[indexOf(attribute_keys, 'thread.id')]"

export class LaneProcesses {
  readonly #known: ReadonlyMap<bigint, readonly string[]>
  readonly #processes: readonly (readonly string[])[]
  readonly #found = new Map<bigint, number>()

  private constructor(known: ReadonlyMap<bigint, readonly string[]>, ids: readonly bigint[]) {
    this.#known = known
    this.#processes = ids.map(id => known.get(id) ?? [])
  }

  /** By ids of their resources, as in the threads of events. */
  static async of(running: RunningQuery, ids: readonly bigint[]): Promise<LaneProcesses> {
    if (ids.length > MAX_PROCESSES)
      throw new QueryError('argument', `more than ${MAX_PROCESSES} resources in one request; use fewer`)
    return new LaneProcesses(await identities(running), ids)
  }

  /** A condition on columns of `spans` and `logs`. */
  where(values: Values): string {
    const services = new Set(this.#processes.map(([service = '']) => service.slice(1)))
    return `service IN ${values.add('Array(String)', [...services])}`
  }

  /** The index of the process of a resource. */
  of(resource: bigint): number {
    let process = this.#found.get(resource)
    if (process === undefined) this.#found.set(resource, (process = this.#find(resource)))
    return process
  }

  #find(resource: bigint): number {
    const own = this.#known.get(resource) ?? []
    const known = this.#processes.findIndex(process => isSameProcess(process, own))
    return known >= 0
      ? known
      : this.#processes.findIndex(([service = '']) => service.slice(1) === (own[0] ?? '').slice(1))
  }
}
