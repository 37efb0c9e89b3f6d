// Finds the row of an id where ids don't just count up: by position in an array where they are dense, by hashing where not.
import { finish, mix } from '../../model/build/hash-index.ts'

export class IdRows {
  /** Row + 1 by id. */
  readonly #dense: Int32Array
  /** Row + 1 and id; empty where the dense one is in use. */
  readonly #slots: Int32Array
  /** Rows whose id is 0, or the same as that of a row before. */
  readonly unusable: number[] = []

  /** `rows` tells where the table's entries went; they stay where they are if it is not given. */
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

  /** The row of the model; -1 when there is none. */
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

/** Whether ids count up from 1, so that each is the row of the model already. */
export function countsUp(ids: Int32Array, count: number): boolean {
  let differing = 0
  for (let i = 0; i < count; i++) differing |= ids[i] ^ (i + 1)
  return differing === 0
}
