// Sets the time ranges of profiles, for formats that require them. The data format requires that every timestamp is in
// [time, time + duration).
import { MAX_UINT64, highHalf, lowHalf } from '../columns/int64.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, ProfileTable } from '../columns/profiles.ts'
import { timestampRange } from '../columns/time-range.ts'

export interface TimedProfiles {
  readonly profiles: Profiles
  /** The number of profiles whose times the producer had stated otherwise, or not at all. */
  readonly changed: number
}

/**
 * Completes ranges without a time, and extends those that do not contain all timestamps. `changed` counts ranges that the
 * samples contradict. A range that ends exactly with the last timestamp is not one of them: some formats count it in. Returns
 * the same profiles if nothing changes.
 */
export function withSampleTimes(payload: Profiles): TimedProfiles {
  const { profiles: table, samples } = payload
  const ranges = new RangeEditor(payload)
  let changed = 0
  for (let p = 0; p < table.length; p++) {
    const range = timestampRange(samples, table.samplesFrom(p), table.samplesTo(p))
    if (range === undefined) continue
    const [time, duration] = [table.time(p), table.duration(p)]
    const start = time === 0n || range.first < time ? range.first : time
    const stated = (time === 0n ? start : time) + duration
    const end = earlier(later(stated, range.last + 1n), MAX_UINT64)
    if (start === time && end === stated) continue
    ranges.set(p, start, end)
    if (time !== 0n && !(start === time && range.last === stated)) changed++
  }
  return { profiles: ranges.profiles(), changed }
}

/** Lets profiles without any time end at `end`. */
export function withEndTimes(payload: Profiles, end: bigint): TimedProfiles {
  const { profiles: table, samples } = payload
  const ranges = new RangeEditor(payload)
  let changed = 0
  for (let p = 0; p < table.length; p++) {
    const hasTimes = timestampRange(samples, table.samplesFrom(p), table.samplesTo(p)) !== undefined
    if (table.time(p) !== 0n || hasTimes) continue
    const duration = table.duration(p)
    ranges.set(p, duration < end ? end - duration : end, end)
    changed++
  }
  return { profiles: ranges.profiles(), changed }
}

class RangeEditor {
  readonly #payload: Profiles
  #rows: Int32Array | undefined

  constructor(payload: Profiles) {
    this.#payload = payload
  }

  set(profile: number, start: bigint, end: bigint): void {
    const { ints, base, length } = this.#payload.profiles
    const rows = (this.#rows ??= ints.slice(base, base + length * PROFILE_STRIDE))
    const at = profile * PROFILE_STRIDE
    rows[at + ProfileColumn.time] = lowHalf(start)
    rows[at + ProfileColumn.time + 1] = highHalf(start)
    rows[at + ProfileColumn.duration] = lowHalf(end - start)
    rows[at + ProfileColumn.duration + 1] = highHalf(end - start)
  }

  profiles(): Profiles {
    if (this.#rows === undefined) return this.#payload
    const { length, bytes, attributes } = this.#payload.profiles
    return { ...this.#payload, profiles: new ProfileTable(this.#rows, 0, length, bytes, attributes) }
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
