// The lengths of the steps of the small charts of services, and of the comparison of their versions.
import type { ServiceRow } from '../profiles/catalog.ts'
import type { Query } from '../query.ts'

const SECOND = 1_000_000_000n
const STEPS = 40n
/** Versions of the last week are compared. */
const WEEK = 604_800n * SECOND
const MAX_VERSION_STEPS = 2000n
/**
 * Seconds. Profilers send at round intervals. Steps of 90 s would contain one or two profiles of 60 s by turns, and an even load
 * would look like a saw.
 */
const ROUND = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800] as const

/** Returns a round length of at least a 40th of the range and the usual time between two profiles of a service. */
export function overviewStep(
  { from, to }: Pick<Query, 'from' | 'to'>,
  services: readonly Pick<ServiceRow, 'first' | 'last' | 'profiles' | 'types'>[],
): bigint {
  const intervals = services.map(({ first, last, profiles, types }) => {
    const each = Math.max(1, Math.floor(profiles / types.length) - 1)
    return each < 2 ? 0n : (last - first) / BigInt(each)
  })
  const longest = intervals.reduce((max, each) => (each > max ? each : max), (to - from) / STEPS)
  const seconds = longest < SECOND ? 1n : (longest + SECOND - 1n) / SECOND
  const round = ROUND.find(each => BigInt(each) >= seconds)
  return (round === undefined ? seconds : BigInt(round)) * SECOND
}

export interface Steps {
  /** Nanoseconds, like the step. */
  readonly from: bigint
  readonly step: bigint
}

/**
 * The steps of the comparison of versions, which ends at `to`. They start with the first profile, so that versions of a server
 * that has run for an hour have enough steps for an interval. No step is shorter than `min`.
 */
export function versionSteps(to: bigint, min: bigint, services: readonly Pick<ServiceRow, 'first'>[]): Steps {
  const first = services.reduce((earliest, each) => (each.first < earliest ? each.first : earliest), to)
  const from = to - first > WEEK ? to - WEEK : first
  const step = (to - from) / MAX_VERSION_STEPS
  return { from, step: step > min ? step : min }
}
