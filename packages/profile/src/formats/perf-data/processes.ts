// Processes and threads as they come and go: the memory maps of each process, the name of each thread.
import { NONE } from '../../model/columns/brand.ts'
import { MemoryMaps } from './memory-maps.ts'

class Process {
  maps = new MemoryMaps()
  /** It has ended. Its maps stay for samples taken on the way out, until its number is used again. */
  hasExited = false
}

export class Processes {
  readonly #processes = new Map<number, Process>()
  /** By thread id, which is unique on a machine: the COMM record that named it last. */
  readonly #names = new Map<number, number>()

  /** Undefined where nothing is known of the process. */
  maps(pid: number): MemoryMaps | undefined {
    return this.#processes.get(pid)?.maps
  }

  /** The COMM record that named a thread, or NONE. */
  name(tid: number): number {
    return this.#names.get(tid) ?? NONE
  }

  /** The maps of a process that is about to map something. */
  mapsToChange(pid: number): MemoryMaps {
    return this.#living(pid).maps
  }

  /**
   * Also when a process starts another program. Its maps stay until new ones take their place: while it starts, the kernel
   * still sees the callers of the old program.
   */
  rename(tid: number, record: number): void {
    this.#names.set(tid, record)
  }

  fork(pid: number, parent: number, tid: number, parentTid: number, inheritsMaps: boolean): void {
    const name = this.#names.get(parentTid)
    if (name === undefined) this.#names.delete(tid)
    else this.#names.set(tid, name)
    if (pid === parent) return
    const process = new Process()
    const maps = this.#processes.get(parent)?.maps
    if (inheritsMaps && maps !== undefined) process.maps = maps.fork()
    this.#processes.set(pid, process)
  }

  exit(pid: number, tid: number): void {
    const process = this.#processes.get(pid)
    if (process !== undefined && pid === tid) process.hasExited = true
  }

  #living(pid: number): Process {
    let process = this.#processes.get(pid)
    if (process === undefined || process.hasExited) {
      process = new Process()
      this.#processes.set(pid, process)
    }
    return process
  }
}
