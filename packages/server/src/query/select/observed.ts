// Profiles by the timestamps of their samples. A profile may begin long before a range and extend into it. A profile
// without a start time counts as begun when it was received.
import type { Intervals } from './intervals.ts'
import type { Values } from '../statement.ts'

/** The maximum distance of a profile's start from the range, regardless of its duration. */
export const LOOK_BACK = 600n * 1_000_000_000n
/**
 * The maximum distance before the range if the profile's duration extends into it: a recording of a day, sent as a
 * whole.
 */
const LONGEST = 86_400n * 1_000_000_000n

/** A range of observations, and whether cumulative profiles are among them. Their `time` is their end. */
export interface ObservedRange {
  readonly from: bigint
  readonly to: bigint
  readonly hasCumulative: boolean
}

/** A condition on `time` only, which samples of spans have too. */
export function mayBeObserved(values: Values, { from, to, hasCumulative }: ObservedRange): string[] {
  const late = hasCumulative ? LONGEST : LOOK_BACK
  return [`time >= ${values.time(before(from, LONGEST))}`, `time < ${values.time(after(to, late))}`]
}

/** Profiles that can have observations in the range, by columns of `profiles` other than the timestamps. */
export function mayHaveObserved(values: Values, range: ObservedRange): string[] {
  const { from } = range
  const near = `time >= ${values.time(before(from, LOOK_BACK))}`
  return [...mayBeObserved(values, range), `(${near} OR ${lastsUntil(values, from)})`, 'notEmpty(timestamps)']
}

/** Profiles whose stated time overlaps the range, or that have no duration. */
export function saysObserved(values: Values, from: bigint, to: bigint): string {
  const starts = `${startOf()} < ${values.add('Int64', to)}`
  return `(duration_nano = 0 OR (${starts} AND ${lastsUntil(values, from)}))`
}

/** Profiles with an observation in the range, or an interval that extends into it. */
export function hasObserved(values: Values, from: bigint, to: bigint, intervals: Intervals | undefined): string {
  const begins = `arrayExists(at -> ${isBetween(values, from, to)}, timestamps)`
  if (intervals === undefined) return begins
  const begin = values.add('UInt64', from)
  // Uses the last timestamp before the range. A condition on each timestamp would compute the longest value for each.
  return `(${begins} OR ${intervals.mayLast(values, `${begin} - arrayMax(arrayFilter(at -> at < ${begin}, timestamps))`)})`
}

/** A condition on `at`, nanoseconds since 1970. */
export function isBetween(values: Values, from: bigint, to: bigint): string {
  return `at >= ${values.add('UInt64', from)} AND at < ${values.add('UInt64', to)}`
}

function lastsUntil(values: Values, time: bigint): string {
  return `duration_nano >= ${values.add('Int64', time)} - ${startOf()}`
}

/** The start of a profile as Int64, from its columns. */
export function startOf(): string {
  const isKnown = `time_unix_nano != 0 AND time_unix_nano <= ${LAST_TIME}`
  return `if(${isKnown}, toInt64(time_unix_nano), toUnixTimestamp64Nano(time))`
}

const LAST_TIME = 2n ** 63n - 1n

function before(time: bigint, length: bigint): bigint {
  return time > length ? time - length : 0n
}

function after(time: bigint, length: bigint): bigint {
  return time + length > LAST_TIME ? LAST_TIME : time + length
}
