// What the views ask for, whoever answers: the server, about everything selected, or the worker, about a local file.
import type { Query } from '../address/query.ts'
import type {
  DiffRows,
  FrameName,
  HeatMapResponse,
  HeatMapChoice,
  Part,
  SandwichTrees,
  TimelineAnswer,
  TimelineEvents,
  TopColumns,
  TreeAnswer,
  TreeOrder,
  WrittenFile,
} from '../worker/answers.ts'

export type * from '../worker/answers.ts'

export interface ProfileSource {
  /** What the server is asked about; undefined of a file. */
  readonly query?: Query
  /** Two sources with the same key answer the same. */
  readonly key: string
  tree(order: TreeOrder, signal: AbortSignal): Promise<TreeAnswer>
  top(signal: AbortSignal): Promise<TopColumns>
  /** By source line. */
  lines(signal: AbortSignal): Promise<TopColumns>
  /** Undefined where there is no such frame. */
  sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined>
  /** The flame chart of a thread; of the busiest where there is none of that key. */
  timeline(thread: string, signal: AbortSignal): Promise<TimelineAnswer>
  /** What happened on every thread, of all types of profiles together. */
  events(signal: AbortSignal): Promise<TimelineEvents>
  /** Without columns where samples have no times. */
  heatMap(choice: HeatMapChoice, signal: AbortSignal): Promise<HeatMapResponse>
  write(format: string, signal: AbortSignal): Promise<WrittenFile>
  /** The same with exactly these observations. */
  within(part: Part): ProfileSource
  /** The same with values of these attributes at the root of the stacks; tables of functions do not have them. */
  rooted(roots: readonly string[]): ProfileSource
  /** Keys of attributes that samples have, or what they are part of. */
  attributes(signal: AbortSignal): Promise<readonly string[]>
  /** The same of another type, as `cpu:ns`. */
  ofType(type: string): ProfileSource
  /** One part against another. */
  compare(before: Part, after: Part): ComparisonSource
}

/** What a flame graph alone needs. */
export type TreeSource = Pick<ProfileSource, 'key' | 'tree'>

/** What the attributes at the root of stacks are chosen from. */
export type AttributeSource = Pick<ProfileSource, 'key' | 'attributes'>

export interface ComparisonSource extends AttributeSource {
  readonly before: TreeSource
  readonly after: TreeSource
  /** The values before scaled to the sum after, unless `absolute`. */
  tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeAnswer>
  rows(signal: AbortSignal): Promise<DiffRows>
  /** The same with values of these attributes at the root of the stacks on both sides. */
  rooted(roots: readonly string[]): ComparisonSource
}
