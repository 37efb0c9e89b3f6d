// Names of the attributes that profiles carry by OpenTelemetry's semantic conventions, and what each is for.
// The comment above each group says which message holds it.

export const ATTRIBUTES = {
  // Location.
  /** The runtime a frame belongs to: one of FRAME_TYPES, or another by agreement. */
  frameType: 'profile.frame.type',
  /** bool: pprof's mark that several locations were folded into this one. */
  pprofLocationIsFolded: 'pprof.location.is_folded',
  // Location, of Hearth: what V8's profiles of every kind say that the model has no field for.
  /** string: V8's number of the script. */
  v8ScriptId: 'v8.script.id',
  /** int: the column of the function, counted from 1, where the location is another line of it. 0: not known. */
  v8FunctionColumn: 'v8.function.column',
  /** string: why the function lost its optimized code. */
  v8DeoptReason: 'v8.deopt_reason',
  // Location, of Hearth: what was there before a source map was applied.
  /** string: `file:line:column` in the generated script, one line for each of the location's lines. */
  generatedPosition: 'hearth.generated.position',
  /** int: the line that the generated function begins at, where it is another one. */
  generatedStartLine: 'hearth.generated.start_line',

  // Mapping. The four bools hold what pprof says of how far a mapping was symbolized; OTLP has no field for it.
  pprofMappingHasFunctions: 'pprof.mapping.has_functions',
  pprofMappingHasFilenames: 'pprof.mapping.has_filenames',
  pprofMappingHasLineNumbers: 'pprof.mapping.has_line_numbers',
  pprofMappingHasInlineFrames: 'pprof.mapping.has_inline_frames',
  /** Hex of the linker's GNU note. Each mapping must have one of gnu, go and htlhash. */
  buildIdGnu: 'process.executable.build_id.gnu',
  /** The text that Go's linker wrote. */
  buildIdGo: 'process.executable.build_id.go',
  /** 32 hex digits made from the file itself, so any file has one; see build-id.ts. */
  buildIdHtlhash: 'process.executable.build_id.htlhash',
  /** The former name of htlhash: still read; written only for hashes of v1.3 whose making is not known. */
  buildIdProfiling: 'process.executable.build_id.profiling',

  // Profile.
  /** string[]; some writers number them instead, see ATTRIBUTE_PREFIXES.pprofProfileComment. */
  pprofProfileComment: 'pprof.profile.comment',
  /** An absolute URL. */
  pprofProfileDocUrl: 'pprof.profile.doc_url',
  /** Regular expressions: frames to leave out, and exceptions from that. */
  pprofProfileDropFrames: 'pprof.profile.drop_frames',
  pprofProfileKeepFrames: 'pprof.profile.keep_frames',

  /** bytes: a pprof file's location ids, where they don't count up by first use. Of Hearth. */
  pprofLocationIds: 'hearth.pprof.location_ids',
  /** kvlist[]: a pprof file's mappings in their order, where it matters. Of Hearth: dictionaries have no order. */
  pprofMappings: 'hearth.pprof.mappings',
  /** One of AGGREGATION_TEMPORALITIES. Of Hearth: generations up to v1.8 had a field for it, today's format has none. */
  aggregationTemporality: 'hearth.profile.aggregation_temporality',

  // Scope: a pprof file with several sample types becomes several profiles, and these say how they were one.
  /** Set only where the original named one. */
  pprofScopeDefaultSampleType: 'pprof.scope.default_sample_type',
  /** int[]: the place that each sample type had in the original. */
  pprofScopeSampleTypeOrder: 'pprof.scope.sample_type_order',

  // Sample.
  /** int. */
  threadId: 'thread.id',
  threadName: 'thread.name',
  /** int: which CPU the sample was taken on. */
  cpuLogicalNumber: 'cpu.logical_number',
  /** The same by the name that the timestamped-events proposal gave it. */
  systemCpuLogicalNumber: 'system.cpu.logical_number',
  // Of the timestamped-events proposal, never part of the conventions.
  threadState: 'thread.state',
  goroutineId: 'go.goroutine.id',
  goroutineState: 'go.goroutine.state',
  goProcId: 'go.proc.id',
  /** Labels by which formats without links name a span: hex, or bytes. Readers make a link of the two. */
  traceId: 'trace_id',
  spanId: 'span_id',
  /** Of Hearth: a global id of the stack, for which OTEP 0239 and v1.3 had a field. */
  stacktraceId: 'otep239.sample.stacktrace_id',

  // Resource, as eBPF profilers fill it.
  /** int. */
  processPid: 'process.pid',
  processExecutableName: 'process.executable.name',
  processExecutablePath: 'process.executable.path',
  containerId: 'container.id',
  serviceName: 'service.name',
  // Resource: the machine of a recording.
  hostName: 'host.name',
  /** `amd64`, `arm64`, `arm32`, `x86`…, not as the kernel spells it. */
  hostArch: 'host.arch',
  hostCpuModelName: 'host.cpu.model.name',
  osType: 'os.type',
  /** Of Linux: the release of the kernel. */
  osVersion: 'os.version',
} as const

export type AttributeName = (typeof ATTRIBUTES)[keyof typeof ATTRIBUTES]

/** Families of attributes whose last part is free: the name is the prefix and that part. */
export const ATTRIBUTE_PREFIXES = {
  /** Profile: one string attribute for each comment, numbered from 0, where a writer avoids array values. */
  pprofProfileComment: 'pprof.profile.comment.',
  /** Resource. */
  processEnvironmentVariable: 'process.environment_variable.',
  /** Sample: labels that the program itself set; an interim name. */
  processContextLabel: 'process.context.label.',
} as const

/** The values that the conventions list for `profile.frame.type`; others are allowed. */
export const FRAME_TYPES = [
  'beam',
  'cpython',
  'dotnet',
  'go',
  'jvm',
  'kernel',
  'luajit',
  'native',
  'perl',
  'php',
  'ruby',
  'rust',
  'v8js',
] as const

export type FrameType = (typeof FRAME_TYPES)[number]

/** Values beyond the list that OpenTelemetry's eBPF profiler emits. */
export const EBPF_FRAME_TYPES = ['apm-integration', 'unknown'] as const

/** By the number that the enumeration had on the wire; 0 was "unspecified". */
export const AGGREGATION_TEMPORALITIES: readonly (string | undefined)[] = [undefined, 'delta', 'cumulative']
