// Observations with a duration. A time value that is longer than its profile's period is an interval, as in the library
// (model/edit/pick-observations.ts). It begins at its timestamp, and an exact range counts its part in the range. Any
// other observation is a moment, and counts whole in the range of its timestamp.
import { nanosecondsOf } from '@hearth/profile'
import type { SeriesRow } from './series-rows.ts'
import type { Values } from '../statement.ts'

/** The longest value of a profile, from its columns; 0 if its samples have no values. */
export const LONGEST_VALUE = 'if(empty(value_counts), arrayMax(totals), arrayMax(values))'

interface Scale {
  /** The length of the values' unit in nanoseconds. */
  readonly unit: bigint
  /** The length of the period's unit in nanoseconds; 0 if it is not a time. */
  readonly period: bigint
}

/** Conditions on the columns `series` and `period` of a profile, and a value. */
export class Intervals {
  readonly #scales: ReadonlyMap<bigint, Scale>
  /** Undefined if series differ. */
  readonly #only: Scale | undefined

  private constructor(scales: ReadonlyMap<bigint, Scale>, only: Scale | undefined) {
    this.#scales = scales
    this.#only = only
  }

  /** Undefined if no series measures time. */
  static of(series: readonly SeriesRow[]): Intervals | undefined {
    const scales = new Map<bigint, Scale>()
    for (const row of series) {
      const unit = nanosecondsOf(row.unit)
      if (unit === undefined) continue
      scales.set(row.id, { unit, period: row.periodUnit === '' ? unit : (nanosecondsOf(row.periodUnit) ?? 0n) })
    }
    if (scales.size === 0) return undefined
    const [first] = scales.values()
    const isSame = ({ unit, period }: Scale): boolean => unit === first.unit && period === first.period
    return new Intervals(
      scales,
      scales.size === series.length && [...scales.values()].every(isSame) ? first : undefined,
    )
  }

  /** Whether a value is an interval. */
  isOne(values: Values, value: string): string {
    const isLonger = `${value} > ${this.#period(values)}`
    return this.#only === undefined ? `(series IN ${values.ids(this.#scales.keys())} AND ${isLonger})` : isLonger
  }

  /** Whether an interval is longer than the given nanoseconds. */
  lasts(values: Values, value: string, nanoseconds: string): string {
    return `${value} > ${this.#inUnits(values, nanoseconds)}`
  }

  /** Whether a value is a time of at least the given nanoseconds, regardless of the period. */
  takes(values: Values, value: string, nanoseconds: string): string {
    const isSoLong = this.lasts(values, value, `${nanoseconds} - 1`)
    return this.#only === undefined ? `(series IN ${values.ids(this.#scales.keys())} AND ${isSoLong})` : `(${isSoLong})`
  }

  /** Whether the longest value of a profile is an interval of more than the given nanoseconds. */
  mayLast(values: Values, nanoseconds: string): string {
    return `(${this.isOne(values, LONGEST_VALUE)} AND ${this.lasts(values, LONGEST_VALUE, nanoseconds)})`
  }

  /** Whether an observation at `at` begins in a range, or is an interval that extends into it. */
  isWithin(values: Values, value: string, from: bigint, to: bigint): string {
    const [begin, end] = [values.add('UInt64', from), values.add('UInt64', to)]
    const reaches = `${this.isOne(values, value)} AND ${this.lasts(values, value, `${begin} - at`)}`
    return `at < ${end} AND (at >= ${begin} OR (${reaches}))`
  }

  /** The part of a value at `at` that is in a range, rounded so that the parts of an interval add up. */
  cut(values: Values, value: string, from: bigint, to: bigint): string {
    const [begin, end] = [values.add('UInt64', from), values.add('UInt64', to)]
    const before = `if(at < ${begin}, ${this.#inUnits(values, `${begin} - at`)}, 0)`
    return `if(${this.isOne(values, value)}, least(${value}, ${this.#inUnits(values, `${end} - at`)}) - ${before}, ${value})`
  }

  #inUnits(values: Values, nanoseconds: string): string {
    if (this.#only !== undefined)
      return this.#only.unit === 1n ? `(${nanoseconds})` : `intDiv(${nanoseconds}, ${this.#only.unit})`
    return `intDiv(${nanoseconds}, ${this.#each(values, ({ unit }) => unit, 1n)})`
  }

  /** The period in the unit of the values. */
  #period(values: Values): string {
    if (this.#only !== undefined) {
      const { unit, period } = this.#only
      if (unit === period) return 'greatest(period, 0)'
      return `greatest(intDiv(toInt128(period) * ${period}, ${unit}), 0)`
    }
    const [period, unit] = [this.#each(values, each => each.period, 0n), this.#each(values, each => each.unit, 1n)]
    return `greatest(intDiv(toInt128(period) * ${period}, ${unit}), 0)`
  }

  #each(values: Values, of: (scale: Scale) => bigint, otherwise: bigint): string {
    const numbers = values.add('Array(Int64)', Array.from(this.#scales.values(), of))
    return `transform(series, ${values.ids(this.#scales.keys())}, ${numbers}, toInt64(${otherwise}))`
  }
}
