// The samples of one profile while a recording is read event by event. Observations with equal stack and attributes become
// one sample, with all their timestamps and values in the original order. If every value is 1, the timestamps suffice and
// values are omitted. Without timestamps, values are summed.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { MAX_UINT64, uint64 } from '../../model/columns/int64.ts'
import { SAMPLE_STRIDE } from '../../model/columns/profiles.ts'
import type { TimeRange } from '../../model/columns/time-range.ts'

/** Sample, value (64), timestamp (64). */
const STRIDE = 5

export class EventSamples {
  readonly hasValues: boolean
  readonly hasTimestamps: boolean
  /** Pairs of stack and attribute set. */
  readonly #samples = new SequenceInterner()
  readonly #rows = new GrowingInts()
  readonly #key = new Int32Array(2)

  constructor(hasValues: boolean, hasTimestamps: boolean) {
    this.hasValues = hasValues
    this.hasTimestamps = hasTimestamps
  }

  /** Whether some value differs from 1, so that values must be written. */
  get isCounted(): boolean {
    if (!this.hasValues) return false
    const { array, length } = this.#rows
    for (let row = 0; row < length; row += STRIDE) if (array[row + 1] !== 1 || array[row + 2] !== 0) return true
    return length === 0
  }

  /** Number of observations. */
  get length(): number {
    return this.#rows.length / STRIDE
  }

  /** `set` is a row of the attribute sets that `writeTo` receives. Values or timestamps that this profile lacks are ignored. */
  add(stack: number, set: number, valueLo: number, valueHi: number, timeLo: number, timeHi: number): void {
    const key = this.#key
    key[0] = stack
    key[1] = set
    const array = this.#rows.reserve(STRIDE)
    const row = this.#rows.length
    array[row] = this.#samples.intern(key, 0, 2)
    array[row + 1] = valueLo
    array[row + 2] = valueHi
    array[row + 3] = timeLo
    array[row + 4] = timeHi
    this.#rows.length += STRIDE
  }

  /** Adds a number to all timestamps. */
  shiftTimes(lo: number, hi: number): void {
    if (lo === 0 && hi === 0) return
    const { array, length } = this.#rows
    for (let row = 0; row < length; row += STRIDE) {
      const low = (array[row + 3] >>> 0) + (lo >>> 0)
      array[row + 3] = low | 0
      array[row + 4] = (array[row + 4] + hi + (low > 0xffff_ffff ? 1 : 0)) | 0
    }
  }

  /** The earliest and the latest timestamp. */
  range(): TimeRange | undefined {
    const { array, length } = this.#rows
    if (length === 0 || !this.hasTimestamps) return undefined
    let first = 0
    let last = 0
    for (let row = STRIDE; row < length; row += STRIDE) {
      if (isBefore(array, row, first)) first = row
      if (isBefore(array, last, row)) last = row
    }
    return { first: uint64(array[first + 3], array[first + 4]), last: uint64(array[last + 3], array[last + 4]) }
  }

  /** Adds all samples to the profile that the builder opened last. */
  writeTo(builder: ProfilesBuilder, sets: SequenceInterner): void {
    const { array } = this.#rows
    const { draft } = builder
    const { starts, rows } = this.#bySample()
    const { pool } = this.#samples
    const withValues = this.isCounted
    this.#reserveIn(builder, withValues)
    for (let i = 0; i < this.#samples.length; i++) {
      const stack = pool.array[2 * i]
      const set = pool.array[2 * i + 1]
      if (this.hasTimestamps) {
        for (let k = starts[i]; k < starts[i + 1]; k++) {
          if (withValues) draft.values.pushAll(array, rows[k] + 1, rows[k] + 3)
          draft.timestamps.pushAll(array, rows[k] + 3, rows[k] + 5)
        }
        pushSample(builder, sets, stack, set)
      } else this.#writeTotal(builder, sets, i, rows.subarray(starts[i], starts[i + 1]))
    }
  }

  /** Reserves the exact column sizes, so that large columns are not copied while they grow. */
  #reserveIn({ draft }: ProfilesBuilder, withValues: boolean): void {
    draft.samples.reserve(SAMPLE_STRIDE * this.#samples.length)
    if (!this.hasTimestamps) draft.values.reserve(2 * this.#samples.length)
    else {
      draft.timestamps.reserve(2 * this.length)
      if (withValues) draft.values.reserve(2 * this.length)
    }
  }

  #writeTotal(builder: ProfilesBuilder, sets: SequenceInterner, sample: number, rows: Int32Array): void {
    const { array } = this.#rows
    const { pool } = this.#samples
    let lo = 0
    let hi = 0
    const push = (): void => {
      builder.draft.values.push(lo | 0)
      builder.draft.values.push(hi)
      pushSample(builder, sets, pool.array[2 * sample], pool.array[2 * sample + 1])
    }
    for (const row of rows) {
      const low = lo + (this.hasValues ? array[row + 1] >>> 0 : 1)
      const high = hi + (this.hasValues ? array[row + 2] : 0) + (low > 0xffff_ffff ? 1 : 0)
      if (high === (high | 0)) {
        lo = low >>> 0
        hi = high
        continue
      }
      // The sum exceeds 64 bits. Two exact samples are better than one inexact sample.
      push()
      lo = array[row + 1] >>> 0
      hi = array[row + 2]
    }
    push()
  }

  /** Sorts observations by sample with a counting sort, which preserves the order within a sample. */
  #bySample(): { starts: Int32Array; rows: Int32Array } {
    const { array, length } = this.#rows
    const count = this.#samples.length
    const starts = new Int32Array(count + 1)
    for (let row = 0; row < length; row += STRIDE) starts[array[row] + 1]++
    for (let i = 0; i < count; i++) starts[i + 1] += starts[i]
    const next = starts.slice(0, count)
    const rows = new Int32Array(length / STRIDE)
    for (let row = 0; row < length; row += STRIDE) rows[next[array[row]]++] = row
    return { starts, rows }
  }
}

/** The range from the earliest to the latest timestamp of all samples. */
export function commonRange(all: Iterable<EventSamples>): TimeRange | undefined {
  let common: TimeRange | undefined
  for (const samples of all) {
    const range = samples.range()
    if (range === undefined) continue
    const first = common === undefined || range.first < common.first ? range.first : common.first
    const last = common === undefined || range.last > common.last ? range.last : common.last
    common = { first, last }
  }
  return common
}

/** The time fields of a profile that ends just after its last timestamp. */
export function timeFields({ first, last }: TimeRange): { timeUnixNano: bigint; durationNano: bigint } {
  const duration = last - first + 1n
  return { timeUnixNano: first, durationNano: duration > MAX_UINT64 ? MAX_UINT64 : duration }
}

function pushSample(builder: ProfilesBuilder, sets: SequenceInterner, stack: number, set: number): void {
  builder.draft.sampleAttributes.pushAll(sets.pool.array, sets.start(set), sets.end(set))
  builder.sampleRow(stack, 0)
}

function isBefore(array: Int32Array, a: number, b: number): boolean {
  const hi = array[a + 4] >>> 0
  const other = array[b + 4] >>> 0
  return hi < other || (hi === other && array[a + 3] >>> 0 < array[b + 3] >>> 0)
}
