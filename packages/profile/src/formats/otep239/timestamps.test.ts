import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import { readProfile } from '../read-profile.ts'
import { codes, withIdsOf } from '../testing/expect-format.ts'
import { fixed64, join, len, packed, text } from '../testing/wire.ts'
import { otep239 } from './index.ts'
import { containersOf } from './testing/containers-of.ts'
import { envelope, milliseconds } from './testing/fixtures.ts'

const read = (bytes: Uint8Array, options = {}) => otep239.read!(bytes, options)
const write = (profiles: Profiles) => otep239.write!(profiles, {})
const foo = { lines: [{ function: { name: 'foo' } }] }

/** Compares except for ids and temporalities, which the writer generates. */
function expectSame(written: Profiles, profiles: Profiles): void {
  expect(difference(written, withIdsOf(written, profiles))).toBeUndefined()
}

describe('timestamps', () => {
  test('are read as milliseconds if they are small', () => {
    const { profiles, notes } = read(milliseconds())
    expect(Array.from(profiles.samples.timestamps.unsigned().toSorted())).toEqual([
      1_700_000_000_250_000_000n,
      1_700_000_000_500_000_000n,
      1_700_000_001_000_000_000n,
    ])
    expect(notes).toContainEqual(expect.objectContaining({ code: 'timestamp-unit', count: 3 }))
    const untouched = read(milliseconds(), { generation: 'v1.3' }).profiles.samples.timestamps.unsigned()
    expect([...untouched]).toContain(1_700_000_000_250n)
  })

  test.each([
    ['seconds', 1n],
    ['milliseconds', 1000n],
    ['microseconds', 1_000_000n],
  ])('are recognised as %s by their size, in samples and in the container', (unit, perSecond) => {
    const [start, end] = [1_700_000_000n * perSecond, 1_700_000_060n * perSecond]
    const sample = len(2, packed(2, [1n]), packed(13, [end]))
    const profile = len(8, len(1), sample, text(6, ''))
    const { profiles, notes } = read(envelope(join(fixed64(2, start), fixed64(3, end), profile)))
    expect([profiles.profiles.time(0), profiles.profiles.duration(0)]).toEqual([
      1_700_000_000_000_000_000n,
      60_000_000_000n,
    ])
    expect([...profiles.samples.timestamps.unsigned()]).toEqual([1_700_000_060_000_000_000n])
    expect(codes(notes)).toEqual(['time-unit', 'timestamp-unit'])
    expect(notes[0].message).toContain(unit)
    expect(otep239.detect(envelope(join(fixed64(2, start), profile)), '')).toBe('certain')
  })

  const timed = (...timestamps: readonly bigint[]): Profiles => {
    const samples = [{ stack: [foo], timestamps }]
    return buildProfiles([{ scopes: [{ profiles: [{ type: 'a', unit: 'count', samples }] }] }])
  }
  const timesIn = (bytes: Uint8Array): unknown => {
    const [container] = containersOf(bytes)
    const [sample] = (container['profile'] as Message)['sample'] as unknown as Message[]
    return [...(sample['timestamps_unix_nano'] as BigUint64Array)]
  }

  test('are written in milliseconds, and fractions of one are noted', () => {
    const whole = write(timed(1_700_000_000_001_000_000n, 1_700_000_000_005_000_000n))
    expect(timesIn(whole.bytes)).toEqual([1_700_000_000_001n, 1_700_000_000_005n])
    expect(whole.notes).toEqual([])
    const rounded = write(timed(1_700_000_000_001_999_999n))
    expect(timesIn(rounded.bytes)).toEqual([1_700_000_000_001n])
    expect(rounded.notes).toEqual([expect.objectContaining({ code: 'timestamp-precision', count: 1 })])
  })

  test('are not rounded to before the start of their profile', () => {
    const samples = [{ stack: [foo], timestamps: [1_700_000_000_000_600_000n] }]
    const times = { timeUnixNano: 1_700_000_000_000_500_000n, durationNano: 10_000_000n }
    const profiles = buildProfiles([{ scopes: [{ profiles: [{ type: 'a', unit: 'count', ...times, samples }] }] }])
    expect(timesIn(write(profiles).bytes)).toEqual([1_700_000_000_001n])
  })

  test('are read back if their size is misleading, also without their format', () => {
    for (const time of [
      0n,
      5_000_000n,
      1_700_000_000_000_000n,
      1_700_000_000_000_000_000n,
      18_446_744_073_709_000_000n,
    ]) {
      const { bytes } = write(timed(time))
      expectSame(read(bytes).profiles, timed(time))
      expectSame(readProfile(bytes).profiles, timed(time))
    }
  })

  test('are exact nanoseconds in the released form', () => {
    for (const time of [0n, 5n, 1_700_000_000_000n, 1_700_000_000_000_000_001n, 2n ** 64n - 1n]) {
      const { bytes, notes } = otep239.write!(timed(time), { generation: 'v1.3' })
      expect(notes).toEqual([])
      expectSame(read(bytes).profiles, timed(time))
    }
    expect(() => otep239.write!(timed(5n), { generation: 'v1.4' })).toThrow('unknown generation "v1.4" of otep239')
  })
})
