// People who watch events go by. Watching must not slow routing down: each sees so many a second, and is told how many it
// did not see.
import type { Event } from '@hearth/broker'
import type { EventOutcome } from './tally.ts'

const MOST_PER_SECOND = 1000

export interface SeenEvent {
  readonly at: Date
  /** As it was routed, with source and target. */
  readonly event: Event
  readonly outcome: EventOutcome
  /** Of the rule that matched. */
  readonly routeId: bigint | undefined
  /** Why it was refused. */
  readonly error: string | undefined
  /** How many went by unseen since the last one, because there were too many. */
  readonly missed: number
}

export type WatchListener = (seen: SeenEvent) => void

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

  show(seen: Omit<SeenEvent, 'at' | 'missed'>): void {
    const now = Date.now()
    const second = Math.floor(now / 1000)
    for (const watcher of this.#watchers) {
      if (watcher.second !== second) {
        watcher.second = second
        watcher.shown = 0
      }
      if (watcher.shown >= MOST_PER_SECOND) {
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
