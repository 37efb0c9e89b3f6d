// Parts of observations: those of a range and of chosen samples, and nothing else.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readProfile } from '../formats/read-profile.ts'
import { writeProfile } from '../formats/write-profile.ts'
import { ProfilesBuilder } from './builder.ts'
import { contentEqual } from './content-equal.ts'
import { pickObservations } from './pick-observations.ts'
import { moment, profileOfTimed, timedSample } from './testing/timed-samples.ts'

describe('parts of observations', () => {
  test('those of a range, with their values, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(timedSample, { maxLength: 10 }), moment, moment, (samples, a, b) => {
        const [from, until] = a < b ? [a, b] : [b, a]
        const { samples: kept } = pickObservations(profileOfTimed(samples), { within: { from, until } })
        const wanted = samples
          .map(({ times, values }) => times.map((time, k) => [time, values[k]] as const))
          .map(pairs => pairs.filter(([time]) => time >= from && time < until))
          .filter(pairs => pairs.length > 0)
        const times = kept.timestamps.unsigned()
        const values = kept.values.signed()
        const found = Array.from({ length: kept.length }, (_, i) => {
          const hasValues = kept.valuesTo(i) > kept.valuesFrom(i)
          return Array.from({ length: kept.timestampsTo(i) - kept.timestampsFrom(i) }, (_, k) => [
            times[kept.timestampsFrom(i) + k],
            hasValues ? values[kept.valuesFrom(i) + k] : undefined,
          ])
        })
        expect(found).toEqual(wanted)
      }),
    )
  })

  test('profiles keep their rows, attributes and links; samples may be chosen', () => {
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
    // What is written is read as it was.
    const again = readProfile(writeProfile(part, 'otlp').bytes).profiles
    expect(contentEqual(again, part)).toBe(true)
    // Nothing of them has a time.
    expect(pickObservations(whole, { within: { from: 0n, until: 9n } }).samples.length).toBe(0)
  })
})
