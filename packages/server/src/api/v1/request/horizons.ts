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

export interface HorizonOptions {
  /** Whether other servers write to the store, too. */
  readonly isShared?: boolean
  readonly maxWaitMs?: number
}

const MAX_WAIT_MS = 5000
/**
 * Nanoseconds after which data of other servers is taken to be visible. Each server knows only what it has received itself, and
 * all of them must respond to the requests of a screen with the same data.
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
    await Promise.race([this.#store.visible().catch(() => undefined), late]).finally(() => ends.abort())
    const visible = this.#store.visibleBefore()
    return receivedBefore <= visible ? receivedBefore : visible
  }
}
