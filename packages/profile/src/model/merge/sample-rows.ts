// The distinct samples of a merge, one record each. A record holds the key of a sample and its sum in 32 bytes. Finding
// a sample and adding to it thus touches one cache line besides the hash table's. With separate arrays for keys, ends
// and sums it touched four, and a merge took a tenth longer.
import { HashIndex, finish, mix } from '../build/hash-index.ts'

const STRIDE = 8
/** The columns of a record. The last one is unused. */
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

  /** The caller chooses `kind` and `serial`. Rows with different ones are different. */
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

  /** Adds to the 64-bit sum of the row. Returns false, without adding, if the sum would overflow. */
  add(row: number, lo: number, hi: number): boolean {
    const records = this.#records
    const at = row * STRIDE + SUM
    const low = (records[at] >>> 0) + (lo >>> 0)
    const before = records[at + 1]
    const high = (before + hi + (low > 0xffff_ffff ? 1 : 0)) | 0
    // Overflow: two numbers of the same sign have a sum of the other sign.
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
