// The unit in which a normalised sum is shown.
import type { UnitPer } from '@hearth/profile'
import { normalisedUnit } from '@hearth/profile'
import type { Normalisation } from './normalisation.ts'

/** The divisors of a sum. A missing or zero part makes that normalisation unavailable. */
export interface Divisors {
  readonly seconds?: number
  readonly cores?: number
  readonly requests?: number
  /** The total of which a share is shown. */
  readonly total?: number
}

/** The divisor of a normalisation; undefined if the data does not have it. */
export function divisorOf(
  per: Normalisation,
  { seconds = 0, cores = 0, requests = 0, total = 0 }: Divisors,
): number | undefined {
  const divisor = { total: 1, second: seconds, core: seconds * cores, request: requests, share: total }[per]
  return divisor > 0 ? divisor : undefined
}

/** The unit with the divisor, or the unit itself if the data has no divisor. */
export function unitPer(unit: string, per: Normalisation, divisors: Divisors): string {
  const divisor = per === 'total' ? undefined : divisorOf(per, divisors)
  return divisor === undefined ? unit : normalisedUnit(unit, divisor, per as UnitPer)
}

/** The times of the profiles of a type, in nanoseconds since 1970. */
export interface CoveredTimes {
  readonly first: bigint
  readonly last: bigint
  readonly profiles: number
  readonly series: number
}

/**
 * The seconds of the range that the profiles cover: from the first profile to the end of the last one, whose length is the
 * usual time between two profiles of a series. A single profile does not show it, so the range counts.
 */
export function coveredSeconds(
  times: readonly CoveredTimes[],
  range: { readonly from: number; readonly to: number },
): number {
  const whole = Math.max(0, range.to - range.from) / 1000
  if (times.length === 0) return whole
  const first = times.reduce((min, each) => (each.first < min ? each.first : min), times[0].first)
  const last = times.reduce((max, each) => (each.last > max ? each.last : max), times[0].last)
  const between = Math.max(
    ...times.map(each => Number(each.last - each.first) / Math.max(1, each.profiles / Math.max(1, each.series) - 1)),
  )
  const covered = (Number(last - first) + between) / 1e9
  return covered > 0 ? Math.min(whole, covered) : whole
}
