// Decides which server does the periodic work on the store: retention, deletion of symbols, rules and alerts. The embedded store has one
// server. Servers that share a ClickHouse hold a lease in turn.
import type { Engine } from '../engine.ts'
import { Lease } from './lease.ts'
import { Members } from './members.ts'
import { SharedState } from './shared-state.ts'

export interface HousekeepingOptions {
  readonly engine: Engine
  /** The identity of this server. */
  readonly server: string
  readonly version: string
  readonly leaseMs: number
  /** See CommitQueue. */
  readonly visibleBefore: () => bigint
  /** Unix milliseconds of the first request that this server has not inserted yet. Undefined if there is none. */
  readonly pendingSince: () => number | undefined
  readonly onError: (error: unknown) => void
}

const NAME = 'housekeeping'

export class Housekeeping {
  /** State that all servers see. Undefined for the embedded store. */
  readonly shared: SharedState | undefined
  /** The servers of the store. Undefined for the embedded store. */
  readonly members: Members | undefined
  readonly #options: HousekeepingOptions
  readonly #lease: Lease | undefined
  #onMine: () => void = () => {}

  constructor(options: HousekeepingOptions) {
    this.#options = options
    const { engine, server, leaseMs: milliseconds, onError } = options
    if (engine.kind === 'embedded') return
    this.shared = new SharedState(options)
    this.members = new Members(options)
    this.#lease = new Lease({ engine, name: NAME, holder: server, milliseconds, onError, onHeld: () => this.#onMine() })
  }

  /** Resolves when other servers can see this one. Calls `onMine` when this server gets the work. */
  async start(onMine: () => void): Promise<void> {
    await this.members?.start()
    await this.shared?.start()
    this.#onMine = onMine
    if (this.#lease === undefined) onMine()
    else this.#lease.start()
  }

  /** Whether this server does the work now. */
  isMine(): boolean {
    return this.#lease?.isHeld() ?? true
  }

  /** Unix milliseconds since when requests may wait in the journal of any server. Undefined if none waits. */
  async pendingSince(): Promise<number | undefined> {
    return this.members === undefined ? this.#options.pendingSince() : await this.members.pendingSince()
  }

  /** Lets another server take over. Call when periodic work has stopped. */
  async release(): Promise<void> {
    await this.#lease?.release()
  }

  /** Call when no more requests are accepted, and the journal is as empty as it gets. */
  async stop(): Promise<void> {
    await this.shared?.stop()
    await this.members?.stop()
  }
}
