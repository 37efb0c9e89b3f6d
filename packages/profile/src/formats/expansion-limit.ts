// Limits how much a small input may expand, for example by attribute sets that each sample copies, or by strings that each
// reference copies. A payload of 1 MB can expand to 10^11 numbers.

/** In ints: 256 MiB. Input larger than 32 MiB may expand to more. */
const MIN_LIMIT = 1 << 26

export class ExpansionLimit {
  readonly limit: number
  #spent = 0

  constructor(inputBytes: number) {
    this.limit = Math.max(MIN_LIMIT, 2 * inputBytes)
  }

  /** Adds a number of ints (four bytes count as one). Returns false once the limit is exceeded. */
  spend(count: number): boolean {
    this.#spent += count
    return this.#spent <= this.limit
  }
}
