// Limits concurrent queries in total and per tenant. The tenant with the fewest running queries is next, so that one tenant's
// dashboards do not block others. Queries that would wait too long are rejected with a time to retry.
import { RequestError } from '../response/request-error.ts'

export interface TenantSlots {
  /** Maximum concurrent queries of the tenant. */
  readonly running: number
  /** Maximum waiting queries of the tenant. */
  readonly waiting: number
}

interface Turn {
  readonly begin: () => void
}

interface Tenant {
  running: number
  /** Sequence number of its last start. */
  served: number
  readonly turns: Turn[]
}

const RETRY_SECONDS = 2

export class QuerySlots {
  readonly #total: number
  readonly #slotsOf: (tenant: string) => TenantSlots
  readonly #tenants = new Map<string, Tenant>()
  #running = 0
  #begun = 0

  /** `total` is the limit over all tenants. */
  constructor(total: number, slotsOf: (tenant: string) => TenantSlots) {
    this.#total = total
    this.#slotsOf = slotsOf
  }

  /** Running and waiting queries of all tenants. */
  get state(): { readonly running: number; readonly waiting: number } {
    let waiting = 0
    for (const { turns } of this.#tenants.values()) waiting += turns.length
    return { running: this.#running, waiting }
  }

  /** Throws RequestError if too many queries wait, or the signal's reason if it aborts first. */
  async run<T>(tenant: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const slots = this.#slotsOf(tenant)
    const state = this.#tenants.get(tenant) ?? { running: 0, served: 0, turns: [] }
    if (this.#running < this.#total && state.running < slots.running && state.turns.length === 0) this.#begin(state)
    else if (state.turns.length >= slots.waiting) {
      throw new RequestError(429, 'too-many-queries', 'too many concurrent queries', RETRY_SECONDS)
    } else {
      this.#tenants.set(tenant, state)
      await turn(state.turns, signal).catch((error: unknown) => {
        this.#forget(tenant, state)
        throw error
      })
    }
    this.#tenants.set(tenant, state)
    try {
      return await task()
    } finally {
      state.running--
      this.#running--
      this.#forget(tenant, state)
      this.#next()
    }
  }

  #begin(state: Tenant): void {
    state.running++
    state.served = ++this.#begun
    this.#running++
  }

  /** The tenant with the fewest running queries. Ties go to the one served longest ago. */
  #next(): void {
    while (this.#running < this.#total) {
      let next: Tenant | undefined
      for (const [name, state] of this.#tenants) {
        if (state.turns.length === 0 || state.running >= this.#slotsOf(name).running) continue
        const fewer = next === undefined || state.running < next.running
        if (fewer || (state.running === next!.running && state.served < next!.served)) next = state
      }
      if (next === undefined) return
      this.#begin(next)
      next.turns.shift()!.begin()
    }
  }

  #forget(tenant: string, { running, turns }: Tenant): void {
    if (running === 0 && turns.length === 0) this.#tenants.delete(tenant)
  }
}

/** Resolves when a slot is free. The query then counts as running. */
function turn(turns: Turn[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      turns.splice(turns.indexOf(mine), 1)
      reject(signal.reason as Error)
    }
    const mine: Turn = {
      begin: () => {
        signal.removeEventListener('abort', leave)
        resolve()
      },
    }
    signal.addEventListener('abort', leave, { once: true })
    turns.push(mine)
  })
}
