// The time range of a profile. Producers may leave the time of a profile unset if its samples have timestamps.
import { uint64 } from './int64.ts'
import type { LongPool, Profiles, SampleTable } from './profiles.ts'

/** Nanoseconds since 1970. */
export interface TimeRange {
  readonly first: bigint
  readonly last: bigint
}

/**
 * The time of a profile until its end. If the time is not set, it is the first timestamp of the samples; if the duration is not
 * set, the profile ends with their last one. Undefined if neither the profile nor a sample has a time.
 */
export function profileTimeRange({ profiles, samples }: Profiles, i: number): TimeRange | undefined {
  const time = profiles.time(i)
  const duration = profiles.duration(i)
  if (time !== 0n && duration !== 0n) return { first: time, last: time + duration }
  const range = timestampRange(samples, profiles.samplesFrom(i), profiles.samplesTo(i))
  if (range === undefined) return time === 0n ? undefined : { first: time, last: time }
  const first = time === 0n ? range.first : time
  const last = duration === 0n ? range.last : first + duration
  return { first, last: last < first ? first : last }
}

/** The first and the last timestamp of samples [from, to), or undefined if there is none. */
export function timestampRange(samples: SampleTable, from: number, to: number): TimeRange | undefined {
  const { timestamps } = samples
  const end = to === 0 ? 0 : samples.timestampsTo(to - 1)
  const start = from === to ? end : samples.timestampsFrom(from)
  if (start === end) return undefined
  let first = start
  let last = start
  for (let k = start + 1; k < end; k++) {
    if (isEarlier(timestamps, k, first)) first = k
    else if (isEarlier(timestamps, last, k)) last = k
  }
  const at = (k: number): bigint => uint64(timestamps.lo(k), timestamps.hi(k))
  return { first: at(first), last: at(last) }
}

function isEarlier(timestamps: LongPool, a: number, b: number): boolean {
  const hiA = timestamps.hi(a) >>> 0
  const hiB = timestamps.hi(b) >>> 0
  return hiA === hiB ? timestamps.lo(a) >>> 0 < timestamps.lo(b) >>> 0 : hiA < hiB
}

export function earliest(values: readonly bigint[]): bigint | undefined {
  return values.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined)
}

export function latest(values: readonly bigint[]): bigint | undefined {
  return values.reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined)
}

/** A profile has one shape, so its first sample decides. */
export function hasTimestamps({ profiles, samples }: Profiles, i: number): boolean {
  const sample = profiles.samplesFrom(i)
  return sample < profiles.samplesTo(i) && samples.timestampsTo(sample) > samples.timestampsFrom(sample)
}
