// The interface between receivers and the store: hand over a request, and learn when it is committed or why it was rejected.
import type { Profiles } from '@hearth/profile'
import type { LogsData, MetricsData, Signal, TracesData } from '@hearth/signals'

export type { Signal }

export type Payload =
  | { readonly signal: 'profiles'; readonly profiles: Profiles }
  | { readonly signal: 'traces'; readonly traces: TracesData }
  | { readonly signal: 'logs'; readonly logs: LogsData }
  | { readonly signal: 'metrics'; readonly metrics: MetricsData }

export interface ReceivedRequest {
  readonly tenant: string
  /** The sender's User-Agent, or empty. */
  readonly client: string
  /** 16 bytes: the hash of signal and decompressed content. A retry has the same id. */
  readonly id: Uint8Array
  /** Uncompressed size. */
  readonly bytes: number
  /** The OTLP version of profiles. Empty for other signals. */
  readonly generation: string
  /** Number of items that the receiver rejected. They are not in the payload. */
  readonly rejected: number
  readonly payload: Payload
}

export interface Keeper {
  /**
   * Resolves when the request is committed: it survives kill -9, and a power loss in durable mode. `duplicate` means that
   * the same request was committed before. Rejects with RefusedError if the request is not stored and may be sent again.
   */
  keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'>
}

export type RefusalReason =
  | 'queue-full'
  | 'disk-full'
  | 'store-lost'
  /** The thread that had the request's rows died. */
  | 'rows-lost'
  | 'shutting-down'

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly reason: RefusalReason
  readonly retryAfterSeconds: number

  constructor(reason: RefusalReason, retryAfterSeconds: number, message: string) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
