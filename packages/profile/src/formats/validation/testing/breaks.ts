// Changes that each break one rule in a clean file, for every generation to which the rule applies. The rules of the
// model are in model-breaks.ts.
import type { Generation } from '../../otlp/generations/schema.ts'
import { GENERATIONS } from '../../otlp/generations/schema.ts'
import type { PlainMessage } from '../../otlp/testing/encode-message.ts'
import type { Places } from './clean-content.ts'
import { ID, OTHER_ID, SPAN_ID, STRING, cleanContent, placesOf, valueAt, withValue } from './clean-content.ts'

export const ALL: readonly Generation[] = [...GENERATIONS, 'next']
const CONTAINERS: readonly Generation[] = ['v1.3']
const LEGACY: readonly Generation[] = ['v1.4', 'v1.5', 'v1.6', 'v1.7']
export const CURRENT: readonly Generation[] = ['v1.8', 'v1.9', 'v1.11', 'next']
const INDEXED = ALL.filter(generation => !CONTAINERS.includes(generation))

export interface Break {
  readonly rule: string
  readonly generations: readonly Generation[]
  /** The path of the changed value, and the value. Several if the rule needs it. */
  readonly changes: (places: Places, clean: PlainMessage) => readonly (readonly [path: string, value: unknown])[]
  /** The path that is reported, if it is not that of the first change. */
  readonly path?: (places: Places) => string
  /** False if JSON cannot express it. */
  readonly isText?: boolean
}

export const KEY = { key: 'a', value: { int_value: 1n } }
export const RESOURCE = 'resource_profiles[0].resource'
export const SCOPE = 'resource_profiles[0].scope_profiles[0].scope'

/** Breaks a reference to a row that does not exist. */
const dangling = (generations: readonly Generation[], path: (places: Places) => string): Break => ({
  rule: 'reference-range',
  generations,
  changes: places => [[path(places), 99]],
})

/** Puts a value into row 0 of a table. */
const zeroRow = (table: string, row: unknown): Break => ({
  rule: 'zero-row-value',
  generations: CURRENT,
  changes: ({ tables }) => [[`${tables}${table}[0]`, row]],
})

/** Omits a table, and the only reference to it. */
const withoutTable = (table: string, reference: (places: Places) => string, unset: unknown): Break => ({
  rule: 'zero-row-present',
  generations: CURRENT,
  changes: places => [
    [`${places.tables}${table}`, []],
    [reference(places), unset],
  ],
})

const repeated = (generations: readonly Generation[], path: (places: Places) => string, rows: number[]): Break => ({
  rule: 'attribute-keys-unique',
  generations,
  changes: places => [[path(places), rows]],
  path: places => `${path(places)}[1]`,
})

export const BREAKS: readonly Break[] = [
  {
    rule: 'key-twice',
    generations: ['v1.11', 'next'],
    changes: () => [[`${RESOURCE}.attributes[0].key_strindex`, STRING.key]],
  },
  {
    rule: 'decodable',
    generations: ALL,
    changes: ({ tables }) => [[`${tables}string_table[${STRING.main}]`, Uint8Array.of(0x6d, 0xff)]],
    isText: false,
  },
  {
    rule: 'attribute-key-empty',
    generations: ALL,
    changes: () => [[`${RESOURCE}.attributes[0].key`, '']],
  },
  {
    rule: 'time-order',
    generations: CONTAINERS,
    changes: ({ header, sample }) => [
      [`${header}.end_time_unix_nano`, 5n],
      [`${sample}.timestamps_unix_nano`, []],
    ],
  },
  {
    rule: 'time-order',
    generations: LEGACY,
    changes: ({ profile, sample }) => [
      [`${profile}.duration_nanos`, -1n],
      [`${sample}.timestamps_unix_nano`, []],
    ],
  },
  {
    rule: 'profile-id-missing',
    generations: CONTAINERS,
    changes: ({ header }) => [[`${header}.profile_id`, undefined]],
  },
  { rule: 'profile-id-length', generations: ALL, changes: ({ header }) => [[`${header}.profile_id`, SPAN_ID]] },
  {
    rule: 'profile-id-zero',
    generations: ALL,
    changes: ({ header }) => [[`${header}.profile_id`, new Uint8Array(16)]],
  },
  {
    rule: 'profile-id-unique',
    generations: ALL,
    changes: (_, clean) => [['resource_profiles[0].scope_profiles[1]', fiveLater(clean)]],
    path: ({ header }) => `${header.replace('scope_profiles[0]', 'scope_profiles[1]')}.profile_id`,
  },
  { rule: 'time-missing', generations: CONTAINERS, changes: ({ header }) => [[`${header}.start_time_unix_nano`, 0n]] },
  {
    rule: 'temporality-unspecified',
    generations: [...CONTAINERS, ...LEGACY],
    changes: ({ profile }) => [[`${profile}.sample_type[0].aggregation_temporality`, 0]],
  },
  {
    rule: 'temporality-unspecified',
    generations: ['v1.8'],
    changes: ({ profile }) => [[`${profile}.sample_type.aggregation_temporality`, 0]],
  },
  { rule: 'zero-row-value', generations: ALL, changes: ({ tables }) => [[`${tables}string_table[0]`, 'zero']] },
  zeroRow('mapping_table', { memory_limit: 5n }),
  zeroRow('location_table', { address: 3n }),
  zeroRow('function_table', { filename_strindex: STRING.main }),
  zeroRow('link_table', { trace_id: OTHER_ID, span_id: SPAN_ID }),
  zeroRow('attribute_table', { key_strindex: STRING.key, value: { int_value: 7n } }),
  zeroRow('stack_table', { location_indices: [1, 1] }),
  withoutTable('link_table', ({ sample }) => `${sample}.link_index`, 0),
  {
    rule: 'label-value',
    generations: CONTAINERS,
    changes: ({ sample }) => [[`${sample}.label[0].num`, 4n]],
    path: ({ sample }) => `${sample}.label[0]`,
  },
  {
    rule: 'label-keys-unique',
    generations: CONTAINERS,
    changes: ({ sample }) => [[`${sample}.label[1]`, { key: STRING.key, num: 3n }]],
  },
  { rule: 'attribute-keys-unique', generations: ALL, changes: () => [[`${SCOPE}.attributes[1]`, KEY]] },
  {
    rule: 'attribute-keys-unique',
    generations: ALL,
    changes: () => [[`${RESOURCE}.attributes[1]`, { key: 'service.name', value: { string_value: 'x' } }]],
  },
  {
    rule: 'value-keys-unique',
    generations: ALL,
    changes: () => [[`${SCOPE}.attributes[0].value.kvlist_value.values[1]`, { key: 'x', value: { int_value: 2n } }]],
  },
  repeated(CONTAINERS, ({ sample }) => `${sample}.attributes`, [0, 0]),
  repeated(CONTAINERS, ({ tables }) => `${tables}location[0].attributes`, [0, 0]),
  repeated(LEGACY, ({ sample }) => `${sample}.attribute_indices`, [0, 0]),
  repeated(LEGACY, ({ tables }) => `${tables}mapping_table[0].attribute_indices`, [1, 1]),
  repeated(LEGACY, ({ tables }) => `${tables}location_table[0].attribute_indices`, [0, 0]),
  repeated(CURRENT, ({ sample }) => `${sample}.attribute_indices`, [2, 2]),
  repeated(CURRENT, ({ tables }) => `${tables}mapping_table[1].attribute_indices`, [1, 1]),
  repeated(CURRENT, ({ tables }) => `${tables}location_table[1].attribute_indices`, [2, 2]),
  repeated(['v1.5', 'v1.6', 'v1.7'], ({ profile }) => `${profile}.attribute_indices`, [0, 0]),
  repeated(CURRENT, ({ profile }) => `${profile}.attribute_indices`, [2, 2]),
  {
    rule: 'attribute-keys-unique',
    generations: CONTAINERS,
    changes: ({ header }) => [[`${header}.attributes`, [KEY, KEY]]],
    path: ({ header }) => `${header}.attributes[1]`,
  },
  { rule: 'profile-missing', generations: CONTAINERS, changes: ({ profile }) => [[profile, undefined]] },
  {
    rule: 'original-payload-pair',
    generations: ALL.filter(generation => generation !== 'next'),
    changes: ({ header }) => [[`${header}.original_payload`, ID]],
  },
  {
    rule: 'original-payload-pair',
    generations: ALL.filter(generation => generation !== 'next'),
    changes: ({ header }) => [[`${header}.original_payload_format`, 'pprof']],
  },
  {
    rule: 'original-payload-pair',
    generations: ['next'],
    changes: ({ header, tables }) => [
      [`${header}.original_payload_indices`, [1]],
      [`${tables}original_data_source_table`, [{}, { payload: ID }]],
    ],
  },
  {
    rule: 'original-payload-pair',
    generations: ['next'],
    changes: ({ header, tables }) => [
      [`${header}.original_payload_format_strindices`, [7]],
      [`${tables}string_table[7]`, 'pprof'],
    ],
  },
  {
    rule: 'timestamp-duration',
    generations: CONTAINERS,
    changes: ({ header }) => [[`${header}.end_time_unix_nano`, 10n]],
  },
  { rule: 'timestamp-duration', generations: LEGACY, changes: ({ header }) => [[`${header}.duration_nanos`, 0n]] },
  { rule: 'timestamp-duration', generations: CURRENT, changes: ({ header }) => [[`${header}.duration_nano`, 0n]] },
  {
    rule: 'timestamp-range',
    generations: ALL,
    changes: ({ sample }) => [[`${sample}.timestamps_unix_nano`, [5n]]],
    path: ({ sample }) => `${sample}.timestamps_unix_nano[0]`,
  },
  {
    rule: 'attribute-unit-ucum',
    generations: CURRENT,
    changes: ({ tables }) => [
      [`${tables}attribute_table[2].unit_strindex`, 7],
      [`${tables}string_table[7]`, 'bananas'],
    ],
  },
  {
    rule: 'sample-values',
    generations: [...CONTAINERS, ...LEGACY],
    changes: ({ sample }) => [
      [`${sample}.value`, [1n, 2n, 3n]],
      [`${sample}.timestamps_unix_nano`, []],
    ],
    path: ({ sample }) => sample,
  },
  {
    rule: 'location-range',
    generations: [...CONTAINERS, ...LEGACY],
    changes: ({ sample }) => [[`${sample}.locations_start_index`, 7]],
  },
  {
    rule: 'trace-id-length',
    generations: CONTAINERS,
    changes: ({ tables }) => [[`${tables}link_table[1].trace_id`, SPAN_ID]],
  },
  {
    rule: 'trace-id-length',
    generations: LEGACY,
    changes: ({ tables }) => [[`${tables}link_table[0].trace_id`, SPAN_ID]],
  },
  { rule: 'span-id-length', generations: CURRENT, changes: ({ tables }) => [[`${tables}link_table[1].span_id`, ID]] },
  {
    rule: 'trace-id-length',
    generations: CURRENT,
    changes: ({ tables }) => [[`${tables}link_table[1].trace_id`, SPAN_ID]],
  },
  {
    rule: 'span-id-length',
    generations: CONTAINERS,
    changes: ({ tables }) => [[`${tables}link_table[1].span_id`, ID]],
  },
  { rule: 'span-id-length', generations: LEGACY, changes: ({ tables }) => [[`${tables}link_table[0].span_id`, ID]] },
  {
    rule: 'location-address',
    generations: CONTAINERS,
    // An unset mapping index may mean the first mapping or none.
    changes: ({ tables }) => [
      [`${tables}location[0].address`, 500n],
      [`${tables}location[0].mapping_index`, 1],
      [`${tables}mapping[1]`, { memory_start: 100n, memory_limit: 200n, filename: STRING.main }],
    ],
  },
  {
    rule: 'location-address',
    generations: LEGACY,
    changes: ({ tables }) => [[`${tables}location_table[0].address`, 500n]],
  },
  {
    rule: 'ambiguous-link',
    generations: CONTAINERS,
    changes: ({ sample, tables }) => [
      [`${sample}.link`, 0],
      [`${tables}link_table[0]`, { trace_id: ID, span_id: SPAN_ID }],
      [`${tables}link_table[1]`, { trace_id: OTHER_ID, span_id: SPAN_ID }],
    ],
  },
  dangling(CONTAINERS, ({ profile }) => `${profile}.sample_type[0].type`),
  dangling(CONTAINERS, ({ tables }) => `${tables}function[0].name`),
  dangling(CONTAINERS, ({ tables }) => `${tables}location[0].mapping_index`),
  dangling(CONTAINERS, ({ tables }) => `${tables}location[0].line[0].function_index`),
  dangling(CONTAINERS, ({ sample }) => `${sample}.link`),
  dangling(CONTAINERS, ({ sample }) => `${sample}.attributes[0]`),
  dangling(LEGACY, ({ profile }) => `${profile}.sample_type[0].type_strindex`),
  dangling(LEGACY, ({ profile }) => `${profile}.location_indices[0]`),
  dangling(LEGACY, ({ tables }) => `${tables}function_table[0].name_strindex`),
  dangling(LEGACY, ({ tables }) => `${tables}location_table[0].mapping_index`),
  dangling(LEGACY, ({ tables }) => `${tables}location_table[0].line[0].function_index`),
  dangling(LEGACY, ({ tables }) => `${tables}attribute_units[0].unit_strindex`),
  dangling(CURRENT, ({ profile }) => `${profile}.sample_type.type_strindex`),
  dangling(CURRENT, ({ tables }) => `${tables}function_table[1].name_strindex`),
  dangling(CURRENT, ({ tables }) => `${tables}location_table[1].mapping_index`),
  dangling(CURRENT, ({ tables }) => `${tables}attribute_table[2].unit_strindex`),
  dangling(CURRENT, ({ tables }) => `${tables}stack_table[1].location_indices[0]`),
  dangling(CURRENT, ({ sample }) => `${sample}.stack_index`),
  dangling(INDEXED, ({ sample }) => `${sample}.link_index`),
  dangling(INDEXED, ({ sample }) => `${sample}.attribute_indices[0]`),
  dangling(['v1.11', 'next'], ({ tables }) => `${tables}attribute_table[2].value.string_value_strindex`),
  dangling(['v1.11', 'next'], () => `${RESOURCE}.attributes[0].value.string_value_strindex`),
]

/** A copy of the first scope, whose profile starts at another time. */
function fiveLater(content: PlainMessage): PlainMessage {
  const scope = valueAt(content, 'resource_profiles[0].scope_profiles[0]') as PlainMessage
  const [profile] = scope['profiles'] as readonly PlainMessage[]
  const field = ['start_time_unix_nano', 'time_nanos', 'time_unix_nano'].find(name => name in profile) ?? ''
  return { ...scope, profiles: [{ ...profile, [field]: 5n }] }
}

export function broken({ changes }: Break, generation: Generation): PlainMessage {
  const clean = cleanContent(generation)
  return changes(placesOf(generation), clean).reduce((content, [path, value]) => withValue(content, path, value), clean)
}
