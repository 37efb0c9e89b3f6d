// The attributes of the origin of a sample: process, thread, thread name, CPU. Most samples share theirs, so each combination
// gets a number and is looked up by four numbers.
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { sortSet } from '../../model/columns/sorted-set.ts'
import type { PerfBytes } from './perf-bytes.ts'

/** perf's name for the idle thread of a CPU, which has no COMM record. */
const IDLE_NAME = 'swapper'
const COMM_NAME = 16
const NO_BYTES = new Uint8Array(0)

export class ThreadAttributes {
  /** Rows of attributes, in the form that EventSamples expects. */
  readonly sets = new SequenceInterner()
  readonly #builder: ProfilesBuilder
  readonly #file: PerfBytes
  readonly #keys = new SequenceInterner()
  readonly #setOfKey = new GrowingInts()
  readonly #key = new Int32Array(4)
  /** The attribute of each name, by COMM record. */
  readonly #names = new Map<number, number>()

  constructor(builder: ProfilesBuilder, file: PerfBytes) {
    this.#builder = builder
    this.#file = file
  }

  /** `comm` is the record with the thread's name. Unknown values are NONE. */
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
    // For threads that had ended, the kernel writes -1.
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

  /** The attribute of a thread's name, or NONE. */
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
