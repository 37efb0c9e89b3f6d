// The locations of stacks that were just fetched, numbered as they are met: 50,000 stacks have a million, of which each is
// looked up by its id once.
import { IdIndex } from '../../store/symbols/id-index.ts'
import { GrowingInts } from './growing-ints.ts'

export class StackLocations {
  readonly ids = new IdIndex()
  /** Of all stacks, one behind the other. */
  readonly #numbers = new GrowingInts()
  #taken = 0

  /** The next stack's, two words each. */
  add(words: Int32Array, from: number, to: number): void {
    const { ids } = this
    const numbers = this.#numbers
    numbers.reserve((to - from) / 2)
    for (let k = from; k < to; k += 2) numbers.array[numbers.length++] = ids.add(words[k], words[k + 1])
  }

  /** The numbers of the next stack's locations, in the order in which stacks were added. */
  take(count: number): Int32Array {
    this.#taken += count
    return this.#numbers.array.subarray(this.#taken - count, this.#taken)
  }
}
