// A small entry point for processes that record profiles: building, OTLP and source maps. It loads in a fifth of the
// time of the complete library (65 instead of 350 ms) and takes two fifths of the memory (10 instead of 27 MB).
export type { AnyValue, KeyValue, KeyValueList, Resource, Scope } from './model/columns/any-value.ts'
export type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from './model/columns/brand.ts'
export { ProfilesBuilder } from './model/build/builder.ts'
export { highHalf, int64, lowHalf, uint64 } from './model/columns/int64.ts'
export { SequenceInterner } from './model/build/intern.ts'
export { profilesFromClone } from './model/columns/cloned-profiles.ts'
export { parseDurationMs } from './model/text/duration.ts'
export type { Profiles } from './model/columns/profiles.ts'
export { encodeOtlp } from './formats/otlp/encode.ts'
export { writeOtlpJson } from './formats/otlp-json/write.ts'
export { GENERATED_ATTRIBUTES, applySourceMaps } from './symbols/source-maps/apply-source-maps.ts'
export type { OriginalPosition } from './symbols/source-maps/source-map.ts'
export { SourceMap, SourceMapError } from './symbols/source-maps/source-map.ts'
