// A progress line on standard error, only on a terminal, and only after a second. Local work is synchronous, so the line changes
// between files and stages, not within them. While a server works, it counts the seconds.
import type { Sink } from './terminal.ts'
import { clipped, printable } from './printable.ts'

const QUIET_MS = 1000
const EVERY_MS = 100
const TICK_MS = 250

export class Progress {
  readonly #sink: Sink
  readonly #now: () => number
  readonly #start: number
  #last = -Infinity
  #shown = false

  constructor(sink: Sink, now: () => number = () => performance.now()) {
    this.#sink = sink
    this.#now = now
    this.#start = now()
  }

  /** `merging 12 of 400: heap.pb.gz` */
  say(what: string): void {
    const now = this.#now()
    if (this.#sink.isTTY !== true || now - this.#start < QUIET_MS || now - this.#last < EVERY_MS) return
    this.#last = now
    this.#shown = true
    this.#write(`\r\u001b[K${clipped(printable(what), (this.#sink.columns ?? 80) - 1)}`)
  }

  /** Shows the text while `work` is pending: `querying http://127.0.0.1:4040, 3 s`. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const begun = this.#now()
    const timer = setInterval(() => this.say(`${what}, ${Math.round((this.#now() - begun) / 1000)} s`), TICK_MS)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  /** Clears the line. Must be called before anything else is written. */
  done(): void {
    if (this.#shown) this.#write('\r\u001b[K')
    this.#shown = false
  }

  #write(text: string): void {
    this.#sink.write(text, () => {})
  }
}
