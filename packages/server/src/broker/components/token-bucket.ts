// How much of something is let through in a second: a second's worth at once, then as it is refilled.

export class TokenBucket {
  readonly #perSecond: number
  #tokens: number
  #filled: number

  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#tokens = perSecond
    this.#filled = now
  }

  /** Takes one, on credit if need be. Returns after how many milliseconds there is one again: 0 mostly. */
  take(now: number): number {
    const more = ((now - this.#filled) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#perSecond, this.#tokens + more) - 1
    this.#filled = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000
  }
}
