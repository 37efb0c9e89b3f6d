// 64-bit keys to rows, in the order in which they came. Ids of constants are often addresses or hashes, above 2^53.
import { NONE } from '../../model/brand.ts'
import { GrowingInts } from '../../model/growing-columns.ts'
import { HashIndex, finish, mix } from '../../model/hash-index.ts'

export class KeyIndex {
  readonly #keys = new GrowingInts(32)
  readonly #index = new HashIndex()

  get length(): number {
    return this.#keys.length / 2
  }

  /** NONE where the key is not known. */
  find(lo: number, hi: number): number {
    const { slots } = this.#index
    const mask = slots.length - 1
    const keys = this.#keys.array
    for (let slot = (hashKey(lo, hi) << 1) & mask; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (keys[2 * row] === lo && keys[2 * row + 1] === hi) return row
    }
    return NONE
  }

  /** The row of the key, a new one where it is not known. */
  add(lo: number, hi: number): number {
    const hash = hashKey(lo, hi)
    const { slots } = this.#index
    const mask = slots.length - 1
    const keys = this.#keys.array
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (keys[2 * row] === lo && keys[2 * row + 1] === hi) return row
    }
    this.#keys.push(lo)
    this.#keys.push(hi)
    return this.#index.add(slot, hash)
  }
}

function hashKey(lo: number, hi: number): number {
  return finish(mix(mix(0, lo), hi))
}
