// Random numbers from a seed, so that the same seed makes the same demo data. Mulberry32.

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.next()
  }

  /** Exponentially distributed with this mean: the time between requests that arrive independently. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next())
  }

  /** One of the items, by weight. */
  weighted<Item extends readonly [weight: number, ...rest: unknown[]]>(items: readonly Item[]): Item {
    let at = this.next() * items.reduce((sum, [weight]) => sum + weight, 0)
    return items.find(([weight]) => (at -= weight) < 0) ?? items[items.length - 1]
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += ((this.next() * 2 ** 32) >>> 0).toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }
}
