// Some of the observations of a payload: those of chosen samples, those of a range of time. Profiles keep their rows and
// the dictionary is the same, so what was known by number is known by it still. The original payload, which has everything,
// is left behind.
//
// What is measured in time and takes longer than its profile's period is an interval: it begins at its time, and counts by
// what of it is in the range. So the parts of a range add up to the whole, and a wait shows in each second that it lasts.
//
//   range           |       |        an interval from 3 for 10 is, in the range from 5 until 9, one from 5 for 4
//   interval     |=====|             a sample at 3 that stands for a period of 10 is not in it
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
import { nanosecondsOf } from '../text/units.ts'

export interface ObservationChoice {
  /** By row of the sample table; every sample unless given. */
  readonly samples?: (sample: number) => boolean
  /** Only observations in it, so that samples without times are left out. */
  readonly within?: TimeSpan
}

/** In nanoseconds of the payload's own clock; `until` is not in it. */
export interface TimeSpan {
  readonly from: bigint
  readonly until: bigint
}

export function pickObservations(profiles: Profiles, { samples: isChosen, within }: ObservationChoice): Profiles {
  const { profiles: table } = profiles
  const draft = new SamplesDraft(profiles.samples)
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
    // What only the others referred to is still in the dictionary.
    compacted: false,
  }
}

/** What of a profile's observations are intervals. */
interface Intervals {
  /** Values above this, */
  readonly above: bigint
  readonly aboveNear: number
  /** and how many nanoseconds one of them is. */
  readonly unit: bigint
}

/** Undefined where it measures no time. */
function intervalsOf({ dictionary: { strings }, profiles }: Profiles, row: number): Intervals | undefined {
  const unit = nanosecondsOf(strings.text(profiles.unit(row)))
  if (unit === undefined) return undefined
  const periodUnit = strings.text(profiles.periodUnit(row))
  const scale = periodUnit === '' ? unit : (nanosecondsOf(periodUnit) ?? 0n)
  const period = profiles.period(row)
  const above = period > 0n ? (period * scale) / unit : 0n
  return { above, aboveNear: Number(above), unit }
}

/** Whether 64 bits are within, by their halves: a bigint each would be ten times the work. */
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

  /** How much of an interval is in the span, in its unit: rounded so that the parts of it add up. */
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

/** Samples of a table that are kept, as a table of their own. */
class SamplesDraft {
  readonly #of: SampleTable
  readonly #rows = new GrowingInts()
  readonly #attributes = new GrowingInts()
  readonly #values = new GrowingInts()
  readonly #timestamps = new GrowingInts()

  constructor(of: SampleTable) {
    this.#of = of
  }

  get count(): number {
    return this.#rows.length / SAMPLE_STRIDE
  }

  addWhole(i: number): void {
    const { values, timestamps } = this.#of
    const pushAll = (pool: LongPool, into: GrowingInts, from: number, to: number): void =>
      into.pushAll(pool.ints, pool.base + 2 * from, pool.base + 2 * to)
    pushAll(values, this.#values, this.#of.valuesFrom(i), this.#of.valuesTo(i))
    pushAll(timestamps, this.#timestamps, this.#of.timestampsFrom(i), this.#of.timestampsTo(i))
    this.#end(i)
  }

  /** A sample with fewer values than times has none for the last ones, which then count nothing. */
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

  /** By a double first: most values are samples, far below or at the period. */
  #isInterval(value: number, { above, aboveNear }: Intervals): boolean {
    const { values } = this.#of
    const near = values.hi(value) * 2 ** 32 + (values.lo(value) >>> 0)
    return near >= aboveNear && values.signed()[value] > above
  }

  /** Cut to the span; false where nothing of it is there. */
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
