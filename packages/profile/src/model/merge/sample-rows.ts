// The different samples of a merge, one record each. A record holds what a sample is known by and its sum, 32 bytes in all:
// finding a sample and adding to it then touches one line of the cache beside the hash table's. With keys, ends and sums in
// arrays of their own it was four, and a merge took a tenth longer.
import { HashIndex, finish, mix } from '../build/hash-index.ts'

const STRIDE = 8
/** The columns of a record; the last one is not used. */
const KIND = 0
const SERIAL = 1
const STACK = 2
const LINK = 3
const ATTRIBUTES = 4
const SUM = 5

export class SampleRows {
  length = 0
  #records = new Int32Array(STRIDE * 64)
  readonly #index = new HashIndex()

  /** `kind` and `serial` are the caller's: rows with different ones are different. */
  intern(kind: number, serial: number, stack: number, link: number, attributes: number): number {
    const hash = finish(mix(mix(mix(kind, stack), attributes), mix(serial, link)))
    const { slots } = this.#index
    const records = this.#records
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot + 1] !== hash) continue
      const at = (slots[slot] - 1) * STRIDE
      if (
        records[at] === kind &&
        records[at + SERIAL] === serial &&
        records[at + STACK] === stack &&
        records[at + LINK] === link &&
        records[at + ATTRIBUTES] === attributes
      ) {
        return slots[slot] - 1
      }
    }
    this.#push(kind, serial, stack, link, attributes)
    return this.#index.add(slot, hash)
  }

  #push(kind: number, serial: number, stack: number, link: number, attributes: number): void {
    const at = this.length++ * STRIDE
    if (at === this.#records.length) {
      const grown = new Int32Array(at * 2)
      grown.set(this.#records)
      this.#records = grown
    }
    const records = this.#records
    records[at + KIND] = kind
    records[at + SERIAL] = serial
    records[at + STACK] = stack
    records[at + LINK] = link
    records[at + ATTRIBUTES] = attributes
  }

  /** Adds to the row's 64-bit sum; false, and nothing is added, if it would not fit. */
  add(row: number, lo: number, hi: number): boolean {
    const records = this.#records
    const at = row * STRIDE + SUM
    const low = (records[at] >>> 0) + (lo >>> 0)
    const before = records[at + 1]
    const high = (before + hi + (low > 0xffff_ffff ? 1 : 0)) | 0
    // Two numbers of one sign have a sum of the other: it has left the 64 bits.
    if (((before ^ high) & (hi ^ high)) < 0) return false
    records[at] = low
    records[at + 1] = high
    return true
  }

  setSum(row: number, lo: number, hi: number): void {
    this.#records[row * STRIDE + SUM] = lo
    this.#records[row * STRIDE + SUM + 1] = hi
  }

  kind(row: number): number {
    return this.#records[row * STRIDE + KIND]
  }

  stack(row: number): number {
    return this.#records[row * STRIDE + STACK]
  }

  link(row: number): number {
    return this.#records[row * STRIDE + LINK]
  }

  attributes(row: number): number {
    return this.#records[row * STRIDE + ATTRIBUTES]
  }

  sumLo(row: number): number {
    return this.#records[row * STRIDE + SUM]
  }

  sumHi(row: number): number {
    return this.#records[row * STRIDE + SUM + 1]
  }
}
