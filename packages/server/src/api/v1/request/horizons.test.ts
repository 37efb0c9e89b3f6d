import { describe, expect, it } from 'vitest'
import type { Visibility } from './horizons.ts'
import { Horizons } from './horizons.ts'

/** A store that makes data visible when the test says so. */
class SlowStore implements Visibility {
  time = 100n
  waiting = 0
  before = 0n
  signal: AbortSignal | undefined
  settle: () => void = () => {}

  visibleBefore(): bigint {
    return this.time
  }

  visible(before: bigint, signal: AbortSignal): Promise<void> {
    this.waiting++
    this.before = before
    this.signal = signal
    return new Promise(resolve => (this.settle = resolve))
  }
}

describe('Horizons', () => {
  it('returns times before which everything is visible, without waiting', async () => {
    const store = new SlowStore()
    expect(await new Horizons(store).of(100n)).toBe(100n)
    expect(store.waiting).toBe(0)
  })

  it('waits once for all requests of a screen', async () => {
    const store = new SlowStore()
    const horizons = new Horizons(store)
    const both = Promise.all([horizons.of(120n), horizons.of(120n)])
    store.time = 130n
    store.settle()
    expect(await both).toEqual([120n, 120n])
    expect(store.waiting).toBe(1)
  })

  it('returns the same earlier time to all requests of a screen if the store is behind', async () => {
    const store = new SlowStore()
    const horizons = new Horizons(store, { maxWaitMs: 0 })
    expect(await horizons.of(200n)).toBe(100n)
    store.time = 150n
    // The data between arrived late for this screen. The next load sees it.
    expect(await horizons.of(200n)).toBe(100n)
    expect(await horizons.of(201n)).toBe(150n)
  })

  it('returns the same time on every server of a shared store, also on one that knows less', async () => {
    const second = 1_000_000_000n
    const stores = [100n, 90n].map(seconds => Object.assign(new SlowStore(), { time: seconds * second }))
    const servers = stores.map(store => new Horizons(store, { isShared: true, maxWaitMs: 600_000 }))
    const seen = Promise.all(servers.map(horizons => horizons.of(100n * second)))
    expect(stores.map(({ waiting }) => waiting)).toEqual([0, 1])
    stores[1].time = 96n * second
    stores[1].settle()
    expect(await seen).toEqual([95n * second, 95n * second])
    expect(await servers[0].of(1n)).toBe(0n)
  })

  it('ends the wait of the store when it is over', async () => {
    const store = new SlowStore()
    await new Horizons(store, { maxWaitMs: 0 }).of(200n)
    expect([store.before, store.signal?.aborted]).toEqual([200n, true])
  })

  it('does not fail when the store closes', async () => {
    const store = new SlowStore()
    store.visible = () => Promise.reject(new Error('closed'))
    expect(await new Horizons(store).of(200n)).toBe(100n)
  })
})
