import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { plainSample } from '../../model/compare/plain-content.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitrarySpec } from '../../model/testing/arbitrary-profiles.ts'
import type { AttributeSpec, LocationSpec, ProfileSpec, ProfilesSpec } from '../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { folded } from '../folded/index.ts'
import { FormatError } from '../format.ts'
import { encodeOtlp } from '../otlp/encode.ts'
import { codes, expectRejections, expectRoundTrip, withIdsOf } from '../testing/expect-format.ts'
import { arraysDraft } from './index.ts'
import { timeUnit } from '../recordings/time-unit.ts'
import { payloadFormat } from './payload-format.ts'
import { periodOf, rateOf } from './sample-rate.ts'
import {
  documentExample,
  envelope,
  fixtures,
  renumberedExample,
  singleSetExample,
  splitExample,
} from './testing/fixtures.ts'
import { fixed64, hex, join, len, packed, text, varint } from '../testing/wire.ts'

const read = (bytes: Uint8Array, options = {}) => arraysDraft.read!(bytes, options)
const write = (profiles: Profiles) => arraysDraft.write!(profiles, {})

const REGION: AttributeSpec = { key: 'region', value: 'us' }
const foo: LocationSpec = { lines: [{ function: { name: 'foo' } }] }
const bar: LocationSpec = { lines: [{ function: { name: 'bar' } }] }
const baz: LocationSpec = { lines: [{ function: { name: 'baz' } }] }

/** The example of the document, as two profiles, because only one of its two samples has a time. */
function example(header: Partial<ProfileSpec> = {}, leaf = baz): ProfilesSpec {
  const common = { type: '', unit: '', id: hex('0102030405060708090a0b0c0d0e0f10'), ...header }
  const link = { traceId: hex('01020304010203040102030401020304'), spanId: hex('9999999999999999') }
  const untimed = { stack: [bar, foo], attributes: [REGION], values: [200n] }
  const timed = {
    stack: [leaf, bar, foo],
    attributes: [REGION],
    link,
    values: [100n],
    timestamps: [1_687_841_528_000_000_000n],
  }
  return [
    {
      schemaUrl: 'todo',
      scopes: [
        {
          profiles: [
            { ...common, samples: [untimed] },
            { ...common, samples: [timed] },
          ],
        },
      ],
    },
  ]
}

describe('the example of the document', () => {
  test('reads with all values', () => {
    const { profiles, notes, generation } = read(documentExample())
    expect(difference(profiles, buildProfiles(example()))).toBeUndefined()
    expect(generation).toBe('2023-08')
    expect(codes(notes)).toEqual(['time-unit', 'mixed-shapes'])
  })

  test('equals the modified collapsed text above it', () => {
    const line = 'region=us,trace_id=0x01020304010203040102030401020304,span_id=0x9999999999999999 1687841528000000'
    const collapsed = `foo;bar;baz 100 ${line}\nfoo;bar 200 region=us\n`
    const fromText = folded.read!(encodeUtf8(collapsed), {}).profiles
    const written = folded.write!(read(documentExample()).profiles, { extended: true }).bytes
    const samples = (profiles: Profiles): unknown[] => [0, 1].map(i => plainSample(profiles, i))
    expect(samples(folded.read!(written, {}).profiles)).toEqual(samples(fromText))
    expect(fromText.samples.length).toBe(2)
  })

  test('reads the same in the first numbering', () => {
    for (const field of [10, 103]) {
      const { profiles, generation } = read(splitExample(field))
      const attributes = [
        { key: 'hearth.profile.aggregation_temporality', value: 'delta' },
        { key: 'arrays_draft.sample_size', value: 7n },
      ]
      expect(difference(profiles, buildProfiles(example({ type: 'cpu', unit: 'samples', attributes })))).toBeUndefined()
      expect(generation).toBe('2023-07')
    }
  })

  test('reads the same in the last numbering', () => {
    const { profiles, generation } = read(renumberedExample())
    const header: Partial<ProfileSpec> = {
      type: 'cpu',
      unit: 'samples',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 10_101_010n,
      timeUnixNano: 1_687_841_520_000_000_000n,
      durationNano: 10_000_000_000n,
      droppedAttributesCount: 3,
      attributes: [
        { key: 'k', value: 7n },
        { key: 'hearth.profile.aggregation_temporality', value: 'delta' },
      ],
    }
    expect(difference(profiles, buildProfiles(example(header, { ...baz, attributes: [REGION] })))).toBeUndefined()
    expect(generation).toBe('2023-09-15')
  })

  test('reads one attribute set of a location and a mapping', () => {
    const { profiles, generation } = read(singleSetExample())
    const mapping = { memoryStart: 4096n, memoryLimit: 8192n, filename: '/bin/app', attributes: [REGION] }
    const location = {
      mapping,
      address: 5000n,
      lines: [{ function: { name: 'foo' }, line: 12n }],
      attributes: [REGION],
    }
    const spec: ProfilesSpec = [
      {
        schemaUrl: 'todo',
        scopes: [
          {
            profiles: [
              {
                type: 'foo',
                unit: '',
                id: hex('0102030405060708090a0b0c0d0e0f10'),
                timeUnixNano: 1_687_841_520_000_000_000n,
                durationNano: 10_000_000_000n,
                periodType: 'cpu',
                periodUnit: 'nanoseconds',
                period: 10_000_000n,
                attributes: [{ key: 'hearth.profile.aggregation_temporality', value: 'cumulative' }],
                samples: [{ stack: [location], values: [-5n] }],
              },
            ],
          },
        ],
      },
    ]
    expect(difference(profiles, buildProfiles(spec))).toBeUndefined()
    expect(generation).toBe('2023-09-08')
  })

  test('reads back the same after it was written', () => {
    const once = write(read(documentExample()).profiles)
    expect(difference(read(once.bytes).profiles, buildProfiles(example()))).toBeUndefined()
    expect(once.notes).toEqual([])
  })
})

describe('readArraysDraft', () => {
  test.each(fixtures)(
    'reads $name, which is valid, detected by content, and the same after a round trip',
    ({ bytes }) => {
      expectRoundTrip(arraysDraft, bytes)
    },
  )

  test('reads mappings, inlined calls and exact numbers', () => {
    const { profiles } = read(fixtures.find(({ name }) => name.startsWith('two types'))!.bytes)
    const main = { name: 'main', systemName: '_Z4mainv', filename: '/bin/app', startLine: 10n }
    const flags = ['has_functions', 'has_filenames', 'has_line_numbers', 'has_inline_frames']
    const set = [REGION, { key: 'n', value: -1n }]
    const mapping = {
      memoryStart: 4096n,
      memoryLimit: 2n ** 64n - 1n,
      fileOffset: 16n,
      filename: '/bin/app',
      attributes: [
        ...set,
        { key: 'process.executable.build_id.gnu', value: 'ab12' },
        ...flags.map(flag => ({ key: `pprof.mapping.${flag}`, value: true })),
      ],
    }
    const root: LocationSpec = {
      mapping,
      address: 2n ** 63n,
      lines: [
        { function: main, line: 7n },
        { function: { name: '_Z4mainv' }, line: 2n ** 32n - 1n },
      ],
      attributes: set,
    }
    const leaf: LocationSpec = { mapping, address: 5000n }
    const header = {
      id: hex('0102030405060708090a0b0c0d0e0f10'),
      timeUnixNano: 1_700_000_000_000_000_000n,
      durationNano: 10_000_000_000n,
      droppedAttributesCount: 2,
      originalPayload: Uint8Array.of(1, 2, 3),
      originalPayloadFormat: 'unknown',
      attributes: [
        { key: 'host', value: 'a' },
        { key: 'hearth.profile.aggregation_temporality', value: 'cumulative' },
      ],
    }
    const values = (a: bigint, b: bigint, c: bigint, attributes: AttributeSpec[]) => [
      { stack: [leaf, root], values: [a] },
      { stack: [root], values: [b], attributes },
      { stack: [], values: [c] },
    ]
    const spec: ProfilesSpec = [
      {
        schemaUrl: 'todo',
        scopes: [
          {
            profiles: [
              { ...header, type: 'alloc_objects', unit: 'count', samples: values(1n, 2n ** 62n, -(2n ** 63n), []) },
              { ...header, type: 'alloc_space', unit: 'bytes', samples: values(48n, 0n, -1n, set) },
            ],
          },
        ],
      },
    ]
    expect(difference(profiles, buildProfiles(spec))).toBeUndefined()
  })

  test('counts the samples of a list without values', () => {
    const bytes = envelope(
      join(
        len(1, hex('0102030405060708090a0b0c0d0e0f10')),
        len(7, packed(1, [0])),
        len(9, len(3)),
        len(10, varint(1, 1)),
        ...['', 'main'].map(string => text(13, string)),
        len(14, packed(10, [0, 0]), packed(14, [5n, 7n])),
      ),
    )
    expect(arraysDraft.detect(bytes, '')).toBe('certain')
    const { profiles } = read(bytes)
    expect(profiles.samples.length).toBe(1)
    expect([...profiles.samples.timestamps.unsigned()]).toEqual([5n, 7n])
  })

  test('merges times with the same stack and attributes into one sample', () => {
    const { profiles } = read(fixtures.find(({ name }) => name === 'all samples timed')!.bytes)
    expect(profiles.samples.length).toBe(2)
    expect([...profiles.samples.timestamps.unsigned()]).toEqual([3n, 9n, 2n ** 64n - 1n])
    // Each counts one, which is the meaning of timestamps without values.
    expect(profiles.samples.values.length).toBe(0)
    const rate = profiles.profiles.attributesOf(0).map(row => profiles.dictionary.attributes.value(row))
    expect(rate).toEqual([1_000_003n])
  })

  test('reads the first numbering without a container as a profile without a header', () => {
    const bare = fixtures.find(({ name }) => name === 'a profile in the first numbering, without a container')!
    const { profiles, generation } = read(bare.bytes)
    expect([generation, profiles.profiles.id(0).length, profiles.profiles.time(0)]).toEqual(['2023-07', 0, 0n])
    expect([...profiles.samples.values.signed()]).toEqual([200n, 100n])
  })

  test('accepts tables after the messages that refer to them', () => {
    const profile = join(
      len(14, varint(3, 2), packed(10, [0]), packed(13, [3])),
      text(13, ''),
      text(13, 'f'),
      text(13, 'cpu'),
      len(10, varint(1, 1)),
      len(9, len(3)),
      len(7, packed(1, [0])),
      fixed64(2, 5n),
    )
    const spec: ProfilesSpec = [
      {
        schemaUrl: 'todo',
        scopes: [
          {
            profiles: [
              {
                type: 'cpu',
                unit: '',
                timeUnixNano: 5n,
                samples: [{ stack: [{ lines: [{ function: { name: 'f' } }] }], values: [3n] }],
              },
            ],
          },
        ],
      },
    ]
    expect(difference(read(envelope(profile)).profiles, buildProfiles(spec))).toBeUndefined()
  })

  const brokenCases: readonly [name: string, profile: Uint8Array, what: string, path: string][] = [
    [
      'a missing stack',
      join(text(13, ''), len(14, packed(10, [4]), packed(13, [1]))),
      'index 4 is outside stacktraces (length 0)',
      'profile_types[0]',
    ],
    [
      'arrays of different lengths',
      join(len(7), text(13, ''), len(14, packed(10, [0, 0]), packed(13, [1]))),
      'values has 1 entries, but stacktrace_indices has 2',
      'profile_types[0]',
    ],
    [
      'a missing location',
      join(len(7, packed(1, [3])), text(13, '')),
      'index 3 is outside locations (length 0)',
      'stacktraces[0]',
    ],
    [
      'a missing string',
      join(len(10, varint(1, 9)), text(13, '')),
      'index 9 is outside string_table (length 1)',
      'functions[0]',
    ],
    [
      'a string that is not UTF-8',
      join(text(13, ''), len(13, Uint8Array.of(0xff))),
      'string is not valid UTF-8',
      'string_table[1]',
    ],
    [
      'an attribute that is not UTF-8',
      join(len(12, len(1, len(1, Uint8Array.of(0xff)))), text(13, '')),
      'string is not valid UTF-8',
      'attribute_sets[0]',
    ],
  ]
  test.each(brokenCases)('rejects %s', (_, profile, what, path) => {
    const bytes = envelope(profile)
    let error: unknown
    try {
      read(bytes)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(FormatError)
    const rejection = error as FormatError
    expect(rejection.what).toBe(what)
    expect(rejection.path).toBe(`resource_profiles[0].scope_profiles[0].profiles[0].${path}`)
    expect(rejection.offset).toBeGreaterThan(0)
    expect(rejection.offset).toBeLessThanOrEqual(bytes.length)
    // It is not an error in lenient mode.
    expect(read(bytes, { lenient: true }).notes.length).toBeGreaterThan(0)
  })

  test('reads the intact part of a truncated file', () => {
    const bytes = documentExample()
    expect(() => read(bytes.subarray(0, bytes.length - 20))).toThrow(FormatError)
    const { profiles, notes } = read(bytes.subarray(0, bytes.length - 20), { lenient: true })
    expect(codes(notes)).toContain('truncated')
    expect(profiles.dictionary.strings.length).toBeGreaterThan(3)
    for (let length = 0; length < bytes.length; length++) {
      expect(findBadReference(read(bytes.subarray(0, length), { lenient: true }).profiles)).toBeUndefined()
    }
  })

  test('limits the expansion of a small file', () => {
    const attribute = len(1, text(1, 'k'))
    const set = len(12, ...Array.from({ length: 5_000 }, () => attribute))
    const many = Array.from({ length: 20_000 }, () => 0)
    const bytes = envelope(
      join(len(7), text(13, ''), set, len(14, packed(10, many), packed(12, many), packed(13, many))),
    )
    expect(() => read(bytes)).toThrow(/expands to more than/)
  })

  test('uses the generation that the caller gives', () => {
    expect(() => read(documentExample(), { generation: '2022' })).toThrow(RangeError)
    expect(read(documentExample(), { generation: '2023-09-08' }).generation).toBe('2023-09-08')
  })
})

describe('periodOf and rateOf', () => {
  test('convert common rates to whole periods and back', () => {
    for (const rate of [1n, 19n, 49n, 97n, 99n, 100n, 999n, 1000n, 4999n, 10_000n]) {
      expect(rateOf(periodOf(rate)!)).toBe(rate)
    }
    expect(periodOf(100n)).toBe(10_000_000n)
    expect(periodOf(99n)).toBe(10_101_010n)
    expect(periodOf(2n ** 64n - 1n)).toBeUndefined()
    expect(rateOf(10_000_001n)).toBeUndefined()
    expect(rateOf(-5n)).toBeUndefined()
  })
})

test('payloadFormat detects the format of an original payload by its start', () => {
  expect(payloadFormat(encodeUtf8('FLR\0rest'))).toBe('jfr')
  expect(payloadFormat(encodeUtf8('PERFILE2'))).toBe('linux_perf')
  expect(payloadFormat(Uint8Array.of(0x1f, 0x8b, 8))).toBe('pprof')
  expect(payloadFormat(Uint8Array.of(0x1f))).toBe('unknown')
  expect(payloadFormat(new Uint8Array(0))).toBe('')
})

describe('writeArraysDraft', () => {
  test('preserves everything that the draft can represent', () => {
    const options = { links: true, mappings: true, columns: false, nested: true }
    fc.assert(
      fc.property(arbitrarySpec(options), spec => {
        const profiles = buildProfiles(spec.map(withinDraft))
        const { bytes } = write(profiles)
        const back = read(bytes).profiles
        expect(difference(back, withIdsOf(back, profiles))).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })

  test('writes the collapsed example of the document as one list, with an id', () => {
    const line = 'region=us,trace_id=0x01020304010203040102030401020304,span_id=0x9999999999999999 1687841528000000'
    const { profiles } = folded.read!(encodeUtf8(`foo;bar;baz 100 ${line}\nfoo;bar 200 region=us\n`), {})
    const { bytes, notes } = write(profiles)
    expect(notes).toEqual([])
    const back = read(bytes)
    expect(codes(back.notes)).toEqual(['mixed-shapes'])
    expect(back.profiles.profiles.id(0)).toHaveLength(16)
    expect(difference(back.profiles, withIdsOf(back.profiles, profiles))).toBeUndefined()
  })

  test('notes what the draft cannot represent', () => {
    expect(codes(write(richProfiles()).notes)).toEqual(
      expect.arrayContaining(['attribute-units', 'columns', 'line-numbers']),
    )
    const payload = { originalPayload: Uint8Array.of(1), originalPayloadFormat: 'jfr' }
    const samples = [{ stack: [], timestamps: [0n] }, { stack: [] }]
    const odd = { type: 'a', unit: 'b', period: 3n, periodType: 'heap', ...payload, samples }
    const { notes } = write(buildProfiles([{ scopes: [{ profiles: [odd] }] }]))
    expect(codes(notes).sort()).toEqual(['empty-samples', 'payload-format', 'periods', 'zero-timestamps'])
  })

  test('writes one set of tables for all profiles with one header', () => {
    const { profiles } = read(fixtures.find(({ name }) => name.startsWith('two types'))!.bytes)
    const { bytes } = write(profiles)
    const strings = Array.from(bytes).filter((byte, i) => byte === 0x6a && bytes[i + 1] === 8 && bytes[i + 2] === 0x2f)
    expect(strings).toHaveLength(1)
  })
})

describe('detectArraysDraft', () => {
  test('rejects other files', () => {
    const otlp = encodeOtlp(richProfiles())
    expect(arraysDraft.detect(otlp, '')).toBe('no')
    expect(arraysDraft.detect(encodeUtf8('main;run 5\n'), '')).toBe('no')
    expect(arraysDraft.detect(new Uint8Array(0), '')).toBe('no')
    // A ProfileContainer of OTEP 0239: an id, two times, a payload, a profile.
    const container = join(
      len(1, new Uint8Array(16)),
      fixed64(2, 1n),
      fixed64(3, 2n),
      len(7, Uint8Array.of(8)),
      len(8, text(6, '')),
    )
    expect(arraysDraft.detect(container, '')).toBe('no')
    expect(arraysDraft.detect(envelope(container), '')).toBe('no')
  })

  test('recognises stacks if the head ends before the lists', () => {
    const bytes = documentExample()
    const stacks = Array.from({ length: 10 }, (_, i) => len(7, packed(1, [i, i + 1])))
    const cut = envelope(join(len(1, new Uint8Array(16)), fixed64(2, 1n), fixed64(3, 2n), ...stacks)).subarray(0, -12)
    expect(arraysDraft.detect(cut, '')).toBe('certain')
    expect(arraysDraft.detect(bytes.subarray(0, 40), '')).toBe('no')
  })
})

test('readArraysDraft rejects broken input with an offset', () => {
  expectRejections(
    arraysDraft,
    fixtures.map(({ bytes }) => bytes),
  )
})

/** Limits profiles to the draft: no units, 32-bit line numbers, periods that are rates, known payloads, distinct times. */
function withinDraft(resource: ProfilesSpec[number]): ProfilesSpec[number] {
  return {
    ...resource,
    scopes: resource.scopes.map(scope => ({ ...scope, profiles: scope.profiles.map(profileWithinDraft) })),
  }
}

/** Times of January 1970 in nanoseconds look like today's times in a larger unit. */
function unambiguous(time: bigint): bigint {
  return time * timeUnit(time).nanos
}

function profileWithinDraft(profile: ProfileSpec): ProfileSpec {
  const rate = profile.period !== undefined && profile.periodType === 'cpu' && profile.periodUnit === 'nanoseconds'
  const period = rate ? 10_101_010n : 0n
  return {
    ...profile,
    timeUnixNano: unambiguous(profile.timeUnixNano ?? 0n),
    originalPayloadFormat: payloadFormat(profile.originalPayload ?? new Uint8Array(0)),
    period,
    periodType: rate ? 'cpu' : '',
    periodUnit: rate ? 'nanoseconds' : '',
    attributes: unitless(profile.attributes),
    samples: profile.samples.map(sample => ({
      ...sample,
      attributes: unitless(sample.attributes),
      ...(sample.timestamps === undefined ? {} : { timestamps: sample.timestamps.map(unambiguous) }),
      // Values of 1 with timestamps are read as timestamps alone.
      values: (sample.values ?? []).map(value => (value === 1n ? 2n : value)),
      stack: sample.stack.map(location => ({
        ...location,
        attributes: unitless(location.attributes),
        mapping: location.mapping && { ...location.mapping, attributes: unitless(location.mapping.attributes) },
        lines: (location.lines ?? []).map(line => ({
          line: BigInt.asUintN(32, line.line ?? 0n),
          function: { ...line.function, startLine: BigInt.asUintN(32, line.function.startLine ?? 0n) },
        })),
      })),
    })),
  }
}

function unitless(attributes: readonly AttributeSpec[] = []): AttributeSpec[] {
  return attributes.map(({ key, value }) => ({ key, value }))
}
