// Maps 64-bit keys to rows in insertion order. Ids of constants are often addresses or hashes above 2^53. Just as often they
// count up from 1, and then a plain array finds them without a hash.
import { NONE } from '../../../model/columns/brand.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { HashIndex, finish, mix } from '../../../model/build/hash-index.ts'

const FIRST_LOW = 64
/** The array has up to this many entries for each key, plus the first ones. */
const SPARSE = 8

export class KeyIndex {
  readonly #keys = new GrowingInts(32)
  /** Row + 1 of every key below its length; 0 if there is none. */
  #low = new Int32Array(FIRST_LOW)
  /** Rows of the other keys, and of some keys that were added before the array grew. */
  readonly #index = new HashIndex()

  get length(): number {
    return this.#keys.length / 2
  }

  /** Returns NONE if the key is missing. */
  find(lo: number, hi: number): number {
    if (hi === 0 && lo >= 0 && lo < this.#low.length) return this.#low[lo] - 1
    const { slots } = this.#index
    const mask = slots.length - 1
    const keys = this.#keys.array
    for (let slot = (hashKey(lo, hi) << 1) & mask; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (keys[2 * row] === lo && keys[2 * row + 1] === hi) return row
    }
    return NONE
  }

  /** Returns the row of the key and adds the key if it is new. */
  add(lo: number, hi: number): number {
    const row = this.length
    if (hi === 0 && lo >= 0 && (lo < this.#low.length || lo < SPARSE * row)) {
      if (lo >= this.#low.length) this.#growLow(lo)
      const known = this.#low[lo]
      if (known !== 0) return known - 1
      this.#low[lo] = row + 1
    } else {
      const known = this.#place(lo, hi, row)
      if (known !== row) return known
    }
    this.#keys.push(lo)
    this.#keys.push(hi)
    return row
  }

  #place(lo: number, hi: number, newRow: number): number {
    const hash = hashKey(lo, hi)
    const { slots } = this.#index
    const mask = slots.length - 1
    const keys = this.#keys.array
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const row = slots[slot] - 1
      if (keys[2 * row] === lo && keys[2 * row + 1] === hi) return row
    }
    this.#index.put(slot, newRow, hash)
    return newRow
  }

  /** Grows the array and moves the keys into it that now fit. */
  #growLow(lo: number): void {
    const old = this.#low
    let { length } = old
    while (length <= lo) length *= 4
    this.#low = new Int32Array(length)
    this.#low.set(old)
    const keys = this.#keys.array
    for (let row = 0; row < this.length; row++) {
      const key = keys[2 * row]
      if (keys[2 * row + 1] === 0 && key >= old.length && key < length) this.#low[key] = row + 1
    }
  }
}

function hashKey(lo: number, hi: number): number {
  return finish(mix(mix(0, lo), hi))
}
