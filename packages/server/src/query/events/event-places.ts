// The thread, thread state and CPU of events, from the attributes of their samples. Samples share attribute sets, so
// each set is read once.
import type { AnyValue } from '@hearth/profile'
import type { IdIndex } from '../../store/symbols/id-index.ts'
import type { KnownValue } from '../select/attribute-values.ts'
import { ValuePool } from '../select/attribute-values.ts'
import type { RunningQuery } from '../query.ts'
import { MAX_IDS, Values } from '../statement.ts'
import { printThread } from '../select/thread-key.ts'

export interface Thread {
  /** The key by which queries select the thread; see thread-key.ts. */
  readonly key: string
  /** Row in the response's resources. */
  readonly resource: number
  /** process.pid as text; empty if unknown. */
  readonly process: string
  /** thread.id; undefined if unknown. */
  readonly id: AnyValue
  /** thread.name. */
  readonly name: AnyValue
  readonly events: number
}

/** The attributes to read. The first key that a set has counts. */
const KEYS = {
  id: ['thread.id'],
  name: ['thread.name'],
  process: ['process.pid'],
  state: ['thread.state', 'go.goroutine.state'],
  cpu: ['cpu.logical_number', 'system.cpu.logical_number'],
} as const

type SetValues = Readonly<Partial<Record<keyof typeof KEYS, KnownValue>>>

/** The sets of a response by their numbers in `index`. */
export async function readSets(running: RunningQuery, index: IdIndex): Promise<SetValues[]> {
  const pool = new ValuePool()
  const sets: SetValues[] = Array.from({ length: index.length }, () => ({}))
  const names = Object.keys(KEYS) as (keyof typeof KEYS)[]
  for (let from = 0; from < index.length; from += MAX_IDS) {
    const values = new Values()
    const columns = names.flatMap(name => {
      const keys = values.add('Array(String)', KEYS[name])
      const at = `indexOf(keys, arrayFirst(k -> has(keys, k), ${keys}))`
      return [`kinds[${at}] AS ${name}_kind`, `values[${at}] AS ${name}_value`]
    })
    const ids = values.wordIds(index.ids.slice(2 * from, 2 * Math.min(index.length, from + MAX_IDS)))
    const block = await running.select(
      `SELECT id, ${columns.join(', ')} FROM attribute_sets WHERE tenant = ${values.text(running.tenant)} AND id IN ${ids} LIMIT 1 BY id`,
      values.all,
    )
    for (let row = 0; row < block.rows; row++) {
      const id = block.column('id').bigint(row)
      const number = index.find(Number(BigInt.asIntN(32, id)), Number(BigInt.asIntN(32, id >> 32n)))
      const found: Partial<Record<keyof typeof KEYS, KnownValue>> = {}
      for (const name of names) {
        const kind = block.column(`${name}_kind`).number(row)
        if (kind !== 0) found[name] = pool.add(kind, block.column(`${name}_value`).bytes(row))
      }
      sets[number] = found
    }
  }
  return sets
}

/** Unknown values are -1, or the first state, which is empty. */
export interface EventPlace {
  readonly thread: number
  readonly state: number
  readonly cpu: number
}

/** The maximum number of distinct states. Further states count as unknown. */
const MAX_STATES = 255
const MAX_CPUS = 2 ** 31

/** Threads and states in the order of their first event. */
export class EventPlaces {
  readonly states: string[] = ['']
  readonly threads: Omit<Thread, 'events'>[] = []
  readonly #sets: readonly SetValues[]
  readonly #threads = new Map<string, number>()
  readonly #states = new Map([['', 0]])
  readonly #places = new Map<number, EventPlace>()

  constructor(sets: readonly SetValues[]) {
    this.#sets = sets
  }

  /** The thread, state and CPU of an attribute set in a resource. `resource` is a row of the response's resources. */
  of(resource: number, resourceId: bigint, set: number): EventPlace {
    const at = resource * (this.#sets.length + 1) + set
    let place = this.#places.get(at)
    if (place === undefined) this.#places.set(at, (place = this.#make(resource, resourceId, this.#sets[set])))
    return place
  }

  #make(resource: number, resourceId: bigint, { id, name, process, state, cpu }: SetValues): EventPlace {
    const key = printThread({ resource: resourceId, id: id?.text ?? '', name: name?.text ?? '' })
    let thread = this.#threads.get(key)
    if (thread === undefined) {
      const values = { id: id?.value, name: name?.value, process: process?.text ?? '' }
      thread = this.threads.push({ key, resource, ...values }) - 1
      this.#threads.set(key, thread)
    }
    const number = Number(cpu?.text)
    return {
      thread,
      state: this.#state(state?.text ?? ''),
      cpu: cpu !== undefined && Number.isInteger(number) && number >= 0 && number < MAX_CPUS ? number : -1,
    }
  }

  #state(text: string): number {
    let number = this.#states.get(text)
    if (number === undefined) {
      if (this.states.length > MAX_STATES) return 0
      number = this.states.push(text) - 1
      this.#states.set(text, number)
    }
    return number
  }
}
