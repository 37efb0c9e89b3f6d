// A cache of subscribed components for triggers. A storm of requests does not rebuild a list of thousands each time, but a
// component missing from the list may have subscribed a moment ago, so then the list is refreshed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveComponent } from '../components/live-component.ts'

type List = readonly LiveComponent[]

interface Known {
  readonly since: number
  readonly list: List
}

/** Maximum age of a list that contains every needed component. */
const FRESH_MS = 1000
/** Minimum interval between refreshes because of a missing component. */
const REFRESH_MS = 100

export class KnownComponents {
  readonly #fetch: (tenant: string) => Promise<List> | List
  readonly #known = new Map<string, Known>()
  readonly #fetching = new Map<string, Promise<List>>()

  constructor(fetch: (tenant: string) => Promise<List> | List) {
    this.#fetch = fetch
  }

  /** Returns a cached list for which `suffices` is true, or one fetched after the call. */
  async including(tenant: string, suffices: (list: List) => boolean): Promise<List> {
    const called = performance.now()
    const known = this.#known.get(tenant)
    if (known !== undefined && known.since > called - FRESH_MS && suffices(known.list)) return known.list
    // A fetch in progress may have started before the call.
    await this.#fetching.get(tenant)
    const now = this.#known.get(tenant)
    if (now !== undefined && now.since >= called) return now.list
    return await (this.#fetching.get(tenant) ?? this.#make(tenant, now?.since ?? -Infinity))
  }

  #make(tenant: string, last: number): Promise<List> {
    const making = (async () => {
      const wait = last + REFRESH_MS - performance.now()
      if (wait > 0) await sleep(wait)
      const since = performance.now()
      const list = await this.#fetch(tenant)
      this.#known.set(tenant, { since, list })
      return list
    })()
    this.#fetching.set(tenant, making)
    return making.finally(() => this.#fetching.delete(tenant))
  }
}
