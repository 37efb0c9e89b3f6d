// What the receivers need of the store: hand a request over, learn when it is safe, or why it was refused.
import type { Profiles } from '@hearth/profile'
import type { LogsData, MetricsData, TracesData } from '@hearth/signals'

export type Signal = 'profiles' | 'traces' | 'logs' | 'metrics'

export type Payload =
  | { readonly signal: 'profiles'; readonly profiles: Profiles }
  | { readonly signal: 'traces'; readonly traces: TracesData }
  | { readonly signal: 'logs'; readonly logs: LogsData }
  | { readonly signal: 'metrics'; readonly metrics: MetricsData }

export interface ReceivedRequest {
  readonly tenant: string
  /** The sender's User-Agent; may be empty. */
  readonly client: string
  /** 16 bytes: the hash of signal and decompressed content. A retry has the same. */
  readonly id: Uint8Array
  /** Uncompressed size. */
  readonly bytes: number
  /** Generation of the profiles format; empty for other signals. */
  readonly generation: string
  /** How many items the receiver had to refuse beside those in the payload. */
  readonly rejected: number
  readonly payload: Payload
}

export interface Keeper {
  /**
   * Resolves when the request is committed: it survives kill -9, and a power loss in durable mode. `duplicate` means that
   * the same request was committed before, and nothing was written. Rejects with RefusedError when the request was not
   * kept and may be sent again.
   */
  keep(request: ReceivedRequest): Promise<'kept' | 'duplicate'>
}

export type Refusal = 'queue-full' | 'disk-full' | 'store-lost' | 'shutting-down'

export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly reason: Refusal
  readonly retryAfterSeconds: number

  constructor(reason: Refusal, retryAfterSeconds: number, message: string) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}
