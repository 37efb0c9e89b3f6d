// Summarises a profile without its stacks: totals, times and the shape of samples.
import type { Profiles, SampleTable } from '../model/columns/profiles.ts'
import { timestampRange } from '../model/columns/time-range.ts'
import { selectedProfiles } from './stacks/stack-weights.ts'

const FOLD_EVERY = 2 ** 20

/**
 * How samples store observations:
 *
 *   values       one value each, the sum of the observations
 *   timestamps   only times, each of which counts 1
 *   both         a value for each time
 *   mixed        samples of several shapes
 *   none         no samples, or only empty ones
 */
type SampleShape = 'values' | 'timestamps' | 'both' | 'mixed' | 'none'

export interface ProfileSummary {
  readonly type: string
  readonly unit: string
  readonly timeUnixNano: bigint
  readonly durationNano: bigint
  readonly periodType: string
  readonly periodUnit: string
  readonly period: bigint
  readonly samples: number
  /** The number of observations: a sample's timestamps, or its values if it has none. */
  readonly observations: number
  /** The sum of all samples, exact whatever its size. */
  readonly total: bigint
  /** The first timestamp in nanoseconds since 1970, or undefined if there is none. */
  readonly firstTimestamp: bigint | undefined
  readonly lastTimestamp: bigint | undefined
  readonly shape: SampleShape
}

/** Throws RangeError for a row that does not exist. */
export function profileSummary(profiles: Profiles, i: number): ProfileSummary {
  const { strings } = profiles.dictionary
  const table = profiles.profiles
  const [profile] = selectedProfiles(profiles, i)
  const from = table.samplesFrom(profile)
  const to = table.samplesTo(profile)
  const times = timestampRange(profiles.samples, from, to)
  return {
    type: strings.text(table.type(profile)),
    unit: strings.text(table.unit(profile)),
    timeUnixNano: table.time(profile),
    durationNano: table.duration(profile),
    periodType: strings.text(table.periodType(profile)),
    periodUnit: strings.text(table.periodUnit(profile)),
    period: table.period(profile),
    samples: to - from,
    observations: observations(profiles.samples, from, to),
    total: total(profiles.samples, from, to),
    firstTimestamp: times?.first,
    lastTimestamp: times?.last,
    shape: shapeOf(profiles.samples, from, to),
  }
}

function observations(samples: SampleTable, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) count += samples.observations(i)
  return count
}

/** Sums the halves as doubles, which are exact for 2^20 values, and adds them to the bigint after each batch. */
function total(samples: SampleTable, from: number, to: number): bigint {
  const { values } = samples
  let sum = 0n
  let lo = 0
  let hi = 0
  let pending = 0
  for (let i = from; i < to; i++) {
    const last = samples.valuesTo(i)
    let k = samples.valuesFrom(i)
    if (k === last) lo += samples.timestampsTo(i) - samples.timestampsFrom(i)
    for (; k < last; k++) {
      lo += values.lo(k) >>> 0
      hi += values.hi(k)
      if (++pending < FOLD_EVERY) continue
      sum += (BigInt(hi) << 32n) + BigInt(lo)
      lo = hi = pending = 0
    }
  }
  return sum + (BigInt(hi) << 32n) + BigInt(lo)
}

function shapeOf(samples: SampleTable, from: number, to: number): SampleShape {
  let shape: SampleShape = 'none'
  for (let i = from; i < to; i++) {
    const one = sampleShape(samples, i)
    if (one === 'none' || one === shape) continue
    if (shape !== 'none') return 'mixed'
    shape = one
  }
  return shape
}

function sampleShape(samples: SampleTable, i: number): SampleShape {
  const hasValues = samples.valuesTo(i) > samples.valuesFrom(i)
  const hasTimestamps = samples.timestampsTo(i) > samples.timestampsFrom(i)
  if (hasValues) return hasTimestamps ? 'both' : 'values'
  return hasTimestamps ? 'timestamps' : 'none'
}
