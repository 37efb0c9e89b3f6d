// The thread, thread state and CPU of events, and the thread that had a lock, from the attributes of their samples. Samples share attribute sets, so
// each set is read once.
import type { AnyValue, LaneKind } from '@hearth/profile'
import { ATTRIBUTES, LANE_IDS, LANE_KINDS } from '@hearth/profile'
import type { IdIndex } from '../../store/symbols/id-index.ts'
import type { KnownValue } from '../select/attribute-values.ts'
import { ValuePool } from '../select/attribute-values.ts'
import type { RunningQuery } from '../query.ts'
import { MAX_IDS, Values } from '../statement.ts'
import type { ThreadName } from '../select/thread-key.ts'
import { printThread } from '../select/thread-key.ts'

export interface Thread {
  /** The key by which queries select the thread; see thread-key.ts. */
  readonly key: string
  /** Row in the response's resources. */
  readonly resource: number
  /** process.pid as text; empty if unknown. */
  readonly process: string
  /** thread.id, or the id of the goroutine or processor; undefined if unknown. */
  readonly id: AnyValue
  /** thread.name. */
  readonly name: AnyValue
  readonly events: number
}

/** The attributes to read. The first key that a set has counts. */
const KEYS = {
  ...LANE_IDS,
  name: ['thread.name'],
  process: ['process.pid'],
  state: ['thread.state', 'go.goroutine.state'],
  cpu: ['cpu.logical_number', 'system.cpu.logical_number'],
  holder: [ATTRIBUTES.lockOwnerThreadId],
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
  /** The number of the thread that had the lock for which the event waited. */
  readonly holder: number
}

/** The maximum number of distinct states. Further states count as unknown. */
const MAX_STATES = 255
const MAX_CPUS = 2 ** 31

type OwnThread = Omit<Thread, 'events'>

export interface JoinedThreads {
  readonly threads: readonly OwnThread[]
  /** The row of each thread number in `threads`. */
  readonly rows: Uint32Array
  /** The row of each holder number in `threads`; -1 if it has no events. */
  readonly holders: Int32Array
}

/** Threads and states in the order of their first event. */
export class EventPlaces {
  readonly states: string[] = ['']
  readonly #kind: LaneKind
  readonly #found: (OwnThread & { readonly named: ThreadName })[] = []
  readonly #sets: readonly SetValues[]
  readonly #threads = new Map<string, number>()
  readonly #states = new Map([['', 0]])
  /** Numbers of threads that had locks, by resource and id. */
  readonly #holders = new Map<string, number>()
  readonly #places = new Map<number, EventPlace>()

  constructor(sets: readonly SetValues[], kind: LaneKind) {
    this.#sets = sets
    this.#kind = kind
  }

  /** The kinds of lanes that events name. Every event has a thread, known or not. */
  get kinds(): LaneKind[] {
    return LANE_KINDS.filter(kind => kind === 'thread' || this.#sets.some(set => set[kind] !== undefined))
  }

  /** The thread, state and CPU of an attribute set in a resource. `resource` is a row of the response's resources. */
  of(resource: number, resourceId: bigint, set: number): EventPlace {
    const at = resource * (this.#sets.length + 1) + set
    let place = this.#places.get(at)
    if (place === undefined) this.#places.set(at, (place = this.#make(resource, resourceId, this.#sets[set])))
    return place
  }

  /**
   * The threads, and the row of each in them. A thread without a name is the thread of the same id, if exactly one thread
   * of the process has this id and a name. It keeps the position of its first event.
   */
  joined(): JoinedThreads {
    const withName = new Map<string, number[]>()
    for (const [i, { named }] of this.#found.entries()) {
      if (named.id === '' || named.name === '') continue
      withName.set(idOf(named), [...(withName.get(idOf(named)) ?? []), i])
    }
    const threads: OwnThread[] = []
    const rows = new Uint32Array(this.#found.length)
    const known = new Map<number, number>()
    const unnamed = new Set<number>()
    const targets = this.#found.map(({ named }, i) => {
      const same = named.name === '' && named.id !== '' ? (withName.get(idOf(named)) ?? []) : []
      if (same.length === 1) unnamed.add(same[0])
      return same.length === 1 ? same[0] : i
    })
    for (const [i, target] of targets.entries()) {
      let row = known.get(target)
      if (row === undefined) {
        const { named, ...thread } = this.#found[target]
        const key = printThread({ ...named, hasUnnamed: unnamed.has(target) })
        row = threads.push({ ...thread, key }) - 1
        known.set(target, row)
      }
      rows[i] = row
    }
    const byId = new Map(this.#found.map(({ named }, i) => [idOf(named), rows[i]]))
    const holders = Int32Array.from(this.#holders.keys(), id => byId.get(id) ?? -1)
    return { threads, rows, holders }
  }

  #make(resource: number, resourceId: bigint, values: SetValues): EventPlace {
    const kind = this.#kind
    const id = values[kind]
    const name = kind === 'thread' ? values.name : undefined
    const { process, state, cpu, holder } = values
    const named = { kind, resource: resourceId, id: id?.text ?? '', name: name?.text ?? '', hasUnnamed: false }
    const key = printThread(named)
    let thread = this.#threads.get(key)
    if (thread === undefined) {
      const own = { id: id?.value, name: name?.value, process: process?.text ?? '' }
      thread = this.#found.push({ key, resource, ...own, named }) - 1
      this.#threads.set(key, thread)
    }
    const number = Number(cpu?.text)
    return {
      thread,
      state: this.#state(state?.text ?? ''),
      cpu: cpu !== undefined && Number.isInteger(number) && number >= 0 && number < MAX_CPUS ? number : -1,
      // Locks have threads as owners, whatever the lanes are.
      holder:
        holder === undefined || kind !== 'thread' ? -1 : this.#holder(idOf({ resource: resourceId, id: holder.text })),
    }
  }

  #holder(id: string): number {
    let number = this.#holders.get(id)
    if (number === undefined) this.#holders.set(id, (number = this.#holders.size))
    return number
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

function idOf({ resource, id }: Pick<ThreadName, 'resource' | 'id'>): string {
  return `${resource} ${id}`
}
