// Writes the members that all events of a process share.
import type { AnyValue } from '../../model/columns/any-value.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import { microsText } from '../cpuprofile/micro-time.ts'
import type { ThreadObservations } from './observations.ts'
import { isId } from './observations.ts'

type Thread = Pick<ThreadObservations, 'id' | 'name'>

export class TraceEventWriter {
  readonly json: JsonWriter
  readonly #pid: AnyValue
  readonly #makesIds: boolean
  readonly #taken = new Set<string>()
  readonly #made = new Map<string, bigint>()

  /** With `makesIds`, threads without an id get one, because viewers need one for each event. */
  constructor(json: JsonWriter, pid: AnyValue, makesIds: boolean) {
    this.json = json
    this.#pid = pid
    this.#makesIds = makesIds
  }

  /** Marks an id as used, so that generated ids differ from it. */
  reserve(threads: readonly Thread[]): void {
    for (const { id } of threads) if (isId(id)) this.#taken.add(String(id))
  }

  /** Threads without an id are distinguished by name. The first one is the main thread of the process. */
  thread({ id, name }: Thread): AnyValue {
    if (isId(id) || !this.#makesIds) return id
    let made = this.#made.get(name)
    if (made === undefined) {
      made = typeof this.#pid === 'bigint' ? this.#pid : 1n
      while (this.#taken.has(String(made))) made++
      this.#taken.add(String(made))
      this.#made.set(name, made)
    }
    return made
  }

  begin(phase: string, name: string, tid: AnyValue, time: bigint): void {
    const { json } = this
    json.beginObject()
    json.key('ph')
    json.string(phase)
    json.key('name')
    json.string(name)
    this.ids(tid)
    json.key('ts')
    json.raw(microsText(time))
  }

  /** Writes category and thread as Chrome does. speedscope looks for both in the first event. */
  metadata(tid: AnyValue, name: string, key: string, value: string | number): void {
    const { json } = this
    this.begin('M', name, tid, 0n)
    json.key('cat')
    json.string('__metadata')
    json.key('args')
    json.beginObject()
    json.key(key)
    if (typeof value === 'string') json.string(value)
    else json.number(value)
    json.endObject()
    json.endObject()
  }

  ids(tid: AnyValue): void {
    this.#id('pid', this.#pid)
    this.#id('tid', tid)
  }

  #id(key: string, id: AnyValue): void {
    if (!isId(id)) return
    const { json } = this
    json.key(key)
    if (typeof id === 'bigint') json.raw(String(id))
    else if (typeof id === 'string') json.string(id)
    else json.number(id)
  }
}
