// A pprof file as columns. Tables that the model has too are filled in the model's own layout from the first byte on: pprof
// numbers its rows by ids, and where those count up from 1, as nearly all profilers write them, an id is the row of the model
// already. Kept between files and cleared, because making some thirty arrays takes longer than reading a file of 8 KB.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { uint64 } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ProfilesDraft } from '../../model/columns/profiles-draft.ts'
import { LabelTable } from './label-table.ts'

export const SAMPLE_ROW = 4
export const MAPPING_ROW = 9

export class PprofColumns {
  /** Functions, locations with their lines, strings and the runs of locations of all samples; ids stand for rows in them. */
  readonly draft = new ProfilesDraft()
  /** type, unit. */
  readonly sampleTypes = new GrowingInts()
  /** End of its run of locations, hash of the run, end of its labels, end of its values. */
  readonly samples = new GrowingInts()
  /** Of all types of a sample, one behind the other. */
  readonly values = new GrowingInts()
  readonly labels = new LabelTable()
  /** memory start, memory limit, file offset (64 each), filename, build id, flags: bit 0 functions … bit 3 inline frames. */
  readonly mappings = new GrowingInts()
  readonly mappingIds = new GrowingInts()
  readonly locationIds = new GrowingInts()
  readonly functionIds = new GrowingInts()
  /** Rows of the locations that are marked as folded. */
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
  /** The largest id of a location that a sample names. */
  highestUsed = 0
  /** Each id that samples name for the first time is the one after the last such: 1, 2, 3 … */
  usedInOrder = true
  /** A sample names a location by 0, or by an id of more than 31 bits. */
  usesOddIds = false
  #largeIds = new SequenceInterner()
  readonly #largeId = new Int32Array(2)

  /** Starts over with the zero rows of the model's tables. */
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

  /** How many ints there is room for, beside what freezing hands over. */
  get capacity(): number {
    const { samples, values, labels, locationIds, functionIds, mappings, folded, comments } = this
    const columns = [samples, values, labels.list, locationIds, functionIds, mappings, folded, comments]
    let capacity = 0
    for (const { array } of columns) capacity += array.length
    return capacity
  }

  /** The id that an int stands for. */
  wholeId(id: number): bigint {
    if (id >= 0) return BigInt(id)
    const { pool } = this.#largeIds
    return uint64(pool.array[-2 - 2 * id], pool.array[-1 - 2 * id])
  }

  /** An id as an int: itself where it fits into 31 bits, which is nearly always, or -1 - n for the n-th larger one. */
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
