// What is answered about profiles, by the worker about a file and by the server about everything selected.
import type { Frames } from '../tree/frames.ts'
import type { LayoutColumns } from '../tree/layout.ts'
import type { Tree } from '../tree/tree.ts'

export type TreeOrder = Tree['order']

/** Frames by what was spent in them, greatest self first. */
export interface TopColumns {
  readonly length: number
  readonly frames: Frames
  /** Row in frames. */
  readonly frame: Uint32Array
  readonly self: Float64Array
  readonly total: Float64Array
  /** Of all samples. */
  readonly sum: bigint
  readonly unit: string
  /** How many frames there are; more than `length` where the smallest were left out. */
  readonly allFrames: number
}

/** One frame between its callers and its callees; both trees have it as their root. */
export interface SandwichTrees {
  readonly name: string
  readonly file: string
  readonly callers: Tree
  readonly callees: Tree
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

export interface TreeAnswer {
  readonly tree: Tree
  /** As `cpu`; empty where nothing was found. */
  readonly type: string
  readonly profiles: number
  /** What the nodes left out have of the sum as their own. */
  readonly hiddenSelf: bigint
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
  readonly tree: Tree
  /** Of the first observation of all threads, in nanoseconds since 1970 or whatever else the file counts from. */
  readonly origin: bigint
  /** Observations that found no room. */
  readonly leftOut: number
  readonly layout?: LayoutColumns
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
