// Writes the members that all events of a process share.
import type { AnyValue } from '../../model/any-value.ts'
import type { JsonWriter } from '../../wire/json-writer.ts'
import { microsText } from '../cpuprofile/micro-time.ts'
import { isId } from './observations.ts'

export class EventWriter {
  readonly json: JsonWriter
  readonly #pid: AnyValue
  readonly #makesIds: boolean

  /** With `makesIds` threads without an id get one, as viewers want one for each event. */
  constructor(json: JsonWriter, pid: AnyValue, makesIds: boolean) {
    this.json = json
    this.#pid = pid
    this.#makesIds = makesIds
  }

  thread(id: AnyValue): AnyValue {
    return isId(id) || !this.#makesIds ? id : this.#pid
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

  metadata(tid: AnyValue, name: string, key: string, value: string | number): void {
    const { json } = this
    this.begin('M', name, tid, 0n)
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
