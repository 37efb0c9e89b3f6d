// The source of CPU and wall samples: the native profiler, or the inspector instead.
import type { FrameTable } from '../samples/frame-table.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'

export interface TimeSource {
  /** The kinds that are not recorded, each with the reason. */
  readonly missing: readonly string[]
  /** Resolves soon, at a moment when a pull does not disturb sampling. */
  ready(): Promise<void>
  /** Returns the samples since the last call. Sampling continues without a gap. */
  pull(frames: FrameTable): SampleBatch
  /** Changes the rate and returns the samples so far. It stops the thread for 10 to 70 ms. */
  changeRate(sampleRateHz: number, frames: FrameTable): SampleBatch
  /** Returns the last samples and releases all resources. */
  stop(frames: FrameTable): SampleBatch
}
