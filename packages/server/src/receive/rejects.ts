// Rejected items of a request whose other items are accepted: their number, and the first few reasons. OTLP reports them as
// partial success.

const MAX_REPORTED = 3

export class Rejects {
  #count = 0
  readonly #reasons = new Map<string, number>()
  readonly #reported: string[] = []

  get count(): number {
    return this.#count
  }

  /** The number of rejected items by a stable word for the reason. */
  get reasons(): ReadonlyMap<string, number> {
    return this.#reasons
  }

  /** `where` is the path of the item in the request. */
  add(reason: string, where: string, what: string, count = 1): void {
    this.#count += count
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + count)
    if (this.#reported.length < MAX_REPORTED) this.#reported.push(`${where}: ${what}`)
  }

  /** Empty if nothing was rejected. */
  message(): string {
    if (this.#count === 0) return ''
    const more = this.#count - this.#reported.length
    return this.#reported.join('; ') + (more > 0 ? `; and ${more} more` : '')
  }
}
