import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compact } from '../compact/compact.ts'
import { contentEqual, difference } from './content-equal.ts'
import { arbitraryProfiles } from '../testing/arbitrary-profiles.ts'
import type { ProfileSpec, ProfilesSpec, SampleSpec } from '../testing/profiles-spec.ts'
import { buildProfiles } from '../testing/profiles-spec.ts'
import { richProfiles } from '../testing/rich-profiles.ts'
import { scatter } from '../testing/scatter.ts'

const seed = fc.integer()

function withProfile(profile: Partial<ProfileSpec>): ProfilesSpec {
  return [{ scopes: [{ profiles: [{ type: 'cpu', unit: 'ns', samples: [], ...profile }] }] }]
}

function withSample(sample: Partial<SampleSpec>): ProfilesSpec {
  return withProfile({ samples: [{ stack: [], values: [1n], ...sample }] })
}

describe('contentEqual', () => {
  test('ignores order, duplicates and orphans of the dictionary', () => {
    fc.assert(
      fc.property(arbitraryProfiles({ repeats: true }), seed, (profiles, n) => {
        expect(difference(profiles, scatter(profiles, n))).toBeUndefined()
      }),
    )
  })

  test('accepts the rich example with scattered rows', () => {
    for (let n = 0; n < 20; n++) expect(difference(scatter(richProfiles(), n), richProfiles())).toBeUndefined()
  })

  test('ignores the order of samples', () => {
    const samples: SampleSpec[] = [1n, 2n, 2n, 3n].map(value => ({ stack: [], values: [value] }))
    expect(
      contentEqual(
        buildProfiles(withProfile({ samples })),
        buildProfiles(withProfile({ samples: samples.toReversed() })),
      ),
    ).toBe(true)
  })

  test('ignores the order of attributes in resources and key-value lists', () => {
    const entries = [
      {
        key: 'a',
        value: {
          entries: [
            { key: 'x', value: 1n },
            { key: 'y', value: [2n] },
          ],
        },
      },
      { key: 'b', value: undefined },
    ]
    const turned = [
      entries[1],
      {
        key: 'a',
        value: {
          entries: [
            { key: 'y', value: [2n] },
            { key: 'x', value: 1n },
          ],
        },
      },
    ]
    const a = buildProfiles([
      { resource: { attributes: entries }, scopes: withSample({ attributes: entries })[0].scopes },
    ])
    const b = buildProfiles([
      { resource: { attributes: turned }, scopes: withSample({ attributes: turned })[0].scopes },
    ])
    expect(difference(a, b)).toBeUndefined()
  })

  test('treats a link of zeros as no link', () => {
    const zeros = { traceId: new Uint8Array(16), spanId: new Uint8Array(8) }
    expect(contentEqual(buildProfiles(withSample({ link: zeros })), buildProfiles(withSample({})))).toBe(true)
  })
})

describe('difference', () => {
  const cases: [string, ProfilesSpec, ProfilesSpec, string][] = [
    ['the number of resources', [], [{ scopes: [] }], 'resource_profiles: 0 in the first, 1 in the second'],
    [
      'a resource attribute',
      [{ resource: { attributes: [{ key: 'a', value: 1n }] }, scopes: [] }],
      [{ resource: { attributes: [{ key: 'a', value: 1 }] }, scopes: [] }],
      'resource_profiles[0].resource.attributes["a"]: 1 in the first, double 1 in the second',
    ],
    [
      'the scope name',
      [{ scopes: [{ scope: { name: 'x' }, profiles: [] }] }],
      [{ scopes: [{ scope: { name: 'y' }, profiles: [] }] }],
      'resource_profiles[0].scope_profiles[0].scope.name: "x" in the first, "y" in the second',
    ],
    [
      'duration',
      withProfile({ durationNano: 1n }),
      withProfile({ durationNano: 2n ** 64n - 1n }),
      'resource_profiles[0].scope_profiles[0].profiles[0].duration_nano: 1 in the first, 18446744073709551615 in the second',
    ],
    [
      'the original payload',
      withProfile({ originalPayload: new Uint8Array(100) }),
      withProfile({ originalPayload: new Uint8Array(100).with(99, 1) }),
      'original_payload: bytes ',
    ],
    [
      'a 64-bit value',
      withSample({ values: [2n ** 53n] }),
      withSample({ values: [2n ** 53n + 1n] }),
      'profiles[0].samples[0].values[0]: 9007199254740992 in the first, 9007199254740993 in the second',
    ],
    [
      'the number of equal samples',
      withProfile({ samples: [{ stack: [], values: [1n] }] }),
      withProfile({
        samples: [
          { stack: [], values: [1n] },
          { stack: [], values: [1n] },
        ],
      }),
      'profiles[0].samples: 1 in the first, 2 in the second; the second alone has {stack: []',
    ],
    [
      'the order of observations',
      withSample({ values: [], timestamps: [1n, 2n] }),
      withSample({ values: [], timestamps: [2n, 1n] }),
      'samples[0].timestamps_unix_nano[0]: 1 in the first, 2 in the second',
    ],
    [
      'a link',
      withSample({ link: { traceId: new Uint8Array(16).fill(1), spanId: new Uint8Array(8).fill(1) } }),
      withSample({ link: { traceId: new Uint8Array(16).fill(1), spanId: new Uint8Array(8).fill(2) } }),
      'samples[0].link.span_id: bytes 0101010101010101 in the first, bytes 0202020202020202 in the second',
    ],
    [
      'a mapping of a location',
      withSample({ stack: [{}, { mapping: { memoryLimit: 16n } }] }),
      withSample({ stack: [{}, { mapping: { memoryLimit: 17n } }] }),
      'samples[0].stack[1].mapping.memory_limit: 0x10 in the first, 0x11 in the second',
    ],
    [
      'the unit of an attribute',
      withSample({ attributes: [{ key: 'k', value: 'v', unit: 'ms' }] }),
      withSample({ attributes: [{ key: 'k', value: 'v' }] }),
      'samples[0].attributes["k"]: "v" "ms" in the first, "v" in the second',
    ],
    [
      'minus zero',
      withSample({ attributes: [{ key: 'k', value: -0 }] }),
      withSample({ attributes: [{ key: 'k', value: 0 }] }),
      'samples[0].attributes["k"]: double -0 0x8000000000000000 in the first, double 0 0x0 in the second',
    ],
    [
      'an empty value versus no value',
      withSample({ attributes: [{ key: 'k', value: '' }] }),
      withSample({}),
      'samples[0].attributes["k"]: "" in the first, nothing in the second',
    ],
    [
      'a sample in place of another',
      withProfile({
        samples: [
          { stack: [], values: [1n] },
          { stack: [], values: [2n] },
        ],
      }),
      withProfile({
        samples: [
          { stack: [], values: [3n] },
          { stack: [], values: [1n] },
        ],
      }),
      'samples[1] (samples[0] in the second).values[0]: 2 in the first, 3 in the second',
    ],
  ]

  test.each(cases)('reports %s', (_name, a, b, message) => {
    expect(difference(buildProfiles(a), buildProfiles(b))).toContain(message)
    expect(contentEqual(buildProfiles(b), buildProfiles(a))).toBe(false)
  })

  test('reports NaN values with different bits', () => {
    const spec = withSample({ attributes: [{ key: 'k', value: NaN }] })
    const a = buildProfiles(spec)
    const b = buildProfiles(spec)
    expect(contentEqual(a, b)).toBe(true)
    // The low half of the double in the attribute row.
    const { ints, base } = b.dictionary.attributes
    ints[base + 5 + 3] ^= 1
    expect(difference(a, b)).toContain('0x7ff8000000000000 in the first, double NaN 0x7ff8000000000001 in the second')
  })

  test('finds the same difference after compaction', () => {
    fc.assert(
      fc.property(arbitraryProfiles(), arbitraryProfiles(), (a, b) => {
        expect(difference(compact(a), compact(b))).toBe(difference(a, b))
      }),
      { numRuns: 50 },
    )
  })
})
