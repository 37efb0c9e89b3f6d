// The attributes that tell where a sample was taken: process, thread, its name, CPU. Most samples share theirs, so each
// combination is looked up by four numbers and is one number itself.
import type { AttributeIndex } from '../../model/brand.ts'
import { NONE } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { SequenceInterner } from '../../model/intern.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { sortSet } from '../../model/sorted-set.ts'
import type { PerfBytes } from './perf-bytes.ts'

/** What perf calls the thread of a CPU that has nothing to do, of which no record tells. */
const IDLE_NAME = 'swapper'
const COMM_NAME = 16

export class ThreadAttributes {
  /** Rows of attributes, as EventSamples wants them. */
  readonly sets = new SequenceInterner()
  readonly #builder: ProfilesBuilder
  readonly #file: PerfBytes
  readonly #keys = new SequenceInterner()
  readonly #setOfKey = new GrowingInts()
  readonly #key = new Int32Array(4)

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
    const builder = this.#builder
    const attributes: AttributeIndex[] = []
    // Of threads that had ended the kernel only says -1.
    if (pid >= 0) attributes.push(builder.attribute(ATTRIBUTES.processPid, BigInt(pid)))
    if (tid >= 0) attributes.push(builder.attribute(ATTRIBUTES.threadId, BigInt(tid)))
    const name = this.#name(tid, comm)
    if (name !== '') attributes.push(builder.attribute(ATTRIBUTES.threadName, name))
    if (cpu >= 0) attributes.push(builder.attribute(ATTRIBUTES.cpuLogicalNumber, BigInt(cpu)))
    const set = Int32Array.from(attributes)
    return this.sets.intern(set, 0, sortSet(set, 0, set.length))
  }

  #name(tid: number, comm: number): string {
    if (comm === NONE) return tid === 0 ? IDLE_NAME : ''
    return this.#file.text(comm + COMM_NAME, comm + this.#file.u16(comm + 6))
  }
}
