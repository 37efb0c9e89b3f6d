// The distinct labels of a file, with key, str, num (64 bits) and unit each. Samples repeat a few labels, so short labels are
// looked up by their encoded bytes, without decoding:
//
//   08 03 10 11          length 4, words 0x11100308 and 0   ->  label 7
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'

export const LABEL_ROW = 5

/** Labels of up to this many bytes are looked up by their bytes. */
export const SHORT_LABEL = 8

const CACHE_ROWS = 256
/** A larger table is not reused: clearing it would take longer than reading the next file. */
const MAX_REUSED_ROWS = 1024
/** For few labels, comparing each pair is faster than a set. Nearly all samples have few labels. */
const FEW_LABELS = 12

export class LabelTable {
  #known = new SequenceInterner()
  /** Columns: length, two words, label. */
  readonly #cache = new Int32Array(4 * CACHE_ROWS)
  #cached = false
  readonly #label = new Int32Array(LABEL_ROW)
  /** The labels of all samples. The first distinct label has number 1, which is also its attribute row. */
  readonly list = new GrowingInts()
  /** True if a sample may have two labels with the same key. */
  repeats = false

  /** The number of distinct labels. */
  get length(): number {
    return this.#known.length
  }

  /** The columns of all distinct labels. */
  get rows(): Int32Array {
    return this.#known.pool.array
  }

  clear(): void {
    this.list.length = 0
    this.repeats = false
    if (this.#cached) this.#cache.fill(0)
    this.#cached = false
    if (this.#known.length > MAX_REUSED_ROWS) this.#known = new SequenceInterner()
    else if (this.#known.length > 0) this.#known.clear()
  }

  /** Returns the number of the label with these bytes, or 0 if it is not cached. `length` must not be 0. */
  find(length: number, first: number, second: number): number {
    const cache = this.#cache
    const at = slotOf(first, second)
    return cache[at] === length && cache[at + 1] === first && cache[at + 2] === second ? cache[at + 3] : 0
  }

  remember(length: number, first: number, second: number, label: number): void {
    const cache = this.#cache
    const at = slotOf(first, second)
    cache[at] = length
    cache[at + 1] = first
    cache[at + 2] = second
    cache[at + 3] = label
    this.#cached = true
  }

  number(key: number, string: number, lo: number, hi: number, unit: number): number {
    const label = this.#label
    label[0] = key
    label[1] = string
    label[2] = lo
    label[3] = hi
    label[4] = unit
    return this.#known.intern(label, 0, LABEL_ROW) + 1
  }

  /** Checks the labels of a sample for repeated keys. */
  endSample(from: number): void {
    const { array, length } = this.list
    if (length - from > FEW_LABELS) this.repeats = true
    if (this.repeats) return
    const { rows } = this
    for (let i = from + 1; i < length; i++) {
      const key = rows[(array[i] - 1) * LABEL_ROW]
      for (let k = from; k < i; k++) if (rows[(array[k] - 1) * LABEL_ROW] === key) this.repeats = true
    }
  }
}

function slotOf(first: number, second: number): number {
  const mixed = Math.imul(first ^ Math.imul(second, 0x2c1b_3c6d), 0x297a_2d39)
  return (mixed >>> 24) << 2
}
