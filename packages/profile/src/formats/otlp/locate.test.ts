import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Steps } from './locate.ts'
import { offsetOf, pathAt, pathOf } from './locate.ts'
import { GENERATIONS } from './generations/schema.ts'
import { encodeMessage } from './testing/encode-message.ts'

const PAYLOAD = encodeMessage('v1.11', {
  resource_profiles: [
    { schema_url: 'first' },
    {
      resource: { attributes: [{ key: 'k', value: { string_value: 'v' } }] },
      scope_profiles: [
        {
          profiles: [
            { profile_id: Uint8Array.of(1) },
            { samples: [{ stack_index: 1 }, { stack_index: 1, attribute_indices: [3, 500, 7], values: [-1n, 9n] }] },
          ],
        },
      ],
    },
  ],
  dictionary: { string_table: ['', 'abc', 'xyz'], stack_table: [{}, { location_indices: [4, 5] }] },
})

const SAMPLE: Steps = [
  ['resource_profiles', 1],
  ['scope_profiles', 0],
  ['profiles', 1],
  ['samples', 1],
]

function place(steps: Steps): { path: string; byte: number | undefined } {
  const offset = offsetOf(PAYLOAD, 'v1.11', steps)
  return { path: pathAt(PAYLOAD, 'v1.11', offset), byte: PAYLOAD[offset] }
}

describe('offsetOf', () => {
  test('finds numbers, also in packed lists', () => {
    expect(place([...SAMPLE, ['stack_index', 0]])).toEqual({
      path: 'resource_profiles[1].scope_profiles[0].profiles[1].samples[1].stack_index',
      byte: 1,
    })
    const attributes = [0, 1, 2].map(i => place([...SAMPLE, ['attribute_indices', i]]))
    expect(attributes.map(({ byte }) => byte)).toEqual([3, (500 & 127) | 128, 7])
    expect(attributes[2].path).toBe('resource_profiles[1].scope_profiles[0].profiles[1].samples[1].attribute_indices')
    expect(place([...SAMPLE, ['values', 1]]).byte).toBe(9)
  })

  test('returns the start of the content of messages and strings', () => {
    expect(
      place([
        ['dictionary', 0],
        ['string_table', 2],
      ]),
    ).toEqual({ path: 'dictionary.string_table[2]', byte: 'x'.charCodeAt(0) })
    expect(
      place([
        ['dictionary', 0],
        ['stack_table', 1],
        ['location_indices', 1],
      ]).byte,
    ).toBe(5)
  })

  test('returns the last message it found if a step is missing', () => {
    expect(offsetOf(PAYLOAD, 'v1.11', [...SAMPLE, ['link_index', 0]])).toBe(offsetOf(PAYLOAD, 'v1.11', SAMPLE))
    expect(offsetOf(PAYLOAD, 'v1.11', [...SAMPLE, ['attribute_indices', 3]])).toBe(offsetOf(PAYLOAD, 'v1.11', SAMPLE))
    expect(offsetOf(PAYLOAD, 'v1.11', [...SAMPLE, ['nonsense', 0]])).toBe(offsetOf(PAYLOAD, 'v1.11', SAMPLE))
    expect(offsetOf(PAYLOAD, 'v1.11', [['resource_profiles', 5]])).toBe(0)
    expect(offsetOf(new Uint8Array(0), 'v1.11', SAMPLE)).toBe(0)
  })

  test('counts occurrences across the parts of a message, and uses the last of several numbers', () => {
    const part = encodeMessage('v1.11', { dictionary: { string_table: ['a', 'b'] } })
    const both = Uint8Array.from([...part, ...part])
    const offset = offsetOf(both, 'v1.11', [
      ['dictionary', 0],
      ['string_table', 3],
    ])
    expect(offset).toBe(both.length - 1)
    const twice = Uint8Array.of(0x0a, 8, 0x12, 6, 0x12, 4, 0x20, 1, 0x20, 2)
    const profile: Steps = [
      ['resource_profiles', 0],
      ['scope_profiles', 0],
      ['profiles', 0],
    ]
    expect(offsetOf(twice, 'v1.11', [...profile, ['duration_nano', 0]])).toBe(9)
  })

  test('accepts the current names for v1.8', () => {
    const payload = encodeMessage('v1.8', {
      resource_profiles: [{ scope_profiles: [{ profiles: [{ sample: [{ stack_index: 9 }] }] }] }],
    })
    const steps: Steps = [
      ['resource_profiles', 0],
      ['scope_profiles', 0],
      ['profiles', 0],
      ['samples', 0],
      ['stack_index', 0],
    ]
    expect(payload[offsetOf(payload, 'v1.8', steps)]).toBe(9)
  })
})

describe('pathAt', () => {
  test('counts tags and lengths as part of their field', () => {
    expect(pathAt(PAYLOAD, 'v1.11', 0)).toBe('resource_profiles[0]')
    expect(pathAt(PAYLOAD, 'v1.11', 1)).toBe('resource_profiles[0]')
    expect(pathAt(PAYLOAD, 'v1.11', 2)).toBe('resource_profiles[0].schema_url')
    expect(pathAt(PAYLOAD, 'v1.11', 5)).toBe('resource_profiles[0].schema_url')
  })

  test('returns an empty path outside the payload', () => {
    expect(pathAt(PAYLOAD, 'v1.11', PAYLOAD.length)).toBe('')
    expect(pathAt(new Uint8Array(0), 'v1.11', 0)).toBe('')
  })

  test('returns the path up to broken bytes', () => {
    const cut = PAYLOAD.subarray(0, 40)
    // The second resource's length exceeds the payload.
    expect(pathAt(cut, 'v1.11', 30)).toBe('resource_profiles[1]')
    expect(pathAt(Uint8Array.of(0x12, 4, 0x2a, 9, 1, 2), 'v1.11', 3)).toBe('dictionary.string_table[0]')
    expect(pathAt(Uint8Array.of(0x12, 3, 0x2a, 0, 0x07), 'v1.11', 4)).toBe('dictionary')
  })

  test('returns a path for every byte that leads back to it', () => {
    for (let offset = 0; offset < PAYLOAD.length; offset++) {
      const steps = [...pathAt(PAYLOAD, 'v1.11', offset).matchAll(/(\w+)(?:\[(\d+)\])?/g)].map(
        ([, name, occurrence]) => [name, Number(occurrence ?? 0)] as const,
      )
      expect(pathOf('v1.11', steps).startsWith(pathAt(PAYLOAD, 'v1.11', offset))).toBe(true)
      // Here a field's content follows at most a tag and a length of one byte each.
      expect(offsetOf(PAYLOAD, 'v1.11', steps)).toBeLessThanOrEqual(offset + 3)
    }
  })
})

test('offsetOf and pathAt never throw', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(...GENERATIONS),
      fc.nat(50),
      fc.array(fc.tuple(fc.constantFrom('resource_profiles', 'dictionary', 'scope_profiles', 'profiles'), fc.nat(2))),
      (bytes, generation, offset, steps) => {
        expect(typeof pathAt(bytes, generation, offset)).toBe('string')
        const found = offsetOf(bytes, generation, steps)
        expect(found).toBeGreaterThanOrEqual(0)
        expect(found).toBeLessThanOrEqual(bytes.length)
      },
    ),
  )
})
