import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { Profiles } from '../columns/profiles.ts'
import { withEndTimes, withSampleTimes } from './with-sample-times.ts'

const LAST = 2n ** 64n - 1n

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
    ['sets a missing range', 0n, 0n, [20n, 10n, 15n], [10n, 11n], 0],
    ['sets a missing time and keeps a longer duration', 0n, 60n, [10n, 20n], [10n, 60n], 0],
    ['includes a timestamp at the end', 10n, 10n, [10n, 20n], [10n, 11n], 0],
    ['ends a range with the last time of 64 bits', 0n, 0n, [1n, LAST], [1n, LAST - 1n], 0],
    ['extends a range that ends too early', 10n, 5n, [12n, 100n], [10n, 91n], 1],
    ['extends a range that starts too late', 50n, 5n, [12n], [12n, 43n], 1],
    ['ends a range that exceeds 64 bits', 10n, LAST, [12n], [10n, LAST - 10n], 1],
  ] as const)('%s', (_, time, duration, timestamps, expected, changed) => {
    const result = withSampleTimes(profileWith(time, duration, timestamps))
    expect(rangeOf(result.profiles)).toEqual(expected)
    expect(result.changed).toBe(changed)
  })

  it.each([
    ['that contains all timestamps', 10n, 20n, [10n, 29n]],
    ['of samples without timestamps', 0n, 0n, []],
  ] as const)('keeps a range %s', (_, time, duration, timestamps) => {
    const profiles = profileWith(time, duration, timestamps)
    expect(withSampleTimes(profiles).profiles).toBe(profiles)
  })
})

describe('withEndTimes', () => {
  it('lets profiles without a time end at the given one', () => {
    const { profiles, changed } = withEndTimes(profileWith(0n, 30n, []), 100n)
    expect(rangeOf(profiles)).toEqual([70n, 30n])
    expect(changed).toBe(1)
  })

  it.each([
    ['a time', 10n, []],
    ['timestamps', 0n, [5n]],
  ] as const)('keeps profiles with %s', (_, time, timestamps) => {
    const profiles = profileWith(time, 0n, timestamps)
    expect(withEndTimes(profiles, 100n)).toEqual({ profiles, changed: 0 })
  })
})
