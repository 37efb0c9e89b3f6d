// A limit on how far a small input may unfold: attribute sets that each sample gets a copy of, strings that are copied with
// each reference. A payload of 1 MB can ask for 10^11 numbers.

/** Ints, so 256 MiB; input beyond 32 MiB may unfold into more. */
const LEAST_LIMIT = 1 << 26

export class UnfoldLimit {
  readonly limit: number
  #spent = 0

  constructor(inputBytes: number) {
    this.limit = Math.max(LEAST_LIMIT, 2 * inputBytes)
  }

  /** Counts ints, or bytes by four; false once there are too many. */
  spend(count: number): boolean {
    this.#spent += count
    return this.#spent <= this.limit
  }
}
