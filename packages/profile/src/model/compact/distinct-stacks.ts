// Finds the distinct stacks among those in use. Stacks are nine tenths of a large payload, so they are hashed and
// compared in place, in sweeps from front to back. A copy would touch 17 MB of fresh memory (15 ms). Following each
// stack to its locations and functions in turn would miss the cache at every step (30 ms).
import type { StackIndex } from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary } from '../columns/dictionary.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { HashIndex, finish, mix } from '../build/hash-index.ts'
import { UseCounts } from './use-counts.ts'

/** Filter bits per stack. With 8 bits, one stack in nine is a false positive. */
const BITS_PER_STACK = 8

export class DistinctStacks {
  /** The first source row of each distinct stack. Number 0 is the empty stack, even if the source lacks it. */
  readonly rows = new GrowingInts()
  /** The number of each source row; NONE for unused rows. */
  numbers = new Int32Array(64)
  /** How often the distinct stacks refer to each source location. */
  readonly locationUses = new UseCounts()
  /** The total number of locations in the distinct stacks. */
  frames = 0
  readonly #hashes = new GrowingInts()
  readonly #index = new HashIndex()

  /** Adds the stacks counted in `uses`, in row order, and counts the locations they refer to. */
  count(source: Dictionary, uses: UseCounts): void {
    const { length } = source.stacks
    if (length > this.numbers.length) this.numbers = new Int32Array(length)
    this.numbers.fill(NONE, 0, length)
    this.locationUses.reset(source.locations.length)
    this.frames = 0
    this.#hashes.length = 0
    this.rows.length = 0
    this.rows.reserve(length + 1)
    this.rows.push(NONE)
    this.#hashAndCount(source, uses)
  }

  /**
   * Numbers the stacks after their locations were copied. As long as no two locations are equal, the source's own
   * numbers distinguish stacks, and the hashes made from them stay valid.
   */
  settle(source: Dictionary, transfer: DictionaryTransfer, locationsDiffer: boolean): void {
    if (!locationsDiffer) this.#hashCarried(source, transfer.locationRows)
    this.#number(source, transfer.locationRows)
  }

  #hashAndCount({ stacks }: Dictionary, { counts: stackUses, length }: UseCounts): void {
    const { ints, base } = stacks.locations
    const uses = this.locationUses.counts
    const hashes = this.#hashes.reserve(length + 1)
    const rows = this.rows.array
    let added = 1
    for (let i = 0; i < length; i++) {
      if (stackUses[i] === 0) continue
      const from = base + stacks.from(i as StackIndex)
      const to = base + stacks.to(i as StackIndex)
      if (from === to) {
        this.numbers[i] = 0
        continue
      }
      // Two lanes, because each step depends on the previous one.
      let even = to - from
      let odd = 0
      let k = from
      for (const last = to - 1; k < last; k += 2) {
        even = mix(even, ints[k])
        odd = mix(odd, ints[k + 1])
        uses[ints[k]]++
        uses[ints[k + 1]]++
      }
      if (k < to) {
        even = mix(even, ints[k])
        uses[ints[k]]++
      }
      hashes[added] = finish(mix(even, odd))
      rows[added++] = i
      this.frames += to - from
    }
    this.rows.length = added
  }

  #hashCarried({ stacks }: Dictionary, carried: Int32Array): void {
    const { ints, base } = stacks.locations
    const rows = this.rows.array
    const hashes = this.#hashes.array
    for (let k = 1; k < this.rows.length; k++) {
      const to = base + stacks.to(rows[k] as StackIndex)
      let hash = 0
      for (let at = base + stacks.from(rows[k] as StackIndex); at < to; at++) hash = mix(hash, carried[ints[at]])
      hashes[k] = finish(hash)
    }
  }

  /**
   * Duplicates are rare, and a large hash table costs a cache miss per stack (13 ms for 120,000). A filter that fits
   * into the cache first finds the stacks that can have a duplicate at all.
   */
  #number(source: Dictionary, carried: Int32Array): void {
    const rows = this.rows.array
    const hashes = this.#hashes.array
    const again = this.#seenAgain()
    const mask = again.length - 1
    this.#index.clear()
    let next = 1
    for (let k = 1; k < this.rows.length; k++) {
      const row = rows[k] as StackIndex
      const hash = hashes[k]
      const alone = (again[(hash >>> 5) & mask] & (1 << hash)) === 0
      const number = alone ? next : this.#numberOf(source, carried, row, hash, next)
      this.numbers[row] = number
      // The front of the list of all rows becomes the list of distinct rows.
      if (number === next) rows[next++] = row
    }
    this.rows.length = next
  }

  /** A bit set of the hashes that occur more than once or share their bit with another hash. */
  #seenAgain(): Int32Array {
    const added = this.rows.length
    let words = 16
    while (words * 32 < added * BITS_PER_STACK) words *= 2
    const seen = new Int32Array(words)
    const again = new Int32Array(words)
    const hashes = this.#hashes.array
    for (let k = 1; k < added; k++) {
      const word = (hashes[k] >>> 5) & (words - 1)
      const bit = 1 << hashes[k]
      again[word] |= seen[word] & bit
      seen[word] |= bit
    }
    return again
  }

  /** The number of an equal earlier stack, or `next` if there is none. */
  #numberOf(source: Dictionary, carried: Int32Array, row: StackIndex, hash: number, next: number): number {
    const { slots } = this.#index
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const number = slots[slot] - 1
      if (slots[slot + 1] !== hash || !equal(source, carried, this.rows.array[number] as StackIndex, row)) continue
      this.#uncount(source, row)
      return number
    }
    this.#index.put(slot, next, hash)
    return next
  }

  #uncount({ stacks }: Dictionary, row: StackIndex): void {
    const { ints, base } = stacks.locations
    const from = base + stacks.from(row)
    const to = base + stacks.to(row)
    for (let k = from; k < to; k++) this.locationUses.counts[ints[k]]--
    this.frames -= to - from
  }
}

function equal({ stacks }: Dictionary, carried: Int32Array, a: StackIndex, b: StackIndex): boolean {
  const { ints, base } = stacks.locations
  const from = base + stacks.from(a)
  const to = base + stacks.to(a)
  let at = base + stacks.from(b)
  if (base + stacks.to(b) - at !== to - from) return false
  for (let k = from; k < to; k++, at++) if (carried[ints[k]] !== carried[ints[at]]) return false
  return true
}
