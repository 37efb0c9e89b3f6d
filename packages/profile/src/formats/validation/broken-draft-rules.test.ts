// Breaks each rule of the arrays draft and of timestamped events, in a file that is otherwise clean.
import { describe, expect, it } from 'vitest'
import { printText } from '../events-text/print.ts'
import type { PlainMessage } from '../otlp/testing/encode-message.ts'
import { encodeBySchema } from '../otlp/testing/encode-message.ts'
import { len } from '../testing/wire.ts'
import { arraysDialect } from './arrays-dialect.ts'
import { eventsDialect } from './events-dialect.ts'
import { ID, OTHER_ID, SPAN_ID, withValue } from './testing/clean-content.ts'
import { strictProblems } from './testing/strict-problems.ts'

const KEY = { key: 'a', value: { int_value: 1n } }

interface DraftBreak {
  readonly rule: string
  readonly path: string
  readonly value: unknown
  /** The paths that are reported, if they are not that of the change. */
  readonly reported?: string
}

/** The dialect has the message of a container only for a file that has one: field 10 with a string table (9). */
const CONTAINED_SCHEMA = arraysDialect(len(1, len(2, len(2, len(10, len(9))))), '2023-07').schema

/** The fields of the first numbering that are in a container around the profile. */
const HEADER = ['profile_id', 'start_time_unix_nano', 'end_time_unix_nano']

const ARRAYS_PROFILE = 'resource_profiles[0].scope_profiles[0].profiles[0]'

describe.each(['2023-07', '2023-08', '2023-09-08', '2023-09-15'])('validateFile of the arrays draft %s', generation => {
  const lists = generation === '2023-09-15' ? 'sample_lists' : 'profile_types'
  const isContained = generation === '2023-07'
  const schema = isContained ? CONTAINED_SCHEMA : arraysDialect(new Uint8Array(0), generation).schema
  const sets =
    generation === '2023-07' || generation === '2023-08' ? { attribute_set_indices: [1] } : { attribute_set_index: 1 }
  const listFields = [...(schema.get('ProfileType')?.byName.keys() ?? [])]
  const optional = (name: string, value: PlainMessage[string]): PlainMessage =>
    listFields.includes(name) ? { [name]: value } : {}
  const clean: PlainMessage = {
    profile_id: ID,
    start_time_unix_nano: 10n,
    end_time_unix_nano: 20n,
    stacktraces: [{ location_indices: [0] }],
    mappings: [
      { memory_start: 1n, memory_limit: 100n, filename_index: 4, ...sets },
      { memory_start: 1n, memory_limit: 100n, filename_index: 3 },
    ],
    locations: [{ mapping_index: 1, address: 50n, line: [{ function_index: 0, line: 3n }] }],
    functions: [{ name_index: 3 }],
    links: [{}, { trace_id: ID, span_id: SPAN_ID }],
    attribute_sets: [{}, { attributes: [{ key: 'key', value: { int_value: 1n } }] }],
    string_table: ['', 'cpu', 'ns', 'main', 'main.js'],
    [lists]: [
      {
        ...optional('type_index', 1),
        ...optional('unit_index', 2),
        ...optional('aggregation_temporality', 1),
        stacktrace_indices: [0],
        link_indices: [1],
        attribute_set_indices: [1],
        values: [5n],
        timestamps: [15n],
      },
    ],
  }
  const encoded = (profile: PlainMessage): Uint8Array => {
    if (!isContained) return encodeBySchema(schema, profile, 'Profile')
    const header = Object.fromEntries(Object.entries(profile).filter(([name]) => HEADER.includes(name)))
    const arrays = Object.fromEntries(Object.entries(profile).filter(([name]) => !HEADER.includes(name)))
    return encodeBySchema(schema, { ...header, arrays }, 'Container')
  }
  const found = (...profiles: PlainMessage[]): string[] => {
    const bodies = profiles.map(each => len(2, encoded(each)))
    return strictProblems(len(1, len(2, ...bodies)), { format: 'arrays-draft', generation })
  }

  it('finds nothing in a clean file', () => {
    expect(found(clean)).toEqual([])
  })

  const breaks: readonly DraftBreak[] = [
    { rule: 'profile-id-missing', path: 'profile_id', value: undefined },
    { rule: 'profile-id-length', path: 'profile_id', value: SPAN_ID },
    { rule: 'profile-id-zero', path: 'profile_id', value: new Uint8Array(16) },
    { rule: 'time-missing', path: 'start_time_unix_nano', value: 0n },
    { rule: 'time-order', path: 'end_time_unix_nano', value: 5n },
    { rule: 'zero-row-value', path: 'string_table[0]', value: 'zero' },
    { rule: 'zero-row-value', path: 'links[0]', value: { trace_id: OTHER_ID, span_id: SPAN_ID } },
    { rule: 'zero-row-value', path: 'attribute_sets[0]', value: { attributes: [KEY] } },
    { rule: 'attribute-key-empty', path: 'attribute_sets[1].attributes[0].key', value: '' },
    {
      rule: 'attribute-keys-unique',
      path: 'attribute_sets[1].attributes[1]',
      value: { key: 'key', value: { int_value: 2n } },
    },
    {
      rule: 'value-keys-unique',
      path: 'attribute_sets[1].attributes[0].value',
      value: { kvlist_value: { values: [KEY, KEY] } },
      reported: 'attribute_sets[1].attributes[0].value.kvlist_value.values[1]',
    },
    { rule: 'location-address', path: 'locations[0].address', value: 500n },
    { rule: 'list-lengths', path: `${lists}[0].values`, value: [1n, 2n] },
    { rule: 'list-lengths', path: `${lists}[0].timestamps`, value: [11n, 12n] },
    { rule: 'list-lengths', path: `${lists}[0].link_indices`, value: [1, 1] },
    { rule: 'list-empty', path: `${lists}[1]`, value: optional('type_index', 1) },
    { rule: 'trace-id-length', path: 'links[1].trace_id', value: SPAN_ID },
    { rule: 'span-id-length', path: 'links[1].span_id', value: ID },
    { rule: 'reference-range', path: 'stacktraces[0].location_indices[0]', value: 99 },
    { rule: 'reference-range', path: 'mappings[0].filename_index', value: 99 },
    { rule: 'reference-range', path: 'locations[0].line[0].function_index', value: 99 },
    { rule: 'reference-range', path: 'functions[0].name_index', value: 99 },
    { rule: 'reference-range', path: `${lists}[0].stacktrace_indices[0]`, value: 99 },
    { rule: 'reference-range', path: `${lists}[0].link_indices[0]`, value: 99 },
    { rule: 'reference-range', path: `${lists}[0].attribute_set_indices[0]`, value: 99 },
  ]
  it.each(breaks)('reports only $rule if $path breaks it', ({ rule, path, value, reported = path }) => {
    const within = isContained && !HEADER.includes(path) ? 'arrays.' : ''
    expect(found(withValue(clean, path, value))).toEqual([`${rule} ${ARRAYS_PROFILE}.${within}${reported}`])
  })

  it('reports profiles with the same id', () => {
    expect(found(clean, clean)).toEqual([`profile-id-unique ${ARRAYS_PROFILE.slice(0, -2)}1].profile_id`])
  })
})

const INDEXED_KEY = { key_string_index: 5, value: { int_value: 1n } }

/** Rules of semantic conventions, with an attribute that breaks each, and the end of the path that is reported. */
const CONVENTIONS = [
  ['attribute-type', 'thread.id', 'one', '.value'],
  ['build-id-form', 'process.executable.build_id.gnu', 'xyz', '.value'],
  ['build-id-deprecated', 'process.executable.build_id.profiling', '0123456789abcdef0123456789abcdef', ''],
  ['doc-url', 'pprof.profile.doc_url', 'nowhere', '.value'],
] as const

/** The strings of the clean file that come before the keys and texts of these attributes. */
const STRINGS = ['', 'cpu', 'ns', 'main', 'main.js', 'key']
const CONVENTION_BREAKS = CONVENTIONS.map(([rule, , , end], i): DraftBreak => {
  const key = STRINGS.length + 2 * i
  const value = { key_string_index: key, value: { string_index: key + 1 } }
  return { rule, path: 'attributes[1]', value, reported: `attributes[1]${end}` }
})

describe.each(['events', 'events-text'])('validateFile of timestamped events in the format %s', format => {
  const clean: PlainMessage = {
    events: [{ event_type_index: 0, stack_index: 1, link_index: 0, attribute_indices: [0], time: 5, value: 3 }],
    event_types: [{ name_string_index: 1, unit_string_index: 2, clock_index: 1 }],
    stacks: [{}, { location_index: [0] }],
    locations: [{ mapping_index: 1, address: 50n, line: [{ function_index: 0, line: 3n }] }],
    functions: [{ name_string_uindex: 3 }],
    mappings: [
      { memory_start: 1n, memory_limit: 100n, filename_string_index: 4 },
      { memory_start: 1n, memory_limit: 100n, filename_string_index: 3 },
    ],
    links: [{ trace_id: ID, span_id: SPAN_ID }],
    attributes: [
      { key_string_index: 5, value: { int_value: 1n } },
      { key_string_index: 5, value: { int_value: 2n } },
    ],
    strings: [...STRINGS, ...CONVENTIONS.flatMap(([, key, text]) => [key, text])],
    clocks: [{ frequency: 10 }, { frequency: 1000 }],
  }
  const found = (content: PlainMessage, format: string): string[] => {
    const bytes = encodeBySchema(eventsDialect.schema, content, 'Profile')
    return strictProblems(format === 'events' ? bytes : printText(bytes, false), { format })
  }

  it('finds nothing in a clean file', () => {
    expect(found(clean, format)).toEqual([])
  })

  const breaks: readonly DraftBreak[] = [
    { rule: 'time-order', path: 'duration_nanos', value: -1n },
    { rule: 'zero-row-value', path: 'strings[0]', value: 'zero' },
    { rule: 'zero-row-value', path: 'stacks[0]', value: { location_index: [0] } },
    { rule: 'clock-frequency', path: 'clocks[0].frequency', value: 0 },
    { rule: 'event-value-sum', path: 'events[0].sum', value: 4 },
    {
      rule: 'event-clock',
      path: 'event_types[0].clock_index',
      value: undefined,
      reported: 'events[0].time, events[0].value',
    },
    { rule: 'attribute-keys-unique', path: 'events[0].attribute_indices[1]', value: 1 },
    { rule: 'attribute-key-empty', path: 'attributes[1].key_string_index', value: 0 },
    {
      rule: 'value-keys-unique',
      path: 'attributes[0].value',
      value: { kvlist_value: { values: [INDEXED_KEY, INDEXED_KEY] } },
      reported: 'attributes[0].value.kvlist_value.values[1]',
    },
    ...CONVENTION_BREAKS,
    { rule: 'location-address', path: 'locations[0].address', value: 500n },
    { rule: 'trace-id-length', path: 'links[0].trace_id', value: SPAN_ID },
    { rule: 'span-id-length', path: 'links[0].span_id', value: ID },
    { rule: 'reference-range', path: 'events[0].event_type_index', value: 99 },
    { rule: 'reference-range', path: 'events[0].stack_index', value: 99 },
    { rule: 'reference-range', path: 'events[0].link_index', value: 99 },
    { rule: 'reference-range', path: 'events[0].attribute_indices[0]', value: 99 },
    { rule: 'reference-range', path: 'event_types[0].unit_string_index', value: 99 },
    { rule: 'reference-range', path: 'stacks[1].location_index[0]', value: 99 },
    { rule: 'reference-range', path: 'functions[0].name_string_uindex', value: 99 },
    { rule: 'reference-range', path: 'mappings[0].filename_string_index', value: 99 },
    { rule: 'reference-range', path: 'locations[0].line[0].function_index', value: 99 },
  ]
  it.each(breaks)('reports only $rule if $path breaks it', ({ rule, path, value, reported = path }) => {
    expect(found(withValue(clean, path, value), format)).toEqual(reported.split(', ').map(each => `${rule} ${each}`))
  })
})
