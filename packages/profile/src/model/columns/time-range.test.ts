import { expect, test } from 'vitest'
import { ProfilesBuilder } from '../build/builder.ts'
import type { TimeRange } from './time-range.ts'
import { profileTimeRange } from './time-range.ts'

const stamps = [1_700_000_000_000_000_007n, 1_700_000_000_000_000_003n, 1_700_000_000_000_000_005n]

test.each<[string, bigint, bigint, bigint[], TimeRange | undefined]>([
  ['the fields of the profile', 100n, 20n, stamps, { first: 100n, last: 120n }],
  ['the timestamps if the profile has no time', 0n, 0n, stamps, { first: stamps[1], last: stamps[0] }],
  ['the first timestamp and the duration', 0n, 9n, stamps, { first: stamps[1], last: stamps[1] + 9n }],
  ['the time and the last timestamp', stamps[1] - 5n, 0n, stamps, { first: stamps[1] - 5n, last: stamps[0] }],
  ['the time alone', 100n, 0n, [], { first: 100n, last: 100n }],
  ['undefined without any time', 0n, 5n, [], undefined],
])('profileTimeRange returns %s', (_, timeUnixNano, durationNano, timestamps, expected) => {
  const builder = new ProfilesBuilder()
  builder.profile({ type: 'other', unit: 'count' })
  const stack = builder.stack([])
  builder.sample({ stack, values: [1], timestamps: [1n] })
  builder.profile({ type: 'cpu', unit: 'count', timeUnixNano, durationNano })
  builder.sample(timestamps.length > 0 ? { stack, timestamps } : { stack, values: [1] })
  expect(profileTimeRange(builder.build(), 1)).toEqual(expected)
})
