// Items of a request that cannot be kept while the others can: counted, with the first few reasons in words. They become
// the partial success that OTLP has.

const TOLD = 3

export class Rejects {
  #count = 0
  readonly #reasons = new Map<string, number>()
  readonly #told: string[] = []

  get count(): number {
    return this.#count
  }

  /** Few, stable words by which rejects are counted, and how many there are of each. */
  get reasons(): ReadonlyMap<string, number> {
    return this.#reasons
  }

  /** `where` is the item's place in the request. */
  add(reason: string, where: string, what: string, count = 1): void {
    this.#count += count
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + count)
    if (this.#told.length < TOLD) this.#told.push(`${where}: ${what}`)
  }

  /** Empty where nothing was rejected. */
  message(): string {
    if (this.#count === 0) return ''
    const more = this.#count - this.#told.length
    return this.#told.join('; ') + (more > 0 ? `; and ${more} more` : '')
  }
}
