// Receives recorded profiles. `start({ exporter })` accepts any object of this shape, so profiles can stay in the process.
import type { Profiles } from '@hearth/profile/recording'

export interface ProfilesExporter {
  /** Queues profiles for sending in the background. Never throws. */
  send(profiles: Profiles): void
  /** Resolves when all queued profiles are sent or have failed, or the time is over. Never rejects. */
  flush(timeoutMillis: number): Promise<void>
  /** Closes connections and files. Drops profiles that are still queued. Never rejects. */
  shutdown(): Promise<void>
  /** The number of payloads that were given up. */
  readonly dropped: number
  /** The number of payloads that are neither sent nor given up. Default 0. */
  readonly waiting?: number
  /** True if profiles are written when `send` returns. Such an exporter works while the process exits. */
  readonly isSynchronous?: boolean
}
