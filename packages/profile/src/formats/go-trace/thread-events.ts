// The events of one thread in one generation, in the order of its batches.
import { MAX_ARGUMENTS } from './event-types.ts'
import type { Batch } from './generation.ts'
import type { Goroutine, GoThread } from './thread-state.ts'
import type { TraceCursor } from './trace-cursor.ts'

export class ThreadEvents {
  readonly thread: GoThread
  /** The current event. Its first argument is the time since the previous one. */
  type = 0
  ticks = 0
  offset = 0
  readonly args = new Float64Array(MAX_ARGUMENTS)
  /** The goroutine that the current event names, if it was looked up. */
  target: Goroutine | undefined
  readonly #batches: readonly Batch[]
  readonly #cursor: TraceCursor
  readonly #argumentCounts: Uint8Array
  #batch = -1
  #at = 0
  #end = 0

  /** The cursor may be shared: each call sets its position. */
  constructor(thread: GoThread, batches: readonly Batch[], cursor: TraceCursor, argumentCounts: Uint8Array) {
    this.thread = thread
    this.#batches = batches
    this.#cursor = cursor
    this.#argumentCounts = argumentCounts
  }

  next(): boolean {
    while (this.#at >= this.#end) {
      const batch = this.#batches[++this.#batch]
      if (batch === undefined) return false
      this.#at = batch.from
      this.#end = batch.to
      this.ticks = batch.time
    }
    const cursor = this.#cursor
    const { args } = this
    cursor.at = this.#at
    cursor.end = this.#end
    this.offset = this.#at
    this.target = undefined
    const type = cursor.byte()
    const count = this.#argumentCounts[type]
    if (count === 0) {
      cursor.at--
      throw cursor.fault(`unexpected event ${type} in the events of a thread`)
    }
    for (let i = 0; i < count; i++) args[i] = cursor.number()
    this.type = type
    this.ticks += args[0]
    this.#at = cursor.at
    return true
  }

  /** Continues after the batch of the current event. */
  skipBatch(): void {
    this.#at = this.#end
  }
}
