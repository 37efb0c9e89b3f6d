// The processes of a timeline, for which spans and log records are asked: those of their services, each given to the process
// that it is of. Senders of different signals describe one process by different attributes (see kin.ts); what is of none goes
// to the first process of its service, so that nothing of a service is lost for a description that is too short or differs.
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import type { Values } from '../statement.ts'
import { areKin, identities } from './kin.ts'

/** Each is compared with those of all rows that are found. */
const MOST_PROCESSES = 1_000

/** The value of thread.id as text, on columns of `spans` and `logs`; empty where there is none. */
export const THREAD_ID = "attribute_values[indexOf(attribute_keys, 'thread.id')]"

export class LaneProcesses {
  readonly #known: ReadonlyMap<bigint, readonly string[]>
  readonly #asked: readonly (readonly string[])[]
  readonly #found = new Map<bigint, number>()

  private constructor(known: ReadonlyMap<bigint, readonly string[]>, ids: readonly bigint[]) {
    this.#known = known
    this.#asked = ids.map(id => known.get(id) ?? [])
  }

  /** By ids of their resources, as threads of events have them. */
  static async of(running: RunningQuery, ids: readonly bigint[]): Promise<LaneProcesses> {
    if (ids.length > MOST_PROCESSES) throw new QueryError('argument', `more than ${MOST_PROCESSES} resources at once`)
    return new LaneProcesses(await identities(running), ids)
  }

  /** On columns of `spans` and `logs`. */
  where(values: Values): string {
    const services = new Set(this.#asked.map(([service = '']) => service.slice(1)))
    return `service IN ${values.add('Array(String)', [...services])}`
  }

  /** Which of those asked for a resource is of. */
  of(resource: bigint): number {
    let process = this.#found.get(resource)
    if (process === undefined) this.#found.set(resource, (process = this.#find(resource)))
    return process
  }

  #find(resource: bigint): number {
    const own = this.#known.get(resource) ?? []
    const kin = this.#asked.findIndex(asked => areKin(asked, own))
    return kin >= 0 ? kin : this.#asked.findIndex(([service = '']) => service.slice(1) === (own[0] ?? '').slice(1))
  }
}
