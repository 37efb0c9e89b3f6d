// The clocks of the proposal, with any frequency and start. Times are converted to nanoseconds since 1970 by exact arithmetic.
// Times between two nanoseconds are rounded to the nearest, half up, and counted. Up to 1 GHz the ticks can be restored from
// the rounded nanoseconds.
import type { AnyValue, KeyValue, KeyValueList } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import { dividedToNearest } from '../../model/columns/divided-to-nearest.ts'

export interface EventClock {
  /** Ticks per second. */
  readonly frequency: bigint
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly attributes: readonly KeyValue[]
}

const SECOND = 1_000_000_000n

/** The default clock: nanoseconds since 1970. It is not stored in the model. */
export const UNIX_CLOCK: EventClock = { frequency: SECOND, start: 0n, attributes: [] }

export function isUnixClock({ frequency, start, attributes }: EventClock): boolean {
  return frequency === SECOND && start === 0n && attributes.length === 0
}

/** The duration of a number of ticks in nanoseconds. */
export function nanosOfTicks(ticks: bigint, { frequency }: EventClock): bigint {
  return frequency === SECOND ? ticks : dividedToNearest(ticks * SECOND, frequency)
}

export function isExact(ticks: bigint, { frequency }: EventClock): boolean {
  return frequency === SECOND || (ticks * SECOND) % frequency === 0n
}

/** The time of a tick as uint64. Sums wrap around at 2^64, as they would in a producer. */
export function timeOfTicks(ticks: bigint, clock: EventClock): bigint {
  return BigInt.asUintN(64, clock.start + nanosOfTicks(ticks, clock))
}

/** The number of ticks of a duration. Undefined if no number of ticks gives it. */
export function ticksOfNanos(nanos: bigint, clock: EventClock): bigint | undefined {
  const ticks = clock.frequency === SECOND ? nanos : dividedToNearest(nanos * clock.frequency, SECOND)
  return nanosOfTicks(ticks, clock) === nanos && BigInt.asUintN(64, ticks) === ticks ? ticks : undefined
}

/** The tick, an int64, of a time. Undefined if no tick gives it. */
export function ticksOfTime(time: bigint, clock: EventClock): bigint | undefined {
  const since = BigInt.asIntN(64, time - clock.start)
  const ticks = clock.frequency === SECOND ? since : dividedToNearest(since * clock.frequency, SECOND)
  return BigInt.asIntN(64, ticks) === ticks && timeOfTicks(ticks, clock) === time ? ticks : undefined
}

/** The value of a profile's clock attribute. */
export function clockValue({ frequency, start, attributes }: EventClock): KeyValueList {
  return {
    entries: [
      { key: 'frequency', value: BigInt.asIntN(64, frequency) },
      { key: 'time_unix_nano', value: BigInt.asIntN(64, start) },
      ...(attributes.length === 0 ? [] : [{ key: 'attributes', value: { entries: attributes } }]),
    ],
  }
}

/** Returns undefined for a value of another form or without a frequency. */
export function clockOfValue(value: AnyValue): EventClock | undefined {
  if (!isKeyValueList(value)) return undefined
  const find = (key: string): AnyValue => value.entries.find(entry => entry.key === key)?.value
  const frequency = find('frequency')
  const start = find('time_unix_nano')
  const attributes = find('attributes')
  if (typeof frequency !== 'bigint' || typeof start !== 'bigint' || frequency === 0n) return undefined
  return {
    frequency: BigInt.asUintN(64, frequency),
    start: BigInt.asUintN(64, start),
    attributes: isKeyValueList(attributes) ? attributes.entries : [],
  }
}
