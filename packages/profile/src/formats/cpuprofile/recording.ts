// The content of a .cpuprofile file before conversion.
import type { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'

/** The content of a file before conversion. */
export interface CpuRecording {
  /** Nanoseconds. Undefined if the file has none. */
  start?: bigint
  end?: bigint
  /** Rows of nodes. NONE for a sample whose node the file does not contain. */
  readonly samples: GrowingInts
  deltas?: GrowingLongs
  timestamps?: GrowingLongs
}
