// Results about profiles, from the worker for a file and from the server for a query.
import type { CallTree, DiffRow, JoinedTops, LayoutColumns, TopTable } from '@hearth/profile'

export type * from '../timeline/events.ts'

export type TreeOrder = CallTree['order']

/** The frames with their self and total values, largest self first. */
export type TopColumns = Pick<TopTable, 'length' | 'frames' | 'frame' | 'self' | 'total' | 'sum' | 'unit' | 'allFrames'>

/** One frame between its callers and its callees. Both trees have it as their root. */
export interface SandwichTrees {
  readonly name: string
  readonly file: string
  readonly callers: CallTree
  readonly callees: CallTree
  /** The total of all samples, with and without the frame. */
  readonly sum: bigint
}

/** Data that a format could not represent. */
export interface Loss {
  readonly code: string
  readonly count: number
  readonly message: string
}

export interface WrittenFile {
  readonly bytes: Uint8Array
  readonly notes: readonly Loss[]
}

export interface FrameName {
  readonly name: string
  /** Empty if it does not matter or is unknown. */
  readonly file: string
}

export interface Unresolved {
  readonly reason: 'no-build-id' | 'no-debug-info' | 'downloading' | 'download-failed' | 'not-in-file'
  /** Distinct frames. */
  readonly frames: number
}

export interface MissingNames {
  readonly stacks: number
  /** The part of the total in such stacks. */
  readonly self: bigint
  /** Native frames without a name, by reason. */
  readonly unresolved: readonly Unresolved[]
}

export interface TreeResult {
  readonly tree: CallTree
  /** Such as `cpu`; empty if there is no data. */
  readonly type: string
  readonly profiles: number
  /** The self value of hidden nodes. */
  readonly hiddenSelf: bigint
  /** Stacks with names that are not stored, if the store reports them. */
  readonly missing?: MissingNames
  /** The layout of the tree, if the worker computed it. */
  readonly layout?: LayoutColumns
}

export interface ThreadSummary {
  /** Identifies the thread in requests. */
  readonly key: string
  readonly title: string
  readonly observations: number
}

/** The flame chart of a thread. */
export interface TimelineResult {
  /** Empty if samples have no timestamps. */
  readonly threads: readonly ThreadSummary[]
  /** The key of the thread that is shown; empty if there is none. */
  readonly thread: string
  /** In nanoseconds, with `times`. */
  readonly tree: CallTree
  /** The first observation of all threads, in nanoseconds since 1970 or by the clock of the file. */
  readonly origin: bigint
  /** The number of observations beyond the limit. */
  readonly dropped: number
  readonly layout?: LayoutColumns
}

/** A part of the observations. */
export interface Part {
  /** The time range: nanoseconds since 1970, or the clock of the file. `until` is exclusive. */
  readonly from: bigint
  readonly until: bigint
  /** Keys of threads; all threads if it is missing. */
  readonly threads?: readonly string[]
  /** Whether to skip stacks of idle processors and threads. */
  readonly busy?: boolean
}

export interface HeatMapChoice {
  /** Nanoseconds. A longer column is used if there would be too many. */
  readonly column: bigint
  /** The number of rows of a column. */
  readonly rows: number
  /** Whether to skip stacks of idle processors and threads. */
  readonly busy: boolean
}

/** Observations by time. A cell is `column * rows + row`; row 0 is the first part of a column. */
export interface HeatMapResponse {
  /** The start of column 0: a multiple of the column length. */
  readonly origin: bigint
  readonly column: bigint
  readonly rows: number
  readonly columns: number
  /** The number of observations. */
  readonly count: Float64Array
  /** The total of their values. */
  readonly value: Float64Array
  readonly type: string
  readonly unit: string
}

export type { DiffRow }

export interface DiffRows extends JoinedTops {
  /** The number of observations of each side, to compute significance; undefined if it is unknown. */
  readonly beforeObservations: number | undefined
  readonly afterObservations: number | undefined
  /** How much sides differ beyond sampling, see SideObservations; undefined if it is unknown. */
  readonly between?: number
  /** The false discovery rate of each row's change of self, from the library; undefined if only the numbers of observations are known. */
  readonly rates?: readonly number[]
  /** The number of requests of each side, if values are per request. */
  readonly requests?: { readonly before: number; readonly after: number }
}
