// A rate limiter that allows bursts of up to one second's worth.

export class TokenBucket {
  readonly #perSecond: number
  #tokens: number
  #filled: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#filled = now
  }

  /** Takes one token, going into debt if necessary. Returns the milliseconds until the next token, usually 0. */
  take(now: number): number {
    const more = ((now - this.#filled) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + more) - 1
    this.#filled = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000
  }
}
