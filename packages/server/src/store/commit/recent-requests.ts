// Recent requests by tenant and content, to detect duplicates after a lost response. A retry that arrives while the first is
// still being committed waits for it and shares its result.
import type { Engine } from '../engine.ts'

export interface RecentLimits {
  readonly milliseconds: number
  /** Above this the oldest are forgotten. A request takes about 130 bytes. */
  readonly requests: number
}

export interface RecentRequest {
  readonly tenant: string
  /** 16 bytes. */
  readonly id: Uint8Array
  /** Unix milliseconds. */
  readonly received: number
}

/** The id has a fixed length, so that the key is unique for any tenant name. */
export function requestKey(tenant: string, id: Uint8Array): string {
  if (id.length !== 16) throw new RangeError(`a request id must have 16 bytes, not ${id.length}`)
  return Buffer.from(id.buffer, id.byteOffset, 16).toString('latin1') + tenant
}

export class RecentRequests {
  readonly #limits: RecentLimits
  readonly #now: () => number
  /** Committed requests with their time, oldest first. */
  readonly #committed = new Map<string, number>()
  readonly #inFlight = new Map<string, Promise<void>>()

  constructor(limits: RecentLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  get size(): number {
    return this.#committed.size
  }

  isCommitted(key: string): boolean {
    const time = this.#committed.get(key)
    return time !== undefined && time > this.#now() - this.#limits.milliseconds
  }

  inFlight(key: string): Promise<void> | undefined {
    return this.#inFlight.get(key)
  }

  /** Marks the key as in flight until `committed` settles. */
  begin(key: string, committed: Promise<void>): void {
    this.#inFlight.set(key, committed)
    committed.then(
      () => {
        this.#inFlight.delete(key)
        this.#add(key, this.#now())
      },
      () => this.#inFlight.delete(key),
    )
  }

  /** Adds requests of an earlier run, in any order. */
  load(requests: Iterable<RecentRequest>): void {
    const known = [...this.#committed]
    for (const { tenant, id, received } of requests) known.push([requestKey(tenant, id), received])
    this.#committed.clear()
    // A clock that was set back must not extend the window.
    const now = this.#now()
    known.sort((a, b) => a[1] - b[1])
    for (const [key, time] of known) this.#add(key, Math.min(time, now))
  }

  #add(key: string, time: number): void {
    // Delete first, so that the map stays in order of time.
    this.#committed.delete(key)
    this.#committed.set(key, time)
    const expired = this.#now() - this.#limits.milliseconds
    for (const [oldest, at] of this.#committed) {
      if (at > expired && this.#committed.size <= this.#limits.requests) break
      this.#committed.delete(oldest)
    }
  }
}

/** Reads the latest requests from the engine, at most `limits.requests`. */
export async function selectRecent(
  engine: Engine,
  limits: RecentLimits,
  now: number,
): Promise<readonly RecentRequest[]> {
  const since = now - limits.milliseconds
  const block = await engine.select(
    `SELECT CAST(tenant, 'String') AS tenant_name, request AS id, toUnixTimestamp64Nano(received) AS nanoseconds
     FROM requests
     WHERE day >= toDate(${Math.floor(since / 86_400_000)}) AND received >= fromUnixTimestamp64Nano(toInt64(${since}000000))
     ORDER BY received DESC LIMIT ${limits.requests}`,
  )
  const tenants = block.column('tenant_name')
  const ids = block.column('id')
  const times = block.column('nanoseconds')
  return Array.from({ length: block.rows }, (_, row) => ({
    tenant: tenants.text(row),
    id: ids.bytes(row),
    received: Number(times.bigint(row) / 1_000_000n),
  }))
}
