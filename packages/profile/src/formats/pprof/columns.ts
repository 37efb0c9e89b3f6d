// A pprof file as columns, before it becomes profiles of the model. pprof names locations, functions and mappings by ids of
// 64 bits that mean nothing but identity; here an id is an int: itself where it fits into 31 bits, which is nearly always,
// or -1 - n for the n-th larger one.
import { GrowingInts } from '../../model/growing-columns.ts'
import { uint64 } from '../../model/int64.ts'
import { SequenceInterner } from '../../model/intern.ts'

export const SAMPLE_ROW = 3
export const LABEL_ROW = 5
export const MAPPING_ROW = 10
export const LOCATION_ROW = 6
export const LINE_ROW = 5
export const FUNCTION_ROW = 6

export class PprofColumns {
  /** type, unit. */
  readonly sampleTypes = new GrowingInts()
  /** Ends of its location ids, its values, its labels. */
  readonly samples = new GrowingInts()
  readonly locationIds = new GrowingInts()
  readonly values = new GrowingInts()
  /** key, str, num (64), unit. */
  readonly labels = new GrowingInts()
  /** id, memory start, memory limit, file offset (64 each), filename, build id, flags: bit 0 functions … bit 3 inline frames. */
  readonly mappings = new GrowingInts()
  /** id, mapping id, address (64), end of its lines, 1 when folded. */
  readonly locations = new GrowingInts()
  /** function id, line (64), column (64). */
  readonly lines = new GrowingInts()
  /** id, name, system name, filename, start line (64). */
  readonly functions = new GrowingInts()
  /** offset, length. */
  readonly strings = new GrowingInts()
  readonly comments = new GrowingInts()
  dropFrames = 0
  keepFrames = 0
  /** Halves of 64-bit numbers: time, duration, period. */
  readonly time = new Int32Array(2)
  readonly duration = new Int32Array(2)
  readonly period = new Int32Array(2)
  readonly periodType = new Int32Array(2)
  defaultSampleType = 0
  docUrl = 0
  readonly #largeIds = new SequenceInterner()
  readonly #largeId = new Int32Array(2)

  /** The id that an int stands for. */
  wholeId(id: number): bigint {
    if (id >= 0) return BigInt(id)
    const { pool } = this.#largeIds
    return uint64(pool.array[-2 - 2 * id], pool.array[-1 - 2 * id])
  }

  idOf(lo: number, hi: number): number {
    if (hi === 0 && lo >= 0) return lo
    this.#largeId[0] = lo
    this.#largeId[1] = hi
    return -1 - this.#largeIds.intern(this.#largeId, 0, 2)
  }
}

/** Finds the row of an id: by position in an array where ids are dense, by a map where they are not. */
export class IdIndex {
  readonly #dense: Int32Array
  readonly #sparse = new Map<number, number>()
  /** The first id that two rows share, if any. */
  readonly duplicate: number | undefined

  constructor(rows: GrowingInts, stride: number) {
    const count = rows.length / stride
    let highest = 0
    for (let at = 0; at < rows.length; at += stride) if (rows.array[at] > highest) highest = rows.array[at]
    this.#dense = new Int32Array(highest <= 8 * count + 1024 ? highest + 1 : 0)
    let duplicate: number | undefined
    for (let row = 0; row < count; row++) {
      const id = rows.array[row * stride]
      if (this.find(id) >= 0) duplicate ??= id
      if (id >= 0 && id < this.#dense.length) this.#dense[id] = row + 1
      else this.#sparse.set(id, row)
    }
    this.duplicate = duplicate
  }

  /** -1 when no row has the id. */
  find(id: number): number {
    if (id >= 0 && id < this.#dense.length) return this.#dense[id] - 1
    return this.#sparse.get(id) ?? -1
  }
}
