// Rejected items of a request whose other items are accepted, and warnings about accepted items: their number, and the first
// few reasons. OTLP reports them as partial success.

const MAX_REPORTED = 3

export class Rejects {
  #count = 0
  readonly #reasons = new Map<string, number>()
  readonly #reported: string[] = []
  readonly #warnings: string[] = []
  #warningCount = 0
  #keptFields = 0
  #droppedFields = 0

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

  /** Counts fields that OTLP does not define. A sender of a newer version is warned only of those that are not stored. */
  unknownFields(kept: number, dropped: number): void {
    this.#keptFields += kept
    this.#droppedFields += dropped
    if (dropped > 0) this.warn('', `fields that this version of OTLP does not define were dropped: ${dropped}`)
  }

  get keptFields(): number {
    return this.#keptFields
  }

  get droppedFields(): number {
    return this.#droppedFields
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
