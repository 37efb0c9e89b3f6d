// The samples of a folded file while its lines are read. Lines with the same stack and attributes are one sample. Their
// values are summed, or kept side by side if lines have timestamps.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { Int64Parts } from '../../wire/decimal.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { MAX_UINT64, highHalf, lowHalf, uint64 } from '../../model/columns/int64.ts'
import type { AttributeReader } from './read-attributes.ts'
import { NO_ATTRIBUTES } from './read-attributes.ts'

/** Samples without timestamps: one value each. */
export class Totals {
  readonly #stacks = new GrowingInts(1024)
  readonly #sets = new GrowingInts(1024)
  readonly #values = new GrowingInts(2048)
  /** For each stack, its sample without attributes, or NONE. */
  #plain = new Int32Array(1024).fill(NONE)
  readonly #labeled = new SequenceInterner()
  readonly #labeledSamples = new GrowingInts()
  readonly #key = new Int32Array(2)

  get length(): number {
    return this.#stacks.length
  }

  add(stack: number, set: number, value: Int64Parts): void {
    const known = set === NO_ATTRIBUTES ? this.#plainSample(stack) : this.#labeledSample(stack, set)
    if (known !== NONE && this.#addTo(known, value)) return
    // Starts a new sample, also if the sum exceeds 64 bits: two exact samples are better than one inexact sample.
    const sample = this.#stacks.length
    this.#stacks.push(stack)
    this.#sets.push(set)
    this.#values.push(value.lo)
    this.#values.push(value.hi)
    if (set === NO_ATTRIBUTES) this.#plain[stack] = sample
    else this.#labeledSamples.array[this.#labeled.intern(this.#key, 0, 2)] = sample
  }

  writeTo(builder: ProfilesBuilder, attributes: AttributeReader): void {
    const values = this.#values.array
    for (let i = 0; i < this.#stacks.length; i++) {
      const set = this.#sets.array[i]
      attributes.pushAttributes(set, builder.draft.sampleAttributes)
      builder.draft.values.pushAll(values, 2 * i, 2 * i + 2)
      builder.sampleRow(this.#stacks.array[i], attributes.link(set))
    }
  }

  #plainSample(stack: number): number {
    if (stack >= this.#plain.length) {
      const grown = new Int32Array(Math.max(stack + 1, this.#plain.length * 2)).fill(NONE)
      grown.set(this.#plain)
      this.#plain = grown
    }
    return this.#plain[stack]
  }

  #labeledSample(stack: number, set: number): number {
    this.#key[0] = stack
    this.#key[1] = set
    const row = this.#labeled.intern(this.#key, 0, 2)
    if (row === this.#labeledSamples.length) this.#labeledSamples.push(NONE)
    return this.#labeledSamples.array[row]
  }

  #addTo(sample: number, value: Int64Parts): boolean {
    const values = this.#values.array
    const low = (values[2 * sample] >>> 0) + (value.lo >>> 0)
    const high = values[2 * sample + 1] + value.hi + (low > 0xffff_ffff ? 1 : 0)
    if (high !== (high | 0)) return false
    values[2 * sample] = low | 0
    values[2 * sample + 1] = high
    return true
  }
}

const STRIDE = 5

/** Samples with timestamps: each line is one observation, in the order of the file. */
export class FoldedObservations {
  readonly #samples = new SequenceInterner()
  /** Columns: sample, value (64), timestamp (64). */
  readonly #rows = new GrowingInts(1024)
  readonly #key = new Int32Array(2)
  #onlyOnes = true
  #first = MAX_UINT64
  #last = 0n

  get length(): number {
    return this.#rows.length / STRIDE
  }

  /** Whether every value is 1. */
  get onlyOnes(): boolean {
    return this.#onlyOnes
  }

  /** The earliest timestamp. */
  get first(): bigint {
    return this.#first
  }

  /** The time from the earliest to just after the latest. */
  get duration(): bigint {
    const duration = this.#last - this.#first + 1n
    return duration > MAX_UINT64 ? MAX_UINT64 : duration
  }

  add(stack: number, set: number, value: Int64Parts, time: Int64Parts): void {
    this.#key[0] = stack
    this.#key[1] = set
    const array = this.#rows.reserve(STRIDE)
    const row = this.#rows.length
    array[row] = this.#samples.intern(this.#key, 0, 2)
    array[row + 1] = value.lo
    array[row + 2] = value.hi
    array[row + 3] = time.lo
    array[row + 4] = time.hi
    this.#rows.length += STRIDE
    if (value.lo !== 1 || value.hi !== 0) this.#onlyOnes = false
    const at = uint64(time.lo, time.hi)
    if (at < this.#first) this.#first = at
    if (at > this.#last) this.#last = at
  }

  /** The latest timestamp. */
  get last(): bigint {
    return this.#last
  }

  /** Multiplies all timestamps. */
  scaleTimes(factor: bigint): void {
    const { array, length } = this.#rows
    for (let row = 0; row < length; row += STRIDE) {
      const time = uint64(array[row + 3], array[row + 4]) * factor
      array[row + 3] = lowHalf(time)
      array[row + 4] = highHalf(time)
    }
    this.#first *= factor
    this.#last *= factor
  }

  writeTo(builder: ProfilesBuilder, attributes: AttributeReader, withValues: boolean): void {
    const { array, length } = this.#rows
    // Counting sort by sample, which preserves the order within each sample.
    const count = this.#samples.length
    const starts = new Int32Array(count + 1)
    for (let row = 0; row < length; row += STRIDE) starts[array[row] + 1]++
    for (let i = 0; i < count; i++) starts[i + 1] += starts[i]
    const rows = new Int32Array(length / STRIDE)
    const next = starts.slice(0, count)
    for (let row = 0; row < length; row += STRIDE) rows[next[array[row]]++] = row
    const { pool } = this.#samples
    for (let i = 0; i < count; i++) {
      for (let k = starts[i]; k < starts[i + 1]; k++) {
        if (withValues) builder.draft.values.pushAll(array, rows[k] + 1, rows[k] + 3)
        builder.draft.timestamps.pushAll(array, rows[k] + 3, rows[k] + 5)
      }
      const set = pool.array[2 * i + 1]
      attributes.pushAttributes(set, builder.draft.sampleAttributes)
      builder.sampleRow(pool.array[2 * i], attributes.link(set))
    }
  }
}
