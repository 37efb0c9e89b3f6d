// The field names of the proposal in text form. The document's examples and its proto differ in some. Both are read. The
// proto's names are written, as protobuf's tools expect.
import * as shapes from '../events/shapes.ts'

export type TextType =
  | 'uint32'
  | 'int32'
  | 'uint64'
  | 'int64'
  | 'fixed64'
  | 'bool'
  | 'double'
  | 'string'
  | 'bytes'
  | 'BuildIdKind'
  | MessageName

export type MessageName =
  | 'Profile'
  | 'Event'
  | 'EventType'
  | 'Clock'
  | 'Stack'
  | 'Location'
  | 'Line'
  | 'Function'
  | 'Mapping'
  | 'Link'
  | 'KeyValue'
  | 'AnyValue'
  | 'ArrayValue'
  | 'KeyValueList'

export interface TextField {
  readonly number: number
  /** The name in the proto. */
  readonly name: string
  readonly type: TextType
  readonly repeated: boolean
  /** Whether it is an index of the string table, whose string pretty output shows. */
  readonly isString: boolean
}

export interface TextMessage {
  readonly name: MessageName
  readonly byName: ReadonlyMap<string, TextField>
  readonly byNumber: ReadonlyMap<number, TextField>
}

type Spelling = readonly [number: number, type: TextType, mark?: '*' | '', ...others: string[]]
type Fields = Readonly<Record<string, Spelling>>

const tables: Readonly<Record<MessageName, Fields>> = {
  Profile: {
    events: [shapes.PROFILE.events, 'Event', '*', 'event'],
    event_types: [shapes.PROFILE.event_types, 'EventType', '*', 'event_type'],
    stacks: [shapes.PROFILE.stacks, 'Stack', '*', 'stack'],
    locations: [shapes.PROFILE.locations, 'Location', '*', 'location'],
    functions: [shapes.PROFILE.functions, 'Function', '*', 'function'],
    mappings: [shapes.PROFILE.mappings, 'Mapping', '*', 'mapping'],
    attributes: [shapes.PROFILE.attributes, 'KeyValue', '*', 'attribute'],
    links: [shapes.PROFILE.links, 'Link', '*', 'link'],
    strings: [shapes.PROFILE.strings, 'string', '*', 'string'],
    clocks: [shapes.PROFILE.clocks, 'Clock', '*', 'clock'],
    time_unix_nano: [shapes.PROFILE.time_unix_nano, 'fixed64', '', 'time_unix_nanos'],
    duration_nanos: [shapes.PROFILE.duration_nanos, 'int64', '', 'duration_nano'],
    comment_string_index: [shapes.PROFILE.comment_string_index, 'uint32', '*', 'comment_string_indices'],
  },
  Event: {
    event_type_index: [shapes.EVENT.event_type_index, 'uint32'],
    stack_index: [shapes.EVENT.stack_index, 'uint32'],
    link_index: [shapes.EVENT.link_index, 'uint32'],
    attribute_indices: [shapes.EVENT.attribute_indices, 'uint32', '*', 'attributes'],
    time: [shapes.EVENT.time, 'int64'],
    duration: [shapes.EVENT.duration, 'uint64'],
    value: [shapes.EVENT.value, 'uint64'],
    count: [shapes.EVENT.count, 'uint64'],
    sum: [shapes.EVENT.sum, 'uint64'],
  },
  EventType: {
    name_string_index: [shapes.EVENT_TYPE.name_string_index, 'uint32', '', 'name_index'],
    unit_string_index: [shapes.EVENT_TYPE.unit_string_index, 'uint32', '', 'unit_index'],
    clock_index: [shapes.EVENT_TYPE.clock_index, 'uint32', '', 'clock_id'],
    default_value: [shapes.EVENT_TYPE.default_value, 'uint64'],
    attribute_incidices: [shapes.EVENT_TYPE.attribute_indices, 'uint32', '*', 'attribute_indices', 'attributes'],
  },
  Clock: {
    frequency: [shapes.CLOCK.frequency, 'uint64'],
    time_unix_nano: [shapes.CLOCK.time_unix_nano, 'fixed64', '', 'time_unix_nanos'],
    attribute_indices: [shapes.CLOCK.attribute_indices, 'uint32', '*', 'attributes'],
  },
  Stack: { location_index: [shapes.STACK.location_index, 'uint32', '*', 'location_indices', 'locations'] },
  Location: {
    mapping_index: [shapes.LOCATION.mapping_index, 'uint32'],
    address: [shapes.LOCATION.address, 'uint64'],
    line: [shapes.LOCATION.line, 'Line', '*', 'lines'],
    is_folded: [shapes.LOCATION.is_folded, 'bool'],
    type_string_index: [shapes.LOCATION.type_string_index, 'int32', '', 'type_index'],
    attribute_index: [shapes.LOCATION.attribute_index, 'uint32', '*', 'attribute_indices', 'attributes'],
  },
  Line: {
    function_index: [shapes.LINE.function_index, 'uint32'],
    line: [shapes.LINE.line, 'int64'],
    column: [shapes.LINE.column, 'int64'],
  },
  Function: {
    id: [shapes.FUNCTION.id, 'uint64'],
    name_string_uindex: [shapes.FUNCTION.name_string_index, 'uint32', '', 'name_string_index', 'name_index'],
    system_name_string_index: [shapes.FUNCTION.system_name_string_index, 'uint32', '', 'system_name_index'],
    filename_string_index: [shapes.FUNCTION.filename_string_index, 'uint32', '', 'filename_index'],
    start_line: [shapes.FUNCTION.start_line, 'int64'],
  },
  Mapping: {
    memory_start: [shapes.MAPPING.memory_start, 'uint64'],
    memory_limit: [shapes.MAPPING.memory_limit, 'uint64'],
    file_offset: [shapes.MAPPING.file_offset, 'uint64'],
    filename_string_index: [shapes.MAPPING.filename_string_index, 'uint32', '', 'filename_index'],
    build_id_string_index: [shapes.MAPPING.build_id_string_index, 'uint32', '', 'build_id_index'],
    build_id_kind: [shapes.MAPPING.build_id_kind, 'BuildIdKind'],
    attributes: [shapes.MAPPING.attributes, 'uint64', '*', 'attribute_indices'],
    has_functions: [shapes.MAPPING.has_functions, 'bool'],
    has_filenames: [shapes.MAPPING.has_filenames, 'bool'],
    has_line_numbers: [shapes.MAPPING.has_line_numbers, 'bool'],
    has_inline_frames: [shapes.MAPPING.has_inline_frames, 'bool'],
  },
  Link: { trace_id: [shapes.LINK.trace_id, 'bytes'], span_id: [shapes.LINK.span_id, 'bytes'] },
  KeyValue: {
    key_string_index: [shapes.KEY_VALUE.key_string_index, 'uint32', '', 'key_index'],
    value: [shapes.KEY_VALUE.value, 'AnyValue'],
  },
  AnyValue: {
    // The document's examples write the index of a string as `value: {key_index: 6}`.
    string_index: [shapes.ANY_VALUE.string_index, 'uint32', '', 'key_index', 'string_value_index'],
    bool_value: [shapes.ANY_VALUE.bool_value, 'bool'],
    int_value: [shapes.ANY_VALUE.int_value, 'int64'],
    double_value: [shapes.ANY_VALUE.double_value, 'double'],
    array_value: [shapes.ANY_VALUE.array_value, 'ArrayValue'],
    kvlist_value: [shapes.ANY_VALUE.kvlist_value, 'KeyValueList'],
    bytes_value: [shapes.ANY_VALUE.bytes_value, 'bytes'],
  },
  ArrayValue: { values: [shapes.VALUES.values, 'AnyValue', '*', 'value'] },
  KeyValueList: { values: [shapes.VALUES.values, 'KeyValue', '*', 'value'] },
}

export const BUILD_ID_KINDS: readonly string[] = ['BUILD_ID_LINKER', 'BUILD_ID_BINARY_HASH']

export const MESSAGE_NAMES = Object.keys(tables) as readonly MessageName[]

const messages = new Map(MESSAGE_NAMES.map(name => [name, compile(name, tables[name])] as const))

export function messageNamed(name: MessageName): TextMessage {
  return messages.get(name)!
}

export function isMessage(type: TextType): type is MessageName {
  return Object.hasOwn(tables, type)
}

function compile(name: MessageName, fields: Fields): TextMessage {
  const byName = new Map<string, TextField>()
  const byNumber = new Map<number, TextField>()
  const entries = Object.entries(fields)
  for (const [field, [number, type, mark]] of entries) {
    const compiled: TextField = {
      number,
      name: field,
      type,
      repeated: mark === '*',
      isString: /string_u?index$/.test(field),
    }
    byName.set(field, compiled)
    byNumber.set(number, compiled)
  }
  // After the primary names, which alternative names of other fields must not hide.
  for (const [field, [, , , ...others]] of entries) {
    for (const other of others) if (!byName.has(other)) byName.set(other, byName.get(field)!)
  }
  return { name, byName, byNumber }
}
