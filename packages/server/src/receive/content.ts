// The contents of requests. A content is read in the thread that writes its rows, so that the main thread only moves bytes.
// Each kind of content has a reader: OTLP, a file of any format, and Pyroscope's requests.
import type { KnownSymbols } from '@hearth/profile'
import type { Payload } from '../store/keeper.ts'
import type { Rejects } from './rejects.ts'

/** The kind of a request's content. Options are plain data, because they are sent to another thread. */
export interface Content {
  /** The name of the reader. */
  readonly reader: string
  readonly options: unknown
}

export interface ReadLimits {
  /** The maximum size of the decompressed content. */
  readonly maxBody: number
  readonly maxAttributes: number
}

/** The state of the thread that reads contents. */
export interface ReadContext extends ReadLimits {
  readonly symbols: KnownSymbols
}

export interface ReadContent {
  readonly payload: Payload
  /** The format of profiles, or the generation of OTLP; empty for other signals. */
  readonly generation: string
  /** True if the request is rejected as a whole when an item is invalid, as a file is. */
  readonly isAtomic: boolean
  /** Plain data for the response to the sender. */
  readonly response?: unknown
}

export interface ContentReader<Options = unknown> {
  /** Identifies the content: a retry has the same id. Throws Refusal. */
  id(body: Uint8Array, options: Options): Uint8Array
  /** Estimates the memory that the content takes until it is committed. May stop at `limit`. Throws Refusal. */
  measure(body: Uint8Array, options: Options, limit: number): number
  /** Undefined if there is nothing to store. Throws Refusal. */
  read(body: Uint8Array, options: Options, context: ReadContext, rejects: Rejects): ReadContent | undefined
}

export type ContentReaders = Readonly<Record<string, ContentReader>>

/** The memory of a file in relation to its size: its columns, its rows, and the copies while they grow. */
export const FILE_FACTOR = 6
const MAX_GZIP_RATIO = 1032
const USUAL_ZSTD_RATIO = 8
const ZSTD_MAGIC = 0xfd2fb528

/** Estimates the memory of a file by its size, or by the size that it declares if it is compressed. */
export function measureFile(file: Uint8Array): number {
  return FILE_FACTOR * declaredSize(file)
}

function declaredSize(file: Uint8Array): number {
  const { length } = file
  if (length < 18) return length
  const view = new DataView(file.buffer, file.byteOffset, length)
  if (view.getUint32(0, true) === ZSTD_MAGIC) return length * USUAL_ZSTD_RATIO
  if (view.getUint16(0) !== 0x1f8b) return length
  return Math.max(length, Math.min(view.getUint32(length - 4, true), length * MAX_GZIP_RATIO))
}
