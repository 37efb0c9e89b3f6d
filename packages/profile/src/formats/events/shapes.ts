// The messages of the timestamped-events proposal: numbers, names and kinds of their fields. The root is Profile.
import type { MessageShape } from '../former-drafts/message-parts.ts'

export const PROFILE = {
  events: 1,
  event_types: 3,
  stacks: 4,
  locations: 5,
  functions: 6,
  mappings: 7,
  attributes: 8,
  links: 10,
  strings: 11,
  clocks: 12,
  time_unix_nano: 16,
  duration_nanos: 17,
  comment_string_index: 18,
} as const
export const EVENT = {
  event_type_index: 1,
  stack_index: 2,
  link_index: 3,
  attribute_indices: 4,
  time: 5,
  duration: 6,
  value: 7,
  count: 8,
  sum: 9,
} as const
export const CLOCK = { frequency: 1, time_unix_nano: 2, attribute_indices: 3 } as const
/** The proposal spells the last one `attribute_incidices`. */
export const EVENT_TYPE = {
  name_string_index: 1,
  unit_string_index: 2,
  clock_index: 3,
  default_value: 4,
  attribute_indices: 7,
} as const
export const STACK = { location_index: 1 } as const
export const LOCATION = {
  mapping_index: 1,
  address: 2,
  line: 3,
  is_folded: 4,
  type_string_index: 5,
  attribute_index: 6,
} as const
export const LINE = { function_index: 1, line: 2, column: 3 } as const
/** The proposal spells the second one `name_string_uindex`. */
export const FUNCTION = {
  id: 1,
  name_string_index: 2,
  system_name_string_index: 3,
  filename_string_index: 4,
  start_line: 5,
} as const
export const MAPPING = {
  memory_start: 1,
  memory_limit: 2,
  file_offset: 3,
  filename_string_index: 4,
  build_id_string_index: 5,
  build_id_kind: 6,
  attributes: 7,
  has_functions: 8,
  has_filenames: 9,
  has_line_numbers: 10,
  has_inline_frames: 11,
} as const
export const LINK = { trace_id: 1, span_id: 2 } as const
export const KEY_VALUE = { key_string_index: 1, value: 2 } as const
export const ANY_VALUE = {
  string_index: 1,
  bool_value: 2,
  int_value: 3,
  double_value: 4,
  array_value: 5,
  kvlist_value: 6,
  bytes_value: 7,
} as const
/** The field of ArrayValue, and of KeyValueList, which the proposal uses but does not define. */
export const VALUES = { values: 1 } as const

export const profileShape: MessageShape = {
  name: 'Profile',
  fields: {
    1: ['events', 'message'],
    3: ['event_types', 'message'],
    4: ['stacks', 'message'],
    5: ['locations', 'message'],
    6: ['functions', 'message'],
    7: ['mappings', 'message'],
    8: ['attributes', 'message'],
    10: ['links', 'message'],
    11: ['strings', 'bytes'],
    12: ['clocks', 'message'],
    16: ['time_unix_nano', 'fixed64'],
    17: ['duration_nanos', 'varint'],
    18: ['comment_string_index', 'numbers'],
  },
}

export const eventShape: MessageShape = {
  name: 'Event',
  fields: {
    1: ['event_type_index', 'varint'],
    2: ['stack_index', 'varint'],
    3: ['link_index', 'varint'],
    4: ['attribute_indices', 'numbers'],
    5: ['time', 'varint'],
    6: ['duration', 'varint'],
    7: ['value', 'varint'],
    8: ['count', 'varint'],
    9: ['sum', 'varint'],
  },
}

export const clockShape: MessageShape = {
  name: 'Clock',
  fields: { 1: ['frequency', 'varint'], 2: ['time_unix_nano', 'fixed64'], 3: ['attribute_indices', 'numbers'] },
}

export const eventTypeShape: MessageShape = {
  name: 'EventType',
  fields: {
    1: ['name_string_index', 'varint'],
    2: ['unit_string_index', 'varint'],
    3: ['clock_index', 'varint'],
    4: ['default_value', 'varint'],
    7: ['attribute_incidices', 'numbers'],
  },
}

export const stackShape: MessageShape = { name: 'Stack', fields: { 1: ['location_index', 'numbers'] } }

export const locationShape: MessageShape = {
  name: 'Location',
  fields: {
    1: ['mapping_index', 'varint'],
    2: ['address', 'varint'],
    3: ['line', 'message'],
    4: ['is_folded', 'varint'],
    5: ['type_string_index', 'varint'],
    6: ['attribute_index', 'numbers'],
  },
}

export const lineShape: MessageShape = {
  name: 'Line',
  fields: { 1: ['function_index', 'varint'], 2: ['line', 'varint'], 3: ['column', 'varint'] },
}

export const functionShape: MessageShape = {
  name: 'Function',
  fields: {
    1: ['id', 'varint'],
    2: ['name_string_uindex', 'varint'],
    3: ['system_name_string_index', 'varint'],
    4: ['filename_string_index', 'varint'],
    5: ['start_line', 'varint'],
  },
}

export const mappingShape: MessageShape = {
  name: 'Mapping',
  fields: {
    1: ['memory_start', 'varint'],
    2: ['memory_limit', 'varint'],
    3: ['file_offset', 'varint'],
    4: ['filename_string_index', 'varint'],
    5: ['build_id_string_index', 'varint'],
    6: ['build_id_kind', 'varint'],
    7: ['attributes', 'numbers'],
    8: ['has_functions', 'varint'],
    9: ['has_filenames', 'varint'],
    10: ['has_line_numbers', 'varint'],
    11: ['has_inline_frames', 'varint'],
  },
}

export const linkShape: MessageShape = { name: 'Link', fields: { 1: ['trace_id', 'bytes'], 2: ['span_id', 'bytes'] } }
