// Runs a few requests at a time, so that many small ones do not fill the query slots of the server.

export class Turns {
  readonly #max: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#max = max
  }

  /** Runs the task when it is its turn. A task that is cancelled before its turn is skipped. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#running++
    try {
      signal.throwIfAborted()
      return await task()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }
}
