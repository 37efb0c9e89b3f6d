// The observations of one event type from all chunks. Observations with the same stack and attributes are one sample, with the
// time of each. A type with a count and measures yields several profiles of the same observations.
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { MAX_UINT64, highHalf, int64, lowHalf } from '../../../model/columns/int64.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../../model/build/intern.ts'
import type { JfrAttributeSets } from './attributes.ts'
import { JFR_ATTRIBUTES } from './attributes.ts'

/** The start of a sample's key. Attributes follow, 0 if not set. */
export const Key = { stack: 0, link: 1, thread: 2, labels: 3, attributes: 4 } as const

export interface SeriesProfile {
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly period: bigint
  /** The index of the profile's value in an observation; ONE if each counts one, PERIOD if each counts the period. */
  readonly value: number
}

export const ONE = -1
export const PERIOD = -2

/** The ints of a row before the values: group and time. */
const HEAD = 3

export class JfrSeries {
  readonly event: string
  readonly profiles: readonly SeriesProfile[]
  readonly #groups = new SequenceInterner()
  readonly #rows = new GrowingInts(1024)
  readonly #stride: number
  /** Earliest and latest time, as unsigned halves. */
  #first: readonly [lo: number, hi: number] = [0xffff_ffff, 0xffff_ffff]
  #last: readonly [lo: number, hi: number] = [0, 0]

  constructor(event: string, profiles: readonly SeriesProfile[], valueCount: number) {
    this.event = event
    this.profiles = profiles
    this.#stride = HEAD + 2 * valueCount
  }

  get length(): number {
    return this.#rows.length / this.#stride
  }

  /** The number of the sample with this key. */
  group(key: Int32Array): number {
    return this.#groups.intern(key, 0, key.length)
  }

  /** `values` has two ints for each value. */
  add(group: number, timeLo: number, timeHi: number, values: Int32Array): void {
    const stride = this.#stride
    const array = this.#rows.reserve(stride)
    const row = this.#rows.length
    array[row] = group
    array[row + 1] = timeLo
    array[row + 2] = timeHi
    for (let i = HEAD; i < stride; i++) array[row + i] = values[i - HEAD]
    this.#rows.length += stride
  }

  /** Adds its profiles. Their time range is [from, to), extended by earlier and later observations. */
  writeTo(builder: ProfilesBuilder, sets: JfrAttributeSets, from: bigint, to: bigint): void {
    const order = this.#byGroup()
    this.#findRange()
    const first = int64(...this.#first)
    const end = int64(...this.#last) + 1n
    const start = first < from ? first : from
    const event = builder.attribute(JFR_ATTRIBUTES.event, this.event)
    for (const profile of this.profiles) {
      builder.profile({
        type: profile.type,
        unit: profile.unit,
        periodType: profile.periodType,
        periodUnit: profile.periodUnit,
        period: profile.period,
        timeUnixNano: start,
        durationNano: atMost(MAX_UINT64, (end > to ? end : to) - start),
        attributes: [event],
      })
      this.#writeSamples(builder, sets, profile, order)
    }
  }

  #writeSamples(builder: ProfilesBuilder, sets: JfrAttributeSets, profile: SeriesProfile, order: Int32Array): void {
    const { values, timestamps, sampleAttributes } = builder.draft
    const { value } = profile
    const rows = this.#rows.array
    const keys = this.#groups.pool.array
    const periodLo = lowHalf(profile.period)
    const periodHi = highHalf(profile.period)
    const times = timestamps.reserve(2 * order.length)
    const numbers = values.reserve(value === ONE ? 0 : 2 * order.length)
    let time = timestamps.length
    let number = values.length
    let next = 0
    for (let group = 0; group < this.#groups.length; group++) {
      for (; next < order.length && rows[order[next]] === group; next++) {
        const row = order[next]
        times[time++] = rows[row + 1]
        times[time++] = rows[row + 2]
        if (value === ONE) continue
        numbers[number++] = value === PERIOD ? periodLo : rows[row + HEAD + 2 * value]
        numbers[number++] = value === PERIOD ? periodHi : rows[row + HEAD + 2 * value + 1]
      }
      timestamps.length = time
      values.length = number
      const start = this.#groups.start(group)
      sets.pushTo(sampleAttributes, keys[start + Key.thread])
      sets.pushTo(sampleAttributes, keys[start + Key.labels])
      for (let i = start + Key.attributes; i < this.#groups.end(group); i++) {
        if (keys[i] !== 0) sampleAttributes.push(keys[i])
      }
      builder.sampleRow(keys[start + Key.stack], keys[start + Key.link])
    }
  }

  /** The starts of rows, sorted by group and then by insertion order. */
  #byGroup(): Int32Array {
    const { array, length } = this.#rows
    const next = new Int32Array(this.#groups.length + 1)
    for (let row = 0; row < length; row += this.#stride) next[array[row] + 1]++
    for (let i = 1; i < next.length; i++) next[i] += next[i - 1]
    const order = new Int32Array(this.length)
    for (let row = 0; row < length; row += this.#stride) order[next[array[row]]++] = row
    return order
  }

  #findRange(): void {
    const { array, length } = this.#rows
    let [firstLo, firstHi] = this.#first
    let [lastLo, lastHi] = this.#last
    for (let row = 0; row < length; row += this.#stride) {
      const lo = array[row + 1] >>> 0
      const hi = array[row + 2] >>> 0
      if (hi < firstHi || (hi === firstHi && lo < firstLo)) {
        firstHi = hi
        firstLo = lo
      }
      if (hi > lastHi || (hi === lastHi && lo > lastLo)) {
        lastHi = hi
        lastLo = lo
      }
    }
    this.#first = [firstLo, firstHi]
    this.#last = [lastLo, lastHi]
  }
}

function atMost(limit: bigint, value: bigint): bigint {
  return value < limit ? value : limit
}
