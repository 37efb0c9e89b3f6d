// What takes the profiles that were recorded. `start({ exporter })` takes any of this shape, so that profiles can go to
// something in the same process.
import type { Profiles } from '@hearth/profile/recording'

export interface ProfilesExporter {
  /** Takes profiles to be sent in the background. Never throws. */
  send(profiles: Profiles): void
  /** Ends when everything sent so far is through or cannot get through now, or the time is over. Never rejects. */
  flush(timeoutMillis: number): Promise<void>
  /** Takes no more, and lets go of connections and files; what is still waiting is dropped. Never rejects. */
  shutdown(): Promise<void>
  /** Payloads that were given up. */
  readonly dropped: number
  /** Payloads that are neither through nor given up; none unless said. */
  readonly waiting?: number
  /** Whether what was sent is through when `send` returns, so that it can be used while the process exits. */
  readonly isSynchronous?: boolean
}
