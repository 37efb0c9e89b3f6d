// The data that the requests of one screen see. All of them have the same `receivedBefore`, and data that was received earlier
// may not be visible yet. The first request waits for it for a while. If the store is further behind, all requests with this
// time see the data that was visible then, and the response says so.
//
// Other servers may write to a store, too. Then data counts as visible when it is complete on all of them, see members.ts. So the
// servers return the same data for the same time, unless one of them is so late that the wait ends first.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Visibility {
  /**
   * Resolves when everything received before the time is visible to queries. The time is not later than the call. The signal aborts
   * when nobody waits any more.
   */
  visible(before: bigint, signal: AbortSignal): Promise<void>
  /** The time in nanoseconds before which everything received is visible to queries, and to which nothing is added. */
  visibleBefore(): bigint
}

export interface HorizonOptions {
  /** Whether other servers write to the store, too. */
  readonly isShared?: boolean
  readonly maxWaitMs?: number
}

const MAX_WAIT_MS = 5000
/**
 * Nanoseconds by which screens of a shared store are behind. Servers report every two seconds what is visible. Without this time,
 * every load would wait for the next reports.
 */
const SHARED_LAG = 5_000_000_000n
/** A time takes some 100 bytes. A screen that stays open longer than this many loads of others may see more data. */
const MAX_KNOWN = 10_000

export class Horizons {
  readonly #store: Visibility
  readonly #maxWaitMs: number
  readonly #lag: bigint
  /** By the time that requests give, the oldest first. */
  readonly #known = new Map<bigint, Promise<bigint>>()

  constructor(store: Visibility, { isShared = false, maxWaitMs = MAX_WAIT_MS }: HorizonOptions = {}) {
    this.#store = store
    this.#maxWaitMs = maxWaitMs
    this.#lag = isShared ? SHARED_LAG : 0n
  }

  /** The time that replaces `receivedBefore`, always the same for the same one. */
  async of(requested: bigint): Promise<bigint> {
    const receivedBefore = requested > this.#lag ? requested - this.#lag : 0n
    const known = this.#known.get(receivedBefore)
    if (known !== undefined) return await known
    if (receivedBefore <= this.#store.visibleBefore()) return receivedBefore
    const found = this.#wait(receivedBefore)
    this.#known.set(receivedBefore, found)
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MAX_KNOWN) break
      this.#known.delete(oldest)
    }
    return await found
  }

  async #wait(receivedBefore: bigint): Promise<bigint> {
    const ends = new AbortController()
    const late = sleep(this.#maxWaitMs, undefined, { signal: ends.signal }).catch(() => undefined)
    // The store rejects when it closes. Visible data stays visible.
    const visibleThen = this.#store.visible(receivedBefore, ends.signal).catch(() => undefined)
    await Promise.race([visibleThen, late]).finally(() => ends.abort())
    const visible = this.#store.visibleBefore()
    return receivedBefore <= visible ? receivedBefore : visible
  }
}
