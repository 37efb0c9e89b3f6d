// Samples with times near the boundaries between the cells of a heat map.
import fc from 'fast-check'
import type { ProfileHeader } from '../build/builder.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'

export interface TimedSample {
  readonly times: readonly bigint[]
  /** As many as there are times, or none. */
  readonly values: readonly bigint[]
}

export const SECOND = 1_000_000_000n

export const moment = fc.oneof(
  fc.bigInt({ min: 1_790_000_000n * SECOND, max: 1_790_000_003n * SECOND }),
  // On the boundaries of columns and rows.
  fc.integer({ min: 0, max: 150 }).map(n => 1_790_000_000n * SECOND + BigInt(n) * 20_000_000n),
)

export const timedSample: fc.Arbitrary<TimedSample> = fc
  .tuple(fc.array(moment, { maxLength: 5 }), fc.boolean(), fc.integer({ min: -5, max: 90 }))
  .map(([times, timed, value]) => ({ times, values: timed ? times.map(() => BigInt(value)) : [] }))

const CPU = { type: 'cpu', unit: 'ns' }

/** Builds one profile of all samples. */
export function profileOfTimed(samples: readonly TimedSample[], profile: ProfileHeader = CPU): Profiles {
  const b = new ProfilesBuilder()
  b.profile(profile)
  for (const { times, values } of samples) b.sample({ stack: b.stack([]), timestamps: times, values })
  return b.build()
}
