// Numbers sets of attributes. Nearly all samples have no attribute or one, and those sets are found without hashing.
import type { AttributeIndex } from '../columns/brand.ts'
import type { Pool } from '../columns/dictionary.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { SequenceInterner } from '../build/intern.ts'

export class AttributeSets {
  /** Set 0 is the empty one. */
  readonly #sets = new SequenceInterner()
  /** The set that contains only this attribute; 0 until first used. */
  readonly #single = new GrowingInts()

  constructor() {
    this.#sets.internTail(0)
  }

  /** The number of an attribute list of the transfer's source. */
  carry(list: Pool<AttributeIndex>, from: number, to: number, transfer: DictionaryTransfer): number {
    if (from === to) return 0
    if (from + 1 === to) return this.#singleSet(transfer.attribute(list.at(from)))
    const { pool } = this.#sets
    const start = pool.length
    transfer.attributeSet(list, from, to, pool)
    const count = pool.length - start
    pool.length = start
    return this.#sets.internTail(count)
  }

  #singleSet(attribute: number): number {
    const single = this.#single
    while (single.length <= attribute) single.push(0)
    if (single.array[attribute] === 0) {
      const { pool } = this.#sets
      pool.reserve(1)[pool.length] = attribute
      single.array[attribute] = this.#sets.internTail(1)
    }
    return single.array[attribute]
  }

  write(set: number, column: GrowingInts): void {
    if (set !== 0) column.pushAll(this.#sets.pool.array, this.#sets.start(set), this.#sets.end(set))
  }
}
