// Detection of a payload's generation: what decides, what does not, and that a wrong result is never certain.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryProfiles } from '../../../model/testing/arbitrary-profiles.ts'
import { richProfiles } from '../../../model/testing/rich-profiles.ts'
import type { Generation } from './schema.ts'
import { GENERATIONS } from './schema.ts'
import type { Sniffed } from './sniff.ts'
import { sniffGeneration } from './sniff.ts'
import { encodeGeneration } from '../testing/encode-generation.ts'
import type { EncodeOptions, PlainMessage } from '../testing/encode-message.ts'
import { encodeMessage } from '../testing/encode-message.ts'
import { protoMessage as message } from '../../../wire/testing/proto-message.ts'
import { encodeOtlp } from '../encode.ts'
import { readOtlp } from '../read.ts'

function sniff(bytes: Uint8Array): Sniffed {
  return sniffGeneration(bytes, 0, bytes.length)
}

function detected(bytes: Uint8Array): [generation: Generation, certain: boolean] {
  const { generation, certain, why } = sniff(bytes)
  expect(why).not.toBe('')
  return [generation, certain]
}

/** A payload with a dictionary and one profile. */
function payload(
  generation: Generation,
  samples: readonly PlainMessage[],
  profile: PlainMessage = {},
  dictionary: PlainMessage = DICTIONARY,
  options: EncodeOptions = {},
): Uint8Array {
  const key = generation === 'v1.9' || generation === 'v1.11' ? 'samples' : 'sample'
  const profiles = [{ [key]: samples, ...profile }]
  return encodeMessage(
    generation,
    { resource_profiles: [{ scope_profiles: [{ profiles }] }], dictionary },
    undefined,
    options,
  )
}

// Only samples refer to row 3. A mapping and a location refer to rows 1 and 2.
const DICTIONARY: PlainMessage = {
  string_table: ['', 'a', 'b', 'c'],
  mapping_table: [{}, { attribute_indices: [1] }],
  location_table: [{}, { attribute_indices: [2] }],
  attribute_table: [{}, { key_strindex: 1 }, { key_strindex: 2 }, { key_strindex: 3 }],
  stack_table: [{}, { location_indices: [1] }],
}

const ID = Uint8Array.from({ length: 16 }, (_, i) => 0xf0 ^ (i * 37))

describe('sniffGeneration of a rich payload', () => {
  const profiles = richProfiles()

  test.each(GENERATIONS)('is certain of %s', generation => {
    expect(detected(encodeGeneration(profiles, generation))).toEqual([generation, true])
    expect(detected(encodeGeneration(profiles, generation, { descending: true }))).toEqual([generation, true])
  })

  test.each(GENERATIONS)('is not certain of a wrong generation for %s with unpacked lists', generation => {
    // It may not find the right generation.
    const [found, certain] = detected(encodeGeneration(profiles, generation, { unpacked: true }))
    expect(found === generation || !certain).toBe(true)
  })

  test.each(GENERATIONS)('accepts %s truncated anywhere or surrounded by other bytes', generation => {
    const bytes = encodeGeneration(profiles, generation)
    for (let to = 0; to <= bytes.length; to += 7) expect(() => sniff(bytes.subarray(0, to))).not.toThrow()
    const around = new Uint8Array(bytes.length + 40).fill(0x0a)
    around.set(bytes, 20)
    expect(sniffGeneration(around, 20, 20 + bytes.length)).toEqual(sniff(bytes))
  })
})

describe('sniffGeneration of ambiguous payloads', () => {
  test('returns the current generation, with certainty if all generations read the payload alike', () => {
    expect(detected(new Uint8Array(0))).toEqual(['v1.11', true])
    const resource = { resource: { attributes: [{ key: 'k' }] }, scope_profiles: [{ scope: { name: 's' } }] }
    expect(detected(encodeMessage('v1.3', { resource_profiles: [resource] }))).toEqual(['v1.11', true])
    expect(detected(payload('v1.9', [], { time_unix_nano: 1n }))).toEqual(['v1.11', true])
    expect(detected(payload('v1.9', [{ stack_index: 1, timestamps_unix_nano: [1n] }], { time_unix_nano: 1n }))).toEqual(
      ['v1.11', true],
    )
    expect(detected(payload('v1.8', [], { time_unix_nano: 1n }))).toEqual(['v1.11', true])
  })

  test('returns v1.9 if v1.8 and v1.9 read the payload alike', () => {
    const samples = [{ stack_index: 1, values: [5n], attribute_indices: [1] }]
    expect(detected(payload('v1.8', samples, { time_unix_nano: 1n }))).toEqual(['v1.9', true])
  })

  test('is not certain of a profile that only has a type', () => {
    const [, certain] = detected(
      encodeMessage('v1.5', {
        resource_profiles: [{ scope_profiles: [{ profiles: [{ sample_type: [{ type_strindex: 1 }] }] }] }],
      }),
    )
    expect(certain).toBe(false)
  })
})

describe('sniffGeneration distinguishes v1.11 and v1.9 by the fields of a sample', () => {
  test.each<[string, PlainMessage]>([
    ['values and attributes', { values: [1n], attribute_indices: [1] }],
    ['values and a link', { values: [1n], link_index: 1 }],
    ['a value alone', { values: [1n] }],
    ['timestamps and a link', { timestamps_unix_nano: [1n], link_index: 1 }],
    ['timestamps and more attributes', { timestamps_unix_nano: [1n], attribute_indices: [1, 3] }],
    ['timestamps and fewer attributes', { timestamps_unix_nano: [1n, 2n], attribute_indices: [3] }],
    ['everything', { values: [1n, 2n], timestamps_unix_nano: [1n, 2n], attribute_indices: [1], link_index: 1 }],
  ])('with %s', (_, sample) => {
    // Time and duration come after the samples or are absent.
    for (const header of [{}, { time_unix_nano: 1n, duration_nano: 2n }]) {
      expect(detected(payload('v1.11', [sample], header))).toEqual(['v1.11', true])
      // In v1.9 the number of attributes decides nothing, because they have their own field.
      expect(detected(payload('v1.9', [sample], header))).toEqual(['v1.9', true])
    }
  })

  test('by the first sample that decides', () => {
    const undecided = { stack_index: 1, timestamps_unix_nano: [1n], attribute_indices: [3] }
    expect(detected(payload('v1.11', [undecided, undecided, { values: [1n], link_index: 1 }]))).toEqual(['v1.11', true])
    const values = { stack_index: 1, timestamps_unix_nano: [1n], values: [3n] }
    expect(detected(payload('v1.9', [values, values, { values: [1n], link_index: 1 }]))).toEqual(['v1.9', true])
  })

  test('by wire types, even after a broken sample', () => {
    const broken = { stack_index: 1, values: [1n, 2n] }
    const sample = { values: [1n], attribute_indices: [1] }
    expect(detected(payload('v1.9', [broken, sample]))).toEqual(['v1.9', true])
    const withoutValues = { stack_index: 1, attribute_indices: [1, 2] }
    expect(detected(payload('v1.11', [withoutValues, sample]))).toEqual(['v1.11', true])
  })
})

describe('sniffGeneration of samples with equal numbers of timestamps and other numbers', () => {
  const asValues = (values: bigint[]): Uint8Array =>
    payload('v1.9', [{ stack_index: 1, values, timestamps_unix_nano: values.map((_, i) => BigInt(i)) }], {
      time_unix_nano: 1n,
    })

  test('reads numbers beyond the attribute table as values', () => {
    expect(detected(asValues([4n]))).toEqual(['v1.9', true])
    expect(detected(asValues([2n ** 63n - 1n]))).toEqual(['v1.9', true])
    expect(detected(asValues([-1n]))).toEqual(['v1.9', true])
  })

  test('reads duplicate numbers as values', () => {
    expect(detected(asValues([3n, 3n]))).toEqual(['v1.9', false])
  })

  test('reads references to attributes that only samples use as attributes', () => {
    const sample = { stack_index: 1, attribute_indices: [3], timestamps_unix_nano: [1n] }
    expect(detected(payload('v1.11', [sample], { time_unix_nano: 1n }))).toEqual(['v1.11', false])
  })

  test('reads references to attributes that others use as values', () => {
    expect(detected(asValues([1n]))).toEqual(['v1.9', false])
    expect(detected(asValues([2n, 1n]))).toEqual(['v1.9', false])
  })

  test.each<[string, PlainMessage]>([
    ['a key of a resource', { resource: { attributes: [{ key_strindex: 1 }] } }],
    ['a value of a resource', { resource: { attributes: [{ key: 'k', value: { string_value_strindex: 1 } }] } }],
    [
      'a value in a list',
      { resource: { attributes: [{ value: { array_value: { values: [{ string_value_strindex: 0 }] } } }] } },
    ],
    ['a key in a list', { resource: { attributes: [{ value: { kvlist_value: { values: [{ key_strindex: 1 }] } } }] } }],
  ])('is certain of v1.11 for %s in the string table', (_, resource) => {
    const sample = { stack_index: 1, attribute_indices: [1], timestamps_unix_nano: [1n] }
    const entry = { ...resource, scope_profiles: [{ profiles: [{ samples: [sample] }] }] }
    expect(detected(encodeMessage('v1.11', { resource_profiles: [entry], dictionary: DICTIONARY }))).toEqual([
      'v1.11',
      true,
    ])
  })

  test('is certain of v1.11 for a value of the attribute table in the string table', () => {
    const dictionary = {
      ...DICTIONARY,
      attribute_table: [{}, { key_strindex: 1, value: { string_value_strindex: 1 } }],
    }
    const sample = { stack_index: 1, attribute_indices: [1], timestamps_unix_nano: [1n] }
    expect(detected(payload('v1.11', [sample], {}, dictionary))).toEqual(['v1.11', true])
  })

  test('decides for any number of samples', () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({
      stack_index: 1,
      attribute_indices: [3],
      timestamps_unix_nano: [BigInt(i)],
    }))
    expect(detected(payload('v1.11', many))).toEqual(['v1.11', false])
    const more = many.map(sample => ({ ...sample, timestamps_unix_nano: [1n, 2n] }))
    expect(detected(payload('v1.11', more))).toEqual(['v1.11', true])
  })
})

describe('sniffGeneration distinguishes v1.8 and v1.9', () => {
  const samples = [{ stack_index: 1, values: [5n], attribute_indices: [1] }]

  test.each<[string, PlainMessage]>([
    ['an id', { profile_id: ID }],
    ['a count of dropped attributes', { dropped_attributes_count: 1 }],
    ['attributes', { attribute_indices: [1] }],
    ['a temporality', { sample_type: { type_strindex: 1, aggregation_temporality: 1 } }],
  ])('by %s of v1.8', (_, profile) => {
    expect(detected(payload('v1.8', samples, { time_unix_nano: 1n, ...profile }))).toEqual(['v1.8', true])
  })

  test.each<[string, PlainMessage]>([
    ['an id', { profile_id: ID }],
    ['a count of dropped attributes', { dropped_attributes_count: 1 }],
    ['a format', { original_payload_format: 'pprof', original_payload: ID }],
  ])('by %s of v1.9', (_, profile) => {
    expect(detected(payload('v1.9', samples, { time_unix_nano: 1n, ...profile }))).toEqual(['v1.9', true])
  })

  test('by an empty id, as the Collector writes it', () => {
    const at7 = encodeMessage('v1.9', { duration_nano: 1n }, 'Profile')
    const profile = Uint8Array.of(...at7, 0x3a, 0)
    expect(detected(wrapped(profile))).toEqual(['v1.11', true])
    expect(detected(wrapped(Uint8Array.of(...at7, 0x42, 0)))).toEqual(['v1.8', true])
  })

  test('by comments of v1.8, which are not an id', () => {
    expect(detected(payload('v1.8', samples, { time_unix_nano: 1n, comment_strindices: [1, 2] }))).toEqual([
      'v1.8',
      false,
    ])
    const id = new Uint8Array(16).fill(3)
    expect(detected(payload('v1.9', samples, { time_unix_nano: 1n, profile_id: id }))).toEqual(['v1.9', false])
  })

  test('by format and payload, which come together', () => {
    const profile = { time_unix_nano: 1n, original_payload_format: 'pprof', original_payload: ID }
    expect(detected(payload('v1.8', samples, profile))).toEqual(['v1.8', false])
    expect(detected(payload('v1.9', samples, { time_unix_nano: 1n, attribute_indices: [1] }))).toEqual(['v1.9', false])
  })
})

describe('sniffGeneration of v1.7 and before', () => {
  const sample = { locations_length: 1, value: [5n] }

  test('detects a dictionary of v1.7 without anything else', () => {
    const entry = encodeMessage('v1.7', { dictionary: { string_table: [''], attribute_table: [{ key: 'k' }] } })
    expect(detected(entry)).toEqual(['v1.7', true])
    const units = encodeMessage('v1.7', { dictionary: { string_table: [''], attribute_units: [{ unit_strindex: 1 }] } })
    expect(detected(units)).toEqual(['v1.7', true])
    expect(detected(encodeMessage('v1.11', { dictionary: DICTIONARY }))).toEqual(['v1.11', true])
  })

  test('detects samples of v1.7', () => {
    const old = { string_table: ['', 'a'] }
    expect(detected(payload('v1.7', [sample], {}, old))).toEqual(['v1.7', true])
    // Without a stack, and with only fields that other generations have under the same number.
    expect(detected(payload('v1.7', [{ value: [1n] }], { sample_type: [{}] }, old))).toEqual(['v1.7', true])
    expect(detected(payload('v1.7', [{ timestamps_unix_nano: [1n] }], {}, old))).toEqual(['v1.7', true])
    expect(detected(payload('v1.7', [], { sample_type: [{}, {}] }, old))).toEqual(['v1.7', true])
  })

  test('distinguishes v1.4 and v1.5 by the attributes of profiles', () => {
    const one = (generation: Generation, more: PlainMessage): Uint8Array =>
      encodeMessage(generation, {
        resource_profiles: [
          {
            scope_profiles: [
              { profiles: [{ string_table: ['', 'a'], sample: [sample], location_table: [{}], ...more }] },
            ],
          },
        ],
      })
    expect(detected(one('v1.4', {}))).toEqual(['v1.5', true])
    expect(detected(one('v1.4', { attributes: [{ key: 'k' }] }))).toEqual(['v1.4', true])
    expect(detected(one('v1.5', { attribute_indices: [0] }))).toEqual(['v1.5', true])
  })

  test('does not take fields of a newer version for the tables of v1.6', () => {
    const rich = encodeOtlp(richProfiles())
    for (const added of [
      [3, 'a'],
      [4, new Uint8Array(3)],
      [6, 'text'],
      [8, ''],
    ] as const) {
      const bytes = Uint8Array.of(...rich, ...message([...added]))
      expect(detected(bytes)).toEqual(['v1.11', true])
      expect(readOtlp(bytes).notes).toMatchObject([{ code: 'unknown-fields-kept', count: 1 }])
    }
    for (const field of [3, 5, 6, 9, 1000]) {
      const bytes = message([field, 'only unknown fields'])
      expect(detected(bytes)[0]).toBe('v1.11')
      expect(encodeOtlp(readOtlp(bytes).profiles).subarray(-bytes.length)).toEqual(bytes)
    }
  })

  test('detects v1.6 by its tables', () => {
    expect(detected(encodeMessage('v1.6', { string_table: [''] }))).toEqual(['v1.6', true])
  })

  test('detects containers of v1.3 with and without times', () => {
    const container = (content: PlainMessage): Uint8Array =>
      encodeMessage('v1.3', { resource_profiles: [{ scope_profiles: [{ profiles: [content] }] }] })
    const profile = { string_table: ['', 'cpu'], sample_type: [{ type: 1n }], sample: [{ value: [1n] }] }
    expect(detected(container({ start_time_unix_nano: 1n, profile }))).toEqual(['v1.3', true])
    expect(detected(container({ profile }))).toEqual(['v1.3', true])
    expect(detected(container({ profile_id: ID, attributes: [{ key: 'k' }], profile }))).toEqual(['v1.3', true])
  })
})

function wrapped(profile: Uint8Array): Uint8Array {
  const message = (tag: number, content: Uint8Array): Uint8Array => Uint8Array.of(tag, content.length, ...content)
  const entries = message(0x0a, message(0x12, message(0x12, profile)))
  return Uint8Array.of(...entries, ...encodeMessage('v1.11', { dictionary: { string_table: [''] } }))
}

/** Generations with the same fields wherever the payload has any. */
const ALIKE: readonly (readonly Generation[])[] = [
  ['v1.4', 'v1.5'],
  ['v1.8', 'v1.9', 'v1.11'],
]

test('sniffGeneration is never certain of a wrong generation for random payloads', () => {
  fc.assert(
    fc.property(
      arbitraryProfiles(),
      fc.constantFrom(...GENERATIONS),
      fc.record({ descending: fc.boolean(), unpacked: fc.boolean() }),
      (profiles, generation, options) => {
        const bytes = encodeGeneration(profiles, generation, options)
        const { generation: found, certain } = sniff(bytes)
        if (!certain || found === generation) return
        if (profiles.profiles.length === 0) expect(found).toBe(hasOldDictionary(generation) ? generation : 'v1.11')
        else expect(ALIKE.find(alike => alike.includes(generation))).toContain(found)
      },
    ),
    { numRuns: 100 },
  )
})

function hasOldDictionary(generation: Generation): boolean {
  return generation === 'v1.6' || generation === 'v1.7'
}

test('sniffGeneration returns a generation for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
      expect(GENERATIONS).toContain(sniff(bytes).generation)
    }),
    { numRuns: 1000 },
  )
  const tags = fc.constantFrom(0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x3a, 0x42, 0x08, 0x10, 0x19, 1, 2, 4, 8, 16)
  fc.assert(
    fc.property(fc.array(tags, { maxLength: 60 }), bytes => {
      expect(GENERATIONS).toContain(sniff(Uint8Array.from(bytes)).generation)
    }),
    { numRuns: 1000 },
  )
})
