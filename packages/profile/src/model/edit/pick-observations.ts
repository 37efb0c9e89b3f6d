// Selects observations of a payload: those of chosen samples, or those in a time range. Profiles keep their rows and
// the dictionary stays the same, so row numbers remain valid. The original payload is dropped, because it holds
// everything.
//
// A value that measures time and is longer than the period of its profile is an interval that starts at its timestamp.
// Only its part inside the range counts, so the parts of adjacent ranges add up to the total, and a wait shows in each
// second it lasts.
//
//   range           |       |        an interval from 3 for 10 becomes, in the range [5, 9), one from 5 for 4
//   interval     |=====|             a sample at 3 that represents a period of 10 is not in the range
import type { AttributeIndex } from '../columns/brand.ts'
import { Pool } from '../columns/dictionary.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { highHalf, lowHalf } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import {
  LongPool,
  PROFILE_STRIDE,
  ProfileColumn,
  ProfileTable,
  SAMPLE_STRIDE,
  SampleTable,
} from '../columns/profiles.ts'
import type { UnknownFields } from '../columns/unknown-fields.ts'
import { nanosecondsOf } from '../text/units.ts'

export interface ObservationChoice {
  /** Selects rows of the sample table. Default: all samples. */
  readonly samples?: (sample: number) => boolean
  /** Keeps only observations in this range; samples without timestamps are dropped. */
  readonly within?: TimeSpan
}

/** In nanoseconds of the payload's clock. `until` is exclusive. */
export interface TimeSpan {
  readonly from: bigint
  readonly until: bigint
}

export function pickObservations(profiles: Profiles, { samples: isChosen, within }: ObservationChoice): Profiles {
  const { profiles: table } = profiles
  const draft = new SamplesDraft(profiles)
  const inSpan = within && new SpanTest(within)
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  for (let i = 0; i < table.length; i++) {
    const intervals = inSpan && intervalsOf(profiles, i)
    for (let sample = table.samplesFrom(i), to = table.samplesTo(i); sample < to; sample++) {
      if (isChosen !== undefined && !isChosen(sample)) continue
      if (inSpan === undefined) draft.addWhole(sample)
      else draft.addPart(sample, inSpan, intervals)
    }
    const row = i * PROFILE_STRIDE
    rows.fill(0, row + ProfileColumn.formatOffset, row + ProfileColumn.payloadLength + 1)
    rows[row + ProfileColumn.sampleEnd] = draft.count
  }
  return {
    ...profiles,
    profiles: new ProfileTable(rows, 0, table.length, table.bytes, table.attributes),
    samples: draft.build(),
    unknown: draft.unknown(),
    // Rows that only dropped samples referred to are still in the dictionary.
    compacted: false,
  }
}

/** Describes which observations of a profile are intervals. */
interface Intervals {
  /** Values above this are intervals. */
  readonly above: bigint
  readonly aboveNear: number
  /** The length of one unit in nanoseconds. */
  readonly unit: bigint
}

/** Returns undefined if the profile does not measure time. */
function intervalsOf({ dictionary: { strings }, profiles }: Profiles, row: number): Intervals | undefined {
  const unit = nanosecondsOf(strings.text(profiles.unit(row)))
  if (unit === undefined) return undefined
  const periodUnit = strings.text(profiles.periodUnit(row))
  const scale = periodUnit === '' ? unit : (nanosecondsOf(periodUnit) ?? 0n)
  const period = profiles.period(row)
  const above = period > 0n ? (period * scale) / unit : 0n
  return { above, aboveNear: Number(above), unit }
}

/** Tests whether a 64-bit time is in the span, by its halves. A bigint each would take ten times as long. */
class SpanTest {
  readonly span: TimeSpan
  readonly #from: readonly [lo: number, hi: number]
  readonly #until: readonly [lo: number, hi: number]

  constructor(span: TimeSpan) {
    const { from, until } = span
    this.span = span
    this.#from = [lowHalf(from) >>> 0, highHalf(from) >>> 0]
    this.#until = [lowHalf(until) >>> 0, highHalf(until) >>> 0]
  }

  has(low: number, high: number): boolean {
    return this.#isBefore(low, high, this.#until) && !this.#isBefore(low, high, this.#from)
  }

  /** The part of an interval inside the span, in its unit, rounded so that parts add up. */
  overlap(time: bigint, value: bigint, unit: bigint): bigint {
    const { from, until } = this.span
    if (time >= until) return 0n
    const before = time < from ? (from - time) / unit : 0n
    const reached = (until - time) / unit
    return before >= value ? 0n : (reached < value ? reached : value) - before
  }

  #isBefore(low: number, high: number, [lo, hi]: readonly [lo: number, hi: number]): boolean {
    return high >>> 0 < hi || (high >>> 0 === hi && low >>> 0 < lo)
  }
}

/** The selected samples of a table, as a new table. */
export class SamplesDraft {
  readonly #of: SampleTable
  readonly #unknownOf: UnknownFields | undefined
  readonly #unknown = new Map<number, Uint8Array>()
  readonly #rows = new GrowingInts()
  readonly #attributes = new GrowingInts()
  readonly #values = new GrowingInts()
  readonly #timestamps = new GrowingInts()

  constructor({ samples, unknown }: Profiles) {
    this.#of = samples
    this.#unknownOf = unknown
  }

  /** The unknown fields of the payload with those of the selected samples. */
  unknown(): UnknownFields | undefined {
    if (this.#unknownOf?.samples === undefined) return this.#unknownOf
    return { ...this.#unknownOf, samples: this.#unknown }
  }

  get count(): number {
    return this.#rows.length / SAMPLE_STRIDE
  }

  addWhole(i: number): void {
    this.#pushObservations(i)
    this.#end(i)
  }

  /** Adds one sample with the observations of several. */
  addAll(samples: readonly number[]): void {
    for (const sample of samples) this.#pushObservations(sample)
    this.#end(samples[0])
  }

  /** Adds sample i with another value. */
  addValue(i: number, value: bigint): void {
    for (const half of [lowHalf(value), highHalf(value)]) this.#values.push(half)
    this.#end(i)
  }

  #pushObservations(i: number): void {
    const { values, timestamps } = this.#of
    const pushAll = (pool: LongPool, into: GrowingInts, from: number, to: number): void =>
      into.pushAll(pool.ints, pool.base + 2 * from, pool.base + 2 * to)
    pushAll(values, this.#values, this.#of.valuesFrom(i), this.#of.valuesTo(i))
    pushAll(timestamps, this.#timestamps, this.#of.timestampsFrom(i), this.#of.timestampsTo(i))
  }

  /** If a sample has fewer values than timestamps, the last observations have no value and count 0. */
  addPart(i: number, span: SpanTest, intervals: Intervals | undefined): void {
    const { timestamps } = this.#of
    const from = this.#of.timestampsFrom(i)
    const valuesFrom = this.#of.valuesFrom(i)
    const valueCount = this.#of.valuesTo(i) - valuesFrom
    let isFound = false
    for (let k = from, to = this.#of.timestampsTo(i); k < to; k++) {
      const lo = timestamps.lo(k)
      const hi = timestamps.hi(k)
      const value = k - from < valueCount ? valuesFrom + k - from : -1
      const isIn = span.has(lo, hi)
      if (intervals !== undefined && value >= 0 && this.#isInterval(value, intervals)) {
        if (this.#addInterval(k, value, span, intervals, isIn)) isFound = true
        continue
      }
      if (!isIn) continue
      isFound = true
      this.#timestamps.push(lo)
      this.#timestamps.push(hi)
      if (valueCount === 0) continue
      this.#values.push(value < 0 ? 0 : this.#of.values.lo(value))
      this.#values.push(value < 0 ? 0 : this.#of.values.hi(value))
    }
    if (isFound) this.#end(i)
  }

  /** Compares as a double first: most values are samples, at or far below the period. */
  #isInterval(value: number, { above, aboveNear }: Intervals): boolean {
    const { values } = this.#of
    const near = values.hi(value) * 2 ** 32 + (values.lo(value) >>> 0)
    return near >= aboveNear && values.signed()[value] > above
  }

  /** Adds the interval cut to the span. Returns false if none of it is inside. */
  #addInterval(k: number, value: number, span: SpanTest, { unit }: Intervals, isIn: boolean): boolean {
    const { values, timestamps } = this.#of
    const time = timestamps.unsigned()[k]
    const amount = span.overlap(time, values.signed()[value], unit)
    if (amount === 0n && !isIn) return false
    const begins = isIn ? time : span.span.from
    for (const half of [lowHalf(begins), highHalf(begins)]) this.#timestamps.push(half)
    for (const half of [lowHalf(amount), highHalf(amount)]) this.#values.push(half)
    return true
  }

  #end(i: number): void {
    const fields = this.#unknownOf?.samples?.get(i)
    if (fields !== undefined) this.#unknown.set(this.count, fields)
    const { ints, base } = this.#of.attributes
    this.#attributes.pushAll(ints, base + this.#of.attributesFrom(i), base + this.#of.attributesTo(i))
    this.#rows.push(this.#of.stack(i))
    this.#rows.push(this.#of.link(i))
    this.#rows.push(this.#attributes.length)
    this.#rows.push(this.#values.length / 2)
    this.#rows.push(this.#timestamps.length / 2)
  }

  build(): SampleTable {
    const longs = ({ array, length }: GrowingInts): LongPool => new LongPool(array, 0, length / 2)
    const attributes = new Pool<AttributeIndex>(this.#attributes.array, 0, this.#attributes.length)
    return new SampleTable(this.#rows.array, 0, this.count, attributes, longs(this.#values), longs(this.#timestamps))
  }
}
