// The library's door: everything that others may use, by stage of the flow.

// wire
export type { Codecs, Compression, CompressionFault } from './wire/compression.ts'
export { CompressionError, DEFAULT_LIMIT, compressionOf, decompress, portableCodecs } from './wire/compression.ts'
export { WireError } from './wire/wire-error.ts'
export { BackwardWriter } from './wire/backward-writer.ts'

// model
export type { AnyValue, KeyValue, KeyValueList, Resource, Scope } from './model/any-value.ts'
export { isKeyValueList } from './model/any-value.ts'
export type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from './model/brand.ts'
export { NONE } from './model/brand.ts'
export { concat } from './model/concat.ts'
export { formatBytes, formatDuration, formatExact, formatShare, formatTime, formatValue } from './model/format-value.ts'
export type { MergeResult } from './model/merge.ts'
export { ProfilesMerger, merge } from './model/merge.ts'
export { canonicalUnit } from './model/units.ts'
export { pickProfiles } from './model/pick-profiles.ts'
export type { Level, Rule } from './model/validate/rules.ts'
export { RULES } from './model/validate/rules.ts'
export type { Problem, ValidateOptions } from './model/validate/validate.ts'
export { validate } from './model/validate/validate.ts'
export { ProfilesBuilder } from './model/builder.ts'
export type { Profiles } from './model/profiles.ts'

// formats
export type { Confidence, Format, Note, ReadOptions, ReadResult, WriteOptions, WriteResult } from './formats/format.ts'
export { FormatError } from './formats/format.ts'
export { formatOfName } from './formats/detect.ts'
export type { ReadProfileOptions, ReadProfileResult } from './formats/read-profile.ts'
export { EmptyInputError, UnknownFormatError, readProfile } from './formats/read-profile.ts'
export { formatNamed, formats } from './formats/registry.ts'
export { writeProfile } from './formats/write-profile.ts'
export { encodeOtlp } from './formats/otlp/encode.ts'
export { readOtlp } from './formats/otlp/read.ts'
export { writeOtlp } from './formats/otlp/write.ts'

// analyze
export type { CallTree, CallTreeOptions, TreeOrder } from './analyze/call-tree.ts'
export { callTree } from './analyze/call-tree.ts'
export type { TopDiff } from './analyze/diff.ts'
export { hasVanished, isNew, topDiff } from './analyze/diff.ts'
export type { ValueColumns } from './analyze/exact-values.ts'
export { exactSelf, exactTotal } from './analyze/exact-values.ts'
export type { FrameTable, GroupBy } from './analyze/frames.ts'
export type { ProfileSummary } from './analyze/summary.ts'
export { profileSummary } from './analyze/summary.ts'
export type { TopTable } from './analyze/top.ts'
export { topTable } from './analyze/top.ts'
