// The interface of profile sources: the server for a query, or the worker for a local file.
import type { LaneKind } from '@hearth/profile'
import type { Query } from '../address/query.ts'
import type { OfLoad } from '../address/time-range.ts'
import type {
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Part,
  SandwichTrees,
  TimelineResult,
  TimelineEvents,
  TopColumns,
  TreeResult,
  TreeOrder,
  WrittenFile,
} from '../worker/results.ts'

export type * from '../worker/results.ts'

export interface SourceFile {
  readonly text?: string
  /** With `{line}` for the number of the line. */
  readonly link?: string
  /** The reason why there is no text, for people. Empty if that needs no explanation. */
  readonly why: string
}

/** Addresses are in hex, in the numbering of the binary. */
export interface CodeInstruction {
  readonly address: string
  readonly text: string
  readonly self: bigint
  readonly total: bigint
  readonly file: string
  readonly line: number
}

export interface DisassembledFunction {
  readonly name: string
  readonly binary: string
  readonly start: string
  readonly end: string
  /** Undefined if the code is not there. */
  readonly machine?: string | undefined
  readonly instructions: readonly CodeInstruction[]
  readonly skippedBytes: number
}

export interface Disassembly {
  readonly unit: string
  readonly sum: bigint
  readonly functions: readonly DisassembledFunction[]
}

export interface ProfileSource {
  /** The query of the server; undefined for a file. */
  readonly query?: Query & OfLoad
  /** Two sources with the same key return the same results. */
  readonly key: string
  tree(order: TreeOrder, signal: AbortSignal): Promise<TreeResult>
  top(signal: AbortSignal): Promise<TopColumns>
  /** By source line. */
  lines(signal: AbortSignal): Promise<TopColumns>
  /** The totals of a function in equal steps of the time range. Missing if they are unknown. */
  readonly overTime?: (frame: FrameName, signal: AbortSignal) => Promise<readonly number[]>
  /** The number of observations of all samples; undefined if it is unknown. */
  observations(signal: AbortSignal): Promise<number | undefined>
  /** The text of a source file and the address of its lines, as far as they are known. `buildIds` are those of its binaries. */
  sourceFile(file: string, buildIds: readonly string[], signal: AbortSignal): Promise<SourceFile>
  /** The instructions of the functions with a name. Undefined if the source has no binaries. */
  disassembly?(name: string, signal: AbortSignal): Promise<Disassembly>
  /** Returns undefined if there is no such frame. */
  sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined>
  /** The flame chart of a thread, or of the busiest thread if none has the key. */
  timeline(thread: string, signal: AbortSignal): Promise<TimelineResult>
  /** Events of all lanes and of all profile types. */
  events(lanes: LaneKind, signal: AbortSignal): Promise<TimelineEvents>
  /** Without columns if samples have no timestamps. */
  heatMap(choice: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse>
  write(format: string, signal: AbortSignal): Promise<WrittenFile>
  /** The source limited to a part of the observations. */
  within(part: Part): ProfileSource
  /**
   * The source with values of these attributes at the root of the stacks, which tables of functions ignore. With `addresses`,
   * frames without a name are distinguished by address.
   */
  rooted(roots: readonly string[], addresses?: boolean): ProfileSource
  /** Attribute keys of samples, profiles, scopes and resources. */
  attributes(signal: AbortSignal): Promise<readonly string[]>
  /** The source with another type, such as `cpu:ns`. */
  ofType(type: string): ProfileSource
  /** Compares two parts. */
  compare(before: Part, after: Part): ComparisonSource
}

/** The part of a source that a flame graph needs. */
export type TreeSource = Pick<ProfileSource, 'key' | 'tree'>

/** The part of a source with values by source line. */
export type LinesSource = Pick<ProfileSource, 'key' | 'lines' | 'sourceFile'>

/** The part of a source that lists attributes. */
export type AttributeSource = Pick<ProfileSource, 'key' | 'attributes'>

export interface ComparisonSource extends AttributeSource {
  readonly before: TreeSource
  readonly after: TreeSource
  /** Both sides by source line. Undefined if they are not known by line. */
  readonly versions?: { readonly before: LinesSource; readonly after: LinesSource }
  /** The values before are scaled to the total after, unless `absolute`. */
  tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeResult>
  rows(signal: AbortSignal): Promise<DiffRows>
  /** The comparison with values of these attributes at the root of the stacks on both sides. */
  rooted(roots: readonly string[], addresses?: boolean): ComparisonSource
}
