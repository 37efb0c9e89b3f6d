import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readProfile } from '../../formats/read-profile.ts'
import { writeProfile } from '../../formats/write-profile.ts'
import { ProfilesBuilder } from '../build/builder.ts'
import { contentEqual } from '../compare/content-equal.ts'
import { pickObservations } from './pick-observations.ts'
import type { SampleTable } from '../columns/profiles.ts'
import { moment, profileOfTimed, timedSample } from '../testing/timed-samples.ts'

const MS = 1_000_000n

/** Times and values of each sample. */
function pairsOf(samples: SampleTable): (readonly [time: bigint, value: bigint | undefined])[][] {
  const times = samples.timestamps.unsigned()
  const values = samples.values.signed()
  return Array.from({ length: samples.length }, (_, i) => {
    const hasValues = samples.valuesTo(i) > samples.valuesFrom(i)
    return Array.from({ length: samples.timestampsTo(i) - samples.timestampsFrom(i) }, (_, k) => [
      times[samples.timestampsFrom(i) + k],
      hasValues ? values[samples.valuesFrom(i) + k] : undefined,
    ])
  })
}

describe('pickObservations', () => {
  test('keeps the observations in a range, with their values', () => {
    fc.assert(
      fc.property(fc.array(timedSample, { maxLength: 10 }), moment, moment, (samples, a, b) => {
        const [from, until] = a < b ? [a, b] : [b, a]
        // The unit is not a time, so there are no intervals.
        const profile = { type: 'alloc', unit: 'By' }
        const { samples: kept } = pickObservations(profileOfTimed(samples, profile), { within: { from, until } })
        const wanted = samples
          .map(({ times, values }) => times.map((time, k) => [time, values[k]] as const))
          .map(pairs => pairs.filter(([time]) => time >= from && time < until))
          .filter(pairs => pairs.length > 0)
        expect(pairsOf(kept)).toEqual(wanted)
      }),
    )
  })

  test('cuts intervals to the range and selects samples by their time', () => {
    const kept = (unit: string, period: bigint, within: readonly [bigint, bigint], values: readonly bigint[]) => {
      const samples = values.map((value, k) => ({ times: [100n * MS + BigInt(k) * MS], values: [value] }))
      const profile = { type: 'wall', unit, periodType: 'wall', periodUnit: 'ms', period }
      const [from, until] = within
      return pairsOf(pickObservations(profileOfTimed(samples, profile), { within: { from, until } }).samples).flat()
    }
    const range = [110n * MS, 130n * MS] as const
    // From 100 ms for 15 ms and for 8 ms (ends before the range), and from 102 ms for 100 ms.
    expect(kept('ns', 0n, range, [15n * MS, 8n * MS, 100n * MS])).toEqual([
      [110n * MS, 5n * MS],
      [110n * MS, 20n * MS],
    ])
    // A value equal to the period is a sample, and this one is before the range.
    expect(kept('ns', 15n, range, [15n * MS, 8n * MS, 100n * MS])).toEqual([[110n * MS, 20n * MS]])
    expect(kept('us', 15n, range, [15_000n, 8_000n, 100_000n])).toEqual([[110n * MS, 20_000n]])
    // A sample in the range stays complete. An interval that starts in the range is cut at its end.
    expect(kept('ns', 15n, [100n * MS, 105n * MS], [15n * MS, 16n * MS])).toEqual([
      [100n * MS, 15n * MS],
      [101n * MS, 4n * MS],
    ])
  })

  test('splits intervals into parts that add up to the total, in any unit', () => {
    const unit = fc.constantFrom('ns', 'us', 'ms', 's')
    const length = fc.bigInt({ min: 1n, max: 5000n })
    const shorter = fc.array(moment, { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, length), { maxLength: 6 }), unit, shorter, (intervals, of, cuts) => {
        const samples = intervals.map(([time, value]) => ({ times: [time], values: [value] }))
        const whole = profileOfTimed(samples, { type: 'lock', unit: of })
        const edges = [0n, ...cuts, 2n ** 63n - 1n].sort((a, b) => (a < b ? -1 : 1))
        let sum = 0n
        for (let i = 1; i < edges.length; i++) {
          const part = pickObservations(whole, { within: { from: edges[i - 1], until: edges[i] } })
          for (const [time, value] of pairsOf(part.samples).flat()) {
            expect(time >= edges[i - 1] && time < edges[i]).toBe(true)
            sum += value!
          }
        }
        expect(sum).toBe(intervals.reduce((all, [, value]) => all + value, 0n))
      }),
    )
  })

  test('keeps the rows, attributes and links of profiles, and selects samples', () => {
    const b = new ProfilesBuilder()
    b.resource({ attributes: [{ key: 'service.name', value: 'shop' }] })
    const link = b.link(new Uint8Array(16).fill(1), new Uint8Array(8).fill(2))
    for (const type of ['cpu', 'wall']) {
      b.profile({ type, unit: 'ns', id: Uint8Array.of(7), attributes: [b.attribute('a', type)] })
      b.sample({ stack: b.stack([]), values: [1], attributes: [b.attribute('t', 1n)], link })
      b.sample({ stack: b.stack([]), values: [2] })
    }
    const whole = b.build()
    const part = pickObservations(whole, { samples: i => i % 2 === 0 })
    expect([part.profiles.length, part.samples.length]).toEqual([2, 2])
    expect(part.dictionary).toBe(whole.dictionary)
    expect(part.resources.resource(0)).toEqual(whole.resources.resource(0))
    expect(part.profiles.id(1)).toEqual(Uint8Array.of(7))
    expect(part.profiles.attributesOf(1)).toEqual(whole.profiles.attributesOf(1))
    expect([part.samples.link(1), part.samples.attributesOf(1)]).toEqual([link, whole.samples.attributesOf(2)])
    // The result survives writing and reading.
    const again = readProfile(writeProfile(part, 'otlp').bytes).profiles
    expect(contentEqual(again, part)).toBe(true)
    // None of them has a time.
    expect(pickObservations(whole, { within: { from: 0n, until: 9n } }).samples.length).toBe(0)
  })
})
