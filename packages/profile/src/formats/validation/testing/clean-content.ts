// A file of each generation that has one of everything and breaks no rule, as plain objects. Tests break one rule at a time.
import type { Generation } from '../../otlp/generations/schema.ts'
import type { PlainMessage } from '../../otlp/testing/encode-message.ts'
import { hex } from '../../testing/wire.ts'

export const ID = hex('0102030405060708090a0b0c0d0e0f10')
export const OTHER_ID = hex('1102030405060708090a0b0c0d0e0f10')
export const SPAN_ID = hex('0102030405060708')

/** Rows of the string table. v1.8 and later have neither the value nor the build id there. */
export const STRING = { cpu: 1, ns: 2, main: 3, file: 4, key: 5, value: 6, buildId: 8 }

const BUILD_ID = 'abcdef12'
const TEXTS = ['', 'cpu', 'ns', 'main', 'main.js', 'key', 'value', 'process.executable.build_id.gnu', BUILD_ID]

/** The paths of a generation's messages. */
export interface Places {
  /** The message with the id, the times and the original payload: a container or the profile itself. */
  readonly header: string
  readonly profile: string
  readonly sample: string
  /** The path before the name of a table. */
  readonly tables: string
}

const PROFILE = 'resource_profiles[0].scope_profiles[0].profiles[0]'

export function placesOf(generation: Generation): Places {
  const isV1_3 = generation === 'v1.3'
  const profile = isV1_3 ? `${PROFILE}.profile` : PROFILE
  const samples = ['v1.9', 'v1.11', 'next'].includes(generation) ? 'samples' : 'sample'
  const hasOwnTables = ['v1.3', 'v1.4', 'v1.5'].includes(generation)
  const tables = hasOwnTables ? `${profile}.` : generation === 'v1.6' ? '' : 'dictionary.'
  return { header: PROFILE, profile, sample: `${profile}.${samples}[0]`, tables }
}

export function cleanContent(generation: Generation): PlainMessage {
  switch (generation) {
    case 'v1.3':
      return envelope(container())
    case 'v1.4':
    case 'v1.5':
      return envelope({ ...legacyProfile(generation), ...legacyTables() })
    case 'v1.6':
      return { ...envelope(legacyProfile(generation)), ...legacyTables() }
    case 'v1.7':
      return { ...envelope(legacyProfile(generation)), dictionary: legacyTables() }
    case 'v1.8':
    case 'v1.9':
    case 'v1.11':
    case 'next':
      return current(generation)
  }
}

function envelope(profile: PlainMessage): PlainMessage {
  const nested = { kvlist_value: { values: [{ key: 'x', value: { int_value: 1n } }] } }
  return {
    resource_profiles: [
      {
        resource: { attributes: [{ key: 'service.name', value: { string_value: 'shop' } }] },
        scope_profiles: [{ scope: { name: 'scope', attributes: [{ key: 'a', value: nested }] }, profiles: [profile] }],
      },
    ],
  }
}

const LINK = { trace_id: ID, span_id: SPAN_ID }

function container(): PlainMessage {
  const profile = {
    sample_type: [{ type: STRING.cpu, unit: STRING.ns, aggregation_temporality: 1 }],
    sample: [
      {
        locations_start_index: 0,
        locations_length: 1,
        value: [1n],
        attributes: [0],
        label: [{ key: STRING.key, str: STRING.value }],
        link: 1,
        timestamps_unix_nano: [15n],
      },
    ],
    mapping: [
      { memory_start: 1n, memory_limit: 100n, filename: STRING.file, build_id: STRING.buildId, attributes: [0] },
    ],
    location: [{ mapping_index: 0, address: 50n, line: [{ function_index: 0, line: 3n }], attributes: [0] }],
    function: [{ name: STRING.main, filename: STRING.file }],
    string_table: TEXTS,
    location_indices: [0],
    attribute_table: [{ key: 'key', value: { int_value: 1n } }],
    link_table: [{}, LINK],
  }
  return { profile_id: ID, start_time_unix_nano: 10n, end_time_unix_nano: 30n, profile }
}

function legacyProfile(generation: Generation): PlainMessage {
  return {
    sample_type: [{ type_strindex: STRING.cpu, unit_strindex: STRING.ns, aggregation_temporality: 1 }],
    sample: [
      {
        locations_start_index: 0,
        locations_length: 1,
        value: [1n],
        attribute_indices: [0],
        link_index: 0,
        timestamps_unix_nano: [15n],
      },
    ],
    location_indices: [0],
    time_nanos: 10n,
    duration_nanos: 20n,
    profile_id: ID,
    ...(generation === 'v1.4' ? {} : { attribute_indices: [0] }),
  }
}

function legacyTables(): PlainMessage {
  return {
    mapping_table: [{ memory_start: 1n, memory_limit: 100n, filename_strindex: STRING.file, attribute_indices: [1] }],
    location_table: [
      { mapping_index: 0, address: 50n, line: [{ function_index: 0, line: 3n }], attribute_indices: [0] },
    ],
    function_table: [{ name_strindex: STRING.main, filename_strindex: STRING.file }],
    link_table: [LINK],
    string_table: TEXTS,
    attribute_table: [
      { key: 'key', value: { int_value: 1n } },
      { key: 'process.executable.build_id.gnu', value: { string_value: BUILD_ID } },
    ],
    attribute_units: [{ attribute_key_strindex: STRING.key, unit_strindex: STRING.ns }],
  }
}

function current(generation: 'v1.8' | 'v1.9' | 'v1.11' | 'next'): PlainMessage {
  const [samples, lines] = generation === 'v1.8' ? ['sample', 'line'] : ['samples', 'lines']
  const temporality = generation === 'v1.8' ? { aggregation_temporality: 1 } : {}
  const profile = {
    sample_type: { type_strindex: STRING.cpu, unit_strindex: STRING.ns, ...temporality },
    [samples]: [{ stack_index: 1, attribute_indices: [2], link_index: 1, values: [1n], timestamps_unix_nano: [15n] }],
    time_unix_nano: 10n,
    duration_nano: 20n,
    profile_id: ID,
    attribute_indices: [2],
  }
  return {
    ...envelope(profile),
    dictionary: {
      mapping_table: [
        {},
        { memory_start: 1n, memory_limit: 100n, filename_strindex: STRING.file, attribute_indices: [1] },
      ],
      location_table: [
        {},
        { mapping_index: 1, address: 50n, [lines]: [{ function_index: 1, line: 3n }], attribute_indices: [2] },
      ],
      function_table: [{}, { name_strindex: STRING.main, filename_strindex: STRING.file }],
      link_table: [{}, LINK],
      // v1.8 and later have no rows that nothing refers to.
      string_table: TEXTS.filter(text => text !== 'value' && text !== BUILD_ID),
      attribute_table: [
        {},
        { key_strindex: 6, value: { string_value: BUILD_ID } },
        { key_strindex: STRING.key, value: { int_value: 1n }, unit_strindex: STRING.ns },
      ],
      stack_table: [{}, { location_indices: [1] }],
    },
  }
}

/** Returns a copy of the content with another value at a path such as `dictionary.link_table[1].span_id`. */
export function withValue(content: PlainMessage, path: string, value: unknown): PlainMessage {
  const copy = structuredClone(content)
  const steps = path.split(/[.[\]]+/).filter(step => step !== '')
  const last = steps.pop() ?? ''
  let at = copy as Record<string, unknown>
  for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>
  at[last] = value
  return copy
}

export function valueAt(content: PlainMessage, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter(step => step !== '')
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], content)
}
