// google.v1.Profile is pprof's profile.proto under another name. As protobuf it is a pprof file, so only JSON needs the
// fields.
import type { ContentOf } from '@hearth/signals'
import { bool, defineProtoJson, int64, message, messages, repeated, text, uint64 } from '@hearth/signals'

const PACKAGE = 'google.v1'

export const GOOGLE_VALUE_TYPE = defineProtoJson(`${PACKAGE}.ValueType`, { type: int64(1), unit: int64(2) })
export interface GoogleValueType extends ContentOf<typeof GOOGLE_VALUE_TYPE> {}

export const GOOGLE_LABEL = defineProtoJson(`${PACKAGE}.Label`, {
  key: int64(1),
  str: int64(2),
  num: int64(3),
  numUnit: int64(4),
})
export interface GoogleLabel extends ContentOf<typeof GOOGLE_LABEL> {}

export const GOOGLE_SAMPLE = defineProtoJson(`${PACKAGE}.Sample`, {
  locationId: repeated(uint64(1)),
  value: repeated(int64(2)),
  label: messages<GoogleLabel>(3, GOOGLE_LABEL),
})
export interface GoogleSample extends ContentOf<typeof GOOGLE_SAMPLE> {}

export const GOOGLE_MAPPING = defineProtoJson(`${PACKAGE}.Mapping`, {
  id: uint64(1),
  memoryStart: uint64(2),
  memoryLimit: uint64(3),
  fileOffset: uint64(4),
  filename: int64(5),
  buildId: int64(6),
  hasFunctions: bool(7),
  hasFilenames: bool(8),
  hasLineNumbers: bool(9),
  hasInlineFrames: bool(10),
})
export interface GoogleMapping extends ContentOf<typeof GOOGLE_MAPPING> {}

export const GOOGLE_LINE = defineProtoJson(`${PACKAGE}.Line`, { functionId: uint64(1), line: int64(2) })
export interface GoogleLine extends ContentOf<typeof GOOGLE_LINE> {}

export const GOOGLE_LOCATION = defineProtoJson(`${PACKAGE}.Location`, {
  id: uint64(1),
  mappingId: uint64(2),
  address: uint64(3),
  line: messages<GoogleLine>(4, GOOGLE_LINE),
  isFolded: bool(5),
})
export interface GoogleLocation extends ContentOf<typeof GOOGLE_LOCATION> {}

export const GOOGLE_FUNCTION = defineProtoJson(`${PACKAGE}.Function`, {
  id: uint64(1),
  name: int64(2),
  systemName: int64(3),
  filename: int64(4),
  startLine: int64(5),
})
export interface GoogleFunction extends ContentOf<typeof GOOGLE_FUNCTION> {}

export const GOOGLE_PROFILE = defineProtoJson(`${PACKAGE}.Profile`, {
  sampleType: messages<GoogleValueType>(1, GOOGLE_VALUE_TYPE),
  sample: messages<GoogleSample>(2, GOOGLE_SAMPLE),
  mapping: messages<GoogleMapping>(3, GOOGLE_MAPPING),
  location: messages<GoogleLocation>(4, GOOGLE_LOCATION),
  function: messages<GoogleFunction>(5, GOOGLE_FUNCTION),
  stringTable: repeated(text(6)),
  dropFrames: int64(7),
  keepFrames: int64(8),
  timeNanos: int64(9),
  durationNanos: int64(10),
  periodType: message<GoogleValueType>(11, GOOGLE_VALUE_TYPE),
  period: int64(12),
  comment: repeated(int64(13)),
  defaultSampleType: int64(14),
  docUrl: int64(15),
})
export interface GoogleProfile extends ContentOf<typeof GOOGLE_PROFILE> {}
