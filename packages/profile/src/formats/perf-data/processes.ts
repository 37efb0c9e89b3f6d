// Tracks processes and threads over time: the memory maps of each process, the name of each thread.
import { NONE } from '../../model/columns/brand.ts'
import { MemoryMaps } from './memory-maps.ts'

class Process {
  maps = new MemoryMaps()
  /** The process has ended. Its maps stay for samples during its exit, until its id is reused. */
  hasExited = false
}

export class Processes {
  readonly #processes = new Map<number, Process>()
  /** The last COMM record of each thread. Thread ids are unique on a machine. */
  readonly #names = new Map<number, number>()

  /** Returns undefined for an unknown process. */
  maps(pid: number): MemoryMaps | undefined {
    return this.#processes.get(pid)?.maps
  }

  /** The COMM record with a thread's name, or NONE. */
  name(tid: number): number {
    return this.#names.get(tid) ?? NONE
  }

  /** The maps of a process, for modification. */
  mapsToChange(pid: number): MemoryMaps {
    return this.#living(pid).maps
  }

  /**
   * Also called when a process executes another program. Its maps stay until new ones replace them, because the kernel still
   * sees the callers of the old program during an exec.
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
