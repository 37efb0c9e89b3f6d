// Finds the row of an id if ids do not count up from 1. Dense ids use an array, sparse ones a hash table.
import { finish, mix } from '../../model/build/hash-index.ts'

export class IdRows {
  /** Row + 1, indexed by id. */
  readonly #dense: Int32Array
  /** Pairs of row + 1 and id. Empty if `#dense` is in use. */
  readonly #slots: Int32Array
  /** Rows whose id is 0 or equal to the id of an earlier row. */
  readonly unusable: number[] = []

  /** `rows` maps entries of the table to model rows. Without it, entry i has row i + 1. */
  constructor(ids: Int32Array, count: number, rows?: Int32Array) {
    let highest = 0
    let lowest = 0
    for (let i = 0; i < count; i++) {
      if (ids[i] > highest) highest = ids[i]
      if (ids[i] < lowest) lowest = ids[i]
    }
    const isDense = lowest === 0 && highest <= 8 * count + 1024
    this.#dense = new Int32Array(isDense ? highest + 1 : 0)
    let length = 2
    while (!isDense && length < 4 * count) length *= 2
    this.#slots = new Int32Array(length)
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (id === 0 || this.find(id) >= 0) this.unusable.push(i)
      else this.#set(id, rows === undefined ? i + 1 : rows[i])
    }
  }

  /** Returns the model's row, or -1 if there is none. */
  find(id: number): number {
    const dense = this.#dense
    if (dense.length > 0) return id > 0 && id < dense.length ? dense[id] - 1 : -1
    const slots = this.#slots
    return slots[this.#slot(id)] - 1
  }

  #set(id: number, row: number): void {
    if (this.#dense.length > 0) {
      this.#dense[id] = row + 1
      return
    }
    const slot = this.#slot(id)
    this.#slots[slot] = row + 1
    this.#slots[slot + 1] = id
  }

  #slot(id: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = (finish(mix(0, id)) << 1) & mask
    while (slots[slot] !== 0 && slots[slot + 1] !== id) slot = (slot + 2) & mask
    return slot
  }
}

/** Returns whether the ids are 1, 2, 3 …, so that each already is the model's row. */
export function countsUp(ids: Int32Array, count: number): boolean {
  let differing = 0
  for (let i = 0; i < count; i++) differing |= ids[i] ^ (i + 1)
  return differing === 0
}
