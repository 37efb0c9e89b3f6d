// Changes that each break one rule of the model, which v1.8 and later have in common.
import type { Break } from './breaks.ts'
import { CURRENT, RESOURCE } from './breaks.ts'
import { ID, STRING } from './clean-content.ts'
import type { Places } from './clean-content.ts'

const HTLHASH = '0123456789abcdef0123456789abcdef'
/** The row after the last one of the clean string table. */
const NEW_STRING = 7

type Changes = ReturnType<Break['changes']>

/** `lines` is the name of the lines of a location. */
const rule = (
  name: string,
  changes: (places: Places & { readonly lines: string }) => Changes,
  path?: Break['path'],
): Break => ({
  rule: name,
  generations: CURRENT,
  changes: places => changes({ ...places, lines: places.sample.endsWith('.sample[0]') ? 'line' : 'lines' }),
  ...(path === undefined ? {} : { path }),
})

const entity = (name: string, fields: object, path: string): Break =>
  rule(
    name,
    () => [[`${RESOURCE}.entity_refs`, [fields]]],
    () => `${RESOURCE}.entity_refs[0].${path}`,
  )

const second = (sample: string): string => sample.replace(/\[0\]$/, '[1]')

export const MODEL_BREAKS: readonly Break[] = [
  rule('dictionary-duplicate', ({ tables }) => [
    [`${tables}string_table[${NEW_STRING}]`, 'main'],
    [`${tables}function_table[1].system_name_strindex`, NEW_STRING],
  ]),
  rule('dictionary-orphan', ({ tables }) => [[`${tables}string_table[${NEW_STRING}]`, 'unused']]),
  rule('attribute-type', () => [[`${RESOURCE}.attributes[0].value`, { int_value: 1n }]]),
  rule('attribute-unit-number', ({ tables }) => [[`${tables}attribute_table[1].unit_strindex`, STRING.ns]]),
  rule(
    'function-name',
    ({ tables, lines }) => [
      [`${tables}function_table[2]`, { start_line: 3n }],
      [`${tables}location_table[1].${lines}[1]`, { function_index: 2 }],
    ],
    ({ tables }) => `${tables}function_table[2]`,
  ),
  rule('position-negative', ({ tables, lines }) => [[`${tables}location_table[1].${lines}[0].line`, -1n]]),
  rule('position-negative', ({ tables }) => [[`${tables}function_table[1].start_line`, -1n]]),
  rule(
    'mapping-range',
    ({ tables }) => [
      [`${tables}mapping_table[1].memory_start`, 100n],
      [`${tables}location_table[1].address`, 100n],
    ],
    ({ tables }) => `${tables}mapping_table[1]`,
  ),
  rule('mapping-build-id', ({ tables, profile }) => [
    [`${tables}mapping_table[1].attribute_indices`, []],
    [`${profile}.attribute_indices`, [1, 2]],
  ]),
  rule('build-id-form', ({ tables }) => [[`${tables}attribute_table[1].value`, { string_value: 'xyz' }]]),
  rule(
    'build-id-deprecated',
    ({ tables }) => [
      [`${tables}string_table[6]`, 'process.executable.build_id.profiling'],
      [`${tables}attribute_table[1].value`, { string_value: HTLHASH }],
    ],
    ({ tables }) => `${tables}attribute_table[1]`,
  ),
  rule('location-address', ({ tables }) => [[`${tables}location_table[1].address`, 500n]]),
  rule('location-empty', ({ tables }) => [
    [`${tables}location_table[2]`, { mapping_index: 1 }],
    [`${tables}stack_table[1].location_indices`, [1, 2]],
  ]),
  rule('line-function', ({ tables, lines }) => [
    [`${tables}location_table[1].${lines}[1].function_index`, 0],
    [`${tables}location_table[1].${lines}[1].line`, 5n],
  ]),
  rule(
    'stack-location',
    ({ tables }) => [[`${tables}stack_table[1].location_indices`, [1, 0]]],
    ({ tables }) => `${tables}stack_table[1].location_indices[1]`,
  ),
  rule('link-incomplete', ({ tables }) => [[`${tables}link_table[1].span_id`, new Uint8Array(8)]]),
  rule('sample-type', ({ profile }) => [[`${profile}.sample_type.unit_strindex`, 0]]),
  rule(
    'period-type',
    ({ profile }) => [[`${profile}.period_type`, { type_strindex: STRING.cpu }]],
    ({ profile }) => `${profile}.period_type.unit_strindex`,
  ),
  {
    ...rule('original-payload-format', ({ header }) => [
      [`${header}.original_payload_format`, 'other'],
      [`${header}.original_payload`, ID],
    ]),
    generations: CURRENT.filter(generation => generation !== 'next'),
  },
  {
    ...rule('original-payload-format', ({ header, tables }) => [
      [`${header}.original_payload_format_strindices`, [NEW_STRING]],
      [`${tables}string_table[${NEW_STRING}]`, 'other'],
      [`${header}.original_payload_indices`, [1]],
      [`${tables}original_data_source_table`, [{}, { payload: ID }]],
    ]),
    generations: ['next'],
  },
  rule(
    'doc-url',
    ({ tables }) => [
      [`${tables}string_table[${STRING.key}]`, 'pprof.profile.doc_url'],
      [`${tables}attribute_table[2]`, { key_strindex: STRING.key, value: { string_value: 'nowhere' } }],
    ],
    ({ tables }) => `${tables}attribute_table[2].value`,
  ),
  rule(
    'sample-empty',
    ({ sample }) => [
      [`${sample}.values`, []],
      [`${sample}.timestamps_unix_nano`, []],
    ],
    ({ sample }) => sample,
  ),
  rule(
    'sample-lengths',
    ({ sample }) => [[`${sample}.values`, [1n, 2n]]],
    ({ sample }) => sample,
  ),
  rule(
    'sample-one-value',
    ({ sample }) => [
      [`${sample}.values`, [1n, 2n]],
      [`${sample}.timestamps_unix_nano`, []],
    ],
    ({ sample }) => sample,
  ),
  rule('sample-shape', ({ sample }) => [[second(sample), { stack_index: 1, values: [1n] }]]),
  rule('sample-identity', ({ sample }) => [
    [
      second(sample),
      { stack_index: 1, attribute_indices: [2], link_index: 1, values: [1n], timestamps_unix_nano: [16n] },
    ],
  ]),
  rule('container-empty', () => [['resource_profiles[1]', {}]]),
  rule('schema-url', () => [['resource_profiles[0].schema_url', 'nowhere']]),
  entity('entity-type', { id_keys: ['service.name'] }, 'type'),
  entity('entity-id', { type: 'service' }, 'id_keys'),
  entity('entity-keys', { type: 'service', id_keys: ['service.name', 'other'] }, 'id_keys[1]'),
]
