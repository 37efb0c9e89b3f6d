// Sets the time range of profiles by their samples, for formats whose profiles have no times of their own. The data format
// requires that every timestamp is in [time, time + duration).
import { MAX_UINT64, highHalf, lowHalf } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable } from '../columns/profiles.ts'
import type { TimeRange } from '../columns/time-range.ts'
import { timestampRange } from '../columns/time-range.ts'

/**
 * Completes ranges without a time, and those that end exactly with the last timestamp, which some formats count in. Other
 * ranges are the producer's statement and stay, even if they are wrong. Returns the same profiles if nothing changes.
 */
export function withSampleTimes(payload: Profiles): Profiles {
  const { profiles: table, samples } = payload
  const rows = table.ints.slice(table.base, table.base + table.length * PROFILE_STRIDE)
  let isChanged = false
  const set = (p: number, column: number, value: bigint): void => {
    rows[p * PROFILE_STRIDE + column] = lowHalf(value)
    rows[p * PROFILE_STRIDE + column + 1] = highHalf(value)
    isChanged = true
  }
  for (let p = 0; p < table.length; p++) {
    const range = timestampRange(samples, table.samplesFrom(p), table.samplesTo(p))
    if (range === undefined) continue
    const [time, duration] = [table.time(p), table.duration(p)]
    if (time === 0n) set(p, ProfileColumn.time, range.first)
    if (time === 0n || range.last === time + duration)
      set(p, ProfileColumn.duration, later(duration, lengthOf(range, time)))
  }
  if (!isChanged) return payload
  return { ...payload, profiles: new ProfileTable(rows, 0, table.length, table.bytes, table.attributes) }
}

/** Nanoseconds until after the last timestamp. The end has at most 64 bits. */
function lengthOf({ first, last }: TimeRange, time: bigint): bigint {
  const end = last === MAX_UINT64 ? last : last + 1n
  return end - (time === 0n ? first : time)
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
