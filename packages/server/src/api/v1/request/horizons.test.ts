import { describe, expect, it } from 'vitest'
import type { Visibility } from './horizons.ts'
import { Horizons } from './horizons.ts'

/** A store that makes data visible when the test says so. */
class SlowStore implements Visibility {
  time = 100n
  waiting = 0
  settle: () => void = () => {}

  visibleBefore(): bigint {
    return this.time
  }

  visible(): Promise<void> {
    this.waiting++
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

  it('leaves data of other servers time to become visible, the same on every server', async () => {
    const second = 1_000_000_000n
    // Two servers on one store. The clock of the second one is behind, but not by more than the lag.
    const servers = [100n, 97n].map(seconds => {
      const store = new SlowStore()
      store.time = seconds * second
      return new Horizons(store, { isShared: true })
    })
    const seen = await Promise.all(servers.map(horizons => horizons.of(100n * second)))
    expect(seen).toEqual([95n * second, 95n * second])
    expect(await servers[0].of(1n)).toBe(0n)
  })

  it('does not fail when the store closes', async () => {
    const store = new SlowStore()
    store.visible = () => Promise.reject(new Error('closed'))
    expect(await new Horizons(store).of(200n)).toBe(100n)
  })
})
