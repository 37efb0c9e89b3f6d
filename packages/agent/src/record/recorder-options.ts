// The settings of a recorder.
import type { KeyValue } from '@hearth/profile/recording'

/** A thread can record either `heap` (live objects) or `allocations` (all objects). If both are requested, it records `heap`. */
export type ProfileKind = 'cpu' | 'wall' | 'heap' | 'allocations' | 'events' | 'waits'

export type Attribute = KeyValue

export interface RecorderOptions {
  readonly kinds: readonly ProfileKind[]
  /** Default 100. */
  readonly sampleRateHz: number
  /** Average bytes between two sampled allocations. Default 512 KiB. */
  readonly heapIntervalBytes: number
  /** How long timestamped samples are kept for captures. Default 60. 0 turns it off. */
  readonly ringSeconds: number
  readonly sourceMaps: boolean
  /** Whether exported samples keep their timestamps. Without them, equal samples of an export are summed. */
  readonly timestamps: boolean
  /** Attributes of the active span that are copied to samples. */
  readonly spanAttributes: readonly string[]
  /** Baggage entries that are copied to samples. */
  readonly baggageKeys: readonly string[]
  readonly resource: readonly Attribute[]
  /** Receives problems. Nothing is ever thrown into the application. */
  readonly onProblem: (problem: string) => void
}
