// Says no in time: before memory, the journal's backlog or the disk are used up, and with a guess of how long it will take
// until there is room again. Each limit closes at its height and opens at four fifths of it, so that it does not flap.
import { RefusedError } from '../keeper.ts'
import type { DiskSpace } from './journal-disk.ts'

export interface PressureLimits {
  /** Requests in flight with their rows. */
  readonly memoryBytes: number
  readonly backlogBytes: number
  /** Many small groups take the engine as long as few large ones. */
  readonly backlogGroups: number
  /** Free space that is left alone: merges need some too. Undefined: 256 MiB or 1 % of the disk, up to 4 GiB. */
  readonly diskReserveBytes?: number
}

export interface Load {
  readonly inFlightBytes: number
  readonly backlogBytes: number
  readonly backlogGroups: number
  /** What the engine says to the insert being tried. */
  readonly engineFault: string | undefined
}

const MIB = 1024 * 1024
const REOPEN_AT = 0.8
/** Open again with this much more than the reserve. */
const DISK_REOPEN_AT = 1.25

export type Pressed = 'memory' | 'backlog' | 'disk'

export class Pressure {
  readonly memoryRate: DrainRate
  readonly backlogRate: DrainRate
  readonly #limits: PressureLimits
  readonly #closed = new Set<Pressed>()
  #space: DiskSpace | undefined
  /** Committed since the space was last looked at. */
  #written = 0

  constructor(limits: PressureLimits, elapsed: () => number) {
    this.#limits = limits
    this.memoryRate = new DrainRate(elapsed)
    this.backlogRate = new DrainRate(elapsed)
  }

  isClosed(what: Pressed): boolean {
    return this.#closed.has(what)
  }

  /** -1 before it is known. */
  get freeBytes(): number {
    return this.#space === undefined ? -1 : this.#space.free - this.#written
  }

  setSpace(space: DiskSpace): void {
    this.#space = space
    this.#written = 0
  }

  addWritten(bytes: number): void {
    this.#written += bytes
  }

  /** Why a request of `bytes` cannot be taken, if so. */
  refusal(bytes: number, load: Load): RefusedError | undefined {
    this.update(load)
    const { memoryBytes } = this.#limits
    if (this.#closed.has('disk'))
      return new RefusedError('disk-full', 30, `${this.freeBytes} bytes are free on the disk, less than the reserve`)
    if (this.#closed.has('backlog')) return this.#backlogRefusal(load)
    // One that is larger than all of the memory is taken when it is alone, or it never could be.
    if (load.inFlightBytes > 0 && load.inFlightBytes + bytes > memoryBytes) {
      if (load.inFlightBytes > memoryBytes * REOPEN_AT) this.#closed.add('memory')
      else return this.#memoryRefusal(load, bytes)
    }
    return this.#closed.has('memory') ? this.#memoryRefusal(load, bytes) : undefined
  }

  /** Closes and opens by what is now. */
  update(load: Load): void {
    const { memoryBytes, backlogBytes, backlogGroups } = this.#limits
    const backlog = Math.max(load.backlogBytes / backlogBytes, load.backlogGroups / backlogGroups)
    this.#move('backlog', backlog >= 1, backlog <= REOPEN_AT)
    this.#move('memory', load.inFlightBytes >= memoryBytes, load.inFlightBytes <= memoryBytes * REOPEN_AT)
    if (this.#space === undefined) return
    const reserve = this.#reserve(this.#space.total)
    this.#move('disk', this.freeBytes < reserve, this.freeBytes >= reserve * DISK_REOPEN_AT)
  }

  #move(what: Pressed, close: boolean, open: boolean): void {
    if (close) this.#closed.add(what)
    else if (open) this.#closed.delete(what)
  }

  #reserve(total: number): number {
    const { diskReserveBytes } = this.#limits
    return diskReserveBytes ?? Math.min(4096 * MIB, Math.max(256 * MIB, total / 100))
  }

  #memoryRefusal(load: Load, bytes: number): RefusedError {
    const excess = load.inFlightBytes + bytes - this.#limits.memoryBytes * REOPEN_AT
    return new RefusedError('queue-full', this.memoryRate.secondsFor(excess), 'too many requests wait for their commit')
  }

  #backlogRefusal(load: Load): RefusedError {
    const { backlogBytes, backlogGroups } = this.#limits
    const excessGroups = Math.max(0, load.backlogGroups / backlogGroups - REOPEN_AT) * load.backlogBytes
    const excess = Math.max(load.backlogBytes - backlogBytes * REOPEN_AT, excessGroups)
    const seconds = this.backlogRate.secondsFor(excess)
    if (load.engineFault === 'disk-full')
      return new RefusedError('disk-full', seconds, "the engine's disk is full, and so is the journal")
    if (load.engineFault === undefined || load.engineFault === 'limit')
      return new RefusedError('queue-full', seconds, 'the engine is slower than the senders, and the journal is full')
    return new RefusedError('store-lost', seconds, 'the engine does not take rows, and the journal is full')
  }
}

const SHORTEST_SECONDS = 1
const LONGEST_SECONDS = 30
/** Older bytes count for less: after so many seconds for a third. */
const MEMORY_SECONDS = 10

/** Bytes a second, of late. */
export class DrainRate {
  readonly #elapsed: () => number
  readonly #begun: number
  #bytes = 0
  #at: number

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
    this.#begun = elapsed()
    this.#at = this.#begun
  }

  add(bytes: number): void {
    this.#decay()
    this.#bytes += bytes
  }

  /** How long `bytes` will take, as whole seconds from 1 to 30. */
  secondsFor(bytes: number): number {
    this.#decay()
    // Before the first seconds are over the sum lacks what could not have been counted yet.
    const counted = MEMORY_SECONDS * (1 - Math.exp(-Math.max(0.1, this.#at - this.#begun) / 1000 / MEMORY_SECONDS))
    const rate = this.#bytes / counted
    if (rate <= 0) return LONGEST_SECONDS
    return Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, Math.ceil(bytes / rate)))
  }

  #decay(): void {
    const at = this.#elapsed()
    this.#bytes *= Math.exp(-(at - this.#at) / 1000 / MEMORY_SECONDS)
    this.#at = at
  }
}
