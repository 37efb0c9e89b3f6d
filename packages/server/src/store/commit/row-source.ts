// The place where rows of requests are collected until they are committed: this thread, or another one.
import type { TakenRows } from './group-file.ts'

/** Calls take effect in the order in which they are made, also those that add rows. */
export interface RowSource {
  /** Removes and returns all rows that were added before the call. */
  take(): Promise<TakenRows>
  /** Drops all rows that were added before the call. No announced symbol counts as stored any more. */
  discard(): void
  /** No announced symbol counts as stored any more. Resolves when that is the case. */
  forget(): Promise<void>
}
