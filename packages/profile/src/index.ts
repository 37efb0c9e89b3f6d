// The public API of the library, by stage of the data flow.

// wire
export type { Codecs, Compression, CompressionFault } from './wire/compression/compression.ts'
export {
  CompressionError,
  DEFAULT_LIMIT,
  compressionOf,
  decompress,
  portableCodecs,
} from './wire/compression/compression.ts'
export { WireError } from './wire/wire-error.ts'
export type { Column, ColumnFile } from './wire/columns.ts'
export { COLUMNS_MEDIA_TYPE, TextColumn, decodeColumns, encodeColumns } from './wire/columns.ts'
export { BackwardWriter } from './wire/protobuf/backward-writer.ts'
export type { JsonReaderOptions, JsonValue } from './wire/json/json-reader.ts'
export { JsonError, JsonReader } from './wire/json/json-reader.ts'
export { JsonWriter } from './wire/json/json-writer.ts'
export { hexOf } from './model/text/hex.ts'
export { decodeUtf8, encodeUtf8Into, isUtf8, utf8Length } from './wire/utf8.ts'

// model
export { ATTRIBUTES } from './model/attributes/semantic-conventions.ts'
export type { AnyValue, EntityRef, KeyValue, KeyValueList, Resource, Scope } from './model/columns/any-value.ts'
export { valueText } from './model/attributes/value-text.ts'
export { partitionPoint } from './model/columns/binary-search.ts'
export { textHash } from './model/text/text-hash.ts'
export {
  MAX_VALUE_DEPTH,
  NO_STRINGS,
  decodeKeyValue,
  doubleFromHalves,
  encodeNested,
  halvesOfDouble,
  hasNestedUnknown,
  isKeyValueList,
  unknownOfValue,
  writeKeyValue,
  writeValueWithUnknown,
} from './model/columns/any-value.ts'
export type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from './model/columns/brand.ts'
export { NONE } from './model/columns/brand.ts'
export { GrowingInts } from './model/columns/growing-columns.ts'
export { compareLongs, compareTexts } from './model/columns/order.ts'
export { concat } from './model/merge/concat.ts'
export type { AttributeTable, Dictionary, DictionaryOrigin, Pool } from './model/columns/dictionary.ts'
export {
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LINK_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
  ValueKind,
  isByteRange,
} from './model/columns/dictionary.ts'
export { formatAmount } from './model/text/format-amount.ts'
export {
  formatBytes,
  formatDuration,
  formatExact,
  formatShare,
  formatTime,
  formatValue,
} from './model/text/format-value.ts'
export type { UnitPer } from './model/text/normalised-unit.ts'
export { normalisedUnit, plainUnit } from './model/text/normalised-unit.ts'
export type { DurationUnit } from './model/text/duration.ts'
export { parseDuration, parseDurationMs } from './model/text/duration.ts'
export type { MergeResult } from './model/merge/merge.ts'
export type { Temporality } from './model/temporality/cumulative-series.ts'
export { increaseSince } from './model/temporality/increase.ts'
export { summableRows, temporalityOf } from './model/temporality/cumulative-series.ts'
export type { SnapshotMode } from './model/temporality/gauge-types.ts'
export { SNAPSHOT_MODES, isGaugeType } from './model/temporality/gauge-types.ts'
export type { CountedRows } from './model/temporality/snapshots.ts'
export { countedRows, countedTotal } from './model/temporality/snapshots.ts'
export { ProfilesMerger, merge } from './model/merge/merge.ts'
export { isUcum } from './model/text/ucum.ts'
export { canonicalUnit, nanosecondsOf } from './model/text/units.ts'
export type { ObservationChoice, TimeSpan } from './model/edit/pick-observations.ts'
export { pickObservations } from './model/edit/pick-observations.ts'
export { pickProfiles } from './model/edit/pick-profiles.ts'
export type { Level, Rule } from './model/validate/rules.ts'
export { ALL_RULES as RULES } from './model/validate/rules.ts'
export type { Problem, ValidateOptions } from './model/validate/validate.ts'
export { validate } from './model/validate/validate.ts'
export { ProblemList } from './model/validate/problems.ts'
export { ProfilesBuilder } from './model/build/builder.ts'
export { SequenceInterner } from './model/build/intern.ts'
export { highHalf, int64, lowHalf, uint64 } from './model/columns/int64.ts'
export type { Profiles } from './model/columns/profiles.ts'
export { profilesFromClone } from './model/columns/cloned-profiles.ts'
export type { UnknownFields, UnknownTable } from './model/columns/unknown-fields.ts'
export {
  NESTED_PART,
  OWN_PART,
  VALUE_PART,
  decodeParts,
  encodeParts,
  joinBytes,
  partOf,
} from './model/columns/unknown-fields.ts'
export { ProfileColumn, SAMPLE_STRIDE } from './model/columns/profiles.ts'
export { contentEqual, difference } from './model/compare/content-equal.ts'
export type { TimeRange } from './model/columns/time-range.ts'
export { profileTimeRange } from './model/columns/time-range.ts'
export type { PrunedProfiles } from './model/edit/prune-frames.ts'
export { pruneFrames } from './model/edit/prune-frames.ts'
export type { ProfileHeaderChange } from './model/edit/with-headers.ts'
export type { ProfileRedaction } from './model/edit/redact-profiles.ts'
export { redactProfiles } from './model/edit/redact-profiles.ts'
export { withHeaders } from './model/edit/with-headers.ts'
export { withOriginalPayload } from './model/edit/original-payload.ts'
export { withProfileAttributes } from './model/edit/with-profile-attributes.ts'
export { withResources } from './model/edit/with-resources.ts'

// formats
export type { ConformingProfiles } from './formats/conforming.ts'
export { LOSSLESS_CHANGES, conforming } from './formats/conforming.ts'
export type {
  Confidence,
  Format,
  Note,
  ProfileReject,
  ReadOptions,
  ReadResult,
  WriteOptions,
  WriteResult,
} from './formats/format.ts'
export { FormatError, NoteList } from './formats/format.ts'
export { KnownSymbols } from './formats/known-symbols.ts'
export { RepeatedBytes } from './formats/repeated-bytes.ts'
export { dictionaryField } from './formats/otlp/known-dictionary.ts'
export { formatOfName } from './formats/detect.ts'
export type { KeptOriginal } from './formats/keep-original.ts'
export { keepOriginal } from './formats/keep-original.ts'
export { originalBytes } from './formats/original-bytes.ts'
export type { ReadProfileOptions, ReadProfileResult } from './formats/read-profile.ts'
export { EmptyInputError, UnknownFormatError, readProfile } from './formats/read-profile.ts'
export { formatNamed, formats } from './formats/registry.ts'
export { sortedBy } from './formats/recordings/sorted-by.ts'
export type { ValidateFileOptions } from './formats/validation/validate-file.ts'
export { validateFile } from './formats/validation/validate-file.ts'
export { writeProfile } from './formats/write-profile.ts'

// formats, exported one by one so that bundlers drop the unused ones
export { arraysDraft } from './formats/arrays-draft/index.ts'
export { readArraysDraft } from './formats/arrays-draft/read.ts'
export { writeArraysDraft } from './formats/arrays-draft/write.ts'
export { callgrind } from './formats/callgrind/index.ts'
export { writeCallgrind } from './formats/callgrind/write.ts'
export { chromeTrace } from './formats/chrome-trace/index.ts'
export { readChromeTrace } from './formats/chrome-trace/read.ts'
export { writeChromeTrace } from './formats/chrome-trace/write.ts'
export { cpuprofile } from './formats/cpuprofile/index.ts'
export { readCpuprofile } from './formats/cpuprofile/read.ts'
export { writeCpuprofile } from './formats/cpuprofile/write.ts'
export { dot } from './formats/dot/index.ts'
export { writeDot } from './formats/dot/write.ts'
export { eventsText } from './formats/events-text/index.ts'
export { readEventsText } from './formats/events-text/read.ts'
export { writeEventsText } from './formats/events-text/write.ts'
export { events } from './formats/events/index.ts'
export { readEventProfile } from './formats/events/read.ts'
export { writeEventProfile } from './formats/events/write.ts'
export { firefox } from './formats/firefox/index.ts'
export { readFirefox } from './formats/firefox/read.ts'
export { writeFirefox } from './formats/firefox/write.ts'
export { flamegraphHtml } from './formats/flamegraph-html/index.ts'
export { writeFlamegraphHtml } from './formats/flamegraph-html/write.ts'
export { flamegraphSvg } from './formats/flamegraph-svg/index.ts'
export { writeFlamegraphSvg } from './formats/flamegraph-svg/write.ts'
export { folded } from './formats/folded/index.ts'
export { readFolded } from './formats/folded/read.ts'
export { writeFolded } from './formats/folded/write.ts'
export { goTrace } from './formats/go-trace/index.ts'
export { readGoTrace } from './formats/go-trace/read.ts'
export { heapprofile } from './formats/heapprofile/index.ts'
export { readHeapprofile } from './formats/heapprofile/read.ts'
export { writeHeapprofile } from './formats/heapprofile/write.ts'
export { jfr } from './formats/jfr/index.ts'
export { readJfr } from './formats/jfr/read.ts'
export { otep239 } from './formats/otep239/index.ts'
export { readOtep239 } from './formats/otep239/read.ts'
export { writeOtep239 } from './formats/otep239/write.ts'
export { quotedBase64, quotedHex, readBytes } from './formats/otlp-json/byte-text.ts'
export { otlpJson } from './formats/otlp-json/index.ts'
export { readOtlpJson } from './formats/otlp-json/read.ts'
export { writeOtlpJson } from './formats/otlp-json/write.ts'
export {
  writeAnyValue as writeAnyValueJson,
  writeKeyValue as writeKeyValueJson,
  writeMembers,
} from './formats/otlp-json/write-common.ts'
export { MemberFilter, encodeMember } from './formats/otlp/json-members.ts'
export { valueText as jsonValueText } from './formats/otlp-json/decode/read-common.ts'
export type { MessageFrame } from './formats/otlp/frames.ts'
export { framesOf } from './formats/otlp/frames.ts'
export { otlp } from './formats/otlp/index.ts'
export { encodeOtlp } from './formats/otlp/encode.ts'
export { readOtlp } from './formats/otlp/read.ts'
export { writeOtlp } from './formats/otlp/write.ts'
export { perfData } from './formats/perf-data/index.ts'
export { readPerfData } from './formats/perf-data/read.ts'
export { perfScript } from './formats/perf-script/index.ts'
export { readPerfScript } from './formats/perf-script/read.ts'
export { writePerfScript } from './formats/perf-script/write.ts'
export { pprofLegacy } from './formats/pprof-legacy/index.ts'
export { readLegacyPprof } from './formats/pprof-legacy/read.ts'
export { pprof } from './formats/pprof/index.ts'
export { readPprof } from './formats/pprof/read.ts'
export { writePprof } from './formats/pprof/write.ts'
export { speedscope } from './formats/speedscope/index.ts'
export { readSpeedscope } from './formats/speedscope/read.ts'
export { writeSpeedscope } from './formats/speedscope/write.ts'

// symbols
export { GENERATED_ATTRIBUTES, applySourceMaps } from './symbols/source-maps/apply-source-maps.ts'
export type { AppliedSymbols, BinarySymbols, MappedBinary, MappedRange } from './symbols/native/apply-symbols.ts'
export { addressInFile, applySymbols, mappedBinary } from './symbols/native/apply-symbols.ts'
export type { CalledCode } from './symbols/native/called-code.ts'
export { calledCode } from './symbols/native/called-code.ts'
export type { CompiledCode } from './symbols/native/files/process-code.ts'
export type { CodeOfBinary, OpenableFile, SymbolFilesOptions } from './symbols/native/files/symbol-files.ts'
export { SymbolFiles } from './symbols/native/files/symbol-files.ts'
export type { DwarfFiles, DwarfReport } from './symbols/native/dwarf/index-dwarf.ts'
export { isPackage } from './symbols/native/dwarf/package-file.ts'
export type { FunctionCode, SymbolFrame } from './symbols/native/index/symbol-index.ts'
export { SymbolIndex } from './symbols/native/index/symbol-index.ts'
export type { ObjectFile, Section, Segment } from './symbols/native/object/object-file.ts'
export { stripElf } from './symbols/native/object/strip-elf.ts'
export { openObject } from './symbols/native/read-symbols.ts'
export type { ReadSymbols, SymbolFormat, SymbolsOptions } from './symbols/native/read-symbols.ts'
export { formatOfSymbols, hasLines, isSymbolFile, readSymbols } from './symbols/native/read-symbols.ts'
export { SymbolFileError } from './symbols/native/symbol-file-error.ts'
export type { BuildIdKind } from './model/attributes/build-id.ts'
export { crc32 } from './wire/compression/crc32.ts'
export { breakpadId, htlhash, parseBuildId } from './model/attributes/build-id.ts'
export { addressName, baseName, unnamedName } from './model/text/frame-name.ts'
export { demangle, demangleNames } from './symbols/demangle/demangle.ts'
export type { OriginalPosition } from './symbols/source-maps/source-map.ts'
export { SourceMap, SourceMapError } from './symbols/source-maps/source-map.ts'

// analyze
export type { Activity, SampleClock, SampledMoment } from './analyze/activity/activity.ts'
export { IDLE_FRAME, activityOf, activityOfLeaf, activityOfState, clockOf } from './analyze/activity/activity.ts'
export type { LaneKind } from './analyze/activity/lane-kind.ts'
export { LANE_IDS, LANE_KINDS, laneKindOf, laneTitle } from './analyze/activity/lane-kind.ts'
export type { SpanLink } from './analyze/activity/span-links.ts'
export { SpanLinks } from './analyze/activity/span-links.ts'
export type { LeafFrame } from './analyze/activity/wait-functions.ts'
export type { DiffTree, TopDiff } from './analyze/diff.ts'
export { changeLimit, changeOf, diffOfBuilt, diffTree, hasVanished, isNew, topDiff } from './analyze/diff.ts'
export type { HeatMap, HeatMapOptions } from './analyze/heat-map.ts'
export { heatMap, observedSpan } from './analyze/heat-map.ts'
export type { CriticalSegment } from './analyze/ledger/critical-path.ts'
export { criticalPath, deepEntries } from './analyze/ledger/critical-path.ts'
export type { LedgerDetail } from './analyze/ledger/details.ts'
export { DetailSums, requestOf } from './analyze/ledger/details.ts'
export type { EntryKind } from './analyze/ledger/entry-kinds.ts'
export { ENTRY_KINDS, ENTRY_TITLES } from './analyze/ledger/entry-kinds.ts'
export type { EvidenceColumns } from './analyze/ledger/evidence.ts'
export { EVIDENCE_KINDS, EvidenceBuilder } from './analyze/ledger/evidence.ts'
export type { EventPlacement, ObservedEvents } from './analyze/ledger/evidence-of-events.ts'
export { evidenceOfEvents } from './analyze/ledger/evidence-of-events.ts'
export type { LedgerInput, LedgerLane, LedgerSpan } from './analyze/ledger/ledger-input.ts'
export type { LedgerEntry, SpanLedger } from './analyze/ledger/ledgers.ts'
export { Ledgers } from './analyze/ledger/ledgers.ts'
export type { LedgerSegment } from './analyze/ledger/segments.ts'
export { sliceTree } from './analyze/ledger/slice-tree.ts'
export type { FileLedgers } from './analyze/ledger/file/file-ledgers.ts'
export { fileLedgers } from './analyze/ledger/file/file-ledgers.ts'
export { ledgerSentence } from './analyze/ledger/sentence.ts'
export type { LocationCost } from './analyze/location-costs.ts'
export { locationCosts } from './analyze/location-costs.ts'
export type { AverageEntry, AverageLedger, PercentileLedger } from './analyze/ledger/operation/average-ledger.ts'
export { averageLedger, percentileLedgers } from './analyze/ledger/operation/average-ledger.ts'
export type { CommonAttribute, RequestAttribute } from './analyze/ledger/operation/common-attributes.ts'
export { commonAttributes } from './analyze/ledger/operation/common-attributes.ts'
export type { EntryDifference, LedgerComparison } from './analyze/ledger/operation/compare-ledgers.ts'
export { compareLedgers } from './analyze/ledger/operation/compare-ledgers.ts'
export type { Interference, InterferenceTable } from './analyze/ledger/operation/interference.ts'
export { interference } from './analyze/ledger/operation/interference.ts'
export type { EntryHistogram } from './analyze/ledger/operation/entry-histograms.ts'
export { ENTRY_BOUNDS, entryHistograms } from './analyze/ledger/operation/entry-histograms.ts'
export type { IntervalLedger, ValueLedger } from './analyze/ledger/operation/over-time.ts'
export { ledgersByValue, ledgersOverTime } from './analyze/ledger/operation/over-time.ts'
export type { RequestLedgers } from './analyze/ledger/operation/request-ledgers.ts'
export { requestLedgers, visitRequest } from './analyze/ledger/operation/request-ledgers.ts'
export type { DiffRow, JoinedTops } from './analyze/join-tops.ts'
export { joinTops } from './analyze/join-tops.ts'
export type { CallTreeOptions } from './analyze/profile-tree.ts'
export { callTree } from './analyze/profile-tree.ts'
export type { PlacedStacks, Sandwich } from './analyze/sandwich.ts'
export { cutStacks, frameNamed, sandwich } from './analyze/sandwich.ts'
export type { GroupBy, Grouping, LocationFrames } from './analyze/stacks/location-frames.ts'
export { locationFrames } from './analyze/stacks/location-frames.ts'
export { RootFrames } from './analyze/stacks/root-frames.ts'
export { stackWeights } from './analyze/stacks/stack-weights.ts'
export type { RootsOf } from './analyze/stacks/stack-paths.ts'
export { StackPaths } from './analyze/stacks/stack-paths.ts'
export { withRootFrames } from './analyze/stacks/with-root-frames.ts'
export { defaultProfile } from './analyze/default-profile.ts'
export type { Judgement, RequestValue, Share, SideObservations } from './analyze/significance/deviations.ts'
export {
  JUDGEMENTS,
  deviations,
  judge,
  judgeDeviations,
  judgeRate,
  noiseOf,
  requestDeviations,
  shareMargin,
  varianceBetween,
} from './analyze/significance/deviations.ts'
export type { CompareRunsOptions, RunsComparison, RunsSide } from './analyze/significance/compare-runs.ts'
export { compareRuns, profilesAsRuns } from './analyze/significance/compare-runs.ts'
export type { ComparedValues, SidesComparison } from './analyze/significance/compare-sides.ts'
export { compareSides, detectableChange } from './analyze/significance/compare-sides.ts'
export type { ChangeGroup, GroupChangesOptions } from './analyze/significance/group-changes.ts'
export { groupChanges } from './analyze/significance/group-changes.ts'
export { binomialTail, falseDiscoveryRates, normalTail, studentQuantile } from './analyze/significance/distributions.ts'
export { looksAt, rateOfLook } from './analyze/significance/looks.ts'
export { SideSums } from './analyze/significance/side-sums.ts'
export type { ProfileSummary } from './analyze/summary.ts'
export { profileSummary } from './analyze/summary.ts'
export type { TopSort, TopTable } from './analyze/top.ts'
export { sumFrames, topOfStacks, topOfTree, topTable } from './analyze/top.ts'
export type { BuiltTree } from './analyze/tree/build-tree.ts'
export type { Side } from './analyze/tree/tree-nodes.ts'
export { buildTree } from './analyze/tree/build-tree.ts'
export type { FunctionLines, LineCost } from './analyze/view/function-lines.ts'
export { functionLines } from './analyze/view/function-lines.ts'
export type { InnermostCalls } from './analyze/stacks/innermost-calls.ts'
export { PGO_CALLS, innermostCalls } from './analyze/stacks/innermost-calls.ts'
export type { CallTimes, CallTree, TreeOrder, TreeSide } from './analyze/tree/call-tree.ts'
export { Presence, ROOT, nodesTo, selfOf, subtreeEnd, titleAt, totalOf, treeOfBuilt } from './analyze/tree/call-tree.ts'
export type { ValueColumns, Weights } from './analyze/tree/exact-values.ts'
export {
  differences,
  exactSelf,
  exactSum,
  exactTotal,
  overflows,
  scaleFor,
  sumOf,
} from './analyze/tree/exact-values.ts'
export type { FrameColumns } from './analyze/tree/frame-columns.ts'
export { frameColumns, framesOfColumns } from './analyze/tree/frame-columns.ts'
export type { FrameRow, FrameTable, FunctionName } from './analyze/tree/frame-table.ts'
export { THREAD, frameRow, framesOfRows, isFunction, noValue, titleOf } from './analyze/tree/frame-table.ts'
export { FrameTrie } from './analyze/tree/frame-trie.ts'
export type { ShapeColumns, TreeColumns } from './analyze/tree/tree-columns.ts'
export {
  diffParts,
  scaledSum,
  treeOfColumns,
  treeOfDiffJson,
  treeOfFlameGraphJson,
} from './analyze/tree/tree-columns.ts'
export { perRequest, scaledBaseline } from './analyze/view/per-request.ts'
export { chainsFillScreen, foldChains, foldedAbove, recursionFillsScreen } from './analyze/view/fold-chains.ts'
export type { FrameOrigin } from './analyze/view/frame-origin.ts'
export { FRAME_ORIGINS, frameOrigin, originsIn } from './analyze/view/frame-origin.ts'
export { foldedText } from './analyze/view/folded.ts'
export { HIDDEN_NAME, invert } from './analyze/view/invert.ts'
export type { Layout, LayoutColumns } from './analyze/view/layout.ts'
export { keepLayout, layOut, layoutColumns } from './analyze/view/layout.ts'
export type { NodePath } from './analyze/view/node-path.ts'
export { findPath, pathOf } from './analyze/view/node-path.ts'
export type { MatchedPart, SearchQuery, SearchResult } from './analyze/view/search.ts'
export { matchedPart, nextMatch, searchFrames } from './analyze/view/search.ts'
export type { ThreadTotal } from './analyze/view/threads.ts'
export { threadsIn } from './analyze/view/threads.ts'
export type { Transform } from './analyze/view/transform.ts'
export { applyTransform, applyTransforms, libraryName } from './analyze/view/transform.ts'
