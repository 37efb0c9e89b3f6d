// The field tables of every generation of OTLP profiles, as data. Reading old generations, locating errors and detecting a
// generation all use these tables, so each fact is written once: a generation lists its differences from a later one.
//
//   samples: '2 Sample*'      number and type of the field. * repeated, ? zero is written too, | member of a oneof
//
// Field names are those of the .proto files. OTLP/JSON spells them in camelCase. Enums are int32.

/**
 * v1.10 and v1.11 are the same on the wire. v1.3 includes v1.3.0 to v1.3.2. `next` is the announced change of original
 * payloads (opentelemetry-proto#786), which may still change.
 */
export type Generation = 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6' | 'v1.7' | 'v1.8' | 'v1.9' | 'v1.11' | 'next'

/** The generations that are detected, oldest first. `next` is only used on request. */
export const GENERATIONS: readonly Generation[] = ['v1.3', 'v1.4', 'v1.5', 'v1.6', 'v1.7', 'v1.8', 'v1.9', 'v1.11']

const SCALARS = ['int32', 'uint32', 'int64', 'uint64', 'fixed64', 'double', 'bool', 'string', 'bytes'] as const
export type Scalar = (typeof SCALARS)[number]

export interface FieldSchema {
  readonly number: number
  readonly name: string
  /** A scalar, or the name of a message. */
  readonly type: string
  readonly scalar: Scalar | undefined
  readonly repeated: boolean
  /** Whether absent and zero differ: `optional` fields and members of a oneof. */
  readonly tracked: boolean
  /** Whether the field belongs to the message's oneof, of which only the last field counts. */
  readonly oneOf: boolean
}

export interface MessageSchema {
  readonly name: string
  readonly fields: readonly FieldSchema[]
  readonly byNumber: ReadonlyMap<number, FieldSchema>
  readonly byName: ReadonlyMap<string, FieldSchema>
}

export type Schema = ReadonlyMap<string, MessageSchema>

/** The same bytes as ExportProfilesServiceRequest. */
export const ROOT = 'ProfilesData'

export type Fields = Readonly<Record<string, string>>
export type Messages = Readonly<Record<string, Fields>>

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

// Older releases had fewer fields (entity_refs came with v1.6), but no number ever changed its meaning.
export const COMMON_MESSAGES: Messages = {
  Resource: { attributes: '1 KeyValue*', dropped_attributes_count: '2 uint32', entity_refs: '3 EntityRef*' },
  EntityRef: { schema_url: '1 string', type: '2 string', id_keys: '3 string*', description_keys: '4 string*' },
  InstrumentationScope: {
    name: '1 string',
    version: '2 string',
    attributes: '3 KeyValue*',
    dropped_attributes_count: '4 uint32',
  },
  KeyValue: { key: '1 string', value: '2 AnyValue' },
  AnyValue: {
    string_value: '1 string|',
    bool_value: '2 bool|',
    int_value: '3 int64|',
    double_value: '4 double|',
    array_value: '5 ArrayValue|',
    kvlist_value: '6 KeyValueList|',
    bytes_value: '7 bytes|',
  },
  ArrayValue: { values: '1 AnyValue*' },
  KeyValueList: { values: '1 KeyValue*' },
  Link: { trace_id: '1 bytes', span_id: '2 bytes' },
}

const v1_11: Messages = {
  ...COMMON_MESSAGES,
  KeyValue: { ...COMMON_MESSAGES['KeyValue'], key_strindex: '3 int32' },
  AnyValue: { ...COMMON_MESSAGES['AnyValue'], string_value_strindex: '8 int32|' },
  ProfilesData: { resource_profiles: '1 ResourceProfiles*', dictionary: '2 ProfilesDictionary' },
  ProfilesDictionary: {
    mapping_table: '1 Mapping*',
    location_table: '2 Location*',
    function_table: '3 Function*',
    link_table: '4 Link*',
    string_table: '5 string*',
    attribute_table: '6 KeyValueAndUnit*',
    stack_table: '7 Stack*',
  },
  ResourceProfiles: { resource: '1 Resource', scope_profiles: '2 ScopeProfiles*', schema_url: '3 string' },
  ScopeProfiles: { scope: '1 InstrumentationScope', profiles: '2 Profile*', schema_url: '3 string' },
  Profile: {
    sample_type: '1 ValueType',
    samples: '2 Sample*',
    time_unix_nano: '3 fixed64',
    duration_nano: '4 uint64',
    period_type: '5 ValueType',
    period: '6 int64',
    profile_id: '7 bytes',
    dropped_attributes_count: '8 uint32',
    original_payload_format: '9 string',
    original_payload: '10 bytes',
    attribute_indices: '11 int32*',
  },
  ValueType: { type_strindex: '1 int32', unit_strindex: '2 int32' },
  Sample: {
    stack_index: '1 int32',
    attribute_indices: '2 int32*',
    link_index: '3 int32',
    values: '4 int64*',
    timestamps_unix_nano: '5 fixed64*',
  },
  Mapping: {
    memory_start: '1 uint64',
    memory_limit: '2 uint64',
    file_offset: '3 uint64',
    filename_strindex: '4 int32',
    attribute_indices: '5 int32*',
  },
  Stack: { location_indices: '1 int32*' },
  Location: { mapping_index: '1 int32', address: '2 uint64', lines: '3 Line*', attribute_indices: '4 int32*' },
  Line: { function_index: '1 int32', line: '2 int64', column: '3 int64' },
  Function: {
    name_strindex: '1 int32',
    system_name_strindex: '2 int32',
    filename_strindex: '3 int32',
    start_line: '4 int64',
  },
  KeyValueAndUnit: { key_strindex: '1 int32', value: '2 AnyValue', unit_strindex: '3 int32' },
}

/** Original payloads move into the dictionary, so that profiles can share one. The field numbers are assumed. */
const next: Messages = {
  ...v1_11,
  ProfilesDictionary: { ...v1_11['ProfilesDictionary'], original_data_source_table: '8 OriginalDataSource*' },
  Profile: {
    ...without(v1_11['Profile'], 'original_payload_format', 'original_payload'),
    original_payload_format_strindices: '12 int32*',
    original_payload_indices: '13 int32*',
  },
  OriginalDataSource: { payload: '1 bytes', attribute_indices: '2 int32*' },
}

const v1_9: Messages = {
  ...v1_11,
  KeyValue: COMMON_MESSAGES['KeyValue'],
  AnyValue: COMMON_MESSAGES['AnyValue'],
  Sample: { ...v1_11['Sample'], values: '2 int64*', attribute_indices: '3 int32*', link_index: '4 int32' },
}

const v1_8: Messages = {
  ...v1_9,
  Profile: {
    ...without(v1_9['Profile'], 'samples'),
    sample: '2 Sample*',
    comment_strindices: '7 int32*',
    profile_id: '8 bytes',
    dropped_attributes_count: '9 uint32',
    original_payload_format: '10 string',
    original_payload: '11 bytes',
    attribute_indices: '12 int32*',
  },
  ValueType: { ...v1_9['ValueType'], aggregation_temporality: '3 int32' },
  Location: { ...without(v1_9['Location'], 'lines'), line: '3 Line*' },
}

const v1_7: Messages = {
  ...v1_8,
  ProfilesDictionary: {
    ...without(v1_8['ProfilesDictionary'], 'stack_table'),
    attribute_table: '6 KeyValue*',
    attribute_units: '7 AttributeUnit*',
  },
  Profile: {
    sample_type: '1 ValueType*',
    sample: '2 Sample*',
    location_indices: '3 int32*',
    time_nanos: '4 int64',
    duration_nanos: '5 int64',
    period_type: '6 ValueType',
    period: '7 int64',
    comment_strindices: '8 int32*',
    default_sample_type_index: '9 int32',
    profile_id: '10 bytes',
    dropped_attributes_count: '11 uint32',
    original_payload_format: '12 string',
    original_payload: '13 bytes',
    attribute_indices: '14 int32*',
  },
  Sample: {
    locations_start_index: '1 int32',
    locations_length: '2 int32',
    value: '3 int64*',
    attribute_indices: '4 int32*',
    link_index: '5 int32?',
    timestamps_unix_nano: '6 uint64*',
  },
  Mapping: {
    ...v1_8['Mapping'],
    has_functions: '6 bool',
    has_filenames: '7 bool',
    has_line_numbers: '8 bool',
    has_inline_frames: '9 bool',
  },
  Location: { ...v1_8['Location'], mapping_index: '1 int32?', is_folded: '4 bool', attribute_indices: '5 int32*' },
  AttributeUnit: { attribute_key_strindex: '1 int32', unit_strindex: '2 int32' },
}

/** The service request of v1.6 never had the tables, so v1.6 exists only in files. */
const v1_6: Messages = {
  ...v1_7,
  ProfilesData: {
    resource_profiles: '1 ResourceProfiles*',
    mapping_table: '2 Mapping*',
    location_table: '3 Location*',
    function_table: '4 Function*',
    link_table: '5 Link*',
    string_table: '6 string*',
    attribute_table: '7 KeyValue*',
    attribute_units: '8 AttributeUnit*',
  },
}

const v1_5: Messages = {
  ...v1_7,
  ProfilesData: { resource_profiles: '1 ResourceProfiles*' },
  Profile: {
    sample_type: '1 ValueType*',
    sample: '2 Sample*',
    mapping_table: '3 Mapping*',
    location_table: '4 Location*',
    location_indices: '5 int32*',
    function_table: '6 Function*',
    attribute_table: '7 KeyValue*',
    attribute_units: '8 AttributeUnit*',
    link_table: '9 Link*',
    string_table: '10 string*',
    time_nanos: '11 int64',
    duration_nanos: '12 int64',
    period_type: '13 ValueType',
    period: '14 int64',
    comment_strindices: '15 int32*',
    default_sample_type_strindex: '16 int32',
    profile_id: '17 bytes',
    dropped_attributes_count: '19 uint32',
    original_payload_format: '20 string',
    original_payload: '21 bytes',
    attribute_indices: '22 int32*',
  },
}

/** v1.4 also had a message Label, to which nothing referred. */
const v1_4: Messages = {
  ...v1_5,
  Profile: { ...without(v1_5['Profile'], 'attribute_indices'), attributes: '18 KeyValue*' },
}

/** As in OTEP 0239, except for the name of Sample's field 13. */
const v1_3: Messages = {
  ...v1_5,
  ScopeProfiles: { ...v1_5['ScopeProfiles'], profiles: '2 ProfileContainer*' },
  ProfileContainer: {
    profile_id: '1 bytes',
    start_time_unix_nano: '2 fixed64',
    end_time_unix_nano: '3 fixed64',
    attributes: '4 KeyValue*',
    dropped_attributes_count: '5 uint32',
    original_payload_format: '6 string',
    original_payload: '7 bytes',
    profile: '8 Profile',
  },
  Profile: {
    sample_type: '1 ValueType*',
    sample: '2 Sample*',
    mapping: '3 Mapping*',
    location: '4 Location*',
    function: '5 Function*',
    string_table: '6 string*',
    drop_frames: '7 int64',
    keep_frames: '8 int64',
    time_nanos: '9 int64',
    duration_nanos: '10 int64',
    period_type: '11 ValueType',
    period: '12 int64',
    comment: '13 int64*',
    default_sample_type: '14 int64',
    location_indices: '15 int64*',
    attribute_table: '16 KeyValue*',
    attribute_units: '17 AttributeUnit*',
    link_table: '18 Link*',
  },
  AttributeUnit: { attribute_key: '1 int64', unit: '2 int64' },
  ValueType: { type: '1 int64', unit: '2 int64', aggregation_temporality: '3 int32' },
  Sample: {
    location_index: '1 uint64*',
    value: '2 int64*',
    label: '3 Label*',
    locations_start_index: '7 uint64',
    locations_length: '8 uint64',
    stacktrace_id_index: '9 uint32',
    attributes: '10 uint64*',
    link: '12 uint64',
    timestamps_unix_nano: '13 uint64*',
  },
  Label: { key: '1 int64', str: '2 int64', num: '3 int64', num_unit: '4 int64' },
  Mapping: {
    id: '1 uint64',
    memory_start: '2 uint64',
    memory_limit: '3 uint64',
    file_offset: '4 uint64',
    filename: '5 int64',
    build_id: '6 int64',
    has_functions: '7 bool',
    has_filenames: '8 bool',
    has_line_numbers: '9 bool',
    has_inline_frames: '10 bool',
    build_id_kind: '11 int32',
    attributes: '12 uint64*',
  },
  Location: {
    id: '1 uint64',
    mapping_index: '2 uint64',
    address: '3 uint64',
    line: '4 Line*',
    is_folded: '5 bool',
    type_index: '6 uint32',
    attributes: '7 uint64*',
  },
  Line: { function_index: '1 uint64', line: '2 int64', column: '3 int64' },
  Function: { id: '1 uint64', name: '2 int64', system_name: '3 int64', filename: '4 int64', start_line: '5 int64' },
}

const tables: Readonly<Record<Generation, Messages>> = {
  'v1.3': v1_3,
  'v1.4': v1_4,
  'v1.5': v1_5,
  'v1.6': v1_6,
  'v1.7': v1_7,
  'v1.8': v1_8,
  'v1.9': v1_9,
  'v1.11': v1_11,
  next,
}

const compiled = new Map<Generation, Schema>()

/** The messages of a generation by name. */
export function schemaOf(generation: Generation): Schema {
  let schema = compiled.get(generation)
  if (schema === undefined) {
    schema = compileMessages(tables[generation], ROOT)
    compiled.set(generation, schema)
  }
  return schema
}

export function messageOf(schema: Schema, name: string): MessageSchema {
  const message = schema.get(name)
  if (message === undefined) throw new RangeError(`this generation has no message ${name}`)
  return message
}

/** Compiles only messages reachable from the root, because generations inherit messages they do not use. */
export function compileMessages(messages: Messages, root: string): Schema {
  const schema = new Map<string, MessageSchema>()
  const names = [root]
  for (const name of names) {
    if (schema.has(name)) continue
    const fields = Object.entries(messages[name])
      .map(([field, spelling]) => parseField(field, spelling))
      .sort((a, b) => a.number - b.number)
    const byNumber = new Map(fields.map(field => [field.number, field]))
    const byName = new Map(fields.map(field => [field.name, field]))
    schema.set(name, { name, fields, byNumber, byName })
    for (const field of fields) if (field.scalar === undefined) names.push(field.type)
  }
  return schema
}

function parseField(name: string, spelling: string): FieldSchema {
  const [number, typeAndMark] = spelling.split(' ')
  const type = typeAndMark.replace(/[*?|]$/, '')
  const mark = typeAndMark.slice(type.length)
  return {
    number: Number(number),
    name,
    type,
    scalar: SCALARS.find(scalar => scalar === type),
    repeated: mark === '*',
    tracked: mark === '?' || mark === '|',
    oneOf: mark === '|',
  }
}

/** Parses 'v1.9', '1.9', '1.9.0' or 'next'. Throws RangeError for an unknown generation. */
export function parseGeneration(text: string): Generation {
  if (text === 'next') return text
  const minor = /^v?1\.(\d+)(?:\.\d+)?$/.exec(text)?.[1]
  const name = minor === '10' ? 'v1.11' : `v1.${minor}`
  const generation = GENERATIONS.find(known => known === name)
  if (generation === undefined)
    throw new RangeError(`unknown generation "${text}" of OTLP profiles; expected v1.3 to v1.11, or next`)
  return generation
}

/** The name of a field in OTLP/JSON. */
export function jsonName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
