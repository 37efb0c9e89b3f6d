// Where samples of running code come from: the native profiler, or the inspector in its place.
import type { FrameTable } from '../samples/frame-table.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'

export interface TimeSource {
  /** What is not recorded, and why. */
  readonly missing: readonly string[]
  /** When a moment has come at which a pull does not disturb sampling; soon in any case. */
  ready(): Promise<void>
  /** The samples since the last call. Sampling goes on, and no time is lost in between. */
  pull(frames: FrameTable): SampleBatch
  /** Sampling goes on at another rate; the samples until then. The thread stands still for it, for 10 to 70 ms. */
  changeRate(sampleRateHz: number, frames: FrameTable): SampleBatch
  /** The last samples; everything is released. */
  stop(frames: FrameTable): SampleBatch
}
