// Symbols in memory between queries, by tenant, within a limit. The least recently used tenant is dropped first. A
// tenant that exceeds the limit alone starts over.
import type { Grouping, TreeOrder } from '@hearth/profile'
import type { ReadEngine } from '../../store/engine.ts'
import type { SymbolNames } from '../../symbols/binary-names.ts'
import { ResidentFrames, StackNodes } from './stack-nodes.ts'
import { ResidentSymbols } from './resident-symbols.ts'

/** Most queries group by function, root first. Other groupings share the remaining tries. */
const TRIES_A_TENANT = 6

/** The time until missing symbols are looked up again. */
const MISSING_FOR_MS = 60_000

export class Resident {
  readonly symbols: ResidentSymbols
  readonly #since: number
  readonly #frames = new Map<string, ResidentFrames>()
  readonly #nodes = new Map<string, StackNodes>()

  frames(grouping: Grouping): ResidentFrames {
    const key = keyOf(grouping)
    let frames = this.#frames.get(key)
    if (frames === undefined) this.#frames.set(key, (frames = new ResidentFrames(this.symbols, grouping)))
    return frames
  }

  nodes(grouping: Grouping, order: TreeOrder): StackNodes {
    const key = `${keyOf(grouping)} ${order}`
    const nodes = this.#nodes.get(key) ?? new StackNodes(this.frames(grouping), order)
    // Moves the entry to the end, so that the first entry is the least recently used.
    this.#nodes.delete(key)
    this.#nodes.set(key, nodes)
    for (const oldest of this.#nodes.keys()) {
      if (this.#nodes.size <= TRIES_A_TENANT) break
      this.#nodes.delete(oldest)
    }
    return nodes
  }

  constructor(now: number, names?: SymbolNames) {
    this.symbols = new ResidentSymbols(names)
    this.#since = now
  }

  /** Whether symbols were missing and may be stored by now. */
  isStale(now: number): boolean {
    return !this.symbols.isWhole && now - this.#since > MISSING_FOR_MS
  }

  get byteLength(): number {
    let bytes = this.symbols.byteLength
    for (const nodes of this.#nodes.values()) bytes += nodes.byteLength
    return bytes
  }
}

function keyOf({ by, inlined, addresses }: Grouping): string {
  return `${by} ${inlined} ${addresses === true}`
}

const byEngine = new WeakMap<ReadEngine, Residents>()

/** Conditions of a query on the names of native frames use these symbols. */
export function useResidents(engine: ReadEngine, residents: Residents): void {
  byEngine.set(engine, residents)
}

export function residentsOf(engine: ReadEngine): Residents | undefined {
  return byEngine.get(engine)
}

export class Residents {
  readonly #maxBytes: number
  readonly #now: () => number
  readonly #names: SymbolNames | undefined
  readonly #byTenant = new Map<string, Resident>()

  constructor(maxBytes: number, now = () => performance.now(), names?: SymbolNames) {
    this.#maxBytes = maxBytes
    this.#now = now
    this.#names = names
  }

  /** The symbols of the tenant. The caller may use them after they were dropped here. */
  of(tenant: string): Resident {
    let resident = this.#byTenant.get(tenant)
    const now = this.#now()
    if (resident === undefined || resident.isStale(now)) resident = new Resident(now, this.#names)
    this.#byTenant.delete(tenant)
    this.#byTenant.set(tenant, resident)
    return resident
  }

  /** To be called when names of native frames have changed: for the tenant, or for all. */
  forget(tenant: string | undefined): void {
    if (tenant === undefined) this.#byTenant.clear()
    else this.#byTenant.delete(tenant)
  }

  get byteLength(): number {
    let bytes = 0
    for (const resident of this.#byTenant.values()) bytes += resident.byteLength
    return bytes
  }

  /** To be called after each query. `maxBytes` is a limit below the usual one. */
  trim(maxBytes = this.#maxBytes): void {
    let bytes = this.byteLength
    for (const [tenant, resident] of this.#byTenant) {
      if (bytes <= maxBytes) break
      bytes -= resident.byteLength
      this.#byTenant.delete(tenant)
    }
  }
}
