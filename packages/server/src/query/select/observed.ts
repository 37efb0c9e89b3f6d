// Profiles by when their samples were observed, which is not when they began: a profile may begin long before a range and
// reach into it, and one without a time of its own counts as begun when it came in.
import type { Intervals } from './intervals.ts'
import type { Values } from '../statement.ts'

/** How far from the range a profile may begin whatever its duration says. */
export const LOOK_BACK = 600n * 1_000_000_000n
/** How long before the range one may begin that says that it lasts until then: a recording of a day, sent as a whole. */
const LONGEST = 86_400n * 1_000_000_000n

/** By `time` alone, which samples of spans have too. */
export function mayBeObserved(values: Values, from: bigint, to: bigint): string[] {
  return [`time >= ${values.time(before(from, LONGEST))}`, `time < ${values.time(after(to))}`]
}

/** Those in which observations of the range may be; on columns of `profiles`, without a look at the timestamps. */
export function mayHaveObserved(values: Values, from: bigint, to: bigint): string[] {
  const near = `time >= ${values.time(before(from, LOOK_BACK))}`
  return [...mayBeObserved(values, from, to), `(${near} OR ${lastsUntil(values, from)})`, 'notEmpty(timestamps)']
}

/** Of those the ones that say of themselves that they are of the range, or do not say how long they are. */
export function saysObserved(values: Values, from: bigint, to: bigint): string {
  return `(duration_nano = 0 OR (time < ${values.time(to)} AND ${lastsUntil(values, from)}))`
}

/** Of those the ones that have an observation in the range, or an interval that reaches into it. */
export function hasObserved(values: Values, from: bigint, to: bigint, intervals: Intervals | undefined): string {
  const begins = `arrayExists(at -> ${isBetween(values, from, to)}, timestamps)`
  if (intervals === undefined) return begins
  const begin = values.add('UInt64', from)
  // By the last that begins before: a condition on each would make the longest value anew for each.
  return `(${begins} OR ${intervals.mayLast(values, `${begin} - arrayMax(arrayFilter(at -> at < ${begin}, timestamps))`)})`
}

/** On `at`, nanoseconds since 1970. */
export function isBetween(values: Values, from: bigint, to: bigint): string {
  return `at >= ${values.add('UInt64', from)} AND at < ${values.add('UInt64', to)}`
}

function lastsUntil(values: Values, time: bigint): string {
  return `duration_nano >= ${values.add('Int64', time)} - toUnixTimestamp64Nano(time)`
}

const LAST_TIME = 2n ** 63n - 1n

function before(time: bigint, length: bigint): bigint {
  return time > length ? time - length : 0n
}

function after(time: bigint): bigint {
  return time + LOOK_BACK > LAST_TIME ? LAST_TIME : time + LOOK_BACK
}
