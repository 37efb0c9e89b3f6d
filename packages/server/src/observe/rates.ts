// Growth rates of counters: samples them every few seconds and compares with a minute ago.

/** Counters by name. */
type Counts = ReadonlyMap<string, number>

interface Reading {
  readonly at: number
  readonly counts: Counts
}

const EVERY_MS = 5000
const WINDOW_MS = 60_000

export class Rates {
  readonly #read: () => Promise<Counts>
  readonly #now: () => number
  #readings: Reading[] = []
  #timer: NodeJS.Timeout | undefined

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(read: () => Promise<Counts>, now: () => number = () => performance.now()) {
    this.#read = read
    this.#now = now
  }

  async start(): Promise<void> {
    await this.read()
    this.#timer = setInterval(() => void this.read(), EVERY_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Returns the value of each counter and its growth per second. */
  async read(): Promise<{ readonly counts: Counts; readonly perSecond: (name: string) => number }> {
    const counts = await this.#read()
    const at = this.#now()
    // One reading from before the window stays, so that the rate covers a full minute.
    while (this.#readings.length > 1 && this.#readings[1].at <= at - WINDOW_MS) this.#readings.shift()
    const last = this.#readings.at(-1)
    // Limits the number of readings, however often callers read.
    if (last === undefined || at - last.at >= EVERY_MS / 2) this.#readings.push({ at, counts })
    const [first] = this.#readings
    const seconds = (at - first.at) / 1000
    const grown = (name: string) => (counts.get(name) ?? 0) - (first.counts.get(name) ?? 0)
    return { counts, perSecond: name => (seconds <= 0 ? 0 : Math.max(0, grown(name)) / seconds) }
  }
}
