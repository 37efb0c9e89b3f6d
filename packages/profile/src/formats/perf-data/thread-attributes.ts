// The attributes that tell where a sample was taken: process, thread, its name, CPU. Most samples share theirs, so each
// combination is looked up by four numbers and is one number itself.
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import type { PerfBytes } from './perf-bytes.ts'

/** What perf calls the thread of a CPU that has nothing to do, of which no record tells. */
const IDLE_NAME = 'swapper'
const COMM_NAME = 16
const NO_BYTES = new Uint8Array(0)

export class ThreadAttributes {
  /** Rows of attributes, as EventSamples wants them. */
  readonly sets = new SequenceInterner()
  readonly #builder: ProfilesBuilder
  readonly #file: PerfBytes
  readonly #keys = new SequenceInterner()
  readonly #setOfKey = new GrowingInts()
  readonly #key = new Int32Array(4)
  /** The attribute of each name, by the record that gave it. */
  readonly #names = new Map<number, number>()

  constructor(builder: ProfilesBuilder, file: PerfBytes) {
    this.#builder = builder
    this.#file = file
  }

  /** `comm` is the record that named the thread. NONE for what is not known. */
  set(pid: number, tid: number, comm: number, cpu: number): number {
    const key = this.#key
    key[0] = pid
    key[1] = tid
    key[2] = comm
    key[3] = cpu
    const row = this.#keys.intern(key, 0, 4)
    if (row === this.#setOfKey.length) this.#setOfKey.push(this.#add(pid, tid, comm, cpu))
    return this.#setOfKey.array[row]
  }

  #add(pid: number, tid: number, comm: number, cpu: number): number {
    const attributes: AttributeIndex[] = []
    // Of threads that had ended the kernel only says -1.
    if (pid >= 0) attributes.push(this.#number(ATTRIBUTES.processPid, pid))
    if (tid >= 0) attributes.push(this.#number(ATTRIBUTES.threadId, tid))
    const name = this.#name(tid, comm)
    if (name !== NONE) attributes.push(name as AttributeIndex)
    if (cpu >= 0) attributes.push(this.#number(ATTRIBUTES.cpuLogicalNumber, cpu))
    const set = Int32Array.from(attributes)
    return this.sets.intern(set, 0, sortSet(set, 0, set.length))
  }

  #number(key: string, value: number): AttributeIndex {
    const builder = this.#builder
    return builder.dictionary.attribute(builder.string(key), 0 as StringIndex, ValueKind.int, value, 0, NO_BYTES)
  }

  /** The attribute of a thread's name; NONE where it has none. */
  #name(tid: number, comm: number): number {
    if (comm === NONE) return tid === 0 ? this.#builder.attribute(ATTRIBUTES.threadName, IDLE_NAME) : NONE
    let attribute = this.#names.get(comm)
    if (attribute === undefined) {
      const name = this.#file.text(comm + COMM_NAME, comm + this.#file.u16(comm + 6))
      attribute = name === '' ? NONE : this.#builder.attribute(ATTRIBUTES.threadName, name)
      this.#names.set(comm, attribute)
    }
    return attribute
  }
}
