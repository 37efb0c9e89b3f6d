// The small door, for a process that makes profiles and is to notice as little of it as can be: building, OTLP, source maps. It
// loads in a fifth of the time of the whole library (65 instead of 350 ms) and takes two fifths of the memory (10 instead of 27 MB).
export type { AnyValue, KeyValue, KeyValueList, Resource, Scope } from './model/any-value.ts'
export type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from './model/brand.ts'
export { ProfilesBuilder } from './model/builder.ts'
export { highHalf, int64, lowHalf, uint64 } from './model/int64.ts'
export { SequenceInterner } from './model/intern.ts'
export type { Profiles } from './model/profiles.ts'
export { encodeOtlp } from './formats/otlp/encode.ts'
export { readOtlp } from './formats/otlp/read.ts'
export { writeOtlpJson } from './formats/otlp-json/write.ts'
export { GENERATED_ATTRIBUTES, applySourceMaps } from './symbols/apply-source-maps.ts'
export type { OriginalPosition } from './symbols/source-map.ts'
export { SourceMap, SourceMapError } from './symbols/source-map.ts'
