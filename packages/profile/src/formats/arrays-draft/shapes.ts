// The messages of the arrays draft in its four numberings. Only three differ: Profile, the list of samples (ProfileType, later
// SampleList) and Location. A generation is named by the date of its first commit.
import type { MessageShape, PartKind } from '../former-drafts/message-parts.ts'

/**
 * `2023-08` is the numbering of the document. `2023-07` has types apart from lists, inside a container. `2023-09-08` refers to
 * one attribute set instead of several. `2023-09-15` renumbers everything.
 */
export const GENERATIONS = ['2023-07', '2023-08', '2023-09-08', '2023-09-15'] as const
export type DraftGeneration = (typeof GENERATIONS)[number]

/** The number of a field that a numbering lacks. No field on the wire has it. */
export const ABSENT = 0

interface ProfileFields {
  readonly profile_id: number
  readonly start_time_unix_nano: number
  readonly end_time_unix_nano: number
  readonly attributes: number
  readonly dropped_attributes_count: number
  readonly original_payload: number
}

interface TableFields {
  readonly sample_types: number
  readonly stacktraces: number
  readonly mappings: number
  readonly locations: number
  readonly functions: number
  readonly links: number
  readonly attribute_sets: number
  readonly string_table: number
  readonly profile_types: number
}

export interface ListFields {
  readonly aggregation_temporality: number
  readonly sample_rate: number
  readonly type_index: number
  readonly unit_index: number
  readonly stacktrace_indices: number
  readonly link_indices: number
  readonly attribute_set_indices: number
  readonly values: number
  readonly timestamps: number
}

interface LocationFieldNumbers {
  readonly mapping_index: number
  readonly address: number
  readonly line: number
  /** A list in the document. The next generation moved it and made it a single number, which reads like a list of one. */
  readonly attribute_set_indices: number
  readonly attribute_set_index: number
}

export interface FieldNumbers {
  readonly profile: ProfileFields
  readonly tables: TableFields
  readonly list: ListFields
  readonly location: LocationFieldNumbers
}

const documented: FieldNumbers = {
  profile: {
    profile_id: 1,
    start_time_unix_nano: 2,
    end_time_unix_nano: 3,
    attributes: 4,
    dropped_attributes_count: 5,
    original_payload: 6,
  },
  tables: {
    sample_types: ABSENT,
    stacktraces: 7,
    mappings: 8,
    locations: 9,
    functions: 10,
    links: 11,
    attribute_sets: 12,
    string_table: 13,
    profile_types: 14,
  },
  list: {
    aggregation_temporality: 1,
    sample_rate: 2,
    type_index: 3,
    unit_index: 4,
    stacktrace_indices: 10,
    link_indices: 11,
    attribute_set_indices: 12,
    values: 13,
    timestamps: 14,
  },
  location: { mapping_index: 1, address: 2, line: 3, attribute_set_index: 4, attribute_set_indices: 5 },
}

const split: FieldNumbers = {
  ...documented,
  profile: { ...documented.profile, original_payload: 7 },
  tables: {
    sample_types: 1,
    stacktraces: 2,
    mappings: 4,
    locations: 5,
    functions: 6,
    links: 7,
    attribute_sets: 8,
    string_table: 9,
    profile_types: 10,
  },
}

const renumbered: FieldNumbers = {
  profile: {
    profile_id: 1,
    original_payload: 2,
    attributes: 11,
    dropped_attributes_count: 12,
    start_time_unix_nano: 13,
    end_time_unix_nano: 14,
  },
  tables: { ...split.tables, sample_types: ABSENT, stacktraces: 3 },
  list: {
    stacktrace_indices: 1,
    link_indices: 2,
    attribute_set_indices: 3,
    values: 4,
    timestamps: 5,
    sample_rate: 6,
    type_index: 7,
    unit_index: 8,
    aggregation_temporality: 9,
  },
  location: { line: 1, address: 2, mapping_index: 3, attribute_set_index: 4, attribute_set_indices: ABSENT },
}

export const NUMBERINGS: Readonly<Record<DraftGeneration, FieldNumbers>> = {
  '2023-07': split,
  '2023-08': documented,
  '2023-09-08': documented,
  '2023-09-15': renumbered,
}

/** Fields of the container of `2023-07` with the profile: the original one, and the one of a later commit. */
export const CONTAINED_PROFILE: readonly number[] = [10, 103]

const KINDS: Readonly<Record<string, PartKind>> = {
  profile_id: 'bytes',
  start_time_unix_nano: 'fixed64',
  end_time_unix_nano: 'fixed64',
  original_payload: 'bytes',
  string_table: 'bytes',
  attributes: 'message',
  sample_types: 'message',
  stacktraces: 'message',
  mappings: 'message',
  locations: 'message',
  functions: 'message',
  links: 'message',
  attribute_sets: 'message',
  profile_types: 'message',
  line: 'message',
  stacktrace_indices: 'numbers',
  link_indices: 'numbers',
  attribute_set_indices: 'numbers',
  attribute_set_index: 'numbers',
  values: 'numbers',
  timestamps: 'numbers',
}

function shapeOf(name: string, fields: Readonly<Record<string, number>>): MessageShape {
  const entries = Object.entries(fields).map(([field, number]) => [number, [field, KINDS[field] ?? 'varint']] as const)
  return { name, fields: Object.fromEntries(entries) as MessageShape['fields'] }
}

export interface Shapes {
  readonly profile: MessageShape
  readonly list: MessageShape
  readonly location: MessageShape
}

/** `isApart`: the profile has only its tables, and the header is in a container around it, as in `2023-07`. */
export function shapesOf({ profile, tables, list, location }: FieldNumbers, isApart: boolean): Shapes {
  return {
    profile: shapeOf('Profile', isApart ? { ...tables } : { ...profile, ...tables }),
    list: shapeOf('ProfileType', { ...list }),
    location: shapeOf('Location', { ...location }),
  }
}

export const containerShape: MessageShape = {
  name: 'Profile',
  fields: {
    ...shapeOf('Profile', { ...split.profile }).fields,
    ...Object.fromEntries(CONTAINED_PROFILE.map(number => [number, ['arrays', 'message'] as const])),
  },
}

// The messages that are the same in every numbering, with their field numbers.
const LINK = { trace_id: 1, span_id: 2 } as const
export const ATTRIBUTE_SET = { attributes: 1, dropped_attributes_count: 2 } as const
const STACKTRACE = { location_indices: 1 } as const
export const SAMPLE_TYPE = { aggregation_temporality: 1, sample_size: 2, type_index: 3, unit_index: 4 } as const
export const MAPPING = {
  memory_start: 1,
  memory_limit: 2,
  file_offset: 3,
  filename_index: 4,
  build_id_index: 5,
  symbolic_info: 6,
  attribute_set_indices: 7,
} as const
const LINE = { function_index: 1, line: 2 } as const
export const FUNCTION = { name_index: 1, system_name_index: 2, filename_index: 3, start_line: 4 } as const

export const sharedShapes = {
  link: {
    name: 'Link',
    fields: { [LINK.trace_id]: ['trace_id', 'bytes'], [LINK.span_id]: ['span_id', 'bytes'] },
  },
  attributeSet: shapeOf('AttributeSet', ATTRIBUTE_SET),
  stacktrace: { name: 'Stacktrace', fields: { [STACKTRACE.location_indices]: ['location_indices', 'numbers'] } },
  sampleType: shapeOf('SampleType', SAMPLE_TYPE),
  mapping: shapeOf('Mapping', MAPPING),
  // Here `line` is a number, not a message.
  line: {
    name: 'Line',
    fields: { [LINE.function_index]: ['function_index', 'varint'], [LINE.line]: ['line', 'varint'] },
  },
  function: shapeOf('Function', FUNCTION),
} satisfies Readonly<Record<string, MessageShape>>

/** SymbolFidelity: everything is symbolized. */
export const SYMBOL_FIDELITY_FULL = 1

export const PROFILES_DATA = {
  name: 'ProfilesData',
  fields: { 1: ['resource_profiles', 'message'] },
} as const satisfies MessageShape
export const RESOURCE_PROFILES = {
  name: 'ResourceProfiles',
  fields: { 1: ['resource', 'message'], 2: ['scope_profiles', 'message'], 3: ['schema_url', 'bytes'] },
} as const satisfies MessageShape
export const SCOPE_PROFILES = {
  name: 'ScopeProfiles',
  fields: { 1: ['scope', 'message'], 2: ['profiles', 'message'], 3: ['schema_url', 'bytes'] },
} as const satisfies MessageShape
