import { describe, expect, test } from 'vitest'
import { ProfilesBuilder } from '../model/build/builder.ts'
import { profileSummary } from './summary.ts'
import { profileOf } from './testing/profile-of.ts'

describe('profileSummary', () => {
  test('profileSummary describes a rich profile', () => {
    const builder = new ProfilesBuilder()
    const stack = builder.stack([])
    builder.profile({ type: 'wall', unit: 'ns' })
    builder.sample({ stack, values: [1], timestamps: [1] })
    builder.profile({
      type: 'cpu',
      unit: 'nanoseconds',
      periodType: 'cpu',
      periodUnit: 'ns',
      period: -1n,
      timeUnixNano: 2n ** 64n - 1n,
      durationNano: 5,
    })
    builder.sample({ stack, values: [3, 4], timestamps: [2n ** 63n + 5n, 2n ** 64n - 1n] })
    builder.sample({ stack, values: [2n ** 60n], timestamps: [2n ** 63n + 4n] })
    expect(profileSummary(builder.build(), 1)).toEqual({
      type: 'cpu',
      unit: 'nanoseconds',
      timeUnixNano: 18446744073709551615n,
      durationNano: 5n,
      periodType: 'cpu',
      periodUnit: 'ns',
      period: -1n,
      samples: 2,
      observations: 3,
      total: 2n ** 60n + 7n,
      firstTimestamp: 2n ** 63n + 4n,
      lastTimestamp: 2n ** 64n - 1n,
      shape: 'both',
    })
  })

  test.each([
    ['1  2', 'values', 2, 3n],
    ['@5  @6,@7', 'timestamps', 3, 3n],
    ['4@5  6@7', 'both', 2, 10n],
    ['4@5  6', 'mixed', 2, 10n],
    ['@5  6', 'mixed', 2, 7n],
    ['', 'none', 0, 0n],
  ] as const)('profileSummary gives %s the shape %s', (text, shape, observations, total) => {
    expect(profileSummary(profileOf(text).profiles, 0)).toMatchObject({ shape, observations, total })
  })

  test('profileSummary ignores empty samples for the shape', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: '', unit: '' })
    builder.sample({ stack: builder.stack([]) })
    builder.sample({ stack: builder.stack([]), values: [1] })
    expect(profileSummary(builder.build(), 0)).toMatchObject({ samples: 2, observations: 1, shape: 'values' })
  })

  test('profileSummary uses only the timestamps of the profile itself', () => {
    const { profiles } = profileOf('@1\na', '7\na', '@9,@8\na')
    expect(profileSummary(profiles, 1)).toMatchObject({ firstTimestamp: undefined, lastTimestamp: undefined })
    expect(profileSummary(profiles, 2)).toMatchObject({ firstTimestamp: 8n, lastTimestamp: 9n })
  })

  test.each([
    [2n ** 63n, 5n],
    [2n ** 31n, 1n],
    [2n ** 32n, 2n ** 31n],
  ])('profileSummary treats timestamps as unsigned: %d is later than %d', (late, early) => {
    expect(profileSummary(profileOf(`@${late},@${early}\na`).profiles, 0)).toMatchObject({
      firstTimestamp: early,
      lastTimestamp: late,
    })
  })

  test('profileSummary has exact totals beyond int64', () => {
    const { profiles } = profileOf(
      '9223372036854775807  9223372036854775807  1\n',
      '-9223372036854775808  -1',
      '-1  4294967295  4294967296  -4294967297',
    )
    expect([0, 1, 2].map(i => profileSummary(profiles, i).total)).toEqual([
      18446744073709551615n,
      -9223372036854775809n,
      4294967293n,
    ])
  })

  test('profileSummary sums more values than one batch holds', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cpu', unit: 'ns' })
    const count = 2 ** 21 + 3
    const { values, timestamps } = builder.draft
    for (let i = 0; i < count; i++) {
      values.push(-1)
      values.push(0x7fff_ffff)
      timestamps.push(i)
      timestamps.push(0)
    }
    builder.sampleRow(0, 0)
    expect(profileSummary(builder.build(), 0)).toMatchObject({
      total: (2n ** 63n - 1n) * BigInt(count),
      observations: count,
      lastTimestamp: BigInt(count - 1),
    })
  })

  test('profileSummary throws for a profile that does not exist', () => {
    expect(() => profileSummary(profileOf('1').profiles, 1)).toThrow('profile 1 is not one of the 1 profiles')
  })
})
