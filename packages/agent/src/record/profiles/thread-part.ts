// The samples of one thread. Captures combine those of several threads, and a worker posts its part to the main thread.
import type { Frame, Frames } from '../samples/frame-table.ts'
import type { HeapSnapshot } from '../sources/heap-source.ts'
import type { RuntimeEvents } from '../sources/runtime-events.ts'
import type { AsyncWaits } from '../sources/wait-log.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'

export interface Thread {
  /** The thread id of the operating system. */
  readonly id: bigint
  readonly name: string
}

export interface ThreadPart {
  readonly thread: Thread
  /** How far back it reaches, in Unix microseconds. */
  readonly from: number
  readonly batches: readonly SampleBatch<Frames>[]
  readonly events?: RuntimeEvents | undefined
  readonly waits?: AsyncWaits | undefined
  /** Several consecutive snapshots of allocations, or one of the heap. */
  readonly heap?: readonly HeapSnapshot<Frames>[] | undefined
}

/** Keeps only the used frames: the table of a thread may have more than 20,000. */
export function portable(part: ThreadPart): ThreadPart {
  const tables = new Map<Frames, UsedFrames>()
  const usedOf = (frames: Frames): UsedFrames => {
    let used = tables.get(frames)
    if (used === undefined) tables.set(frames, (used = new UsedFrames(frames)))
    return used
  }
  return {
    ...part,
    batches: part.batches.map(batch => {
      const frames = usedOf(batch.frames)
      return { ...batch, frames, frame: batch.frame.map(row => frames.rowOf(row)) }
    }),
    heap: part.heap?.map(snapshot => {
      const frames = usedOf(snapshot.frames)
      return { ...snapshot, frames, frame: snapshot.frame.map(row => frames.rowOf(row)) }
    }),
  }
}

/** Posted as its rows only. */
class UsedFrames implements Frames {
  readonly rows: Frame[] = []
  readonly #all: Frames
  readonly #places = new Map<number, number>()

  constructor(all: Frames) {
    this.#all = all
  }

  rowOf(row: number): number {
    let place = this.#places.get(row)
    if (place === undefined) this.#places.set(row, (place = this.rows.push(this.#all.rows[row]) - 1))
    return place
  }
}
