// Rejects requests before memory, the journal's backlog or the disk is exhausted, with an estimate of when to retry. Each limit
// closes at 100 % and reopens at 80 %, so that it does not flap.
import { RefusedError } from '../keeper.ts'
import type { DiskSpace } from './journal-disk.ts'

export interface PressureLimits {
  /** Limit for unanswered requests with their rows. */
  readonly memoryBytes: number
  readonly backlogBytes: number
  /** Many small groups take the engine as long as a few large ones. */
  readonly backlogGroups: number
  /** Free space to keep, also for merges. Default: 1 % of the disk, at least 256 MiB and at most 4 GiB. */
  readonly diskReserveBytes?: number
}

export interface Load {
  readonly inFlightBytes: number
  readonly backlogBytes: number
  readonly backlogGroups: number
  /** The fault of the current insert. */
  readonly engineFault: string | undefined
}

const MIB = 1024 * 1024
const REOPEN_AT = 0.8
/** Reopen at this multiple of the reserve. */
const DISK_REOPEN_AT = 1.25

export type Pressed = 'memory' | 'backlog' | 'disk'

export class Pressure {
  readonly memoryRate: DrainRate
  readonly backlogRate: DrainRate
  readonly #limits: PressureLimits
  readonly #closed = new Set<Pressed>()
  #space: DiskSpace | undefined
  /** Bytes committed since the free space was read. */
  #written = 0

  constructor(limits: PressureLimits, elapsed: () => number) {
    this.#limits = limits
    this.memoryRate = new DrainRate(elapsed)
    this.backlogRate = new DrainRate(elapsed)
  }

  isClosed(what: Pressed): boolean {
    return this.#closed.has(what)
  }

  /** -1 if unknown. */
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

  /** Returns why a request of `bytes` cannot be accepted, if so. */
  refusal(bytes: number, load: Load): RefusedError | undefined {
    this.update(load)
    const { memoryBytes } = this.#limits
    if (this.#closed.has('disk'))
      return new RefusedError('disk-full', 30, `the disk is almost full (${this.freeBytes} bytes free)`)
    if (this.#closed.has('backlog')) return this.#backlogRefusal(load)
    // A request larger than the limit is accepted if it is the only one, or it never would be.
    if (load.inFlightBytes > 0 && load.inFlightBytes + bytes > memoryBytes) {
      if (load.inFlightBytes > memoryBytes * REOPEN_AT) this.#closed.add('memory')
      else return this.#memoryRefusal(load, bytes)
    }
    return this.#closed.has('memory') ? this.#memoryRefusal(load, bytes) : undefined
  }

  /** Closes and reopens limits by the current load. */
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
    return new RefusedError('queue-full', this.memoryRate.secondsFor(excess), 'too many requests wait for a commit')
  }

  #backlogRefusal(load: Load): RefusedError {
    const { backlogBytes, backlogGroups } = this.#limits
    const excessGroups = Math.max(0, load.backlogGroups / backlogGroups - REOPEN_AT) * load.backlogBytes
    const excess = Math.max(load.backlogBytes - backlogBytes * REOPEN_AT, excessGroups)
    const seconds = this.backlogRate.secondsFor(excess)
    if (load.engineFault === 'disk-full')
      return new RefusedError('disk-full', seconds, "the store's disk and the journal are full")
    if (load.engineFault === undefined || load.engineFault === 'limit')
      return new RefusedError('queue-full', seconds, 'the store is too slow, and the journal is full')
    return new RefusedError('store-lost', seconds, 'inserts into the store fail, and the journal is full')
  }
}

const MIN_SECONDS = 1
const MAX_SECONDS = 30
/** Time constant of the exponential decay: bytes this old count for about a third. */
const DECAY_SECONDS = 10

/** The recent rate in bytes per second. */
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

  /** Estimated seconds for `bytes`, from 1 to 30. */
  secondsFor(bytes: number): number {
    this.#decay()
    // Correct for the time before the start, in which nothing could be counted.
    const counted = DECAY_SECONDS * (1 - Math.exp(-Math.max(0.1, this.#at - this.#begun) / 1000 / DECAY_SECONDS))
    const rate = this.#bytes / counted
    if (rate <= 0) return MAX_SECONDS
    return Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, Math.ceil(bytes / rate)))
  }

  #decay(): void {
    const at = this.#elapsed()
    this.#bytes *= Math.exp(-(at - this.#at) / 1000 / DECAY_SECONDS)
    this.#at = at
  }
}
