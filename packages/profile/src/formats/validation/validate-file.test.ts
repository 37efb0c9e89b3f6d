import { describe, expect, it } from 'vitest'
import type { Problem } from '../../model/validate/problems.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { formats } from '../registry.ts'
import type { PlainMessage } from '../otlp/testing/encode-message.ts'
import { encodeMessage } from '../otlp/testing/encode-message.ts'
import { framed } from '../otlp/testing/framed.ts'
import { simpleExample } from '../otep239/testing/fixtures.ts'
import { readProfile } from '../read-profile.ts'
import { fixturesOf } from '../testing/fixtures-of.ts'
import { fixed64, hex, join, len, packed, text, varint } from '../testing/wire.ts'
import { validateFile } from './validate-file.ts'

function problemsOf(bytes: Uint8Array, format: string, strict = false): readonly Problem[] {
  try {
    return validateFile(bytes, readProfile(bytes, { format }).profiles, { format, strict })
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return validateFile(bytes, error, { format, strict })
  }
}

const shown = (problems: readonly Problem[]): string[] =>
  problems.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)

const strings = (field: number, ...all: string[]): Uint8Array =>
  join(...['', ...all].map(string => text(field, string)))

/** A current payload with these dictionary rows and fields of its profile, besides zero rows. */
function current(rows: Uint8Array, profile: Uint8Array, resource = join()): Uint8Array {
  const dictionary = len(2, len(1), len(2), len(3), len(4), strings(5, 'cpu', 'ns', 'a'), len(6), len(7), rows)
  return join(len(1, len(1, resource), len(2, len(1), len(2, len(1, varint(1, 1), varint(2, 2)), profile))), dictionary)
}

const SAMPLE = 'resource_profiles[0].scope_profiles[0].profiles[0].samples'

describe('validateFile of an OTLP/JSON file', () => {
  it('reports every problem after a broken reference, also if the file ends with a line break', () => {
    const profile = (stackIndex: number) => ({
      sampleType: { typeStrindex: 1, unitStrindex: 2 },
      samples: [{ stackIndex, values: ['1'] }],
    })
    const tables = { mappingTable: [{}], locationTable: [{}], functionTable: [{}], linkTable: [{}], stackTable: [{}] }
    const file = {
      dictionary: { stringTable: ['', 'cpu', 'ns'], attributeTable: [{}], ...tables },
      resourceProfiles: [{ scopeProfiles: [{ profiles: [profile(8), profile(9)] }] }],
    }
    for (const end of ['', '\n', ' \r\n']) {
      const problems = problemsOf(encodeUtf8(JSON.stringify(file) + end), 'otlp-json')
      expect(problems.map(({ rule, path }) => [rule, path])).toEqual([
        ['reference-range', 'resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0].stackIndex'],
        ['reference-range', 'resourceProfiles[0].scopeProfiles[0].profiles[1].samples[0].stackIndex'],
      ])
    }
  })
})

describe('validateFile of a current OTLP message', () => {
  it('finds nothing in a valid message', () => {
    expect(problemsOf(current(join(), len(2, packed(4, [1]))), 'otlp')).toEqual([])
  })

  it('reports every broken reference and continues with the other rules', () => {
    const bytes = current(
      join(len(6, varint(1, 3), len(2, varint(8, 77))), len(7, packed(1, [8, 0, 9]))),
      join(len(2, varint(1, 5), packed(4, [1])), len(2, varint(1, 1), varint(3, 6))),
    )
    expect(shown(problemsOf(bytes, 'otlp'))).toEqual([
      `reference-range ${SAMPLE}[0].stack_index: 5 is out of range: stack_table has 2 rows`,
      `reference-range ${SAMPLE}[1].link_index: 6 is out of range: link_table has 1 rows`,
      'reference-range dictionary.attribute_table[1].value.string_value_strindex: 77 is out of range: string_table has 4 rows',
      'reference-range dictionary.stack_table[1].location_indices[0]: 8 is out of range: location_table has 1 rows',
      'reference-range dictionary.stack_table[1].location_indices[2]: 9 is out of range: location_table has 1 rows',
      `sample-empty ${SAMPLE}[1]: it has neither values nor timestamps`,
    ])
  })

  it('reports an attribute with both a key and a reference to one', () => {
    const resource = len(1, text(1, 'a'), len(2, text(1, 'x')), varint(3, 3))
    expect(shown(problemsOf(current(join(), len(2, packed(4, [1])), resource), 'otlp'))).toEqual([
      'key-twice resource_profiles[0].resource.attributes[0].key_strindex: key is "a" as well',
    ])
  })

  it('reports rows that are not zero and tables without row 0 next to broken references', () => {
    const bytes = join(
      len(1, len(2, len(2, len(2, varint(1, 7), packed(4, [1]))))),
      len(2, len(3, varint(1, 1)), text(5, 'x'), text(5, 'y')),
    )
    const rules = problemsOf(bytes, 'otlp').map(({ rule, path }) => `${rule} ${path}`)
    expect(rules).toEqual([
      `reference-range ${SAMPLE}[0].stack_index`,
      ...['attribute_table', 'mapping_table', 'location_table', 'link_table', 'stack_table'].map(
        table => `zero-row-present dictionary.${table}`,
      ),
      'zero-row-value dictionary.string_table[0]',
      'zero-row-value dictionary.function_table[0]',
    ])
  })
})

describe('validateFile of other forms of OTLP', () => {
  it('names fields as v1.8 does', () => {
    const bytes = join(
      len(
        1,
        len(
          2,
          len(2, len(1, varint(1, 1), varint(2, 2), varint(3, 1)), len(2, packed(2, [1])), len(2, packed(2, [1]))),
        ),
      ),
      len(2, len(1), len(2), len(2, len(3, varint(2, 7))), len(3), len(4), strings(5, 'cpu', 'ns'), len(6), len(7)),
    )
    const paths = problemsOf(bytes, 'otlp', true).map(({ rule, path }) => `${rule} ${path}`)
    expect(paths).toContain(`sample-identity ${SAMPLE.slice(0, -1)}[1]`)
    expect(paths).toContain('line-function dictionary.location_table[1].line[0].function_index')
  })

  it('checks a file of the next generation', () => {
    const bytes = current(join(), len(2, packed(4, [1])))
    const { profiles } = readProfile(bytes, { format: 'otlp', generation: 'next' })
    expect(validateFile(bytes, profiles, { format: 'otlp', generation: 'next' })).toEqual([])
  })

  it('reports the problems of each message of a file with several', () => {
    const bytes = framed(current(join(), len(2, packed(4, [1]))), current(len(6), len(2, packed(4, [1, 2]))))
    expect(shown(problemsOf(bytes, 'otlp'))).toEqual([
      'attribute-key-empty message[1].dictionary.attribute_table[1].key_strindex: the attribute has an empty key',
      `sample-one-value message[1].${SAMPLE}[0]: 2 values and no timestamps`,
    ])
  })

  const json = (stackIndex: number, more: object = {}): Uint8Array => {
    const [row] = [[{}]]
    const tables = { mappingTable: row, locationTable: row, functionTable: row, linkTable: row, stackTable: row }
    const sampleType = { typeStrindex: 1, unitStrindex: 2 }
    const profile = { sampleType, samples: [{ stackIndex, values: ['1'] }, { values: ['1'] }] }
    const resource = { attributes: [{ keyStrindex: 3, value: { stringValueStrindex: 3 } }, more] }
    const attributeTable = [{}, { keyStrindex: 3, value: { intValue: '1' }, unitStrindex: 3 }]
    return encodeUtf8(
      JSON.stringify({
        resourceProfiles: [{ resource, scopeProfiles: [{ scope: {}, profiles: [profile] }] }],
        dictionary: { ...tables, stringTable: ['', 'cpu', 'ns', 'bytes'], attributeTable },
      }),
    )
  }

  it('names fields as JSON does, and reports empty keys', () => {
    const own = (bytes: Uint8Array): string[] =>
      problemsOf(bytes, 'otlp-json', true).map(({ rule, path }) => `${rule} ${path}`)
    const profile = 'resourceProfiles[0].scopeProfiles[0].profiles[0]'
    expect(own(json(0, { key: 'a' }))).toEqual([
      'dictionary-orphan dictionary.attributeTable[1]',
      'attribute-unit-ucum dictionary.attributeTable[1].unitStrindex',
      `sample-identity ${profile}.samples[1]`,
    ])
    expect(own(json(4, { value: { intValue: '1' } }))).toEqual([
      `reference-range ${profile}.samples[0].stackIndex`,
      'attribute-key-empty resourceProfiles[0].resource.attributes[1].key',
    ])
  })

  it('does not call strings orphans that only a resource refers to', () => {
    const resource = len(1, len(2, varint(8, 3)), varint(3, 4))
    const bytes = current(text(5, 'service.name'), len(2, packed(4, [1])), resource)
    expect(shown(problemsOf(bytes, 'otlp', true))).toEqual([])
  })
})

describe('validateFile of OTEP 0239', () => {
  const ID = hex('0102030405060708090a0b0c0d0e0f10')
  const TYPE = len(1, varint(1, 1), varint(2, 2), varint(3, 1))
  const STRINGS = strings(6, 'cpu', 'ns', 'k')

  const file = (...containers: Uint8Array[]): Uint8Array => len(1, len(2, ...containers.map(each => len(2, each))))
  const container = (profile: Uint8Array, ...header: Uint8Array[]): Uint8Array =>
    join(...(header.length === 0 ? [len(1, ID), fixed64(2, 10n), fixed64(3, 20n)] : header), len(8, profile))
  const PATH = 'resource_profiles[0].scope_profiles[0].profiles[0]'

  it('finds nothing in the first example of the document', () => {
    expect(problemsOf(simpleExample(), 'otep239', true)).toEqual([])
  })

  it('reports missing ids and times, and an end before the start', () => {
    const empty = join(TYPE, STRINGS)
    expect(shown(problemsOf(file(container(empty, fixed64(2, 20n), fixed64(3, 10n))), 'otep239'))).toEqual([
      `profile-id-missing ${PATH}.profile_id: the id is missing`,
      `time-order ${PATH}.end_time_unix_nano: 10 is before the start 20`,
    ])
    expect(problemsOf(file(container(empty, len(1, ID))), 'otep239', true).map(({ rule }) => rule)).toEqual([
      'time-missing',
      'time-missing',
    ])
  })

  it('reports an unspecified temporality, payloads without profile or format, and repeated ids', () => {
    const unspecified = container(join(len(1, varint(1, 1), varint(2, 2)), STRINGS))
    const bare = join(len(1, ID), fixed64(2, 10n), fixed64(3, 20n), len(7, ID))
    const rules = problemsOf(file(unspecified, bare), 'otep239', true).map(({ rule, path }) => `${rule} ${path}`)
    expect(rules).toEqual([
      'profile-missing resource_profiles[0].scope_profiles[0].profiles[1].profile',
      `temporality-unspecified ${PATH}.profile.sample_type[0].aggregation_temporality`,
      'profile-id-unique resource_profiles[0].scope_profiles[0].profiles[1].profile_id',
      'original-payload-pair resource_profiles[0].scope_profiles[0].profiles[1].original_payload',
    ])
  })

  it('reports timestamps outside the time range of their profile, in any unit', () => {
    const timed = (...times: bigint[]): Uint8Array =>
      join(TYPE, len(2, packed(2, [BigInt(times.length)]), packed(13, times)), STRINGS)
    const MS = 1_700_000_000_000n
    const header = (start: bigint, end: bigint): Uint8Array[] => [len(1, ID), fixed64(2, start), fixed64(3, end)]
    const [start, end] = [MS * 1_000_000n + 5n, (MS + 10n) * 1_000_000n]
    for (const format of ['otep239', 'otlp']) {
      expect(problemsOf(file(container(timed(MS, MS + 10n), ...header(start, end))), format, true)).toEqual([])
      expect(shown(problemsOf(file(container(timed(MS - 1n, MS + 11n), ...header(start, end))), format, true))).toEqual(
        [
          `timestamp-range ${PATH}.profile.sample[0].timestamps_unix_nano[0]: 1699999999999000000 is not in [${start}, ${end}] (nanoseconds)`,
          `timestamp-range ${PATH}.profile.sample[0].timestamps_unix_nano[1]: 1700000000011000000 is not in [${start}, ${end}] (nanoseconds)`,
        ],
      )
      expect(shown(problemsOf(file(container(timed(MS), ...header(start, start))), format, true))).toEqual([
        `timestamp-duration ${PATH}.end_time_unix_nano: the samples have timestamps, but the profile has no duration`,
      ])
    }
  })

  it('accepts a start of 0 if a timestamp is 0', () => {
    const timed = join(TYPE, len(2, packed(2, [1]), packed(13, [0])), STRINGS)
    expect(problemsOf(file(container(timed, len(1, ID), fixed64(3, 20n))), 'otep239', true)).toEqual([])
  })

  it('reports link 0 as ambiguous if the first link is not empty', () => {
    const sample = (...fields: Uint8Array[]): Uint8Array => len(2, packed(2, [1]), ...fields)
    const link = (id: number): Uint8Array => len(18, len(1, ID), len(2, new Uint8Array(8).fill(id)))
    const linked = (first: Uint8Array): Uint8Array =>
      file(container(join(TYPE, sample(), sample(varint(12, 1)), STRINGS, first, link(3))))
    const found = [`ambiguous-link ${PATH}.profile.sample[0].link: it is 0, which means "none" or the first link`]
    for (const format of ['otep239', 'otlp']) {
      expect(shown(problemsOf(linked(link(2)), format, true))).toEqual(found)
      expect(problemsOf(linked(len(18)), format, true)).toEqual([])
    }
  })

  it('reports labels with two values, repeated labels, broken ranges and every broken reference', () => {
    const label = (...fields: Uint8Array[]): Uint8Array => len(3, varint(1, 3), ...fields)
    const sample = len(
      2,
      packed(2, [1, 2]),
      label(varint(2, 1), varint(3, 5)),
      label(varint(3, 1)),
      varint(7, 4),
      varint(8, 2),
    )
    const profile = join(TYPE, sample, len(5, varint(2, 9), varint(4, 8)), STRINGS)
    expect(shown(problemsOf(file(container(profile)), 'otep239', true))).toEqual([
      `location-range ${PATH}.profile.sample[0].locations_start_index: locations 4 to 6 are outside location_indices (length 0)`,
      `sample-values ${PATH}.profile.sample[0]: it has 2 values and 0 timestamps, but the profile has 1 sample types`,
      `label-value ${PATH}.profile.sample[0].label[0]: it has both str and num`,
      `label-keys-unique ${PATH}.profile.sample[0].label[1]: the key "k" is that of label[0] too`,
      `reference-range ${PATH}.profile.function[0].name: 9 is out of range: string_table has 4 rows`,
      `reference-range ${PATH}.profile.function[0].filename: 8 is out of range: string_table has 4 rows`,
    ])
  })
})

describe('validateFile of OTLP v1.4 to v1.7', () => {
  it('reports timestamps outside the time range of their profile', () => {
    const type = { type_strindex: 1, unit_strindex: 2, aggregation_temporality: 1 }
    const sample = { value: [1n], timestamps_unix_nano: [5n] }
    const profile = { sample_type: [type], sample: [sample], time_nanos: 10n, duration_nanos: 20n }
    const content = (own: PlainMessage): PlainMessage => ({
      resource_profiles: [{ scope_profiles: [{ profiles: [own] }] }],
    })
    const found = (generation: 'v1.4' | 'v1.7', range: PlainMessage): string[] => {
      const tables = { string_table: ['', 'cpu', 'ns'] }
      const message =
        generation === 'v1.4'
          ? content({ ...profile, ...range, ...tables })
          : { ...content({ ...profile, ...range }), dictionary: tables }
      const bytes = encodeMessage(generation, message)
      const { profiles } = readProfile(bytes, { format: 'otlp', generation })
      return shown(validateFile(bytes, profiles, { format: 'otlp', generation, strict: true }))
    }
    const path = 'resource_profiles[0].scope_profiles[0].profiles[0]'
    for (const generation of ['v1.4', 'v1.7'] as const) {
      expect(found(generation, {})).toEqual([
        `timestamp-range ${path}.sample[0].timestamps_unix_nano[0]: 5 is not in [10, 30] (nanoseconds)`,
      ])
      expect(found(generation, { time_nanos: 5n })).toEqual([])
      expect(found(generation, { duration_nanos: 0n })).toEqual([
        `timestamp-duration ${path}.duration_nanos: the samples have timestamps, but the profile has no duration`,
      ])
    }
  })
})

describe('validateFile of the arrays draft', () => {
  const ID = hex('0102030405060708090a0b0c0d0e0f10')
  const TIMES = join(fixed64(2, 10n), fixed64(3, 20n))
  const TABLES = join(len(7, packed(1, [0])), len(9), text(13, ''), text(13, 'k'))
  const LIST = len(14, packed(10, [0]), packed(13, [5]))
  const PATH = 'resource_profiles[0].scope_profiles[0].profiles[0]'
  const arrays = (...profile: Uint8Array[]): string[] =>
    shown(problemsOf(len(1, len(2, ...profile.map(each => len(2, each)))), 'arrays-draft', true))

  it('finds nothing in a valid file', () => {
    expect(arrays(join(len(1, ID), TIMES, TABLES, LIST))).toEqual([])
  })

  it('reports every broken reference with the path of the file', () => {
    const profile = join(
      len(1, ID),
      TIMES,
      len(7, packed(1, [0, 3])),
      len(9, varint(1, 2), len(3, varint(1, 4)), packed(5, [6])),
      len(8, varint(4, 9), packed(7, [7])),
      len(10, varint(1, 8)),
      text(13, ''),
      len(11),
      len(12),
      len(14, varint(3, 5), packed(10, [0, 2]), packed(11, [0, 4]), packed(12, [3, 0]), packed(13, [1, 1])),
    )
    expect(arrays(profile).map(each => each.slice(0, each.indexOf(':')))).toEqual(
      [
        'stacktraces[0].location_indices[1]',
        'mappings[0].filename_index',
        'mappings[0].attribute_set_indices[0]',
        'locations[0].mapping_index',
        'locations[0].line[0].function_index',
        'locations[0].attribute_set_indices[0]',
        'functions[0].name_index',
        'profile_types[0].type_index',
        'profile_types[0].stacktrace_indices[1]',
        'profile_types[0].link_indices[1]',
        'profile_types[0].attribute_set_indices[0]',
      ].map(path => `reference-range ${PATH}.${path}`),
    )
  })

  it('reports arrays of different lengths, row 0 that is not empty, repeated keys, and broken ids and times', () => {
    const key = len(1, text(1, 'k'), len(2))
    const profile = join(
      fixed64(2, 20n),
      fixed64(3, 10n),
      len(7),
      text(13, 'x'),
      len(11, len(1, ID)),
      len(12, key, key),
      len(14, packed(10, [0, 0]), packed(11, [0]), packed(13, [1]), packed(14, [1, 2, 3])),
      len(14, varint(3, 0)),
    )
    expect(arrays(profile, join(len(1, ID), TIMES, TABLES, LIST), join(len(1, ID), TABLES, LIST))).toEqual([
      `profile-id-missing ${PATH}.profile_id: the id is missing`,
      `time-missing ${PATH.slice(0, -2)}2].start_time_unix_nano: the start time is missing`,
      `time-missing ${PATH.slice(0, -2)}2].end_time_unix_nano: the end time is missing`,
      `time-order ${PATH}.end_time_unix_nano: 10 is before the start 20`,
      `list-lengths ${PATH}.profile_types[0].values: it has 1 entries, but stacktrace_indices has 2`,
      `list-lengths ${PATH}.profile_types[0].link_indices: it has 1 entries, but stacktrace_indices has 2`,
      `list-lengths ${PATH}.profile_types[0].timestamps: it has 3 entries, but stacktrace_indices has 2`,
      `list-empty ${PATH}.profile_types[1]: stacktrace_indices and values are empty`,
      `zero-row-value ${PATH}.string_table[0]: row 0 must be the empty string`,
      `zero-row-value ${PATH}.links[0]: row 0 must be the zero value`,
      `zero-row-value ${PATH}.attribute_sets[0]: row 0 must be the zero value`,
      `attribute-keys-unique ${PATH}.attribute_sets[0].attributes[1]: the key "k" is that of attributes[0] too`,
      `span-id-length ${PATH}.links[0].span_id: the id has 0 bytes, but needs 8`,
      `profile-id-unique ${PATH.slice(0, -2)}2].profile_id: it equals that of ${PATH.slice(0, -2)}1]`,
    ])
  })

  it('uses the field names of each numbering', () => {
    const last = join(len(1, ID), len(3), len(10, packed(1, [4]), packed(4, [1])), fixed64(13, 1n), fixed64(14, 2n))
    expect(shown(problemsOf(len(1, len(2, len(2, last))), 'arrays-draft', true))).toEqual([
      `reference-range ${PATH}.sample_lists[0].stacktrace_indices[0]: 4 is out of range: stacktraces has 1 rows`,
    ])
    const first = join(len(2), len(6, varint(1, 3)), text(9, ''), len(10, packed(10, [4]), packed(13, [1])))
    expect(shown(problemsOf(len(1, len(2, len(2, len(1, ID), TIMES, len(10, first)))), 'arrays-draft', true))).toEqual([
      `reference-range ${PATH}.arrays.functions[0].name_index: 3 is out of range: string_table has 1 rows`,
      `reference-range ${PATH}.arrays.profile_types[0].stacktrace_indices[0]: 4 is out of range: stacktraces has 1 rows`,
    ])
  })
})

describe('validateFile of timestamped events', () => {
  const STRINGS = strings(11, 'cpu', 'ms', 'thread.id')
  const CLOCK = len(12, varint(1, 1000))
  const TIMED = len(3, varint(1, 1), varint(2, 2), varint(3, 0))
  const PLAIN = len(3, varint(1, 1), varint(2, 2))
  const STACK = join(len(4), len(4, packed(1, [0])), len(5))
  const events = (...parts: Uint8Array[]): string[] => shown(problemsOf(join(...parts), 'events', true))

  it('finds nothing in a valid file', () => {
    const thread = len(8, varint(1, 3), len(2, varint(3, 7)))
    expect(
      events(len(1, varint(2, 1), packed(4, [0]), varint(5, 9), varint(6, 3)), TIMED, STACK, thread, STRINGS, CLOCK),
    ).toEqual([])
    expect(events(len(1, varint(2, 1), varint(8, 1)), PLAIN, STACK, STRINGS)).toEqual([])
  })

  it('reports every broken reference with the path of the file', () => {
    const bytes = join(
      len(1, varint(1, 7), varint(2, 8), varint(3, 9), packed(4, [6])),
      len(3, varint(1, 5), varint(2, 6), varint(3, 7), packed(7, [8])),
      len(4),
      len(4, packed(1, [0, 4])),
      len(5, varint(1, 3), len(3, varint(1, 4)), varint(5, 9), packed(6, [5])),
      len(6, varint(2, 9)),
      len(7, varint(4, 8), varint(5, 9), packed(7, [3])),
      len(8, varint(1, 1), len(2, varint(1, 8))),
      STRINGS,
      len(12, varint(1, 1), packed(3, [7])),
      packed(18, [1, 9]),
    )
    expect(events(bytes).map(each => each.slice(0, each.indexOf(':')))).toEqual(
      [
        'events[0].event_type_index',
        'events[0].stack_index',
        'events[0].link_index',
        'events[0].attribute_indices[0]',
        'event_types[0].name_string_index',
        'event_types[0].unit_string_index',
        'event_types[0].clock_index',
        'event_types[0].attribute_incidices[0]',
        'stacks[1].location_index[1]',
        'locations[0].mapping_index',
        'locations[0].line[0].function_index',
        'locations[0].type_string_index',
        'locations[0].attribute_index[0]',
        'functions[0].name_string_uindex',
        'mappings[0].filename_string_index',
        'mappings[0].build_id_string_index',
        'mappings[0].attributes[0]',
        'attributes[0].value.string_index',
        'clocks[0].attribute_indices[0]',
        'comment_string_index[1]',
      ].map(path => `reference-range ${path}`),
    )
  })

  it('reports each broken rule of the proposal', () => {
    const event = (...fields: Uint8Array[]): Uint8Array => len(1, varint(2, 1), ...fields)
    const attribute = (key: number, value: Uint8Array): Uint8Array => len(8, varint(1, key), len(2, value))
    const bytes = join(
      event(varint(1, 1), varint(5, 4), varint(6, 5), varint(8, 2)),
      event(varint(1, 1), varint(7, 3)),
      event(varint(5, 1), varint(7, 3), varint(9, 4), packed(4, [0, 1]), varint(3, 0)),
      TIMED,
      PLAIN,
      len(4, packed(1, [0])),
      len(4),
      len(5),
      attribute(3, varint(1, 1)),
      attribute(3, varint(3, 1)),
      attribute(0, varint(2, 1)),
      len(10, len(1, hex('01')), len(2)),
      text(11, 'x'),
      text(11, 'cpu'),
      text(11, 'ms'),
      text(11, 'thread.id'),
      len(12),
      varint(17, -1),
    )
    expect(events(bytes)).toEqual([
      'time-order duration_nanos: the duration is negative',
      'clock-frequency clocks[0].frequency: the frequency is missing',
      'event-clock events[0].time: it is set, but event_types[1] has no clock',
      'event-clock events[0].duration: it is set, but event_types[1] has no clock',
      'event-clock events[1].value: a single event has a time, but event_types[1] has no clock',
      'event-value-sum events[2].sum: it is 4, but the value is 3',
      'zero-row-value strings[0]: row 0 must be the empty string',
      'zero-row-value stacks[0]: row 0 must be the zero value',
      'attribute-keys-unique events[2].attribute_indices[1]: the key "thread.id" is that of attribute_indices[0] too',
      'attribute-type attributes[0].value: "thread.id" must be int, but is a string',
      'trace-id-length links[0].trace_id: the id has 1 bytes, but needs 16',
      'span-id-length links[0].span_id: the id has 0 bytes, but needs 8',
    ])
    expect(events(event(varint(8, 1)), STACK, STRINGS)).toEqual([
      'reference-range events[0].event_type_index: 0 is out of range: event_types has 0 rows',
    ])
  })

  it('names the fields of a text as the text does', () => {
    const source = `
      event_types: [{ name_string_index: 1, unit_string_index: 2, clock_id: 3 }]
      attributes: [{ key_index: 1, value: {key_index: 9} }]
      strings: ["", "cpu", "ms"]
      events: [{ event_type_index: 0, time: 5, attributes: [0, 4] }]`
    expect(shown(problemsOf(encodeUtf8(source), 'events-text'))).toEqual([
      'reference-range events[0].attributes[1]: 4 is out of range: attributes has 1 rows',
      'reference-range event_types[0].clock_id: 3 is out of range: clocks has 0 rows',
      'reference-range attributes[0].value.key_index: 9 is out of range: strings has 3 rows',
    ])
  })
})

describe('validateFile of the drafts of the fixtures', () => {
  const drafts = formats.filter(({ name }) => ['arrays-draft', 'events', 'events-text'].includes(name))
  it.each(drafts.flatMap(format => fixturesOf(format).map(fixture => ({ format: format.name, ...fixture }))))(
    'finds only missing times in $format: $name',
    ({ format, bytes }) => {
      const { profiles, compression } = readProfile(bytes, { format })
      if (compression !== 'none') return
      const problems = validateFile(bytes, profiles, { format, strict: true })
      expect(problems.filter(({ rule }) => rule !== 'time-missing')).toEqual([])
    },
  )
})
