// What the views ask for, whoever answers: the server, about everything selected, or the worker, about a local file.
import type {
  DiffRows,
  FrameName,
  SandwichTrees,
  TimelineAnswer,
  TopColumns,
  TreeAnswer,
  TreeOrder,
  WrittenFile,
} from '../worker/answers.ts'

export type * from '../worker/answers.ts'

export interface ProfileSource {
  /** Two sources with the same key answer the same. */
  readonly key: string
  tree(order: TreeOrder, signal: AbortSignal): Promise<TreeAnswer>
  top(signal: AbortSignal): Promise<TopColumns>
  /** By source line. */
  lines(signal: AbortSignal): Promise<TopColumns>
  /** Undefined where there is no such frame. */
  sandwich(frame: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined>
  /** Undefined where times are not asked for: of more than one file's worth. */
  readonly timeline?: (thread: string, signal: AbortSignal) => Promise<TimelineAnswer>
  write(format: string, signal: AbortSignal): Promise<WrittenFile>
}

export interface ComparisonSource {
  readonly key: string
  readonly before: ProfileSource
  readonly after: ProfileSource
  /** The values before scaled to the sum after, unless `absolute`. */
  tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeAnswer>
  rows(signal: AbortSignal): Promise<DiffRows>
}
