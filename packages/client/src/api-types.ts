// Made by `npm run api-reference` from the OpenAPI document; not to be edited.
/* oxlint-disable max-lines */

export interface AttributeValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string
  readonly doubleValue?: number | 'NaN' | 'Infinity' | '-Infinity'
  readonly bytesValue?: string
  readonly arrayValue?: {
    readonly values: readonly AttributeValue[]
  }
  readonly kvlistValue?: {
    readonly values: readonly {
      readonly key: string
      readonly value: AttributeValue
    }[]
  }
}

export interface Frame {
  readonly name: string
  readonly file?: string
  /** Where the grouping has lines */
  readonly line?: string
  /** Where the grouping has addresses */
  readonly address?: string
  readonly mapping?: string
  /** profile.frame.type */
  readonly type?: string
  /** The attribute of which it is a value; there for what is no function, see root */
  readonly attribute?: string
}

export interface Hidden {
  readonly nodes: number
  /** What the nodes left out have of the sum as their own */
  readonly self: string
}

export interface TreeNodes {
  /** -1 for roots; nodes are in depth-first order */
  readonly parent: readonly number[]
  /** Row in frames */
  readonly frame: readonly number[]
  /** How many children the node budget left out */
  readonly hiddenChildren: readonly number[]
  /** Of the frame by itself */
  readonly self: readonly string[]
  /** With what it called */
  readonly total: readonly string[]
}

export interface SandwichTree {
  readonly frames: readonly Frame[]
  readonly nodes: TreeNodes
  readonly hidden: Hidden
}

export interface TopRow {
  readonly frame: Frame
  /** Of the frame by itself */
  readonly self: string
  /** With what it called */
  readonly total: string
}

export interface DiffSide {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  /** As it was found, not scaled */
  readonly sum: string
  /** Whether a sum left the range of 64 bits */
  readonly overflow: boolean
  readonly hidden: Hidden
  /** Stacks of which not every name is stored: such frames have no name, or are not there */
  readonly missing: {
    readonly stacks: number
    /** What they have of the sum */
    readonly self: string
  }
  /** Whole, unless values were scaled */
  readonly self: readonly string[]
  /** Whole, unless values were scaled */
  readonly total: readonly string[]
}

export interface SeriesGroup {
  /** One for each of groupBy */
  readonly labels: readonly AttributeValue[]
  readonly points: readonly {
    /** Where the step begins, in nanoseconds since 1970 */
    readonly time: string
    readonly value: number
    /** Exact whatever its size */
    readonly sum: string
    readonly profiles: number
  }[]
  /** The largest profiles, each with the span of its largest sample that has one */
  readonly exemplars: readonly {
    /** To ask for it whole */
    readonly profile: string
    /** Nanoseconds since 1970 */
    readonly time: string
    readonly sum: string
    /** Hex; empty where it has none */
    readonly profileId: string
    /** Hex; empty where it has none */
    readonly traceId: string
    /** Hex; empty where it has none */
    readonly spanId: string
  }[]
}

export interface ProfileRow {
  /** To ask for it whole */
  readonly profile: string
  readonly service: string
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
  readonly period: string
  /** Nanoseconds since 1970 */
  readonly time: string
  /** Nanoseconds */
  readonly duration: string
  /** Hex; empty where it has none */
  readonly profileId: string
  /** Of all its samples */
  readonly total: string
  /** Whether the total is held at the limit of 64 bits */
  readonly overflowed: boolean
  readonly samples: number
  readonly observations: number
}

export interface ServerStatus {
  /** Since the server began, and over the last minute */
  readonly traffic: readonly {
    readonly signal: string
    readonly requests: number
    /** Uncompressed */
    readonly bytes: number
    readonly requestsPerSecond: number
    readonly bytesPerSecond: number
  }[]
  /** Of profiles */
  readonly samples: {
    readonly received: number
    readonly perSecond: number
  }
  readonly transports: readonly {
    readonly signal: string
    readonly transport: string
    readonly encoding: string
    readonly requests: number
  }[]
  /** Of the format of profiles, by who sent them */
  readonly generations: readonly {
    readonly client: string
    readonly generation: string
    readonly requests: number
  }[]
  /** Items of requests that could not be kept */
  readonly rejected: readonly {
    readonly signal: string
    readonly reason: string
    readonly items: number
  }[]
  /** Requests that were not taken */
  readonly refused: readonly {
    readonly signal: string
    readonly reason: string
    readonly requests: number
  }[]
  /** Requests that had been committed before */
  readonly duplicates: number
  readonly store: {
    readonly kind: 'embedded' | 'clickhouse'
    /** On disk */
    readonly bytes?: number
    readonly tables: readonly {
      readonly table: string
      /** On disk */
      readonly bytes: number
    }[]
    /** Where the journal is */
    readonly freeDiskBytes: number
  }
  readonly queue: {
    /** Of requests that are not answered yet */
    readonly receivingBytes: number
    /** Of requests and their rows, not committed yet */
    readonly inFlightBytes: number
    /** Committed, and not taken by the store yet */
    readonly journalBytes: number
    /** Commits that the store has not taken yet */
    readonly journalGroups: number
    readonly journalOldestSeconds: number
    /** Commits set aside: refused or damaged */
    readonly asideGroups: number
  }
  readonly questions: {
    readonly running: number
    readonly waiting: number
  }
}

export interface Failure {
  readonly error: {
    /** Few and stable, as syntax or not-found */
    readonly code: string
    readonly message: string
    /** Where in the selector, in UTF-16 units */
    readonly position?: number
  }
}

export interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

export interface SignalResource {
  /** Tells processes apart */
  readonly id: string
  readonly service: string
  readonly attributes: readonly Attribute[]
}

export interface SignalScope {
  readonly name: string
  readonly version: string
  readonly attributes: readonly Attribute[]
}

export interface TraceRow {
  /** Of the trace: hex */
  readonly traceId: string
  /** The span that fits; of several the longest */
  readonly span: TraceRowSpan
  /** How many spans of the range fit */
  readonly fitting: number
  /** The first span without a parent, or the first of all */
  readonly root: TraceRowSpan
  /** When its first span begins, in nanoseconds since 1970 */
  readonly start: string
  /** Until the last one ends, in nanoseconds */
  readonly duration: string
  readonly spans: number
  /** Spans that ended with an error */
  readonly errors: number
  /** Up to 20 */
  readonly services: readonly string[]
  /** Samples of profiles that were taken in it */
  readonly samples: number
  /** The same by type */
  readonly profiles: readonly {
    readonly type: string
    readonly unit: string
    readonly samples: number
    /** The sum of their values */
    readonly value: string
  }[]
}

export interface TraceRowSpan {
  /** Of the span: hex */
  readonly spanId: string
  readonly service: string
  readonly name: string
  /** When it begins, in nanoseconds since 1970 */
  readonly start: string
  /** How long it takes, in nanoseconds */
  readonly duration: string
}

export interface TraceSpan {
  /** Of the span: hex */
  readonly spanId: string
  /** Of its parent; empty for roots: hex */
  readonly parentSpanId: string
  /** Row of its parent; -1 where it stands at the top */
  readonly parent: number
  readonly depth: number
  readonly service: string
  readonly name: string
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly status: 'unset' | 'ok' | 'error'
  readonly statusMessage?: string
  /** When it begins, as sent, in nanoseconds since 1970 */
  readonly start: string
  /** When it ends, as sent, in nanoseconds since 1970 */
  readonly end?: string
  /** 0 where it has no end, in nanoseconds */
  readonly duration: string
  /** The duration less what its children cover of it, in nanoseconds */
  readonly self: string
  /** The notes say what each means and how it is shown */
  readonly oddities: readonly ('no-end' | 'missing-parent' | 'before-parent' | 'after-parent' | 'circle' | 'same-id')[]
  /** Where clocks seem to differ: what, added to its times, would put it in the middle of its parent. Not added here, in nanoseconds */
  readonly skew?: string
  /** Row in resources */
  readonly resource: number
  /** Row in scopes */
  readonly scope: number
  /** How many children the limit left out */
  readonly hiddenChildren: number
  /** Samples that are linked to the span, by type */
  readonly samples: readonly SpanProfiles[]
  /** Where asked for: samples without a link, of its thread and time. Perhaps not its own */
  readonly unlinked?: readonly SpanProfiles[]
  readonly attributes?: readonly Attribute[]
  readonly events?: readonly {
    /** When, in nanoseconds since 1970 */
    readonly time: string
    readonly name: string
    readonly attributes: readonly Attribute[]
  }[]
  readonly links?: readonly {
    /** Of the trace: hex */
    readonly traceId: string
    /** Of the span: hex */
    readonly spanId: string
    readonly attributes: readonly Attribute[]
  }[]
  readonly traceState?: string
  readonly droppedAttributes?: number
  readonly droppedEvents?: number
  readonly droppedLinks?: number
}

export interface SpanProfiles {
  /** Row in the trace's types */
  readonly type: number
  /** How many samples in the span itself */
  readonly samples: number
  /** The sum of their values */
  readonly value: string
  /** With those of all spans below it */
  readonly subtreeSamples: number
  /** and their sum */
  readonly subtreeValue: string
}

export interface LaneSpan {
  /** Of the trace: hex */
  readonly traceId: string
  /** Of the span: hex */
  readonly spanId: string
  readonly name: string
  readonly status: 'unset' | 'ok' | 'error'
  /** When it begins, in nanoseconds since 1970 */
  readonly start: string
  /** How long it takes; 0 where it has no end, in nanoseconds */
  readonly duration: string
  readonly service: string
  /** thread.id; empty where it does not say */
  readonly thread: string
  /** Row in the request's resources; -1 where there are none */
  readonly process: number
}

export interface OperationRow {
  readonly service: string
  readonly name: string
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly spans: number
  readonly errors: number
  /** Spans without an end, which have no part in the durations */
  readonly open: number
  /** In nanoseconds; the quantiles are near */
  readonly durations?: {
    /** The shortest, in nanoseconds */
    readonly least: string
    /** The longest, in nanoseconds */
    readonly most: string
    readonly p50: number
    readonly p90: number
    readonly p99: number
  }
}

export interface LogRow {
  /** For `after` */
  readonly cursor: string
  /** Its time, or when it was observed, or came in, in nanoseconds since 1970 */
  readonly time: string
  /** When it was observed, in nanoseconds since 1970 */
  readonly observed?: string
  /** 1 to 24; 0 where it has none */
  readonly severity: number
  readonly severityText: string
  readonly body: AttributeValue
  readonly service: string
  /** Empty where it is of none: hex */
  readonly traceId: string
  /** Empty where it is of none: hex */
  readonly spanId: string
  /** Of the profile that it names, for the selector {profile.id="…"}; empty where it names none: hex */
  readonly profileId: string
  readonly eventName?: string
  /** Row in resources */
  readonly resource: number
  /** Row in scopes */
  readonly scope: number
  readonly attributes: readonly Attribute[]
}

export interface LogMark {
  /** How many records of a thread in a step */
  readonly records: number
  /** Of the gravest of them, the first of several: 1 to 24; 0 where it has none */
  readonly severity: number
  /** When it was, in nanoseconds since 1970 */
  readonly time: string
  /** What it says, up to 500 characters */
  readonly text: string
  /** Empty where it is of none: hex */
  readonly traceId: string
  /** Empty where it is of none: hex */
  readonly spanId: string
  readonly service: string
  /** thread.id; empty where it does not say */
  readonly thread: string
  /** Row in the request's resources; -1 where there are none */
  readonly process: number
}

export interface MetricRow {
  readonly name: string
  readonly unit: string
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential-histogram' | 'summary'
  readonly temporality: 'unspecified' | 'delta' | 'cumulative'
  readonly monotonic: boolean
  readonly description: string
  /** Up to 100 */
  readonly services: readonly string[]
  readonly points: number
  /** Of the first point, in nanoseconds since 1970 */
  readonly first: string
  /** and of the last, in nanoseconds since 1970 */
  readonly last: string
}

export interface MetricPoint {
  /** Where the step begins, in nanoseconds since 1970 */
  readonly time: string
  /** Not there where the points do not say */
  readonly value?: number | 'NaN' | 'Infinity' | '-Infinity'
  /** One for each of the series' quantiles; none where nothing was measured */
  readonly quantiles?: readonly (number | 'NaN' | 'Infinity' | '-Infinity' | 'none')[]
  /** How many values in each of the group's cells */
  readonly buckets?: readonly number[]
}

export interface MetricGroup {
  /** One for each of groupBy */
  readonly labels: readonly AttributeValue[]
  readonly points: readonly MetricPoint[]
  /** Buckets, from the least values on */
  readonly cells?: readonly {
    readonly lower: number | 'NaN' | 'Infinity' | '-Infinity'
    readonly upper: number | 'NaN' | 'Infinity' | '-Infinity'
  }[]
  /** Those of a trace first */
  readonly exemplars: readonly {
    /** When it was measured, in nanoseconds since 1970 */
    readonly time: string
    readonly value: AttributeValue
    /** Empty where it is of none: hex */
    readonly traceId: string
    /** Empty where it is of none: hex */
    readonly spanId: string
    readonly attributes: readonly Attribute[]
  }[]
}

export interface FlameGraphRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it */
  readonly exact?: boolean
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Of an exact range only what says of no span */
  readonly unlinked?: boolean
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** Which end of the stacks is at the top; root-first unless given */
  readonly order?: 'root-first' | 'leaf-first'
  /** How many nodes at the most, of which the largest stay; 16384 unless given */
  readonly nodes?: number
}

export interface FlameGraphAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  readonly order: 'root-first' | 'leaf-first'
  /** Of all samples */
  readonly sum: string
  /** Whether a sum left the range of 64 bits */
  readonly overflow: boolean
  readonly hidden: Hidden
  /** Stacks of which not every name is stored: such frames have no name, or are not there */
  readonly missing: {
    readonly stacks: number
    /** What they have of the sum */
    readonly self: string
  }
  readonly frames: readonly Frame[]
  readonly nodes: TreeNodes
}

export interface TopRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it */
  readonly exact?: boolean
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Of an exact range only what says of no span */
  readonly unlinked?: boolean
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** Which value decides; self unless given */
  readonly sort?: 'self' | 'total'
  /** How many rows at the most; 1000 unless given */
  readonly limit?: number
}

export interface TopAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  /** Of all samples */
  readonly sum: string
  /** Whether a sum left the range of 64 bits */
  readonly overflow: boolean
  /** Stacks of which not every name is stored: such frames have no name, or are not there */
  readonly missing: {
    readonly stacks: number
    /** What they have of the sum */
    readonly self: string
  }
  /** How many frames there are in all */
  readonly allFrames: number
  readonly rows: readonly TopRow[]
}

export interface SandwichRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it */
  readonly exact?: boolean
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Of an exact range only what says of no span */
  readonly unlinked?: boolean
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** The frame's name */
  readonly function: string
  /** The frame's file, where several have that name */
  readonly file?: string
  /** How many nodes at the most, of which the largest stay; 16384 unless given */
  readonly nodes?: number
}

export interface SandwichAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  readonly frame: Frame
  /** Of all samples */
  readonly sum: string
  /** Of the stacks that hold the frame */
  readonly total: string
  /** Whether a sum left the range of 64 bits */
  readonly overflow: boolean
  /** Stacks of which not every name is stored: such frames have no name, or are not there */
  readonly missing: {
    readonly stacks: number
    /** What they have of the sum */
    readonly self: string
  }
  readonly callers: SandwichTree
  readonly callees: SandwichTree
}

export interface DiffRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it */
  readonly exact?: boolean
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** What to compare with; the same selector unless given */
  readonly beforeSelector?: string
  /** The range to compare with; unless given as long a one, right before */
  readonly beforeFrom?: string
  /** Where that range ends; `from` unless given */
  readonly beforeTo?: string
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** Which end of the stacks is at the top; root-first unless given */
  readonly order?: 'root-first' | 'leaf-first'
  /** How many nodes at the most, of which the largest stay; 16384 unless given */
  readonly nodes?: number
  /** Scales the values before to the sum after, so that shares are compared */
  readonly normalise?: boolean
}

export interface DiffAnswer {
  readonly order: 'root-first' | 'leaf-first'
  /** What values before were multiplied by */
  readonly scale: number
  readonly before: DiffSide
  readonly after: DiffSide
  readonly frames: readonly Frame[]
  readonly nodes: {
    /** -1 for roots; nodes are in depth-first order */
    readonly parent: readonly number[]
    /** Row in frames */
    readonly frame: readonly number[]
    /** How many children the node budget left out */
    readonly hiddenChildren: readonly number[]
    /** 1: only before, 2: only after, 3: both */
    readonly presence: readonly number[]
    /** Whole, unless values were scaled */
    readonly selfDelta: readonly string[]
    /** Whole, unless values were scaled */
    readonly totalDelta: readonly string[]
  }
}

export interface SeriesRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given */
  readonly step?: string
  /** Attributes, as service.name */
  readonly groupBy?: readonly string[]
  /** sum unless given; rate is by second, average by profile, count is of profiles */
  readonly aggregation?: 'sum' | 'rate' | 'average' | 'count'
  /** How many profiles each group names; none unless given */
  readonly exemplars?: number
}

export interface SeriesAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  /** Nanoseconds */
  readonly step: string
  readonly aggregation: 'sum' | 'rate' | 'average' | 'count'
  readonly groupBy: readonly string[]
  /** Whether a sum left the range of 64 bits */
  readonly overflow: boolean
  readonly groups: readonly SeriesGroup[]
}

export interface ProfileTypesAnswer {
  readonly profileTypes: readonly {
    readonly type: string
    readonly unit: string
    readonly periodType: string
    readonly periodUnit: string
    readonly temporality: 'delta' | 'cumulative' | 'unspecified'
    readonly profiles: number
    readonly series: number
    /** Time of the first profile, in nanoseconds since 1970 */
    readonly first: string
    /** and of the last */
    readonly last: string
  }[]
}

export interface ServicesAnswer {
  readonly services: readonly {
    /** Empty for resources without a name */
    readonly service: string
    readonly profiles: number
    /** type:unit */
    readonly types: readonly string[]
  }[]
}

export interface AttributesAnswer {
  readonly attributes: readonly {
    readonly key: string
    readonly levels: readonly ('resource' | 'scope' | 'profile' | 'sample')[]
  }[]
  /** Whether there are more */
  readonly truncated: boolean
  /** `after` for the next page */
  readonly next?: string
}

export interface AttributeValuesAnswer {
  readonly values: readonly {
    readonly text: string
    readonly value: AttributeValue
  }[]
  /** Whether there are more */
  readonly truncated: boolean
  /** `after` for the next page */
  readonly next?: string
}

export interface ProfilesRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** How many at the most; 100 unless given */
  readonly limit?: number
  /** `next` of the page before */
  readonly after?: string
}

export interface ProfilesAnswer {
  /** The latest first */
  readonly profiles: readonly ProfileRow[]
  /** `after` for the next page */
  readonly next?: string
}

export interface ProfileRequest {
  /** A format that Hearth writes, as pprof or otlp-json; otlp unless given */
  readonly format?: string
}

export interface ExportRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Takes the range as one of observations instead of profiles: samples count by those of their times that are in it, and not at all without times. Intervals, which are measured in time and longer than their profile's period, count by what of them is in it, as far as their profile begins no more than ten minutes away from the range or reaches it */
  readonly exact?: boolean
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** A format that Hearth writes, as pprof or otlp-json; otlp unless given */
  readonly format?: string
  /** Sends profiles as they are read, however many: otlp as the length-prefixed messages that the Collector writes, otlp-json and folded line by line; other formats are refused */
  readonly stream?: boolean
}

export interface EventsRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Of an exact range only what says of no span */
  readonly unlinked?: boolean
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Types of profiles, as cpu:ns, instead of the selector's one; any unless given */
  readonly types?: readonly string[]
  /** How many at the most: of more, one in so many is given. Unless given, more than the limit of rows are refused */
  readonly limit?: number
  /** Also intervals that begin before the range and reach into it, with the time and the length that they have; see `exact` of /flamegraph. Without it, what begins in the range */
  readonly reaching?: boolean
}

export interface EventsAnswer {
  /** Where the range begins, in nanoseconds since 1970 */
  readonly from: string
  /** and where it ends */
  readonly to: string
  /** Profiles that begin in the range */
  readonly profiles: number
  /** Those of them whose samples have no times, and so no part in this */
  readonly untimed: number
  readonly kinds: readonly {
    readonly type: string
    readonly unit: string
    readonly periodType: string
    readonly periodUnit: string
    /** The longest of the profiles; 0 where it is not known */
    readonly period: string
  }[]
  readonly resources: readonly {
    /** Tells processes apart */
    readonly id: string
    readonly service: string
    /** Of the process: service.instance.id, host.name, k8s.pod.name, container.id, process.pid */
    readonly attributes: readonly {
      readonly key: string
      readonly text: string
    }[]
  }[]
  readonly threads: readonly {
    /** What questions choose it by */
    readonly key: string
    /** Row in resources */
    readonly resource: number
    /** process.pid of its samples; empty where they do not say */
    readonly process: string
    /** thread.id */
    readonly id: AttributeValue
    /** thread.name */
    readonly name: AttributeValue
    /** How many are given */
    readonly events: number
  }[]
  /** thread.state; the first is empty, for events that do not say */
  readonly states: readonly string[]
  /** Spans, in hex; the first is empty, for events of none */
  readonly links: readonly {
    readonly traceId: string
    readonly spanId: string
  }[]
  /** How many there are in the range */
  readonly events: number
  /** One in so many is given; 1 for all */
  readonly every: number
  /** Nanoseconds: what is measured in time and at least as long is given whatever `every` says; 0 for none */
  readonly longest: string
  /** Threads with fewer events than the 10,000 given, left out with theirs */
  readonly hiddenThreads: number
  /** Events outside the time that their profile says it is of */
  readonly outside: {
    /** Among those given */
    readonly given: number
    /** Of profiles of the range, but not in the range */
    readonly elsewhere: number
    /** of those, in nanoseconds since 1970 */
    readonly first: string
    /** of those, in nanoseconds since 1970 */
    readonly last: string
  }
  /** Stacks of which not every name is stored: such frames have no name, or are not there */
  readonly missing: {
    readonly stacks: number
    /** What they have of the sum */
    readonly self: string
  }
  /** Row in threads; events are ordered by thread and time */
  readonly thread: readonly number[]
  /** Row in kinds */
  readonly kind: readonly number[]
  /** Nanoseconds since 1970 */
  readonly time: readonly string[]
  /** In the unit of the kind; where that is one of time, how long it took */
  readonly value: readonly string[]
  /** Where the event's stack ends */
  readonly node: readonly number[]
  /** Row in states */
  readonly state: readonly number[]
  /** The logical number; -1 where it is not known */
  readonly cpu: readonly number[]
  /** Row in links */
  readonly link: readonly number[]
  /** Of each node, -1 for roots */
  readonly parent: readonly number[]
  /** Each node's row in frames */
  readonly frame: readonly number[]
  readonly frames: readonly Frame[]
}

export interface HeatMapRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Only samples of these threads, by `key` of the answer to events */
  readonly threads?: readonly string[]
  /** Of an exact range only what says of no span */
  readonly unlinked?: boolean
  /** Only samples of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only samples of this span of the trace: 16 hex digits */
  readonly spanId?: string
  /** Of the spans below that span too */
  readonly subtree?: boolean
  /** The length of a column; 1s unless given */
  readonly column?: string
  /** How many rows a column has; 50 unless given */
  readonly rows?: number
}

export interface HeatMapAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  /** Nanoseconds */
  readonly column: string
  readonly rows: number
  /** Where column 0 begins, in nanoseconds since 1970: at a multiple of `column` */
  readonly origin: string
  /** Column of each cell that is not empty */
  readonly x: readonly number[]
  /** and its row, 0 being the first part of the column */
  readonly y: readonly number[]
  /** How many observations */
  readonly count: readonly number[]
  /** The sum of their values */
  readonly value: readonly number[]
}

export interface TracesRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the span; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** The operation: the span's name */
  readonly name?: string
  /** The kind of span */
  readonly kind?: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** How the span ended */
  readonly status?: 'unset' | 'ok' | 'error'
  /** Spans that take as long or longer, as 500ms or 1s500ms */
  readonly minDuration?: string
  /** Spans that take as long or less */
  readonly maxDuration?: string
  /** Only traces in which samples were taken that this selector of profiles selects, as cpu | frame "gc" */
  readonly samples?: string
  /** time, the latest first, unless given; or duration, the longest first */
  readonly sort?: 'time' | 'duration'
  /** How many at the most; 100 unless given */
  readonly limit?: number
  /** `next` of the page before */
  readonly after?: string
}

export interface TracesAnswer {
  readonly traces: readonly TraceRow[]
  /** For the next page; not there on the last */
  readonly next?: string
}

export interface TraceRequest {
  /** Only this span and all below it: 16 hex digits */
  readonly spanId?: string
  /** How many spans at the most, of which the longest stay with all above them; 10000 unless given */
  readonly limit?: number
  /** Whether attributes, events and links are given; of up to 1000 spans they are unless said otherwise */
  readonly details?: boolean
  /** Whether samples without a link that were taken on the thread of a span in its time are given, apart from those that are linked */
  readonly unlinked?: boolean
}

export interface TraceAnswer {
  /** Of the trace: hex */
  readonly traceId: string
  /** When its first span begins, in nanoseconds since 1970 */
  readonly start: string
  /** Until the last one ends, in nanoseconds */
  readonly duration: string
  /** How many there are, shown or not */
  readonly allSpans: number
  /** Depth-first, siblings by their start */
  readonly spans: readonly TraceSpan[]
  /** Types of profiles with samples of the trace */
  readonly types: readonly {
    readonly type: string
    readonly unit: string
  }[]
  /** Samples of the trace whose span is not stored */
  readonly unplaced: readonly SpanProfiles[]
  readonly resources: readonly SignalResource[]
  readonly scopes: readonly SignalScope[]
  /** What is odd about the trace, and how it is shown */
  readonly notes: readonly {
    readonly code: string
    readonly count: number
    readonly message: string
  }[]
}

export interface SpansRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the span; all unless given */
  readonly selector?: string
  /** Spans that end after this: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given. Those that begin more than a day before are not seen */
  readonly from?: string
  /** and begin before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Ids of resources, as threads of /events have them: only what is of their services, and each is given to the process that it is of */
  readonly resources?: readonly string[]
  /** How many at the most; 5000 unless given. Of more, those that take a thousandth of the range or longer, and of the others the longest that begins in each thousandth on a thread */
  readonly limit?: number
}

export interface SpansAnswer {
  /** The longest first */
  readonly spans: readonly LaneSpan[]
  /** How many there are */
  readonly all: number
}

export interface OperationsRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the span; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** The operation: the span's name */
  readonly name?: string
  /** The kind of span */
  readonly kind?: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** How the span ended */
  readonly status?: 'unset' | 'ok' | 'error'
  /** Spans that take as long or longer, as 500ms or 1s500ms */
  readonly minDuration?: string
  /** Spans that take as long or less */
  readonly maxDuration?: string
  /** Only traces in which samples were taken that this selector of profiles selects, as cpu | frame "gc" */
  readonly samples?: string
  /** How many at the most; 1000 unless given */
  readonly limit?: number
}

export interface OperationsAnswer {
  /** Those with most spans first */
  readonly operations: readonly OperationRow[]
  readonly truncated: boolean
}

export interface CompareTracesRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the span; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** The operation: the span's name */
  readonly name?: string
  /** The kind of span */
  readonly kind?: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** How the span ended */
  readonly status?: 'unset' | 'ok' | 'error'
  /** Spans that take as long or longer, as 500ms or 1s500ms */
  readonly minDuration?: string
  /** Spans that take as long or less */
  readonly maxDuration?: string
  /** Only traces in which samples were taken that this selector of profiles selects, as cpu | frame "gc" */
  readonly samples?: string
  /** Which profiles are compared, as cpu; they must be of one type */
  readonly profiles?: string
  /** Traces in which the operation takes as long or longer are the slow ones, as 500ms */
  readonly threshold?: string
  /** Instead of a threshold: the quantile of durations that is one; 0.9 unless given */
  readonly quantile?: number
  /** Instead of both: the ids of the slow traces */
  readonly slow?: readonly string[]
  /** and of the fast ones */
  readonly fast?: readonly string[]
  /** How many traces of each set, the latest first; 500 unless given */
  readonly limit?: number
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
  /** Attributes whose values stand at the root of the stacks as frames of their own, outermost first, as thread.name */
  readonly root?: readonly string[]
  /** Which end of the stacks is at the top; root-first unless given */
  readonly order?: 'root-first' | 'leaf-first'
  /** How many nodes at the most, of which the largest stay; 16384 unless given */
  readonly nodes?: number
  /** Scales the values of the fast ones to the sum of the slow ones; true unless given */
  readonly normalise?: boolean
}

export interface CompareTracesAnswer {
  /** From which on traces are slow; not there where they were named, in nanoseconds */
  readonly threshold?: string
  readonly slow: {
    /** How many there are with samples */
    readonly found: number
    /** Those that are compared */
    readonly traceIds: readonly string[]
  }
  readonly fast: {
    /** How many there are with samples */
    readonly found: number
    /** Those that are compared */
    readonly traceIds: readonly string[]
  }
  /** `before` is of the fast ones, `after` of the slow ones */
  readonly diff: DiffAnswer
}

export interface LogsRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the record; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Only records whose body has this in it */
  readonly text?: string
  /** Only records whose body has a match of this regular expression (RE2) */
  readonly regex?: string
  /** Whether text and regex take large and small letters as the same */
  readonly ignoreCase?: boolean
  /** Records as grave as this, or more */
  readonly severity?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  /** Only records of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only records of this span: 16 hex digits */
  readonly spanId?: string
  /** Only records that name this profile by an attribute profile_id: hex */
  readonly profileId?: string
  /** Only records of the process that a resource of this id describes, as threads of /events have it */
  readonly resource?: string
  /** Only records with this thread.id */
  readonly thread?: string
  /** Which come first; newest unless given */
  readonly order?: 'newest' | 'oldest'
  /** How many at the most; 100 unless given */
  readonly limit?: number
  /** `cursor` of a record, or `next`: only what comes after it in the order; with the other order, what came before */
  readonly after?: string
}

export interface LogsAnswer {
  readonly logs: readonly LogRow[]
  readonly resources: readonly SignalResource[]
  readonly scopes: readonly SignalScope[]
  /** For the next page; not there on the last */
  readonly next?: string
}

export interface LogCountsRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the record; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Only records whose body has this in it */
  readonly text?: string
  /** Only records whose body has a match of this regular expression (RE2) */
  readonly regex?: string
  /** Whether text and regex take large and small letters as the same */
  readonly ignoreCase?: boolean
  /** Records as grave as this, or more */
  readonly severity?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  /** Only records of this trace: 32 hex digits */
  readonly traceId?: string
  /** Only records of this span: 16 hex digits */
  readonly spanId?: string
  /** Only records that name this profile by an attribute profile_id: hex */
  readonly profileId?: string
  /** Only records of the process that a resource of this id describes, as threads of /events have it */
  readonly resource?: string
  /** Only records with this thread.id */
  readonly thread?: string
  /** The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given */
  readonly step?: string
}

export interface LogCountsAnswer {
  /** The length of a step, in nanoseconds */
  readonly step: string
  /** OTLP has four numbers for each */
  readonly severities: readonly ('none' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal')[]
  /** Steps that have any */
  readonly points: readonly {
    /** Where the step begins, in nanoseconds since 1970 */
    readonly time: string
    /** How many records, one for each of the severities */
    readonly counts: readonly number[]
  }[]
}

export interface LogMarksRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the record; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Ids of resources, as threads of /events have them: only what is of their services, and each is given to the process that it is of */
  readonly resources?: readonly string[]
  /** The length of a step, as 20ms; a thousandth of the range unless given */
  readonly step?: string
  /** How many marks at the most, of which the gravest stay; 5000 unless given */
  readonly limit?: number
}

export interface LogMarksAnswer {
  /** The length of a step, in nanoseconds */
  readonly step: string
  /** By time */
  readonly marks: readonly LogMark[]
  /** How many records there are */
  readonly all: number
  /** How many of them have no mark, for the limit */
  readonly hidden: number
}

export interface SignalAttributesAnswer {
  readonly attributes: readonly {
    readonly key: string
    readonly levels: readonly ('resource' | 'scope' | 'item')[]
  }[]
  /** Whether there are more */
  readonly truncated: boolean
}

export interface SignalAttributeValuesAnswer {
  readonly values: readonly {
    readonly text: string
    readonly value: AttributeValue
  }[]
  /** Whether there are more */
  readonly truncated: boolean
}

export interface MetricsRequest {
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the data point; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Only names that begin with this */
  readonly prefix?: string
  /** How many names at the most; 1000 unless given */
  readonly limit?: number
  /** `next` of the page before */
  readonly after?: string
}

export interface MetricsAnswer {
  /** By name */
  readonly metrics: readonly MetricRow[]
  /** For the next page; not there on the last */
  readonly next?: string
}

export interface MetricSeriesRequest {
  /** The metric's name */
  readonly name: string
  /** Its unit, where metrics of that name have several */
  readonly unit?: string
  /** Its kind, where there are several */
  readonly kind?: 'gauge' | 'sum' | 'histogram' | 'exponential-histogram' | 'summary'
  /** Its temporality, where there are several */
  readonly temporality?: 'unspecified' | 'delta' | 'cumulative'
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the data point; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** The length of a step, as 15s or 1m; a hundredth of the range, in whole seconds, unless given */
  readonly step?: string
  /** Attributes, as service.name */
  readonly groupBy?: readonly string[]
  /** rate, by second, for counters and distributions, average for gauges and last for sums that may go down, unless given */
  readonly aggregation?: 'rate' | 'increase' | 'average' | 'last' | 'min' | 'max' | 'count'
  /** Of histograms; 0.5, 0.9 and 0.99 unless given */
  readonly quantiles?: readonly number[]
  /** Whether histograms are given bucket by bucket, for heat maps */
  readonly buckets?: boolean
  /** How many exemplars each group names; none unless given */
  readonly exemplars?: number
}

export interface MetricSeriesAnswer {
  readonly name: string
  readonly unit: string
  readonly kind: 'gauge' | 'sum' | 'histogram' | 'exponential-histogram' | 'summary'
  readonly temporality: 'unspecified' | 'delta' | 'cumulative'
  readonly monotonic: boolean
  readonly description: string
  /** The length of a step, in nanoseconds */
  readonly step: string
  readonly aggregation: 'rate' | 'increase' | 'average' | 'last' | 'min' | 'max' | 'count'
  readonly groupBy: readonly string[]
  readonly quantiles: readonly number[]
  readonly groups: readonly MetricGroup[]
}

export interface StatusRequest {}

export interface StatusAnswer {
  readonly version: string
  readonly started: string
  /** Whether requests are taken */
  readonly ready: boolean
  readonly problems: readonly {
    readonly code: string
    readonly message: string
    readonly since: string
  }[]
  /** Where profiles and other signals are sent to */
  readonly receivers: readonly {
    readonly name: string
    readonly host: string
    readonly port: number
    readonly tls: boolean
  }[]
  readonly tenant: string
  /** The tenant's; what is not limited is left out */
  readonly retention: readonly {
    readonly signal: string
    /** How long it is kept */
    readonly seconds?: number
    /** How much of it is kept */
    readonly bytes?: number
  }[]
  /** Of the tenant's questions */
  readonly limits: {
    readonly seconds: number
    readonly memoryBytes: number
    readonly rows: number
    readonly nodes: number
    readonly exportSamples: number
    readonly running: number
    readonly waiting: number
  }
  readonly server?: ServerStatus
}

export interface SelectionRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
}

export interface AttributesRequest {
  /** As cpu:ns {service.name="checkout"} | frame "gc"; everything unless given */
  readonly selector?: string
  /** Profiles that begin from here on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** Only those that begin with this */
  readonly prefix?: string
  /** How many at the most; 1000 unless given */
  readonly limit?: number
  /** `next` of the page before */
  readonly after?: string
}

export interface SignalAttributesRequest {
  /** Of spans, log records or data points */
  readonly signal: 'traces' | 'logs' | 'metrics'
  /** As {http.request.method="GET", region=~"eu.*"}, of attributes of the resource, the scope and the item; all unless given */
  readonly selector?: string
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
  /** service.name of the resource */
  readonly service?: string
  /** Only those that begin with this */
  readonly prefix?: string
  /** How many at the most; 1000 unless given */
  readonly limit?: number
}

export interface BrokerComponent {
  readonly type: string
  /** service.namespace */
  readonly app: string
  readonly name: string
  /** The version */
  readonly hash: string
  /** The instance */
  readonly id: string
  readonly brokerId: string
}

export interface ComponentRow {
  readonly component: BrokerComponent
  /** service.name */
  readonly service: string
  /** service.instance.id */
  readonly instance: string
  /** Empty where it names none */
  readonly environment: string
  /** What it can capture */
  readonly profileTypes: readonly string[]
  /** How far it can look back */
  readonly lookBackSeconds?: number
  readonly attributes: { readonly [name: string]: string }
  readonly routes: readonly {
    readonly id: number
    readonly rule: string
    readonly priority: number
  }[]
  /** Whether it takes what no rule of it matches */
  readonly defaultHandler: boolean
  /** When it subscribed */
  readonly since: string
  readonly load: {
    /** Events that wait for it to read */
    readonly queued: number
    /** Requests that it has not answered */
    readonly inFlight: number
    /** Events that came from it */
    readonly received: number
    readonly sent: number
    /** Messages that it was too slow for */
    readonly dropped: number
  }
  /** Whether it is subscribed at another Broker */
  readonly remote: boolean
  /** Whether it is being captured just now */
  readonly capturing: boolean
}

export interface ComponentsAnswer {
  readonly components: readonly ComponentRow[]
  /** The one that answers */
  readonly broker: {
    readonly id: string
    /** How it reaches other Brokers */
    readonly mesh: {
      readonly kind: 'local' | 'nats'
      readonly connected: boolean
      readonly message: string
      readonly since: string
      /** Ids of the other Brokers */
      readonly peers: readonly string[]
    }
  }
}

export interface CaptureInstance {
  /** service.instance.id */
  readonly instance: string
  readonly service: string
  readonly namespace?: string
  /** service.version, or a build id */
  readonly version?: string
  readonly environment?: string
  /** The Broker that it is subscribed to */
  readonly broker: string
  readonly state: 'asked' | 'running' | 'answered' | 'failed' | 'cancelled'
  /** Why it failed */
  readonly error?: {
    /** As component-gone, time-out, busy or invalid */
    readonly code: string
    readonly message: string
    /** Of one that is busy */
    readonly retryAfterMs?: number
  }
  /** The profiles it answered with, in hex, all of them stored */
  readonly profileIds: readonly string[]
  readonly samples?: number
  /** Samples that it could not keep */
  readonly dropped?: number
  /** Whether detail was left out to stay within the bytes */
  readonly truncated?: boolean
  /** At which its samples of time were taken */
  readonly frequencyHz?: number
  /** What is not as it was asked for, or is missing, and why */
  readonly notes?: readonly string[]
  /** Of its answer */
  readonly bytes?: number
  /** Whether it answered after the capture had ended */
  readonly late?: boolean
}

export interface Capture {
  readonly id: string
  /** finished where at least one instance has answered */
  readonly state: 'running' | 'finished' | 'failed' | 'cancelled'
  /** Goes up whenever something changes; `after` waits for the next */
  readonly version: number
  readonly service: string
  readonly environment?: string
  /** The only instance that was to be asked */
  readonly instance?: string
  /** Whether all instances were to be asked */
  readonly all: boolean
  /** As cpu or heap */
  readonly type: string
  readonly durationMs: number
  /** As it was asked for */
  readonly frequencyHz?: number
  /** The stretch of time that was looked back at, instead of a new recording */
  readonly lookBack?: {
    readonly from: string
    readonly to: string
  }
  /** Only samples of this trace were asked for */
  readonly traceId?: string
  /** and of this span */
  readonly spanId?: string
  readonly labels?: { readonly [name: string]: string }
  readonly reason: string
  /** The token's name; `trigger NAME` where a trigger asked */
  readonly by: string
  /** When */
  readonly requested: string
  readonly ended?: string
  /** The span that stands for the capture */
  readonly span: {
    readonly traceId: string
    readonly spanId: string
    readonly parentSpanId?: string
  }
  /** How many of the instances have */
  readonly answered: number
  readonly failed: number
  readonly instances: readonly CaptureInstance[]
  /** Selects the profiles of this capture */
  readonly selector: string
  /** Where its profiles begin, to be asked with */
  readonly from?: string
  /** and end */
  readonly to?: string
}

export interface CapturesAnswer {
  readonly captures: readonly Capture[]
}

export interface Trigger {
  /** By which it is known: letters, digits, dots, dashes and underscores */
  readonly name: string
  /** As Source(`checkout`) && SpanSlower(800) */
  readonly rule: string
  /** What to capture, as cpu or heap; cpu unless given */
  readonly type: string
  /** How long a capture takes where it cannot look back; 10000 unless given */
  readonly durationMs: number
  /** Samples a second, where it does not look back; as each process records anyway unless given */
  readonly frequencyHz?: number
  /** Whether what ran in the span itself is asked for, where the process still has it, instead of what runs next; true unless given */
  readonly lookBack: boolean
  /** Whether only samples of the span that fits are wanted; false unless given */
  readonly spanOnly: boolean
  /** How long an instance is left alone after a capture by this trigger; 60000 unless given */
  readonly coolDownMs: number
  /** Of what fits, how much leads to a capture; 100 unless given */
  readonly percentage: number
  /** Captures that it may start in an hour, of all instances together. At the most what the setting trigger-budget allows all triggers of the tenant; only that unless given */
  readonly budgetPerHour?: number
  /** true unless given */
  readonly enabled: boolean
  /** For people */
  readonly description?: string
  readonly created: string
  readonly changed: string
}

export interface TriggersAnswer {
  readonly triggers: readonly Trigger[]
  /** Captures that all of them together may start in a minute */
  readonly budgetPerMinute: number
}

export interface RemovedAnswer {
  readonly removed: string
}

export interface DryRunExample {
  readonly kind: 'span' | 'log' | 'metric'
  /** In few words */
  readonly description: string
  /** When */
  readonly time: string
  readonly service: string
  readonly instance: string
  readonly traceId?: string
  readonly spanId?: string
  /** What would have been against a capture */
  readonly heldBack?: 'percentage' | 'cool-down' | 'running' | 'own-budget' | 'budget' | 'limit'
}

export interface DryRunAnswer {
  /** From when on */
  readonly from: string
  /** until when */
  readonly to: string
  /** How many of each kind were looked at; kinds that the rule cannot fit are left out */
  readonly examined: {
    readonly span?: number
    readonly log?: number
    readonly metric?: number
  }
  /** How many of them fit the rule */
  readonly matched: number
  /** Captures that would have been started */
  readonly fired: number
  readonly heldBack: readonly {
    readonly guard: 'percentage' | 'cool-down' | 'running' | 'own-budget' | 'budget' | 'limit'
    readonly count: number
  }[]
  /** How many processes it would have been about */
  readonly instances: number
  /** Whether only the latest were looked at, since there was too much */
  readonly truncated: boolean
  readonly examples: readonly DryRunExample[]
}

export interface FiredItem {
  readonly kind: 'span' | 'log' | 'metric'
  /** In few words */
  readonly description: string
  /** Its own, or when it came where it has none */
  readonly time: string
  readonly traceId?: string
  readonly spanId?: string
}

export interface HistoryEntry {
  readonly id: number
  readonly trigger: string
  readonly service: string
  readonly instance: string
  /** When */
  readonly first: string
  /** When for the last time, of what was held back */
  readonly last: string
  /** How often */
  readonly count: number
  /** What fitted the rule, the last time */
  readonly item: FiredItem
  /** What was against a capture; where this is missing, there was one */
  readonly heldBack?: 'percentage' | 'cool-down' | 'running' | 'own-budget' | 'budget' | 'limit' | 'not-subscribed' | 'no-instance'
  /** Whether what had run in the span itself was asked for */
  readonly lookBack?: boolean
  /** The id of the capture */
  readonly capture?: string
  /** What came of it */
  readonly state?: 'running' | 'finished' | 'failed' | 'cancelled'
  readonly profileIds?: readonly string[]
  readonly error?: string
}

export interface TriggerHistoryAnswer {
  /** The latest first */
  readonly entries: readonly HistoryEntry[]
  /** For the next page */
  readonly next?: number
}

export interface BrokerEvent {
  readonly id: string
  /** Of a RESPONSE: what it answers */
  readonly parentId?: string
  readonly type: string
  readonly category: 'UNKNOWN' | 'MESSAGE' | 'REQUEST' | 'RESPONSE'
  /** When it was made */
  readonly time?: string
  /** What is left of its time */
  readonly ttlMs: number
  readonly environment?: string
  readonly traceId?: string
  readonly spanId?: string
  readonly source?: BrokerComponent
  readonly target?: BrokerComponent
  readonly params: { readonly [name: string]: unknown }
  readonly values: { readonly [name: string]: unknown }
  readonly contentType: string
  readonly contentBytes: number
  /** The content, where it is text */
  readonly text?: string
  /** The content as base64, where it is not */
  readonly content?: string
  /** Whether the content is left out, since it is large */
  readonly clipped?: boolean
}

export interface SendEventAnswer {
  /** As it was sent */
  readonly event: BrokerEvent
  /** The answer to a REQUEST */
  readonly response?: BrokerEvent
}

export interface SeenEvent {
  /** When it passed */
  readonly at: string
  /** As delivered, answered or component-gone */
  readonly outcome: string
  /** The rule that matched, by its id */
  readonly route?: string
  readonly error?: string
  /** How many passed unseen before, since there were too many */
  readonly missed: number
  readonly event: BrokerEvent
}

export interface ComponentsRequest {
  /** Only those of this service */
  readonly service?: string
  /** Only those of this deployment.environment.name */
  readonly environment?: string
}

export interface CapturesRequest {
  /** How many at the most; 100 unless given */
  readonly limit?: number
}

export interface StartCaptureRequest {
  /** service.name of whom to ask */
  readonly service: string
  /** deployment.environment.name; any unless given */
  readonly environment?: string
  /** service.instance.id; the instance with the least to do unless given */
  readonly instance?: string
  /** All instances that fit; false unless given */
  readonly all?: boolean
  /** What to capture, as cpu, wall or heap; cpu unless given */
  readonly type?: string
  /** How long; 10000 unless given */
  readonly durationMs?: number
  /** Samples a second, as far as an instance can (the Node agent from 1 to 1000); as it records anyway unless given. What has been recorded keeps its rate */
  readonly frequencyHz?: number
  /** Look back instead of recording anew: from RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h */
  readonly from?: string
  /** Look back until then; now unless given */
  readonly to?: string
  /** Only samples of this trace */
  readonly traceId?: string
  /** and of this span of it */
  readonly spanId?: string
  /** For rules of components, as their headers */
  readonly labels?: { readonly [name: string]: string }
  /** Why, for those who look at the profile later */
  readonly reason?: string
  /** Of the answer of each instance */
  readonly maxBytes?: number
}

export interface CaptureRequest {
  /** A version that is known: waits for a later one */
  readonly after?: number
  /** How long to wait for it, as 20s; up to 30s. Not at all unless given */
  readonly wait?: string
}

export interface CancelCaptureRequest {}

export interface CaptureProfileRequest {
  /** A format that Hearth writes, as pprof or otlp-json; otlp unless given */
  readonly format?: string
  /** Adds up the profiles of all instances; true unless given, but for otlp and otlp-json */
  readonly merge?: boolean
}

export interface TriggersRequest {}

export interface AddTriggerRequest {
  /** By which it is known: letters, digits, dots, dashes and underscores */
  readonly name: string
  /** As Source(`checkout`) && SpanSlower(800) */
  readonly rule: string
  /** What to capture, as cpu or heap; cpu unless given */
  readonly type?: string
  /** How long a capture takes where it cannot look back; 10000 unless given */
  readonly durationMs?: number
  /** Samples a second, where it does not look back; as each process records anyway unless given */
  readonly frequencyHz?: number
  /** Whether what ran in the span itself is asked for, where the process still has it, instead of what runs next; true unless given */
  readonly lookBack?: boolean
  /** Whether only samples of the span that fits are wanted; false unless given */
  readonly spanOnly?: boolean
  /** How long an instance is left alone after a capture by this trigger; 60000 unless given */
  readonly coolDownMs?: number
  /** Of what fits, how much leads to a capture; 100 unless given */
  readonly percentage?: number
  /** Captures that it may start in an hour, of all instances together. At the most what the setting trigger-budget allows all triggers of the tenant; only that unless given */
  readonly budgetPerHour?: number
  /** true unless given */
  readonly enabled?: boolean
  /** For people */
  readonly description?: string
}

export interface ChangeTriggerRequest {
  /** As Source(`checkout`) && SpanSlower(800) */
  readonly rule: string
  /** What to capture, as cpu or heap; cpu unless given */
  readonly type?: string
  /** How long a capture takes where it cannot look back; 10000 unless given */
  readonly durationMs?: number
  /** Samples a second, where it does not look back; as each process records anyway unless given */
  readonly frequencyHz?: number
  /** Whether what ran in the span itself is asked for, where the process still has it, instead of what runs next; true unless given */
  readonly lookBack?: boolean
  /** Whether only samples of the span that fits are wanted; false unless given */
  readonly spanOnly?: boolean
  /** How long an instance is left alone after a capture by this trigger; 60000 unless given */
  readonly coolDownMs?: number
  /** Of what fits, how much leads to a capture; 100 unless given */
  readonly percentage?: number
  /** Captures that it may start in an hour, of all instances together. At the most what the setting trigger-budget allows all triggers of the tenant; only that unless given */
  readonly budgetPerHour?: number
  /** true unless given */
  readonly enabled?: boolean
  /** For people */
  readonly description?: string
}

export interface RemoveTriggerRequest {}

export interface DryRunRequest {
  /** As Source(`checkout`) && SpanSlower(800) */
  readonly rule: string
  /** How long an instance is left alone after a capture by this trigger; 60000 unless given */
  readonly coolDownMs?: number
  /** Of what fits, how much leads to a capture; 100 unless given */
  readonly percentage?: number
  /** Captures that it may start in an hour, of all instances together. At the most what the setting trigger-budget allows all triggers of the tenant; only that unless given */
  readonly budgetPerHour?: number
  /** From when on: RFC 3339, a number since 1970 (s, ms, us or ns by its digits), or now-1h; now-1h unless given */
  readonly from?: string
  /** and before this; now unless given */
  readonly to?: string
}

export interface TriggerHistoryRequest {
  /** Only of this trigger */
  readonly trigger?: string
  /** How many at the most; 100 unless given */
  readonly limit?: number
  /** `next` of the page before */
  readonly before?: number
}

export interface WatchEventsRequest {
  /** Only events of this type, or of one that ends like it */
  readonly type?: string
  /** Only of this category */
  readonly category?: 'MESSAGE' | 'REQUEST' | 'RESPONSE'
  /** Only to or from components of this name */
  readonly component?: string
  /** Only what ended so, as delivered, answered or timeout */
  readonly outcome?: string
}

export interface SendEventRequest {
  /** As profiling.capture */
  readonly type: string
  /** MESSAGE unless given; a REQUEST is waited for until it is answered */
  readonly category?: 'MESSAGE' | 'REQUEST'
  /** For whom it is; by rules unless given */
  readonly target?: {
    /** As Process */
    readonly type?: string
    /** service.namespace */
    readonly app?: string
    /** service.name, in lower case */
    readonly name?: string
    /** The version */
    readonly hash?: string
    /** The instance */
    readonly id?: string
    /** The Broker it is subscribed to */
    readonly brokerId?: string
  }
  /** Only components of this environment */
  readonly environment?: string
  /** Named values for whoever handles it */
  readonly params?: { readonly [name: string]: unknown }
  /** What rules look at: path, method, host, header, queryParam */
  readonly values?: { readonly [name: string]: unknown }
  /** What the content is */
  readonly contentType?: string
  /** The content, as text */
  readonly text?: string
  /** or as base64 */
  readonly content?: string
  /** How long it may take; 30000 unless given */
  readonly ttlMs?: number
}

/** Every endpoint whose answer is JSON, by its name. */
export interface Operations {
  readonly flameGraph: { readonly request: FlameGraphRequest; readonly answer: FlameGraphAnswer }
  readonly top: { readonly request: TopRequest; readonly answer: TopAnswer }
  readonly sandwich: { readonly request: SandwichRequest; readonly answer: SandwichAnswer }
  readonly diff: { readonly request: DiffRequest; readonly answer: DiffAnswer }
  readonly series: { readonly request: SeriesRequest; readonly answer: SeriesAnswer }
  readonly profileTypes: { readonly request: SelectionRequest; readonly answer: ProfileTypesAnswer }
  readonly services: { readonly request: SelectionRequest; readonly answer: ServicesAnswer }
  readonly attributes: { readonly request: AttributesRequest; readonly answer: AttributesAnswer }
  readonly attributeValues: { readonly request: AttributesRequest; readonly answer: AttributeValuesAnswer }
  readonly profiles: { readonly request: ProfilesRequest; readonly answer: ProfilesAnswer }
  readonly events: { readonly request: EventsRequest; readonly answer: EventsAnswer }
  readonly heatMap: { readonly request: HeatMapRequest; readonly answer: HeatMapAnswer }
  readonly traces: { readonly request: TracesRequest; readonly answer: TracesAnswer }
  readonly trace: { readonly request: TraceRequest; readonly answer: TraceAnswer }
  readonly spans: { readonly request: SpansRequest; readonly answer: SpansAnswer }
  readonly operations: { readonly request: OperationsRequest; readonly answer: OperationsAnswer }
  readonly compareTraces: { readonly request: CompareTracesRequest; readonly answer: CompareTracesAnswer }
  readonly logs: { readonly request: LogsRequest; readonly answer: LogsAnswer }
  readonly logCounts: { readonly request: LogCountsRequest; readonly answer: LogCountsAnswer }
  readonly logMarks: { readonly request: LogMarksRequest; readonly answer: LogMarksAnswer }
  readonly signalAttributes: { readonly request: SignalAttributesRequest; readonly answer: SignalAttributesAnswer }
  readonly signalAttributeValues: { readonly request: SignalAttributesRequest; readonly answer: SignalAttributeValuesAnswer }
  readonly metrics: { readonly request: MetricsRequest; readonly answer: MetricsAnswer }
  readonly metricSeries: { readonly request: MetricSeriesRequest; readonly answer: MetricSeriesAnswer }
  readonly status: { readonly request: StatusRequest; readonly answer: StatusAnswer }
}

/** Those whose answers are there as columns, too. */
export const COLUMNAR = ['flameGraph', 'top', 'sandwich', 'diff', 'events', 'heatMap', 'trace', 'compareTraces'] as const

/** Of every question. */
export const PATHS = {
  flameGraph: '/api/v1/flamegraph',
  top: '/api/v1/top',
  sandwich: '/api/v1/sandwich',
  diff: '/api/v1/diff',
  series: '/api/v1/series',
  profileTypes: '/api/v1/profile-types',
  services: '/api/v1/services',
  attributes: '/api/v1/attributes',
  attributeValues: '/api/v1/attributes/{key}/values',
  profiles: '/api/v1/profiles',
  profile: '/api/v1/profiles/{profile}',
  export: '/api/v1/export',
  events: '/api/v1/events',
  heatMap: '/api/v1/heatmap',
  traces: '/api/v1/traces',
  trace: '/api/v1/traces/{trace}',
  spans: '/api/v1/spans',
  operations: '/api/v1/operations',
  compareTraces: '/api/v1/compare-traces',
  logs: '/api/v1/logs',
  logCounts: '/api/v1/log-counts',
  logMarks: '/api/v1/log-marks',
  signalAttributes: '/api/v1/signal-attributes',
  signalAttributeValues: '/api/v1/signal-attributes/{key}/values',
  metrics: '/api/v1/metrics',
  metricSeries: '/api/v1/metric-series',
  status: '/api/v1/status',
} as const

/** What the Broker may be asked and told, where the answer is JSON. */
export interface Actions {
  readonly components: { readonly request: ComponentsRequest; readonly answer: ComponentsAnswer }
  readonly captures: { readonly request: CapturesRequest; readonly answer: CapturesAnswer }
  readonly startCapture: { readonly request: StartCaptureRequest; readonly answer: Capture }
  readonly capture: { readonly request: CaptureRequest; readonly answer: Capture }
  readonly cancelCapture: { readonly request: CancelCaptureRequest; readonly answer: Capture }
  readonly triggers: { readonly request: TriggersRequest; readonly answer: TriggersAnswer }
  readonly addTrigger: { readonly request: AddTriggerRequest; readonly answer: Trigger }
  readonly changeTrigger: { readonly request: ChangeTriggerRequest; readonly answer: Trigger }
  readonly removeTrigger: { readonly request: RemoveTriggerRequest; readonly answer: RemovedAnswer }
  readonly dryRun: { readonly request: DryRunRequest; readonly answer: DryRunAnswer }
  readonly triggerHistory: { readonly request: TriggerHistoryRequest; readonly answer: TriggerHistoryAnswer }
  readonly watchEvents: { readonly request: WatchEventsRequest; readonly answer: SeenEvent }
  readonly sendEvent: { readonly request: SendEventRequest; readonly answer: SendEventAnswer }
}

/** Where, and by which method. */
export const ACTIONS = {
  components: {
    path: '/api/v1/components',
    method: 'GET',
  },
  captures: {
    path: '/api/v1/captures',
    method: 'GET',
  },
  startCapture: {
    path: '/api/v1/captures',
    method: 'POST',
  },
  capture: {
    path: '/api/v1/captures/{capture}',
    method: 'GET',
  },
  cancelCapture: {
    path: '/api/v1/captures/{capture}',
    method: 'DELETE',
  },
  captureProfile: {
    path: '/api/v1/captures/{capture}/profile',
    method: 'GET',
  },
  triggers: {
    path: '/api/v1/triggers',
    method: 'GET',
  },
  addTrigger: {
    path: '/api/v1/triggers',
    method: 'POST',
  },
  changeTrigger: {
    path: '/api/v1/triggers/{trigger}',
    method: 'PUT',
  },
  removeTrigger: {
    path: '/api/v1/triggers/{trigger}',
    method: 'DELETE',
  },
  dryRun: {
    path: '/api/v1/triggers/dry-run',
    method: 'POST',
  },
  triggerHistory: {
    path: '/api/v1/triggers/history',
    method: 'GET',
  },
  watchEvents: {
    path: '/api/v1/broker/events',
    method: 'GET',
  },
  sendEvent: {
    path: '/api/v1/broker/events',
    method: 'POST',
  },
} as const
