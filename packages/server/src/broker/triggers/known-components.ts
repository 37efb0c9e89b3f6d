// Who is subscribed, as far as triggers need to know. A list of thousands is not made anew for each request of a storm, but
// whoever is missed in it may have come a moment ago.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveComponent } from '../components/live-component.ts'

type List = readonly LiveComponent[]

interface Known {
  readonly since: number
  readonly list: List
}

/** How old a list may be in which everybody is found. */
const FRESH_MS = 1000
/** How often at the most a list is made because somebody is missing. */
const EVERY_MS = 100

export class KnownComponents {
  readonly #ask: (tenant: string) => Promise<List> | List
  readonly #known = new Map<string, Known>()
  readonly #asking = new Map<string, Promise<List>>()

  constructor(ask: (tenant: string) => Promise<List> | List) {
    this.#ask = ask
  }

  /** A list that will do; where none does, one that was made after the call. */
  async including(tenant: string, willDo: (list: List) => boolean): Promise<List> {
    const called = performance.now()
    const known = this.#known.get(tenant)
    if (known !== undefined && known.since > called - FRESH_MS && willDo(known.list)) return known.list
    // One that is being made may have been begun before.
    await this.#asking.get(tenant)
    const now = this.#known.get(tenant)
    if (now !== undefined && now.since >= called) return now.list
    return await (this.#asking.get(tenant) ?? this.#make(tenant, now?.since ?? -Infinity))
  }

  #make(tenant: string, last: number): Promise<List> {
    const making = (async () => {
      const wait = last + EVERY_MS - performance.now()
      if (wait > 0) await sleep(wait)
      const since = performance.now()
      const list = await this.#ask(tenant)
      this.#known.set(tenant, { since, list })
      return list
    })()
    this.#asking.set(tenant, making)
    return making.finally(() => this.#asking.delete(tenant))
  }
}
