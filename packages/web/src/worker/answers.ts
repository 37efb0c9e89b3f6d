// What is answered about profiles, by the worker about a file and by the server about everything selected.
import type { CallTree, LayoutColumns, TopTable } from '@hearth/profile'

export type * from '../timeline/events.ts'

export type TreeOrder = CallTree['order']

/** The frames with their self and total values, greatest self first. */
export type TopColumns = Pick<TopTable, 'length' | 'frames' | 'frame' | 'self' | 'total' | 'sum' | 'unit' | 'allFrames'>

/** One frame between its callers and its callees; both trees have it as their root. */
export interface SandwichTrees {
  readonly name: string
  readonly file: string
  readonly callers: CallTree
  readonly callees: CallTree
  /** Of all samples, with and without the frame. */
  readonly sum: bigint
}

/** What could not be carried into a format. */
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
  /** Empty where it does not matter or is not known. */
  readonly file: string
}

export interface MissingNames {
  readonly stacks: number
  /** What they have of the sum. */
  readonly self: bigint
}

export interface TreeAnswer {
  readonly tree: CallTree
  /** As `cpu`; empty where nothing was found. */
  readonly type: string
  readonly profiles: number
  /** What the nodes left out have of the sum as their own. */
  readonly hiddenSelf: bigint
  /** Stacks of which not every name is stored, where the store tells. */
  readonly missing?: MissingNames
  /** Of the tree, where the worker made it. */
  readonly layout?: LayoutColumns
}

export interface ThreadSummary {
  /** What it is asked for by. */
  readonly key: string
  readonly title: string
  readonly observations: number
}

/** What a thread did, moment by moment. */
export interface TimelineAnswer {
  /** None where samples have no times of their own. */
  readonly threads: readonly ThreadSummary[]
  /** Of the thread that is shown; empty where there is none. */
  readonly thread: string
  /** In nanoseconds, with `times`. */
  readonly tree: CallTree
  /** Of the first observation of all threads, in nanoseconds since 1970 or whatever else the file counts from. */
  readonly origin: bigint
  /** Observations that found no room. */
  readonly leftOut: number
  readonly layout?: LayoutColumns
}

/** Some of the observations. */
export interface Part {
  /** By when they were made: nanoseconds since 1970, or whatever else a file counts from. `until` is not in it. */
  readonly from: bigint
  readonly until: bigint
  /** By the keys of their threads; of all unless given. */
  readonly threads?: readonly string[]
  /** Whether stacks of idle processors and threads are left out. */
  readonly busy?: boolean
}

export interface HeatMapChoice {
  /** Nanoseconds; a longer one is taken where there would be too many. */
  readonly column: bigint
  /** How many parts a column has. */
  readonly rows: number
  /** Whether stacks of idle processors and threads are left out. */
  readonly busy: boolean
}

/** When observations were made, below the second; cells by `column * rows + row`, where row 0 is a column's first part. */
export interface HeatMapResponse {
  /** Where column 0 begins: a whole number of columns. */
  readonly origin: bigint
  readonly column: bigint
  readonly rows: number
  readonly columns: number
  /** How many observations. */
  readonly count: Float64Array
  /** The sum of their values. */
  readonly value: Float64Array
  readonly type: string
  readonly unit: string
}

/** One function on both sides. */
export interface DiffRow extends FrameName {
  readonly beforeSelf: number
  readonly afterSelf: number
  readonly beforeTotal: number
  readonly afterTotal: number
}

export interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly unit: string
  readonly beforeSum: number
  readonly afterSum: number
  /** How many observations each side was made of, for what chance alone may explain; undefined where that is not known. */
  readonly beforeObservations: number | undefined
  readonly afterObservations: number | undefined
}
