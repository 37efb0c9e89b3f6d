// One line on standard error that says what is going on: only when a person watches, and only once the work has taken
// longer than a second. Work of our own is synchronous, so the line moves between files and stages, not within them; while
// a server works, it counts the seconds.
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

  /** Says it for as long as somebody else works on it: `asking http://127.0.0.1:4040, 3 s`. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const begun = this.#now()
    const timer = setInterval(() => this.say(`${what}, ${Math.round((this.#now() - begun) / 1000)} s`), TICK_MS)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }

  /** Takes the line away; must be called before anything else is written. */
  done(): void {
    if (this.#shown) this.#write('\r\u001b[K')
    this.#shown = false
  }

  #write(text: string): void {
    this.#sink.write(text, () => {})
  }
}
