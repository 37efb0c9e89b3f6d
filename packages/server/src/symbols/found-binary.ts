// The debug file of a binary of a profile, or the reason why there is none. Plain data, which the main thread sends to query threads.
import type { Quality, StoredSegment, DebugFileOrigin } from './about-file.ts'

/**
 * The reason why a frame has no name:
 *
 *   no-build-id       the sender did not say which file the binary is
 *   no-debug-info     no debug file is known
 *   downloading       a debug file is being fetched
 *   download-failed   a debuginfod server failed; it is tried again later
 *   not-in-file       the debug file has no function at the address
 */
export const UNRESOLVED_REASONS = [
  'no-build-id',
  'no-debug-info',
  'downloading',
  'download-failed',
  'not-in-file',
] as const
export type UnresolvedReason = (typeof UNRESOLVED_REASONS)[number]

export interface SymbolFileState {
  readonly name: string
  readonly source: DebugFileOrigin
  readonly quality: Quality
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly created: number
}

export interface StoredCode {
  readonly path: string
  readonly machine: string
  readonly segments: readonly StoredSegment[]
}

export type FoundBinary =
  | {
      /** The path of the index. */
      readonly index: string
      readonly segments: readonly StoredSegment[]
      readonly kernelStart: string | undefined
      /** A file with the code of the binary, if the store has one. */
      readonly code: StoredCode | undefined
      readonly file: SymbolFileState
      /** The reason why there is no better file. Undefined if there can be none. */
      readonly reason: UnresolvedReason | undefined
    }
  | { readonly reason: UnresolvedReason; readonly message?: string; readonly index?: undefined }
