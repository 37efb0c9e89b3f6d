// Rejected items of a request whose other items are accepted, and warnings about accepted items: their number, and the first
// few reasons. OTLP reports them as partial success.

const MAX_REPORTED = 3

export class Rejects {
  #count = 0
  readonly #reasons = new Map<string, number>()
  readonly #reported: string[] = []
  readonly #warnings: string[] = []
  #warningCount = 0

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

  /** Reports a broken rule of an item that is accepted. */
  warn(where: string, what: string, count = 1): void {
    this.#warningCount += count
    if (this.#warnings.length < MAX_REPORTED) this.#warnings.push(where === '' ? what : `${where}: ${what}`)
  }

  /** Empty if nothing was rejected and there are no warnings. */
  message(): string {
    const rejected = summary(this.#reported, this.#count)
    const warnings = summary(this.#warnings, this.#warningCount)
    if (warnings === '') return rejected
    return `${rejected === '' ? '' : `${rejected}; `}accepted with problems: ${warnings}`
  }
}

function summary(reported: readonly string[], count: number): string {
  const more = count - reported.length
  return reported.join('; ') + (more > 0 ? `; and ${more} more` : '')
}
