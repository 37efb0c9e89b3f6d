// Sums of 64-bit values that may exceed 64 bits: doubles as long as they are exact, bigints beyond.
import { int64, int64ToNumber } from '../../../model/columns/int64.ts'

/** High halves of values within ±2^52. */
const SMALL_HIGH = 0x10_0000

export class ExactSums {
  readonly #small: number[] = []
  readonly #large = new Map<number, bigint>()

  /** Adds to sum i. All sums start at zero. */
  add(i: number, lo: number, hi: number): void {
    while (this.#small.length <= i) this.#small.push(0)
    const sum = this.#small[i] + int64ToNumber(lo, hi)
    if (hi < SMALL_HIGH && hi >= -SMALL_HIGH && Number.isSafeInteger(sum)) this.#small[i] = sum
    else this.#large.set(i, (this.#large.get(i) ?? 0n) + int64(lo, hi))
  }

  get(i: number): number | bigint {
    const small = this.#small[i] ?? 0
    const large = this.#large.get(i)
    return large === undefined ? small : large + BigInt(small)
  }
}
