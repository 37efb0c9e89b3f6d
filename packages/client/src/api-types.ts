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
  readonly exemplars: readonly {
    readonly profile: string
    /** Nanoseconds since 1970 */
    readonly time: string
    readonly sum: string
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

export interface FlameGraphRequest {
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
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
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
  /** What counts as one frame; function unless given */
  readonly by?: 'function' | 'line' | 'address' | 'file' | 'mapping' | 'frame-type'
  /** Whether inlined calls are frames of their own; true unless given */
  readonly inlined?: boolean
}

export interface EventsAnswer {
  /** Empty where nothing was found */
  readonly type: string
  readonly unit: string
  readonly temporality: 'delta' | 'cumulative' | 'unspecified'
  /** How many profiles it was made of */
  readonly profiles: number
  /** Whether a sample of a span counts as the limit of 64 bits */
  readonly clamped: boolean
  readonly threads: readonly {
    readonly service: string
    /** Tells processes apart */
    readonly resource: string
    /** thread.id */
    readonly id: AttributeValue
    /** thread.name */
    readonly name: AttributeValue
  }[]
  /** Row in threads; events are ordered by thread and time */
  readonly thread: readonly number[]
  /** Nanoseconds since 1970 */
  readonly time: readonly string[]
  /** In the unit */
  readonly value: readonly string[]
  /** Where the event's stack ends */
  readonly node: readonly number[]
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
  /** Column of each cell that is not empty, from where the range begins */
  readonly x: readonly number[]
  /** and its row */
  readonly y: readonly number[]
  /** How many observations */
  readonly count: readonly number[]
  /** The sum of their values */
  readonly value: readonly number[]
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
  readonly status: { readonly request: StatusRequest; readonly answer: StatusAnswer }
}

/** Those whose answers are there as columns, too. */
export const COLUMNAR = ['flameGraph', 'top', 'sandwich', 'diff', 'events', 'heatMap'] as const

/** Of every endpoint. */
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
  status: '/api/v1/status',
} as const
