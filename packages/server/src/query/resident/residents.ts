// What stays in memory between queries, by tenant, within a bound: whoever was asked for longest ago goes first, and a
// tenant that alone is beyond it starts over.
import type { Grouping, TreeOrder } from '@hearth/profile'
import { ResidentFrames, StackNodes } from './stack-nodes.ts'
import { ResidentSymbols } from './resident-symbols.ts'

/** The usual query asks by function, root first; others come in turn. */
const TRIES_A_TENANT = 6

/** How long what was not stored is taken to be missing, before everything is asked for again. */
const MISSING_FOR_MS = 60_000

export class Resident {
  readonly symbols = new ResidentSymbols()
  readonly #since: number
  readonly #frames = new Map<string, ResidentFrames>()
  readonly #nodes = new Map<string, StackNodes>()

  frames(grouping: Grouping): ResidentFrames {
    const key = `${grouping.by} ${grouping.inlined}`
    let frames = this.#frames.get(key)
    if (frames === undefined) this.#frames.set(key, (frames = new ResidentFrames(this.symbols, grouping)))
    return frames
  }

  nodes(grouping: Grouping, order: TreeOrder): StackNodes {
    const key = `${grouping.by} ${grouping.inlined} ${order}`
    const nodes = this.#nodes.get(key) ?? new StackNodes(this.frames(grouping), order)
    // Put last, so that the first one is the one that was used longest ago.
    this.#nodes.delete(key)
    this.#nodes.set(key, nodes)
    for (const oldest of this.#nodes.keys()) {
      if (this.#nodes.size <= TRIES_A_TENANT) break
      this.#nodes.delete(oldest)
    }
    return nodes
  }

  constructor(now: number) {
    this.#since = now
  }

  /** Whether symbols were missing a while ago, and may be there by now. */
  isStale(now: number): boolean {
    return !this.symbols.isWhole && now - this.#since > MISSING_FOR_MS
  }

  get byteLength(): number {
    let bytes = this.symbols.byteLength
    for (const nodes of this.#nodes.values()) bytes += nodes.byteLength
    return bytes
  }
}

export class Residents {
  readonly #maxBytes: number
  readonly #now: () => number
  readonly #byTenant = new Map<string, Resident>()

  constructor(maxBytes: number, now = () => performance.now()) {
    this.#maxBytes = maxBytes
    this.#now = now
  }

  /** What there is of the tenant. Whoever holds it may go on using it also after it was dropped here. */
  of(tenant: string): Resident {
    let resident = this.#byTenant.get(tenant)
    const now = this.#now()
    if (resident === undefined || resident.isStale(now)) resident = new Resident(now)
    this.#byTenant.delete(tenant)
    this.#byTenant.set(tenant, resident)
    return resident
  }

  get byteLength(): number {
    let bytes = 0
    for (const resident of this.#byTenant.values()) bytes += resident.byteLength
    return bytes
  }

  /** To be called when a query has been answered. */
  trim(): void {
    let bytes = this.byteLength
    for (const [tenant, resident] of this.#byTenant) {
      if (bytes <= this.#maxBytes) break
      bytes -= resident.byteLength
      this.#byTenant.delete(tenant)
    }
  }
}
