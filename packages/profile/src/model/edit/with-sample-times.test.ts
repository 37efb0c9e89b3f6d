import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'
import { withSampleTimes } from './with-sample-times.ts'

function profileWith(timeUnixNano: bigint, durationNano: bigint, timestamps: readonly bigint[]): Profiles {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'cpu', unit: 'ns', timeUnixNano, durationNano })
  const stack = builder.stack([builder.location({ address: 5 })])
  if (timestamps.length === 0) builder.sample({ stack, values: [1] })
  else builder.sample({ stack, timestamps })
  return builder.build()
}

function rangeOf({ profiles }: Profiles): readonly [time: bigint, duration: bigint] {
  return [profiles.time(0), profiles.duration(0)]
}

describe('withSampleTimes', () => {
  it.each([
    ['sets a missing range', 0n, 0n, [20n, 10n, 15n], [10n, 11n]],
    ['sets a missing time and keeps a longer duration', 0n, 60n, [10n, 20n], [10n, 60n]],
    ['includes a timestamp at the end', 10n, 10n, [10n, 20n], [10n, 11n]],
    ['ends a range with the last time of 64 bits', 0n, 0n, [1n, 2n ** 64n - 1n], [1n, 2n ** 64n - 2n]],
  ] as const)('%s', (_, time, duration, timestamps, expected) => {
    expect(rangeOf(withSampleTimes(profileWith(time, duration, timestamps)))).toEqual(expected)
  })

  it.each([
    ['that contains all timestamps', 10n, 20n, [10n, 29n]],
    ['that the samples contradict', 10n, 5n, [100n]],
    ['of samples without timestamps', 0n, 0n, []],
  ] as const)('keeps a range %s', (_, time, duration, timestamps) => {
    const profiles = profileWith(time, duration, timestamps)
    expect(withSampleTimes(profiles)).toBe(profiles)
  })
})
