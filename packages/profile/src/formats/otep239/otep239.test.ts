import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitrarySpec } from '../../model/testing/arbitrary-profiles.ts'
import type {
  AttributeSpec,
  LocationSpec,
  ProfileSpec,
  ProfilesSpec,
  SampleSpec,
} from '../../model/testing/profiles-spec.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { documentExample } from '../arrays-draft/testing/fixtures.ts'
import { fixed64, hex, join, len, packed, text, varint } from '../testing/wire.ts'
import { folded } from '../folded/index.ts'
import { FormatError } from '../format.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import { encodeOtlp } from '../otlp/encode.ts'
import { readOtlp } from '../otlp/read.ts'
import { codes, expectRejections, expectRoundTrip, withIdsOf } from '../testing/expect-format.ts'
import { otep239 } from './index.ts'
import { containersOf } from './testing/containers-of.ts'
import {
  SPAN,
  TRACE,
  envelope,
  everything,
  fixtures,
  leafFirstProfile,
  pprof,
  simpleExample,
  slicesProfile,
} from './testing/fixtures.ts'

const read = (bytes: Uint8Array, options = {}) => otep239.read!(bytes, options)
const write = (profiles: Profiles) => otep239.write!(profiles, {})
/** Writes the released form, whose timestamps are exact. */
const writeReleased = (profiles: Profiles) => otep239.write!(profiles, { generation: 'v1.3' })
const foldedOf = (bytes: Uint8Array, options = {}): string =>
  new TextDecoderOfTests().decode(folded.write!(read(bytes, options).profiles, {}).bytes)

// The library is compiled without the globals of its hosts, but tests run in both.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string }
const TextDecoderOfTests = TextDecoder

/** Compares except for ids and temporalities, which the writer generates. */
function expectSame(written: Profiles, profiles: Profiles): void {
  expect(difference(written, withIdsOf(written, profiles))).toBeUndefined()
}

const named = (name: string): LocationSpec => ({ lines: [{ function: { name } }] })
const [foo, bar, baz] = ['foo', 'bar', 'baz'].map(named)
const DELTA: AttributeSpec = { key: 'hearth.profile.aggregation_temporality', value: 'delta' }
const REGION: AttributeSpec = { key: 'region', value: 'us' }

describe('the first example of the document', () => {
  const header: Omit<ProfileSpec, 'samples'> = {
    type: 'cpu',
    unit: 'samples',
    id: hex('0102030405060708090a0b0c0d0e0f10'),
    // The document has microseconds.
    timeUnixNano: 1_687_841_520_000_000_000n,
    durationNano: 10_000_000_000n,
    attributes: [DELTA],
  }
  const spec = (attributes: AttributeSpec[], link: SampleSpec['link']): ProfilesSpec => [
    {
      schemaUrl: 'todo',
      scopes: [
        {
          profiles: [
            { ...header, samples: [{ stack: [bar, foo], attributes, values: [200n] }] },
            {
              ...header,
              samples: [
                { stack: [baz, bar, foo], attributes, link, values: [100n], timestamps: [1_687_841_528_000_000_000n] },
              ],
            },
          ],
        },
      ],
    },
  ]

  test('reads with all values', () => {
    const { profiles, notes, generation } = read(simpleExample())
    expect(difference(profiles, buildProfiles(spec([], undefined)))).toBeUndefined()
    expect(codes(notes)).toEqual(['time-unit', 'timestamp-unit', 'mixed-shapes'])
    expect(generation).toBe('otep')
  })

  test('reads like its text if samples refer to the attributes', () => {
    const { profiles, notes } = read(simpleExample(true))
    expect(difference(profiles, buildProfiles(spec([REGION], { traceId: TRACE, spanId: SPAN })))).toBeUndefined()
    expect(codes(notes)).toContain('trace-attributes')
    const line = 'region=us,trace_id=0x01020304010203040102030401020304,span_id=0x9999999999999999 1687841528000000'
    const collapsed = `foo;bar;baz 100 ${line}\nfoo;bar 200 region=us\n`
    const fromText = folded.read!(encodeUtf8(collapsed), {}).profiles
    const again = folded.write!(profiles, { extended: true }).bytes
    const written = folded.write!(fromText, { extended: true }).bytes
    const lines = (bytes: Uint8Array): string[] =>
      new TextDecoderOfTests()
        .decode(bytes)
        .split('\n')
        .filter(one => !one.startsWith('#'))
    expect(lines(again)).toEqual(lines(written))
  })
})

test('the second example of the document reads with all values', () => {
  const bytes = envelope(len(8, slicesProfile()))
  expect(foldedOf(bytes)).toBe('abc;def 200\nfoo;bar 300\nfoo;bar;baz 100\n')
  expect(read(bytes).notes).toEqual([])
})

describe('the order of stacks', () => {
  const expected = 'foo;bar 300\nfoo;bar;baz 100\n'

  test('is leaf first if slices share an end', () => {
    expect(foldedOf(leafFirstProfile())).toBe(expected)
    expect(read(leafFirstProfile()).generation).toBe('v1.3')
  })

  test('follows the given generation', () => {
    expect(foldedOf(leafFirstProfile(), { generation: 'v1.3' })).toBe(expected)
    expect(foldedOf(leafFirstProfile(), { generation: 'otep' })).toBe('bar;foo 300\nbaz;bar;foo 100\n')
    expect(foldedOf(slicesProfile(), { generation: 'v1.3' })).toContain('baz;bar;foo 100\n')
    expect(() => read(slicesProfile(), { generation: 'v2' })).toThrow(RangeError)
  })

  test('is root first, with a note, if nothing indicates it', () => {
    const single = join(
      len(1),
      len(2, varint(8, 2), packed(2, [5])),
      len(4, len(4)),
      len(4, len(4, varint(1, 1))),
      len(5, varint(2, 1)),
      len(5, varint(2, 2)),
      ...['', 'a', 'b'].map(string => text(6, string)),
      packed(15, [0, 1]),
    )
    expect(foldedOf(single)).toBe('a;b 5\n')
    expect(codes(read(single).notes)).toEqual(['stack-order'])
  })

  test('is leaf first for lists of locations, as the document says', () => {
    expect(foldedOf(pprofLike())).toBe('b;a 5\n')
  })

  function pprofLike(): Uint8Array {
    return join(
      len(1),
      len(2, packed(1, [0, 1]), packed(2, [5]), packed(10, [])),
      len(4, len(4)),
      len(4, len(4, varint(1, 1))),
      len(5, varint(2, 1)),
      len(5, varint(2, 2)),
      ...['', 'a', 'b'].map(string => text(6, string)),
    )
  }
})

describe('readOtep239', () => {
  test.each(fixtures)(
    'reads $name, which is valid, detected by content, and the same after a round trip',
    ({ bytes }) => {
      expectRoundTrip(otep239, bytes, ['certain', 'possible'])
    },
  )

  test('reads every field of every message', () => {
    const { profiles, notes } = read(everything())
    expect(notes).toEqual([])
    const flag = (name: string): AttributeSpec => ({ key: `pprof.${name}`, value: true })
    const n: AttributeSpec = { key: 'n', value: -1n, unit: 'bytes' }
    const list: AttributeSpec = { key: 'list', value: ['a', true, undefined] }
    const main = { name: 'main', systemName: '_Z4mainv', filename: '/src/main.c', startLine: 10n }
    const app = {
      memoryStart: 4096n,
      memoryLimit: 2n ** 64n - 1n,
      fileOffset: 16n,
      filename: '/bin/app',
      attributes: [
        n,
        { key: 'process.executable.build_id.gnu', value: 'ab12' },
        ...['has_functions', 'has_filenames', 'has_inline_frames'].map(name => flag(`mapping.${name}`)),
      ],
    }
    const other = {
      memoryStart: 1n,
      memoryLimit: 2n,
      attributes: [{ key: 'process.executable.build_id.htlhash', value: '00112233445566778899aabbccddeeff' }],
    }
    const root: LocationSpec = {
      mapping: app,
      address: 5000n,
      lines: [{ function: main, line: 12n, column: 5n }],
      attributes: [list, { key: 'profile.frame.type', value: 'python' }, flag('location.is_folded')],
    }
    const leaf: LocationSpec = {
      mapping: other,
      address: 2n ** 63n,
      lines: [{ function: { name: '_Z4mainv' } }, { function: main, line: 2n ** 63n - 1n }],
    }
    const sample: SampleSpec = {
      stack: [leaf, root],
      link: { traceId: TRACE, spanId: SPAN },
      attributes: [
        n,
        list,
        { key: 'otep239.sample.stacktrace_id', value: 'stack-id' },
        { key: 'thread', value: 'worker' },
        { key: 'size', value: 512n, unit: 'bytes' },
      ],
    }
    const profile = (type: string, unit: string, temporality: string, a: bigint, b: bigint): ProfileSpec => ({
      type,
      unit,
      periodType: 'cpu',
      periodUnit: 'ns',
      period: 10_000_000n,
      id: hex('0102030405060708090a0b0c0d0e0f10'),
      timeUnixNano: 1_700_000_000_000_000_001n,
      durationNano: 60_000_000_000n,
      droppedAttributesCount: 3,
      originalPayloadFormat: 'jfr',
      originalPayload: Uint8Array.of(0x46, 0x4c, 0x52, 0),
      attributes: [
        { key: 'host', value: 'a' },
        { key: 'pprof.profile.comment', value: ['a comment', 'main'] },
        { key: 'pprof.profile.drop_frames', value: 'drop.*' },
        { key: 'pprof.profile.keep_frames', value: 'keep' },
        { key: 'hearth.profile.aggregation_temporality', value: temporality },
      ],
      samples: [
        { ...sample, values: [a] },
        { stack: [], values: [b] },
      ],
    })
    const spec: ProfilesSpec = [
      {
        scopes: [
          {
            scope: { attributes: [{ key: 'pprof.scope.default_sample_type', value: 'cpu' }] },
            profiles: [
              profile('samples', 'count', 'delta', 2n, 2n ** 63n - 1n),
              profile('cpu', 'ns', 'cumulative', -20_000_000n, -(2n ** 63n)),
            ],
          },
        ],
      },
    ]
    expect(difference(profiles, buildProfiles(spec))).toBeUndefined()
  })

  test('reads a pprof file by its ids', () => {
    const { profiles } = read(pprof())
    const mapping = { memoryStart: 4096n, memoryLimit: 8192n, filename: '/bin/app' }
    const root: LocationSpec = { mapping, address: 5000n, lines: [{ function: { name: 'root' }, line: 3n }] }
    const leaf: LocationSpec = { address: 6000n, lines: [{ function: { name: 'leaf' } }] }
    const samples = [{ stack: [leaf, root], attributes: [{ key: 'k', value: 'v' }], values: [7n] }]
    const spec: ProfilesSpec = [{ scopes: [{ profiles: [{ type: 'cpu', unit: 'ns', samples }] }] }]
    expect(difference(profiles, buildProfiles(spec))).toBeUndefined()
    expect(otep239.detect(pprof(), '')).toBe('no')
    const broken = join(pprof(), len(2, packed(1, [99]), packed(2, [1])))
    expect(() => read(broken)).toThrow(/no location has the id 99/)
    expect(codes(read(broken, { lenient: true }).notes)).toEqual(['skipped-samples'])
  })

  const brokenCases: readonly [name: string, profile: Uint8Array, what: string, path: string][] = [
    [
      'a slice beyond the list',
      join(len(1), text(6, ''), len(2, varint(7, 1), varint(8, 2), packed(2, [1]))),
      'locations 1 to 3 are outside location_indices (length 0)',
      'sample[0].locations_start_index',
    ],
    [
      'a missing location',
      join(len(1), text(6, ''), len(2, packed(1, [4]), packed(2, [1]))),
      'index 4 is outside location (length 0)',
      'sample[0].location_index[0]',
    ],
    [
      'a missing string',
      join(len(1, varint(1, 9)), text(6, '')),
      'index 9 is outside string_table (length 1)',
      'sample_type[0].type',
    ],
    [
      'more values than types',
      join(len(1), text(6, ''), len(2, packed(2, [1, 2]))),
      'sample has 2 values and 0 timestamps, but the profile has 1 sample types',
      'sample[0]',
    ],
    ['a wrong wire type', join(text(6, ''), fixed64(12, 1n)), 'Profile.period is fixed64, expected varint', 'period'],
  ]
  test.each(brokenCases)('rejects %s', (_, profile, what, path) => {
    for (const [bytes, prefix] of [
      [
        envelope(join(len(1, new Uint8Array(16)), len(8, profile))),
        'resource_profiles[0].scope_profiles[0].profiles[0].profile.',
      ],
      [join(len(1, new Uint8Array(16)), len(8, profile)), 'profile.'],
      [profile, ''],
    ] as const) {
      let error: unknown
      try {
        read(bytes)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(FormatError)
      const rejection = error as FormatError
      expect([rejection.format, rejection.what, rejection.path]).toEqual(['otep239', what, prefix + path])
      expect(rejection.offset).toBeLessThanOrEqual(bytes.length)
      expect(read(bytes, { lenient: true }).notes.length).toBeGreaterThan(0)
    }
  })

  test('reads the intact part of a truncated file', () => {
    const bytes = envelope(everything())
    expect(() => read(bytes.subarray(0, bytes.length - 9))).toThrow(FormatError)
    expect(codes(read(bytes.subarray(0, bytes.length - 60), { lenient: true }).notes)).toContain('truncated')
    for (let length = 0; length < bytes.length; length += 3) {
      expect(findBadReference(read(bytes.subarray(0, length), { lenient: true }).profiles)).toBeUndefined()
    }
  })
})

describe('writeOtep239', () => {
  test('preserves everything, with one unit per key', () => {
    fc.assert(
      fc.property(arbitrarySpec(), spec => {
        const profiles = buildProfiles(spec.map(withinOtep))
        expectSame(read(writeReleased(profiles).bytes).profiles, profiles)
        const whole = buildProfiles(spec.map(withinOtep).map(inMilliseconds))
        expectSame(read(write(whole).bytes).profiles, whole)
      }),
      { numRuns: 60 },
    )
  })

  test('writes files that read the same as OTLP v1.3 unless detection is certain', () => {
    fc.assert(
      fc.property(arbitrarySpec({ maxSamples: 12 }), spec => {
        const profiles = buildProfiles(spec.map(withinOtep))
        const { bytes } = write(profiles)
        // A mark of the unit is an ordinary attribute there. The times here do not need it.
        if (otep239.detect(bytes, '') === 'certain' || profiles.profiles.length === 0) return
        expectSame(readOtlp(bytes, { generation: 'v1.3' }).profiles, profiles)
      }),
      { numRuns: 40 },
    )
  })

  test('shares slices of stacks with a common start, which shows their order', () => {
    const profiles = read(slicesProfile()).profiles
    const { bytes } = write(profiles)
    expect(otep239.detect(bytes, '')).toBe('certain')
    // Field 15 of the profile: five locations for seven frames.
    const indices = bytes.findIndex((byte, i) => byte === 0x7a && bytes[i + 1] === 5)
    expect(indices).toBeGreaterThan(0)
  })

  test('joins types over the same samples into one profile', () => {
    const { bytes } = write(read(everything()).profiles)
    const paths = bytes.filter((byte, i) => byte === 0x32 && bytes[i + 1] === 8 && bytes[i + 2] === 0x2f)
    expect(paths).toHaveLength(1)
  })

  describe('joins types over the same samples', () => {
    const types = (...lists: readonly (readonly SampleSpec[])[]): Profiles =>
      buildProfiles([
        { scopes: [{ profiles: lists.map((samples, i) => ({ type: `t${i}`, unit: 'count', samples })) }] },
      ])
    const both = (values: readonly bigint[], timestamps: readonly bigint[]): SampleSpec => ({
      stack: [foo],
      values,
      timestamps,
    })
    const times = (...timestamps: readonly bigint[]): SampleSpec => ({ stack: [foo], timestamps })
    const T = 1_700_000_000_000_000_000n

    test.each([
      ['values alone', types([{ stack: [foo], values: [2n] }], [{ stack: [foo], values: [3n] }]), 1],
      ['times alone, in any order', types([times(T + 1n, T)], [times(T + 1n, T)]), 1],
      ['values of the same times', types([both([5n, -1n], [T, T + 1n])], [both([7n, 2n ** 62n], [T, T + 1n])]), 1],
      ['times alone and with values', types([times(T, T + 1n)], [both([7n, 8n], [T, T + 1n])]), 1],
      ['other times', types([times(T, T + 1n)], [times(T, T + 2n)]), 2],
      ['fewer times', types([times(T, T + 1n)], [times(T)]), 2],
      ['values alone and with times', types([{ stack: [foo], values: [2n] }], [both([2n], [T])]), 2],
    ])('with %s', (_, profiles, expected) => {
      expect(containersOf(writeReleased(profiles).bytes)).toHaveLength(expected)
      expectSame(read(writeReleased(profiles).bytes).profiles, profiles)
    })

    test('but not times without values, which keep their order', () => {
      const profiles = types([times(T + 1n, T)], [both([7n, 8n], [T + 1n, T])])
      expect(containersOf(writeReleased(profiles).bytes)).toHaveLength(2)
      const sorted = types([times(T + 1n, T)], [both([8n, 7n], [T, T + 1n])])
      expectSame(read(writeReleased(profiles).bytes).profiles, sorted)
    })

    test('with random values and times', () => {
      const time = fc.bigInt(T, T + 20n)
      const value = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(any => (any === 1n ? 2n : any))
      const row = fc.record({
        names: fc.subarray([foo, bar, baz], { minLength: 1 }),
        times: fc.uniqueArray(time, { minLength: 1, maxLength: 4 }).map(all => all.sort((a, b) => Number(a - b))),
        values: fc.array(fc.tuple(value, value), { minLength: 4, maxLength: 4 }),
      })
      const rows = fc.uniqueArray(row, {
        maxLength: 5,
        selector: ({ names }) => names.map(n => n.lines![0].function.name).join(),
      })
      const shapes = fc.array(fc.boolean(), { minLength: 2, maxLength: 2 })
      fc.assert(
        fc.property(rows, shapes, (all, withValues) => {
          const lists = withValues.map((has, type) =>
            all.map(({ names, times: timestamps, values }) => ({
              stack: names,
              timestamps,
              ...(has ? { values: timestamps.map((_, k) => values[k][type]) } : {}),
            })),
          )
          const profiles = types(...lists)
          expectSame(read(writeReleased(profiles).bytes).profiles, profiles)
        }),
      )
    })
  })

  test('writes ids, temporalities and the units of the document', () => {
    const units = ['nanoseconds', 'milliseconds', 'By', '1', 'samples', '']
    const samples = [{ stack: [], values: [1n] }]
    const list = units.map((unit, i) => ({ type: `t${i}`, unit, periodUnit: 'By', samples }))
    const { bytes } = write(buildProfiles([{ scopes: [{ profiles: [...list, { type: '', unit: '', samples }] }] }]))
    const [first, second] = containersOf(bytes)
    const profile = first['profile'] as Message
    const types = [...(profile['sample_type'] as unknown as Message[]), profile['period_type'] as Message]
    const strings = profile['string_table'] as readonly string[]
    const written = ['ns', 'ms', 'bytes', 'count', 'samples', '', 'bytes']
    expect(types.map(type => strings[Number(type['unit'] ?? 0)])).toEqual(written)
    expect(types.map(type => type['aggregation_temporality'])).toEqual(written.map(() => 1))
    expect([first, second].map(each => (each['profile_id'] as Uint8Array).length)).toEqual([16, 16])
    expect(first['profile_id']).not.toEqual(second['profile_id'])
  })

  test('writes one container for each container that was read', () => {
    const MS = 1_000_000n
    const time = 1_700_000_000_000_000_000n
    const sample = (value: bigint, ...times: readonly bigint[]): Uint8Array =>
      len(2, packed(2, [value, 2n * value]), packed(13, times))
    const strings = ['', 'cpu', 'wall'].map(string => text(6, string))
    const samples = [sample(1n), sample(5n, time + MS), sample(7n, time + 2n * MS), sample(3n)]
    const profile = len(8, len(1, varint(1, 1)), len(1, varint(1, 2)), ...samples, ...strings)
    const container = (id: number): Uint8Array => len(2, len(1, new Uint8Array(16).fill(id)), fixed64(2, time), profile)
    const bytes = len(1, len(2, container(1), container(2)))
    const { profiles } = read(bytes)
    expect(profiles.profiles.length).toBe(8)
    const again = write(profiles).bytes
    expect(containersOf(again)).toHaveLength(2)
    expectSame(read(again).profiles, profiles)
  })

  test('notes what it cannot represent', () => {
    const units = (unit: string): AttributeSpec[] => [{ key: 'k', value: 1n, unit }]
    const samples = [
      { stack: [foo], attributes: units('ms'), values: [1n] },
      { stack: [bar], attributes: units(''), values: [1n] },
      { stack: [baz] },
    ]
    const time = { timeUnixNano: 2n ** 64n - 1n, durationNano: 2n ** 63n }
    const { notes } = write(buildProfiles([{ scopes: [{ profiles: [{ type: 'a', unit: 'b', ...time, samples }] }] }]))
    expect(codes(notes).sort()).toEqual(['attribute-units', 'empty-samples', 'end-time'])
    expect(write(richProfiles()).bytes.length).toBeGreaterThan(100)
  })
})

describe('detectOtep239', () => {
  test('rejects other files', () => {
    expect(otep239.detect(encodeOtlp(richProfiles()), '')).toBe('no')
    expect(otep239.detect(documentExample(), '')).toBe('no')
    expect(otep239.detect(encodeUtf8('main;run 5\n'), '')).toBe('no')
    expect(otep239.detect(new Uint8Array(0), '')).toBe('no')
  })

  test('leaves an envelope to OTLP v1.3 if that reads the same', () => {
    expect(otep239.detect(envelope(everything()), '')).toBe('possible')
    expect(otep239.detect(envelope(len(8, leafFirstProfile())), '')).toBe('possible')
    expect(otep239.detect(envelope(len(8, slicesProfile())), '')).toBe('certain')
  })

  test('decides by the start of a file', () => {
    const bytes = write(read(envelope(len(8, slicesProfile()))).profiles).bytes
    expect(otep239.detect(bytes.subarray(0, 60), '')).toBe('certain')
    expect(otep239.detect(everything().subarray(0, 200), '')).toBe('certain')
  })
})

test('readOtep239 rejects broken input with an offset', () => {
  expectRejections(otep239, [...fixtures.map(({ bytes }) => bytes), pprof(), leafFirstProfile()])
})

/** Limits profiles to the document: its units, one unit per key, sorted times of a sample, and no value of 1 with times. */
function withinOtep(resource: ProfilesSpec[number]): ProfilesSpec[number] {
  return {
    ...resource,
    scopes: resource.scopes.map(scope => ({ ...scope, profiles: scope.profiles.map(profileWithin) })),
  }
}

function profileWithin(profile: ProfileSpec): ProfileSpec {
  const { unit, periodUnit = '', attributes, samples } = profile
  return {
    ...profile,
    unit: documentUnit(unit),
    periodUnit: documentUnit(periodUnit),
    attributes: oneUnit(attributes),
    samples: samples.map(sampleWithin),
  }
}

/** Limits timestamps to the unit of the document. */
function inMilliseconds(resource: ProfilesSpec[number]): ProfilesSpec[number] {
  const rounded = (sample: SampleSpec): SampleSpec =>
    sample.timestamps === undefined
      ? sample
      : { ...sample, timestamps: sample.timestamps.map(time => time - (time % 1_000_000n)) }
  const profileIn = (profile: ProfileSpec): ProfileSpec => ({ ...profile, samples: profile.samples.map(rounded) })
  return {
    ...resource,
    scopes: resource.scopes.map(scope => ({ ...scope, profiles: scope.profiles.map(profileIn) })),
  }
}

function documentUnit(unit: string): string {
  return { nanoseconds: 'ns', milliseconds: 'ms', By: 'bytes', '1': 'count' }[unit] ?? unit
}

function sampleWithin(sample: SampleSpec): SampleSpec {
  const { timestamps = [], values = [] } = sample
  const order = timestamps.map((time, i) => [time, i] as const)
  order.sort(([a, i], [b, k]) => (a < b ? -1 : a > b ? 1 : i - k))
  const sorted = timestamps.length > 0 && values.length > 0 ? order.map(([, i]) => values[i]) : values
  return {
    ...sample,
    timestamps: order.map(([time]) => time),
    values: timestamps.length > 0 ? sorted.map(value => (value === 1n ? 2n : value)) : sorted,
    attributes: oneUnit(sample.attributes),
    stack: sample.stack.map(location => ({
      ...location,
      attributes: oneUnit(location.attributes),
      mapping: location.mapping && { ...location.mapping, attributes: oneUnit(location.mapping.attributes) },
    })),
  }
}

function oneUnit(attributes: readonly AttributeSpec[] = []): AttributeSpec[] {
  return attributes.map(({ key, value }) => ({ key, value, unit: key.length % 2 === 0 ? 'ms' : '' }))
}
