// Clients that watch events as they are routed. Each watcher receives a limited number of events per second and the count of
// skipped ones, so that watching does not slow down routing.
import type { Event } from '@hearth/broker'
import type { EventOutcome } from './event-counter.ts'

const MAX_PER_SECOND = 1000

export interface WatchedEvent {
  readonly at: Date
  /** With source and target, as routed. */
  readonly event: Event
  readonly outcome: EventOutcome
  /** Id of the matching route. */
  readonly routeId: bigint | undefined
  /** The reason for the rejection. */
  readonly error: string | undefined
  /** Events skipped since the last one because of the rate limit. */
  readonly missed: number
}

export type WatchListener = (seen: WatchedEvent) => void

interface Watcher {
  readonly listener: WatchListener
  second: number
  shown: number
  missed: number
}

export class Watchers {
  readonly #watchers = new Set<Watcher>()

  get isEmpty(): boolean {
    return this.#watchers.size === 0
  }

  add(listener: WatchListener): () => void {
    const watcher: Watcher = { listener, second: 0, shown: 0, missed: 0 }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  show(seen: Omit<WatchedEvent, 'at' | 'missed'>): void {
    const now = Date.now()
    const second = Math.floor(now / 1000)
    for (const watcher of this.#watchers) {
      if (watcher.second !== second) {
        watcher.second = second
        watcher.shown = 0
      }
      if (watcher.shown >= MAX_PER_SECOND) {
        watcher.missed++
        continue
      }
      watcher.shown++
      const { missed } = watcher
      watcher.missed = 0
      watcher.listener({ at: new Date(now), ...seen, missed })
    }
  }
}
