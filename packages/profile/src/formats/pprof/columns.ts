// A pprof file as columns. Tables that the model also has use the model's layout from the start. Nearly all profilers count ids
// up from 1, and then an id already is the model's row. The columns are cleared and reused for the next file, because
// allocating about thirty arrays takes longer than reading a file of 8 KB.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { uint64 } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import { LabelTable } from './label-table.ts'

export const SAMPLE_ROW = 4
export const MAPPING_ROW = 9

export class PprofColumns {
  /** Functions, locations with their lines, strings, and the locations of all samples. They hold ids instead of rows at first. */
  readonly draft = new ProfilesDraft()
  /** Columns: type, unit. */
  readonly sampleTypes = new GrowingInts()
  /** Columns: end of its locations, hash of its locations, end of its labels, end of its values. */
  readonly samples = new GrowingInts()
  /** The values of all samples, one per sample type. */
  readonly values = new GrowingInts()
  readonly labels = new LabelTable()
  /** Columns: memory start, memory limit, file offset (64 bits each), filename, build id, flags (bit 0 functions … bit 3 inline frames). */
  readonly mappings = new GrowingInts()
  readonly mappingIds = new GrowingInts()
  readonly locationIds = new GrowingInts()
  readonly functionIds = new GrowingInts()
  /** Rows of the locations with `is_folded`. */
  readonly folded = new GrowingInts()
  readonly comments = new GrowingInts()
  /** Halves of 64-bit numbers: time, duration, period. */
  readonly time = new Int32Array(2)
  readonly duration = new Int32Array(2)
  readonly period = new Int32Array(2)
  readonly periodType = new Int32Array(2)
  dropFrames = 0
  keepFrames = 0
  defaultSampleType = 0
  docUrl = 0
  /** The largest location id that a sample uses. */
  highestUsed = 0
  /** True while the samples use the ids 1, 2, 3 … in this order of first use. */
  usedInOrder = true
  /** A sample uses the location id 0 or an id of more than 31 bits. */
  usesOddIds = false
  #largeIds = new SequenceInterner()
  readonly #largeId = new Int32Array(2)

  /** Resets all columns to the zero rows of the model's tables. */
  clear(): void {
    const { draft } = this
    draft.clear()
    zeroRow(draft.functions, 5)
    zeroRow(draft.locations, 5)
    zeroRow(draft.attributes, 5)
    zeroRow(draft.links, 4)
    zeroRow(draft.stacks, 1)
    this.sampleTypes.length = this.samples.length = this.values.length = this.mappings.length = 0
    this.mappingIds.length = this.locationIds.length = this.functionIds.length = 0
    this.folded.length = this.comments.length = 0
    this.time[0] = this.time[1] = this.duration[0] = this.duration[1] = 0
    this.period[0] = this.period[1] = this.periodType[0] = this.periodType[1] = 0
    this.dropFrames = this.keepFrames = this.defaultSampleType = this.docUrl = this.highestUsed = 0
    this.usedInOrder = true
    this.usesOddIds = false
    this.labels.clear()
    if (this.#largeIds.length > 0) this.#largeIds = new SequenceInterner()
  }

  /** The number of ints allocated, without the columns that freezing hands over. */
  get capacity(): number {
    const { samples, values, labels, locationIds, functionIds, mappings, folded, comments } = this
    const columns = [samples, values, labels.list, locationIds, functionIds, mappings, folded, comments]
    let capacity = 0
    for (const { array } of columns) capacity += array.length
    return capacity
  }

  /** Whether an id has more than 31 bits. */
  get hasLargeIds(): boolean {
    return this.#largeIds.length > 0
  }

  /** The 64-bit id for a number that `idOf` returned. */
  wholeId(id: number): bigint {
    if (id >= 0) return BigInt(id)
    const { pool } = this.#largeIds
    return uint64(pool.array[-2 - 2 * id], pool.array[-1 - 2 * id])
  }

  /** An id as an int: the id itself if it fits into 31 bits (nearly always), otherwise -1 - n for the n-th larger one. */
  idOf(lo: number, hi: number): number {
    if (hi === 0 && lo >= 0) return lo
    this.#largeId[0] = lo
    this.#largeId[1] = hi
    return -1 - this.#largeIds.intern(this.#largeId, 0, 2)
  }
}

function zeroRow(column: GrowingInts, stride: number): void {
  const { array } = column
  for (let i = 0; i < stride; i++) array[i] = 0
  column.length = stride
}
