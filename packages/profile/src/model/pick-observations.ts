// Some of the observations of a payload: those of chosen samples, those of a range of time. Profiles keep their rows and
// the dictionary is the same, so what was known by number is known by it still. The original payload, which has everything,
// is left behind.
import type { AttributeIndex } from './brand.ts'
import { Pool } from './dictionary.ts'
import { GrowingInts } from './growing-columns.ts'
import { highHalf, lowHalf } from './int64.ts'
import type { Profiles } from './profiles.ts'
import { LongPool, PROFILE_STRIDE, ProfileColumn, ProfileTable, SAMPLE_STRIDE, SampleTable } from './profiles.ts'

export interface ObservationChoice {
  /** By row of the sample table; every sample unless given. */
  readonly samples?: (sample: number) => boolean
  /** Only observations with a time in it, so that samples without times are left out. */
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
    for (let sample = table.samplesFrom(i), to = table.samplesTo(i); sample < to; sample++) {
      if (isChosen !== undefined && !isChosen(sample)) continue
      if (inSpan === undefined) draft.addWhole(sample)
      else draft.addPart(sample, inSpan)
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

/** Whether 64 bits are within, by their halves: a bigint each would be ten times the work. */
class SpanTest {
  readonly #from: readonly [lo: number, hi: number]
  readonly #until: readonly [lo: number, hi: number]

  constructor({ from, until }: TimeSpan) {
    this.#from = [lowHalf(from) >>> 0, highHalf(from) >>> 0]
    this.#until = [lowHalf(until) >>> 0, highHalf(until) >>> 0]
  }

  has(low: number, high: number): boolean {
    const lo = low >>> 0
    const hi = high >>> 0
    const from = this.#from
    const until = this.#until
    return (hi > from[1] || (hi === from[1] && lo >= from[0])) && (hi < until[1] || (hi === until[1] && lo < until[0]))
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
  addPart(i: number, span: SpanTest): void {
    const { values, timestamps } = this.#of
    const from = this.#of.timestampsFrom(i)
    const valuesFrom = this.#of.valuesFrom(i)
    const valueCount = this.#of.valuesTo(i) - valuesFrom
    let isFound = false
    for (let k = from, to = this.#of.timestampsTo(i); k < to; k++) {
      const lo = timestamps.lo(k)
      const hi = timestamps.hi(k)
      if (!span.has(lo, hi)) continue
      isFound = true
      this.#timestamps.push(lo)
      this.#timestamps.push(hi)
      if (valueCount === 0) continue
      const value = k - from
      this.#values.push(value < valueCount ? values.lo(valuesFrom + value) : 0)
      this.#values.push(value < valueCount ? values.hi(valuesFrom + value) : 0)
    }
    if (isFound) this.#end(i)
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
