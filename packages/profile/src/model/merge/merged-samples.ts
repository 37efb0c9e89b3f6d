// Sums samples of many profiles that have the same stack, attribute set and link. Values are summed in records of ints,
// and timed observations go to a log that is finally sorted by row. No object and no string is created per sample.
import type { AttributeSets } from './attribute-sets.ts'
import type { LinkIndex, StackIndex } from '../columns/brand.ts'
import type { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { MAX_INT64, MIN_INT64, highHalf, int64, lowHalf } from '../columns/int64.ts'
import { BytesInterner } from '../build/intern.ts'
import { GrowingBytes } from '../columns/growing-columns.ts'
import { ObservationLog } from './observation-log.ts'
import type { Profiles, SampleTable } from '../columns/profiles.ts'
import { SAMPLE_STRIDE } from '../columns/profiles.ts'
import type { ProfilesDraft } from '../columns/profiles-draft.ts'
import { SampleRows } from './sample-rows.ts'

/** The parts of a sample. `mixed` is anything the data format does not allow, and profiles with several shapes. */
export const Shape = { none: 0, values: 1, timestamps: 2, both: 3, mixed: 4 } as const
export type Shape = (typeof Shape)[keyof typeof Shape]

const SHAPES = 5

/** The shape of all samples in a range; `none` if it is empty. */
export function shapeOf(samples: SampleTable, from: number, to: number): Shape {
  if (from === to) return Shape.none
  const shape = sampleShape(samples, from)
  for (let i = from + 1; i < to; i++) if (sampleShape(samples, i) !== shape) return Shape.mixed
  return shape
}

function sampleShape(samples: SampleTable, i: number): Shape {
  const values = samples.valuesTo(i) - samples.valuesFrom(i)
  const timestamps = samples.timestampsTo(i) - samples.timestampsFrom(i)
  if (timestamps === 0) return values === 1 ? Shape.values : Shape.mixed
  return values === 0 ? Shape.timestamps : values === timestamps ? Shape.both : Shape.mixed
}

export class MergedSamples {
  readonly #rows = new SampleRows()
  readonly #sets: AttributeSets
  /** Sums that exceed 64 bits. The row then holds no sum. */
  readonly #exactSums = new Map<number, bigint>()
  readonly #values = new ObservationLog()
  readonly #timestamps = new ObservationLog()
  #irregular = 0
  /** The unknown fields of rows that have some. */
  readonly #unknown = new Map<number, Uint8Array>()
  readonly #unknownFields = new BytesInterner(new GrowingBytes())

  /** The number of samples that were split because their sum exceeds 64 bits. Set by `write`. */
  overflows = 0

  /** The number of timestamps of samples that were averaged. Set by `write`. */
  averagedTimestamps = 0

  constructor(sets: AttributeSets) {
    this.#sets = sets
  }

  /** The number of samples that the data format does not allow. They are kept unchanged. */
  get irregular(): number {
    return this.#irregular
  }

  /** Adds samples [from, to) of the input to a profile. */
  add(profile: number, { samples, unknown }: Profiles, from: number, to: number, transfer: DictionaryTransfer): void {
    const { ints, base, values, timestamps } = samples
    const unknownRows = unknown?.samples
    for (let i = from, at = base + from * SAMPLE_STRIDE; i < to; i++, at += SAMPLE_STRIDE) {
      const shape = sampleShape(samples, i)
      // Samples that cannot be combined with others get a unique number.
      const fields = unknownRows?.get(i)
      const serial = shape === Shape.mixed ? ++this.#irregular : fields === undefined ? 0 : this.#unknownSerial(fields)
      const stack = transfer.stack(ints[at] as StackIndex)
      const link = transfer.link(ints[at + 1] as LinkIndex)
      const set = this.#sets.carry(samples.attributes, i === 0 ? 0 : ints[at - 3], ints[at + 2], transfer)
      const row = this.#rows.intern(profile * SHAPES + shape, serial, stack, link, set)
      if (fields !== undefined) this.#unknown.set(row, fields)
      if (shape === Shape.values) {
        const k = samples.valuesFrom(i)
        const isExact = this.#exactSums.size > 0 && this.#exactSums.has(row)
        if (isExact || !this.#rows.add(row, values.lo(k), values.hi(k)))
          this.#addExactly(row, values.lo(k), values.hi(k))
      } else {
        this.#values.add(row, values, samples.valuesFrom(i), samples.valuesTo(i))
        this.#timestamps.add(row, timestamps, samples.timestampsFrom(i), samples.timestampsTo(i))
      }
    }
  }

  /** Samples with different unknown fields are different. Serial numbers of irregular samples are positive. */
  #unknownSerial(fields: Uint8Array): number {
    return -this.#unknownFields.intern(fields, 0, fields.length)
  }

  #addExactly(row: number, lo: number, hi: number): void {
    const sum = this.#sum(row) + int64(lo, hi)
    if (BigInt.asIntN(64, sum) === sum) {
      this.#exactSums.delete(row)
      this.#rows.setSum(row, lowHalf(sum), highHalf(sum))
    } else this.#exactSums.set(row, sum)
  }

  /**
   * Writes all samples, profile by profile in the given order, and within each in order of first appearance. Profiles with a
   * factor become averages. Returns the end of each profile as a number of samples.
   */
  write(
    profiles: ArrayLike<number>,
    profileCount: number,
    draft: ProfilesDraft,
    factors: ReadonlyMap<number, number>,
  ): Int32Array {
    const rows = this.#rowsByProfile(profileCount)
    const values = this.#values.byRow(this.#rows.length)
    const timestamps = this.#timestamps.byRow(this.#rows.length)
    draft.samples.reserve(this.#rows.length * SAMPLE_STRIDE)
    const ends = new Int32Array(profiles.length)
    for (let p = 0; p < profiles.length; p++) {
      const average = new RoundedSum(factors.get(profiles[p]) ?? 1)
      for (let k = rows.starts[profiles[p]]; k < rows.starts[profiles[p] + 1]; k++) {
        const row = rows.rows[k]
        const shape = this.#rows.kind(row) % SHAPES
        if (average.factor !== 1) {
          this.averagedTimestamps += timestamps.count(row)
          const sum = shape === Shape.values ? this.#sum(row) : (values.sum(row) ?? BigInt(timestamps.count(row)))
          this.#writeAverage(row, average.next(sum), draft)
        } else if (shape === Shape.values) this.#writeSum(row, draft)
        else {
          if (shape === Shape.timestamps) timestamps.sortByTime(row)
          if (shape === Shape.both) timestamps.sortByTime(row, values)
          values.write(row, draft.values)
          timestamps.write(row, draft.timestamps)
          this.#writeRow(row, draft)
        }
      }
      ends[p] = draft.samples.length / SAMPLE_STRIDE
    }
    return ends
  }

  /**
   * Writes a sum that overflows as several nearly equal samples. Their total is exact and does not depend on the input
   * order.
   */
  #writeSum(row: number, draft: ProfilesDraft): void {
    const exact = this.#exactSums.get(row)
    if (exact === undefined) {
      draft.values.push(this.#rows.sumLo(row))
      draft.values.push(this.#rows.sumHi(row))
      this.#writeRow(row, draft)
      return
    }
    this.overflows++
    const most = exact < 0n ? -MIN_INT64 : MAX_INT64
    const size = exact < 0n ? -exact : exact
    let parts = (size + most - 1n) / most
    for (let left = exact; parts > 0n; parts--) {
      const part = left / parts
      left -= part
      draft.values.push(lowHalf(part))
      draft.values.push(highHalf(part))
      this.#writeRow(row, draft)
    }
  }

  #sum(row: number): bigint {
    return this.#exactSums.get(row) ?? int64(this.#rows.sumLo(row), this.#rows.sumHi(row))
  }

  #writeAverage(row: number, value: bigint, draft: ProfilesDraft): void {
    draft.values.push(lowHalf(value))
    draft.values.push(highHalf(value))
    this.#writeRow(row, draft)
  }

  #writeRow(row: number, draft: ProfilesDraft): void {
    const { samples, sampleAttributes, values, timestamps } = draft
    draft.unknown.set('samples', samples.length / SAMPLE_STRIDE, this.#unknown.get(row))
    this.#sets.write(this.#rows.attributes(row), sampleAttributes)
    const target = samples.reserve(SAMPLE_STRIDE)
    const at = samples.length
    target[at] = this.#rows.stack(row)
    target[at + 1] = this.#rows.link(row)
    target[at + 2] = sampleAttributes.length
    target[at + 3] = values.length / 2
    target[at + 4] = timestamps.length / 2
    samples.length += SAMPLE_STRIDE
  }

  /** The rows of profile p are rows[starts[p], starts[p + 1]). */
  #rowsByProfile(profileCount: number): { rows: Int32Array; starts: Int32Array } {
    const { length } = this.#rows
    const starts = new Int32Array(profileCount + 1)
    const rows = new Int32Array(length)
    const profileOf = (row: number): number => Math.floor(this.#rows.kind(row) / SHAPES)
    for (let row = 0; row < length; row++) starts[profileOf(row) + 1]++
    for (let p = 0; p < profileCount; p++) starts[p + 1] += starts[p]
    const next = starts.slice()
    for (let row = 0; row < length; row++) rows[next[profileOf(row)]++] = row
    return { rows, starts }
  }
}

/** Multiplies values and rounds each so that the sum of the results is the rounded sum. */
class RoundedSum {
  readonly factor: number
  #exact = 0
  #rounded = 0

  constructor(factor: number) {
    this.factor = factor
  }

  next(value: bigint): bigint {
    this.#exact += Number(value) * this.factor
    const rounded = Math.round(this.#exact) - this.#rounded
    this.#rounded += rounded
    return BigInt(rounded)
  }
}
