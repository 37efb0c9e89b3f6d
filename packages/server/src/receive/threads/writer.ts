// The interface between the receiver and the threads that read requests and write their rows.
import type { Content } from '../content.ts'
import type { Written } from './content-writer.ts'

/** A request as it was sent. */
export interface WriterRequest {
  readonly tenant: string
  readonly client: string
  readonly content: Content
  readonly body: Uint8Array
  /** The Content-Encoding; empty if the body is not compressed. */
  readonly contentEncoding: string
  /** The id of the content; the reader computes it unless given. */
  readonly id?: Uint8Array
  /** The size of the content for statistics; the size of the decompressed body unless given. */
  readonly bytes?: number
}

export interface WriterResult extends Written {
  /** Whether the same request was committed before. */
  readonly isDuplicate: boolean
  /** The size of the content. */
  readonly bytes: number
}

export interface Writer {
  /** Resolves when the accepted items are committed. The body may be moved to another thread. Throws Refusal and RefusedError. */
  write(request: WriterRequest): Promise<WriterResult>
}
