// The data that the requests of one screen see. All of them have the same `receivedBefore`, and data that was received earlier
// may not be visible yet. The first request waits for it for a while. If the store is further behind, all requests with this
// time see the data that was visible then.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Visibility {
  /** Resolves when everything received before the call is visible to queries. */
  visible(): Promise<void>
  /** The time in nanoseconds before which everything received is visible to queries, and to which nothing is added. */
  visibleBefore(): bigint
}

const MAX_WAIT_MS = 5000
/** A time takes some 100 bytes. A screen that stays open longer than this many loads of others may see more data. */
const MAX_KNOWN = 10_000

export class Horizons {
  readonly #store: Visibility
  readonly #maxWaitMs: number
  /** By the time that requests give, the oldest first. */
  readonly #known = new Map<bigint, Promise<bigint>>()

  constructor(store: Visibility, maxWaitMs: number = MAX_WAIT_MS) {
    this.#store = store
    this.#maxWaitMs = maxWaitMs
  }

  /** The time that replaces `receivedBefore`, always the same for the same one. */
  async of(receivedBefore: bigint): Promise<bigint> {
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
    await Promise.race([this.#store.visible().catch(() => undefined), late]).finally(() => ends.abort())
    const visible = this.#store.visibleBefore()
    return receivedBefore <= visible ? receivedBefore : visible
  }
}
