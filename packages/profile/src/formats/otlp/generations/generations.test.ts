// Profiles written as every generation read back with the same content.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import { arbitrarySpec } from '../../../model/testing/arbitrary-profiles.ts'
import type {
  AttributeSpec,
  LocationSpec,
  ProfileSpec,
  ProfilesSpec,
  SampleSpec,
} from '../../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../../model/testing/profiles-spec.ts'
import { richSpec } from '../../../model/testing/rich-profiles.ts'
import { validate } from '../../../model/validate/validate.ts'
import { timeUnit } from '../../recordings/time-unit.ts'
import { readOtlp } from '../read.ts'
import { GENERATIONS } from './schema.ts'
import { sniffGeneration } from './sniff.ts'
import { encodeGeneration } from '../testing/encode-generation.ts'

/** Limits profiles to what all generations can represent: one unit per key, int64 times, observations in order of time. */
function restricted(spec: ProfilesSpec): ProfilesSpec {
  const attributes = (list: readonly AttributeSpec[] = []): AttributeSpec[] =>
    list.map(({ key, value }) => ({ key, value, unit: key.length % 2 === 1 ? 'ms' : '' }))
  const location = (content: LocationSpec): LocationSpec => ({
    ...content,
    attributes: attributes(content.attributes),
    mapping: content.mapping && { ...content.mapping, attributes: attributes(content.mapping.attributes) },
  })
  const sample = (content: SampleSpec): SampleSpec => ({
    ...observations(content),
    link: content.link,
    stack: content.stack.map(location),
    attributes: attributes(content.attributes),
  })
  const profile = (content: ProfileSpec): ProfileSpec => ({
    ...content,
    timeUnixNano: nanoseconds(BigInt.asUintN(62, content.timeUnixNano ?? 0n)),
    attributes: attributes(content.attributes),
    samples: content.samples.map(sample),
  })
  return spec.map(resource => ({
    ...resource,
    scopes: resource.scopes.map(scope => ({ ...scope, profiles: scope.profiles.map(profile) })),
  }))
}

/** Avoids times that look like seconds, milliseconds or microseconds, which the reader of v1.3 would scale. */
function nanoseconds(time: bigint): bigint {
  return time * timeUnit(time).nanos
}

/** Avoids values of 1, which would be read as timestamps without values. */
function observations({ values = [], timestamps = [] }: SampleSpec): Pick<SampleSpec, 'values' | 'timestamps'> {
  if (timestamps.length === 0) return { values }
  const times = timestamps.map(nanoseconds)
  const order = times.map((_, i) => i).sort((a, b) => Number(times[a] - times[b]))
  const sorted = { timestamps: order.map(i => times[i]) }
  return values.length === 0 ? sorted : { ...sorted, values: order.map(i => (values[i] === 1n ? 7n : values[i])) }
}

/** Profiles that old generations write as one profile with several types. */
function severalTypes(): ProfilesSpec {
  const stack = [{ lines: [{ function: { name: 'main' }, line: 3n }] }]
  const attributes = [{ key: 'thread.id', value: 5n }]
  const header = { timeUnixNano: 100n, durationNano: 50n, periodType: 'cpu', periodUnit: 'nanoseconds', period: 10n }
  const timed = (values: readonly bigint[] | undefined): SampleSpec[] =>
    [
      { stack, attributes, timestamps: [101n, 102n], values: values?.slice(0, 2) },
      { stack, timestamps: [103n], values: values?.slice(2) },
    ].map(({ values: own, ...rest }) => (own === undefined ? rest : { ...rest, values: own }))
  const plain = (type: string, value: bigint): ProfileSpec => ({
    ...header,
    type,
    unit: 'bytes',
    samples: [
      { stack, attributes, values: [value] },
      { stack: [], values: [-value] },
      { stack: [], values: [2n * value] },
    ],
  })
  const temporality = (value: string): AttributeSpec[] => [{ key: 'hearth.profile.aggregation_temporality', value }]
  return [
    {
      scopes: [
        {
          profiles: [
            { ...header, type: 'samples', unit: 'count', samples: timed(undefined), attributes: temporality('delta') },
            {
              ...header,
              type: 'cpu',
              unit: 'nanoseconds',
              samples: timed([10n, 11n, 12n]),
              attributes: temporality('cumulative'),
            },
          ],
        },
        { profiles: [plain('alloc_space', 5n), plain('inuse_space', 6n), plain('other', 2n ** 61n)] },
      ],
    },
  ]
}

describe.each([
  ['rich profiles', restricted(richSpec())],
  ['profiles of several types', severalTypes()],
])('encodeGeneration and readOtlp with %s', (_, spec) => {
  const profiles = buildProfiles(spec)

  test.each(GENERATIONS)('return the same profiles as %s', generation => {
    for (const options of [{}, { descending: true }, { unpacked: true }]) {
      const bytes = encodeGeneration(profiles, generation, options)
      const result = readOtlp(bytes, { generation })
      expect(difference(profiles, result.profiles)).toBeUndefined()
      expect(result.notes).toEqual([])
      expect(validate(result.profiles)).toEqual(validate(profiles))
    }
  })
})

test('encodeGeneration writes several types as one profile', () => {
  const profiles = buildProfiles(severalTypes())
  const sizes = GENERATIONS.map(generation => encodeGeneration(profiles, generation).length)
  // Five profiles with one dictionary each would take twice as much.
  expect(Math.max(...sizes)).toBeLessThan(1200)
})

test('random profiles read back the same with their own and with the detected generation', () => {
  fc.assert(
    fc.property(
      arbitrarySpec({ maxSamples: 4 }).map(restricted),
      fc.constantFrom(...GENERATIONS),
      fc.record({ descending: fc.boolean(), unpacked: fc.boolean() }),
      (spec, generation, options) => {
        const profiles = buildProfiles(spec)
        const bytes = encodeGeneration(profiles, generation, options)
        expect(difference(profiles, readOtlp(bytes, { generation }).profiles)).toBeUndefined()
        const sniffed = sniffGeneration(bytes, 0, bytes.length)
        if (!sniffed.certain) return
        expect(difference(profiles, readOtlp(bytes).profiles)).toBeUndefined()
      },
    ),
    { numRuns: 150 },
  )
})

test('random profiles read back the same if the detected generation is certain', () => {
  fc.assert(
    fc.property(
      arbitrarySpec({ maxSamples: 4 }).map(restricted),
      fc.constantFrom(...GENERATIONS),
      (spec, generation) => {
        const profiles = buildProfiles(spec)
        const bytes = encodeGeneration(profiles, generation)
        const { generation: found, certain, why } = sniffGeneration(bytes, 0, bytes.length)
        // Samples with equal numbers of attributes and timestamps are ambiguous and decided by likelihood.
        fc.pre(certain)
        expect([why, difference(profiles, readOtlp(bytes, { generation: found }).profiles)]).toEqual([why, undefined])
      },
    ),
    { numRuns: 100 },
  )
})
