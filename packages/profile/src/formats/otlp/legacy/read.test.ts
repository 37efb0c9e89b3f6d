// The remaining features of generations up to v1.7, and how they appear in the model.
import { describe, expect, test } from 'vitest'
import type { AnyValue } from '../../../model/columns/any-value.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import { WireError } from '../../../wire/wire-error.ts'
import { NoteList } from '../../format.ts'
import type { LegacyRoot } from './read.ts'
import { legacyToProfiles, readLegacy } from './read.ts'
import type { PlainMessage } from '../testing/encode-message.ts'
import { encodeMessage } from '../testing/encode-message.ts'
import type { Read } from '../testing/read-legacy.ts'
import { CPU, attributes, codes, frames, read, readProfile, shapes } from '../testing/read-legacy.ts'

describe('readLegacy of headers', () => {
  const strings = ['', 'cpu', 'ns', 'hello', 'world', 'wall', 'rate', 'hz']

  test('reads all fields of v1.7', () => {
    const result = read('v1.7', {
      resource_profiles: [
        {
          resource: {
            attributes: [{ key: 'service.name', value: { string_value: 'shop' } }],
            dropped_attributes_count: 2,
            entity_refs: [{ type: 'service', id_keys: ['service.name'] }],
          },
          schema_url: 'https://resource',
          scope_profiles: [
            {
              scope: { name: 'profiler', version: '1', attributes: [{ key: 'x', value: { bool_value: true } }] },
              schema_url: 'https://scope',
              profiles: [
                {
                  sample_type: [
                    { type_strindex: 5, unit_strindex: 2, aggregation_temporality: 2 },
                    { type_strindex: 1, unit_strindex: 2, aggregation_temporality: 1 },
                  ],
                  time_nanos: 2n ** 62n,
                  duration_nanos: 5n,
                  period_type: { type_strindex: 6, unit_strindex: 7, aggregation_temporality: 1 },
                  period: -3n,
                  comment_strindices: [3, 4],
                  default_sample_type_index: 1,
                  profile_id: Uint8Array.of(1, 2),
                  dropped_attributes_count: 4,
                  original_payload_format: 'pprof',
                  original_payload: Uint8Array.of(9),
                  attribute_indices: [0],
                },
              ],
            },
          ],
        },
      ],
      dictionary: { string_table: strings, attribute_table: [{ key: 'p', value: { double_value: 0.5 } }] },
    })
    const { resources, scopes, profiles } = result.profiles
    expect(resources.resource(0)).toEqual({
      attributes: [{ key: 'service.name', value: 'shop' }],
      droppedAttributesCount: 2,
      entityRefs: [{ schemaUrl: '', type: 'service', idKeys: ['service.name'], descriptionKeys: [] }],
    })
    expect([resources.schemaUrl(0), scopes.schemaUrl(0)]).toEqual(['https://resource', 'https://scope'])
    expect(scopes.scope(0)).toEqual({
      name: 'profiler',
      version: '1',
      attributes: [
        { key: 'x', value: true },
        { key: 'pprof.scope.default_sample_type', value: 'cpu' },
      ],
      droppedAttributesCount: 0,
    })
    expect(shapes(result)).toEqual([{ 'wall/ns': [] }, { 'cpu/ns': [] }])
    for (const i of [0, 1]) {
      expect([profiles.time(i), profiles.duration(i), profiles.period(i)]).toEqual([2n ** 62n, 5n, -3n])
      expect(profiles.id(i)).toEqual(Uint8Array.of(1, 2))
      expect(profiles.droppedAttributes(i)).toBe(4)
      expect(profiles.originalPayloadFormat(i)).toBe('pprof')
      expect(profiles.originalPayload(i)).toEqual(Uint8Array.of(9))
      expect(attributes(result, profiles.attributesOf(i))).toEqual({
        p: 0.5,
        'pprof.profile.comment': ['hello', 'world'],
        [ATTRIBUTES.aggregationTemporality]: ['cumulative', 'delta'][i],
      })
    }
    expect(codes(result)).toEqual({ 'period-temporality': 1 })
  })

  test('does not count the temporality of a period that repeats that of the first type', () => {
    const type = { type_strindex: 1, unit_strindex: 2, aggregation_temporality: 1 }
    const profile = { string_table: strings, sample_type: [type], period_type: type }
    expect(codes(read('v1.5', { resource_profiles: [{ scope_profiles: [{ profiles: [profile] }] }] }))).toEqual({})
  })

  test('splits scopes whose profiles differ in their default type', () => {
    const profile = (type: number): PlainMessage => ({ string_table: strings, default_sample_type_strindex: type })
    const result = read('v1.5', {
      resource_profiles: [
        {
          scope_profiles: [
            { scope: { name: 's' }, profiles: [profile(0), profile(1), profile(1), profile(5)] },
            { scope: { name: 'empty' } },
          ],
        },
      ],
    })
    const { scopes } = result.profiles
    const kept = Array.from({ length: scopes.length }, (_, i) => [
      scopes.scope(i).name,
      scopes.scope(i).attributes.map(({ value }) => value),
      scopes.to(i) - scopes.from(i),
    ])
    expect(kept).toEqual([
      ['s', [], 1],
      ['s', ['cpu'], 2],
      ['s', ['wall'], 1],
      ['empty', [], 0],
    ])
    expect(codes(result)).toEqual({ 'scopes-split': 2 })
  })

  test('reads the attributes in a profile of v1.4', () => {
    const result = read('v1.4', {
      resource_profiles: [
        {
          scope_profiles: [
            {
              profiles: [
                {
                  string_table: ['', 'k', 'ms'],
                  attributes: [
                    {
                      key: 'k',
                      value: { kvlist_value: { values: [{ key: 'in', value: { bytes_value: Uint8Array.of(1) } }] } },
                    },
                  ],
                  attribute_units: [{ attribute_key_strindex: 1, unit_strindex: 2 }],
                },
              ],
            },
          ],
        },
      ],
    })
    expect(attributes(result, result.profiles.profiles.attributesOf(0))).toEqual({
      'k (ms)': { entries: [{ key: 'in', value: Uint8Array.of(1) }] },
    })
  })

  test('drops negative times', () => {
    const result = readProfile({ sample_type: [CPU], time_nanos: -1n, duration_nanos: -2n })
    expect([result.profiles.profiles.time(0), result.profiles.profiles.duration(0)]).toEqual([0n, 0n])
    expect(codes(result)).toEqual({ 'negative-time': 2 })
  })
})

describe('readLegacy of v1.3', () => {
  const strings = [
    '',
    'main',
    'run',
    'abc',
    '0123456789abcdef0123456789ABCDEF',
    'native',
    'id',
    'key',
    'bytes',
    'drop',
    'keep',
    'note',
    'cpu',
  ]

  function readContained(profile: PlainMessage, container: PlainMessage = {}): Read {
    const contained = { ...container, profile: { string_table: strings, ...profile } }
    return read('v1.3', { resource_profiles: [{ scope_profiles: [{ profiles: [contained] }] }] })
  }

  const functions = [
    { id: 7n, name: 1n },
    { id: 8n, name: 2n },
  ]
  const locations = [
    { id: 1n, line: [{ function_index: 0n }] },
    { id: 2n, line: [{ function_index: 1n }] },
  ]

  test('reads both forms of stacks', () => {
    const result = readContained({
      sample_type: [{ type: 12n }],
      function: functions,
      location: locations,
      location_indices: [1n, 1n, 0n],
      sample: [
        { value: [1n], location_index: [1n, 0n] },
        { value: [1n], locations_start_index: 1n, locations_length: 2n },
        { value: [1n], locations_start_index: 0n, locations_length: 1n, location_index: [0n] },
        { value: [1n] },
      ],
    })
    expect([0, 1, 2, 3].map(i => frames(result, i))).toEqual([['run', 'main'], ['run', 'main'], ['run'], []])
    expect(codes(result)).toEqual({ 'two-stacks': 1 })
  })

  test('reads mapping 0 as the first mapping and link 0 as none', () => {
    const result = readContained({
      sample_type: [{ type: 12n }],
      mapping: [{ id: 3n, memory_start: 1n, memory_limit: 2n }],
      location: [{ address: 5n }],
      location_indices: [0n],
      link_table: [
        { trace_id: new Uint8Array(16).fill(1), span_id: new Uint8Array(8).fill(1) },
        { trace_id: new Uint8Array(16).fill(2), span_id: new Uint8Array(8).fill(2) },
      ],
      sample: [
        { value: [1n], locations_length: 1n },
        { value: [1n], locations_length: 1n, link: 1n },
      ],
    })
    const { locations: table, mappings, links, stacks } = result.profiles.dictionary
    expect(mappings.memoryLimit(table.mapping(stacks.locations.at(0)))).toBe(2n)
    expect(result.profiles.samples.link(0)).toBe(0)
    expect(links.spanId(result.profiles.samples.link(1))).toEqual(new Uint8Array(8).fill(2))
    const none = readContained({
      sample_type: [{}],
      location: [{}],
      location_indices: [0n],
      sample: [{ value: [1n], locations_length: 1n }],
    })
    expect(none.profiles.dictionary.locations.mapping(none.profiles.dictionary.stacks.locations.at(0))).toBe(0)
  })

  test('reads build ids and frame types', () => {
    const result = readContained({
      mapping: [
        { build_id: 3n, memory_start: 1n },
        { build_id: 4n, build_id_kind: 1, memory_start: 2n },
        { build_id: 3n, build_id_kind: 1, memory_start: 3n },
      ],
      location: [0n, 1n, 2n].map(mapping_index => ({ mapping_index, type_index: 5 })),
      sample_type: [{}],
      sample: [{ value: [1n], location_index: [0n, 1n, 2n] }],
    })
    const { locations: table, mappings, stacks } = result.profiles.dictionary
    const rows = stacks.locations.slice(0, 3)
    expect(rows.map(row => attributes(result, mappings.attributesOf(table.mapping(row))))).toEqual([
      { 'process.executable.build_id.gnu': 'abc' },
      { 'process.executable.build_id.htlhash': '0123456789abcdef0123456789ABCDEF' },
      { 'process.executable.build_id.profiling': 'abc' },
    ])
    for (const row of rows)
      expect(attributes(result, table.attributesOf(row))).toEqual({ 'profile.frame.type': 'native' })
  })

  test('reads labels', () => {
    const result = readContained({
      sample_type: [{}],
      attribute_table: [{ key: 'own', value: { int_value: 1n } }],
      sample: [
        { value: [1n], attributes: [0n], stacktrace_id_index: 6, label: [{ key: 7n, str: 3n }] },
        { value: [1n], label: [{ key: 7n, num: -5n, num_unit: 8n }] },
        {
          value: [1n],
          label: [
            { key: 7n, str: 3n },
            { key: 6n, num: 1n },
            { key: 7n, num: 4n },
          ],
        },
        { value: [1n], label: [{ key: 7n, str: 3n, num: 4n }] },
      ],
    })
    const of = (i: number): Record<string, AnyValue> => attributes(result, result.profiles.samples.attributesOf(i))
    expect([0, 1, 2, 3].map(of)).toEqual([
      { own: 1n, 'otep239.sample.stacktrace_id': 'id', key: 'abc' },
      { 'key (bytes)': -5n },
      { key: ['abc', 4n], id: 1n },
      { key: 'abc' },
    ])
    expect(codes(result)).toEqual({ 'label-numbers': 1 })
    expect(() =>
      readContained({ sample_type: [{}], sample: [{ value: [1n], label: [{}, { key: 7n, str: 99n }] }] }),
    ).toThrow('profiles[0].profile.sample[0].label[1].str')
  })

  test('prefers the fields of the container and converts the others to attributes', () => {
    const result = readContained(
      {
        time_nanos: 5n,
        duration_nanos: 6n,
        drop_frames: 9n,
        keep_frames: 10n,
        comment: [11n],
        default_sample_type: 12n,
      },
      {
        start_time_unix_nano: 100n,
        end_time_unix_nano: 130n,
        profile_id: Uint8Array.of(3),
        attributes: [{ key: 'a', value: { string_value: 'b' } }],
        original_payload_format: 'jfr',
        original_payload: Uint8Array.of(1),
      },
    )
    const { profiles, scopes } = result.profiles
    expect([profiles.time(0), profiles.duration(0)]).toEqual([100n, 30n])
    expect(profiles.id(0)).toEqual(Uint8Array.of(3))
    expect(profiles.originalPayloadFormat(0)).toBe('jfr')
    expect(attributes(result, profiles.attributesOf(0))).toEqual({
      a: 'b',
      'pprof.profile.comment': ['note'],
      'pprof.profile.drop_frames': 'drop',
      'pprof.profile.keep_frames': 'keep',
    })
    expect(scopes.scope(0).attributes).toEqual([{ key: 'pprof.scope.default_sample_type', value: 'cpu' }])
  })

  test.each([
    [{}, [5n, 6n], {}],
    [{ start_time_unix_nano: 100n }, [100n, 6n], {}],
    [{ end_time_unix_nano: 9n }, [5n, 4n], {}],
    [{ end_time_unix_nano: 3n }, [5n, 6n], { 'end-before-start': 1 }],
  ])('reads the times of the container %o', (container, times, notes) => {
    const result = readContained({ time_nanos: 5n, duration_nanos: 6n }, container)
    expect([result.profiles.profiles.time(0), result.profiles.profiles.duration(0)]).toEqual(times)
    expect(codes(result)).toEqual(notes)
  })
})

describe('readLegacy of broken input', () => {
  test('throws WireError for broken bytes and notes unknown fields', () => {
    expect(() => readLegacy(Uint8Array.of(0x0a, 9), 0, 2, 'v1.5', new NoteList())).toThrow(WireError)
    const notes = new NoteList()
    readLegacy(Uint8Array.of(0x50, 1), 0, 2, 'v1.5', notes)
    expect(notes.list()).toMatchObject([{ code: 'unknown-fields', count: 1 }])
  })

  test('finds broken samples, although it reads them one by one', () => {
    const bytes = encodeMessage('v1.7', {
      resource_profiles: [{ scope_profiles: [{ profiles: [{ sample: [{ value: [1n] }] }] }] }],
    })
    // The length of the packed values.
    bytes[bytes.length - 2] = 9
    expect(() => readLegacy(bytes, 0, bytes.length, 'v1.7', new NoteList())).toThrow(WireError)
  })
})

test('legacyToProfiles accepts objects that were not read from bytes, as from OTLP/JSON', () => {
  const root: LegacyRoot = {
    resource_profiles: [
      {
        scope_profiles: [
          {
            profiles: [
              {
                sample_type: [{ type_strindex: 1, unit_strindex: 2 }],
                sample: [{ value: [5n], timestamps_unix_nano: [6n], attribute_indices: [0], locations_length: 1 }],
                location_indices: [0],
              },
            ],
          },
        ],
      },
    ],
    dictionary: {
      string_table: ['', 'cpu', 'ns', 'main'],
      attribute_table: [{ key: 'k', value: { string_value: 'v' } }],
      function_table: [{ name_strindex: 3 }],
      location_table: [{ line: [{ function_index: 0 }] }],
    },
  }
  const notes = new NoteList()
  const result = { profiles: legacyToProfiles(root, 'v1.7', notes), notes: notes.list() }
  expect(shapes(result)).toEqual([{ 'cpu/ns': [{ values: [5n], times: [6n] }] }])
  expect(frames(result, 0)).toEqual(['main'])
  expect(attributes(result, result.profiles.samples.attributesOf(0))).toEqual({ k: 'v' })
})
