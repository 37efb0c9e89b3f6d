// The messages of profiles.proto in its current generation (1.10), field by field, for reflection and for tests.
// @hearth/profile reads and writes profiles: it knows all generations and stores columns.
import { OPEN_RESOURCE, OPEN_SCOPE } from './common.ts'
import type { OpenResource, OpenScope } from './common.ts'
import {
  bytes,
  fixed64,
  hexId,
  id,
  int32,
  int64,
  message,
  messages,
  repeated,
  text,
  uint32,
  uint64,
} from '../protobuf/field.ts'
import type { ContentOf } from '../protobuf/field.ts'
import { defineMessage } from '../protobuf/message.ts'
import type { OpenAnyValue } from './attributes.ts'
import { OPEN_ANY_VALUE } from './attributes.ts'

const PACKAGE = 'opentelemetry.proto.profiles.v1development'

export const LINK = defineMessage(`${PACKAGE}.Link`, { traceId: id(1), spanId: id(2) })
export interface Link extends ContentOf<typeof LINK> {}

export const VALUE_TYPE = defineMessage(`${PACKAGE}.ValueType`, { typeStrindex: int32(1), unitStrindex: int32(2) })
export interface ValueType extends ContentOf<typeof VALUE_TYPE> {}

export const SAMPLE = defineMessage(`${PACKAGE}.Sample`, {
  stackIndex: int32(1),
  attributeIndices: repeated(int32(2)),
  linkIndex: int32(3),
  values: repeated(int64(4)),
  timestampsUnixNano: repeated(fixed64(5)),
})
export interface Sample extends ContentOf<typeof SAMPLE> {}

export const MAPPING = defineMessage(`${PACKAGE}.Mapping`, {
  memoryStart: uint64(1),
  memoryLimit: uint64(2),
  fileOffset: uint64(3),
  filenameStrindex: int32(4),
  attributeIndices: repeated(int32(5)),
})
export interface Mapping extends ContentOf<typeof MAPPING> {}

export const STACK = defineMessage(`${PACKAGE}.Stack`, { locationIndices: repeated(int32(1)) })
export interface Stack extends ContentOf<typeof STACK> {}

export const LINE = defineMessage(`${PACKAGE}.Line`, { functionIndex: int32(1), line: int64(2), column: int64(3) })
export interface Line extends ContentOf<typeof LINE> {}

export const LOCATION = defineMessage(`${PACKAGE}.Location`, {
  mappingIndex: int32(1),
  address: uint64(2),
  lines: messages<Line>(3, LINE),
  attributeIndices: repeated(int32(4)),
})
export interface Location extends ContentOf<typeof LOCATION> {}

export const FUNCTION = defineMessage(`${PACKAGE}.Function`, {
  nameStrindex: int32(1),
  systemNameStrindex: int32(2),
  filenameStrindex: int32(3),
  startLine: int64(4),
})
export interface ProfileFunction extends ContentOf<typeof FUNCTION> {}

export const KEY_VALUE_AND_UNIT = defineMessage(`${PACKAGE}.KeyValueAndUnit`, {
  keyStrindex: int32(1),
  value: message<OpenAnyValue>(2, OPEN_ANY_VALUE),
  unitStrindex: int32(3),
})
export interface KeyValueAndUnit extends ContentOf<typeof KEY_VALUE_AND_UNIT> {}

export const PROFILES_DICTIONARY = defineMessage(`${PACKAGE}.ProfilesDictionary`, {
  mappingTable: messages<Mapping>(1, MAPPING),
  locationTable: messages<Location>(2, LOCATION),
  functionTable: messages<ProfileFunction>(3, FUNCTION),
  linkTable: messages<Link>(4, LINK),
  stringTable: repeated(text(5)),
  attributeTable: messages<KeyValueAndUnit>(6, KEY_VALUE_AND_UNIT),
  stackTable: messages<Stack>(7, STACK),
})
export interface ProfilesDictionary extends ContentOf<typeof PROFILES_DICTIONARY> {}

export const PROFILE = defineMessage(`${PACKAGE}.Profile`, {
  sampleType: message<ValueType>(1, VALUE_TYPE),
  samples: messages<Sample>(2, SAMPLE),
  timeUnixNano: fixed64(3),
  durationNano: uint64(4),
  periodType: message<ValueType>(5, VALUE_TYPE),
  period: int64(6),
  profileId: hexId(7),
  droppedAttributesCount: uint32(8),
  originalPayloadFormat: text(9),
  originalPayload: bytes(10),
  attributeIndices: repeated(int32(11)),
})
export interface Profile extends ContentOf<typeof PROFILE> {}

export const SCOPE_PROFILES = defineMessage(`${PACKAGE}.ScopeProfiles`, {
  scope: message<OpenScope>(1, OPEN_SCOPE),
  profiles: messages<Profile>(2, PROFILE),
  schemaUrl: text(3),
})
export interface ScopeProfiles extends ContentOf<typeof SCOPE_PROFILES> {}

export const RESOURCE_PROFILES = defineMessage(`${PACKAGE}.ResourceProfiles`, {
  resource: message<OpenResource>(1, OPEN_RESOURCE),
  scopeProfiles: messages<ScopeProfiles>(2, SCOPE_PROFILES),
  schemaUrl: text(3),
})
export interface ResourceProfiles extends ContentOf<typeof RESOURCE_PROFILES> {}

export const PROFILES_DATA = defineMessage(`${PACKAGE}.ProfilesData`, {
  resourceProfiles: messages<ResourceProfiles>(1, RESOURCE_PROFILES),
  dictionary: message<ProfilesDictionary>(2, PROFILES_DICTIONARY),
})
export interface ProfilesData extends ContentOf<typeof PROFILES_DATA> {}
