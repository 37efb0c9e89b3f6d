// The attribute names that OpenTelemetry's semantic conventions define for profiles, and Hearth's own. The comment
// above each group names the message that holds it.

export const ATTRIBUTES = {
  // Location.
  /** The runtime a frame belongs to: `jvm`, `native`, `go`…, or another by agreement. */
  frameType: 'profile.frame.type',
  /** bool: pprof's flag that several locations were folded into this one. */
  pprofLocationIsFolded: 'pprof.location.is_folded',
  // Location, defined by Hearth: V8 data that the model has no field for.
  /** string: V8's number of the script. */
  v8ScriptId: 'v8.script.id',
  /** int: the 1-based column of the function, if the location is on another line of it. 0 means unknown. */
  v8FunctionColumn: 'v8.function.column',
  /** string: why the function lost its optimized code. */
  v8DeoptReason: 'v8.deopt_reason',
  // Location, defined by Hearth: the state before a source map was applied.
  /** string: `file:line:column` in the generated script, one line for each of the location's lines. */
  generatedPosition: 'hearth.generated.position',
  /** int: the start line of the generated function, if it differs. */
  generatedStartLine: 'hearth.generated.start_line',

  // Mapping. The four bools hold how far pprof symbolized a mapping. OTLP has no field for it.
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
  /** The former name of htlhash. Readers accept it. Writers use it only for v1.3 hashes whose algorithm is unknown. */
  buildIdProfiling: 'process.executable.build_id.profiling',

  // Profile.
  /** string[]; some writers number them instead, see ATTRIBUTE_PREFIXES.pprofProfileComment. */
  pprofProfileComment: 'pprof.profile.comment',
  /** An absolute URL. */
  pprofProfileDocUrl: 'pprof.profile.doc_url',
  /** Regular expressions: frames to drop, and exceptions to that. */
  pprofProfileDropFrames: 'pprof.profile.drop_frames',
  pprofProfileKeepFrames: 'pprof.profile.keep_frames',

  /** bytes: the location ids of a pprof file, if they do not count up by first use. Defined by Hearth. */
  pprofLocationIds: 'hearth.pprof.location_ids',
  /**
   * kvlist[]: the mappings of a pprof file in their order, if the order matters. Defined by Hearth, because
   * dictionaries are unordered.
   */
  pprofMappings: 'hearth.pprof.mappings',
  /** One of AGGREGATION_TEMPORALITIES. Defined by Hearth: versions up to v1.8 had a field for it. */
  aggregationTemporality: 'hearth.profile.aggregation_temporality',

  // Scope. A pprof file with several sample types becomes several profiles; these attributes record how they were
  // combined.
  /** Set only where the original named one. */
  pprofScopeDefaultSampleType: 'pprof.scope.default_sample_type',
  /** int[]: the position of each sample type in the original. */
  pprofScopeSampleTypeOrder: 'pprof.scope.sample_type_order',

  // Sample.
  /** int. */
  threadId: 'thread.id',
  threadName: 'thread.name',
  /** int: the CPU on which the sample was recorded. */
  cpuLogicalNumber: 'cpu.logical_number',
  /** The same attribute, as the timestamped-events proposal named it. */
  systemCpuLogicalNumber: 'system.cpu.logical_number',
  // From the timestamped-events proposal; never part of the conventions.
  threadState: 'thread.state',
  goroutineId: 'go.goroutine.id',
  goroutineState: 'go.goroutine.state',
  goProcId: 'go.proc.id',
  // Observations of the type `span`, defined by Hearth: regions and tasks of Go, and events of one's own in JFR.
  spanName: 'span.name',
  /** int: the task, and the task above it, which is 0 for none. Regions have no parent. */
  goTaskId: 'go.task.id',
  goTaskParentId: 'go.task.parent_id',
  /** int, defined by Hearth: the thread that had the lock for which another one waited. */
  lockOwnerThreadId: 'lock.owner.thread.id',
  /** Labels that name a span in formats without links, as hex or bytes. Readers turn the two into a link. */
  traceId: 'trace_id',
  spanId: 'span_id',
  /** Defined by Hearth: a global id of the stack. OTEP 0239 and v1.3 had a field for it. */
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
  /** `amd64`, `arm64`, `arm32`, `x86`…, which differ from the kernel's spelling. */
  hostArch: 'host.arch',
  hostCpuModelName: 'host.cpu.model.name',
  osType: 'os.type',
  /** On Linux: the kernel release. */
  osVersion: 'os.version',
} as const

/** Families of attributes whose names are this prefix followed by a free part. */
export const ATTRIBUTE_PREFIXES = {
  /** Profile: one string attribute for each comment, numbered from 0, where a writer avoids array values. */
  pprofProfileComment: 'pprof.profile.comment.',
  /** Resource. */
  processEnvironmentVariable: 'process.environment_variable.',
  /** Sample: labels set by the program itself. An interim name. */
  processContextLabel: 'process.context.label.',
} as const

/** Indexed by the number that the enumeration had on the wire. 0 was "unspecified". */
export const AGGREGATION_TEMPORALITIES: readonly (string | undefined)[] = [undefined, 'delta', 'cumulative']
