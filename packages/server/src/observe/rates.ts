// How fast counters grow: looked at every few seconds, compared with what they were a minute ago.

/** Counters by name. */
type Counts = ReadonlyMap<string, number>

interface Look {
  readonly at: number
  readonly counts: Counts
}

const EVERY_MS = 5000
const WINDOW_MS = 60_000

export class Rates {
  readonly #read: () => Promise<Counts>
  readonly #now: () => number
  #looks: Look[] = []
  #timer: NodeJS.Timeout | undefined

  /** `now` in milliseconds, of a clock that never goes back. */
  constructor(read: () => Promise<Counts>, now: () => number = () => performance.now()) {
    this.#read = read
    this.#now = now
  }

  async start(): Promise<void> {
    await this.look()
    this.#timer = setInterval(() => void this.look(), EVERY_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** What each counter is, and by how much a second it has grown. */
  async look(): Promise<{ readonly counts: Counts; readonly perSecond: (name: string) => number }> {
    const counts = await this.#read()
    const at = this.#now()
    // One from before the window stays, so that the rate is of a whole minute as soon as there is one.
    while (this.#looks.length > 1 && this.#looks[1].at <= at - WINDOW_MS) this.#looks.shift()
    const last = this.#looks.at(-1)
    // However often it is asked for, only so many are kept.
    if (last === undefined || at - last.at >= EVERY_MS / 2) this.#looks.push({ at, counts })
    const [first] = this.#looks
    const seconds = (at - first.at) / 1000
    const grown = (name: string) => (counts.get(name) ?? 0) - (first.counts.get(name) ?? 0)
    return { counts, perSecond: name => (seconds <= 0 ? 0 : Math.max(0, grown(name)) / seconds) }
  }
}
