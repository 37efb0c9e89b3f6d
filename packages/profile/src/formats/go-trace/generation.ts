// A trace is a sequence of generations, each of about a second and complete in itself. It consists of batches of events
// of one thread, and batches of strings, stacks, CPU samples and the clock, in any order. This class splits a
// generation into its parts.
import { MAX_SECONDS } from './trace-clock.ts'
import type { ClockSnapshot } from './trace-clock.ts'
import { GoEventType } from './event-types.ts'
import type { TraceCursor } from './trace-cursor.ts'

/** Part of a thread's events. */
export interface Batch {
  readonly time: number
  readonly from: number
  readonly to: number
}

export class TraceGeneration {
  readonly number: number
  readonly offset: number
  /** By thread, in the order of the file. */
  readonly threads = new Map<number, Batch[]>()
  /** The range of each string, by its number. */
  readonly strings = new Map<number, { readonly from: number; readonly to: number }>()
  /** The start of each stack's frames, by its number. */
  readonly stacks = new Map<number, number>()
  readonly cpuSamples: Batch[] = []
  frequency = 0
  snapshot: ClockSnapshot | undefined
  firstTicks = Infinity
  /** Whether the trace marks the end of the generation. Before Go 1.26 it never does. */
  isEnded = false

  constructor(number: number, offset: number) {
    this.number = number
    this.offset = offset
  }

  /** The cursor covers the content of a batch. */
  addBatch(thread: number, time: number, cursor: TraceCursor): void {
    this.firstTicks = Math.min(this.firstTicks, time)
    const batch = { time, from: cursor.at, to: cursor.end }
    switch (cursor.isAtEnd ? 0 : cursor.bytes[cursor.at]) {
      case GoEventType.strings:
        return this.#addStrings(cursor)
      case GoEventType.stacks:
        return this.#addStacks(cursor)
      case GoEventType.cpuSamples:
        this.cpuSamples.push({ ...batch, from: batch.from + 1 })
        return
      case GoEventType.sync:
        cursor.byte()
        return this.#readClock(time, cursor)
      case GoEventType.frequency:
        return this.#readClock(time, cursor)
      default: {
        const batches = this.threads.get(thread)
        if (batches === undefined) this.threads.set(thread, [batch])
        else batches.push(batch)
      }
    }
  }

  #addStrings(cursor: TraceCursor): void {
    cursor.byte()
    while (!cursor.isAtEnd) {
      expectEvent(cursor, GoEventType.string)
      const id = cursor.number()
      const from = cursor.range()
      this.strings.set(id, { from, to: cursor.at })
    }
  }

  #addStacks(cursor: TraceCursor): void {
    cursor.byte()
    while (!cursor.isAtEnd) {
      expectEvent(cursor, GoEventType.stack)
      const id = cursor.number()
      const start = cursor.at
      const frames = cursor.number()
      // Each frame has four numbers of at least one byte.
      if (frames > (cursor.end - cursor.at) / 4)
        throw cursor.fault(`a stack of ${frames} frames does not fit in its batch`)
      for (let i = 0; i < 4 * frames; i++) cursor.number()
      this.stacks.set(id, start)
    }
  }

  #readClock(time: number, cursor: TraceCursor): void {
    let ticks = time
    while (!cursor.isAtEnd) {
      const start = cursor.at
      const type = cursor.byte()
      if (type === GoEventType.frequency) this.frequency = cursor.number()
      else if (type === GoEventType.clockSnapshot) {
        ticks += cursor.number()
        const mono = cursor.number()
        const seconds = cursor.number()
        const nanos = cursor.number()
        if (seconds > MAX_SECONDS || nanos >= 1e9)
          throw cursor.fault(`invalid wall clock: ${seconds} s and ${nanos} ns`)
        this.snapshot = { ticks, mono, unixNano: BigInt(seconds) * 1_000_000_000n + BigInt(nanos) }
      } else {
        cursor.at = start
        throw cursor.fault(`event ${type} in a batch of clocks`)
      }
    }
  }
}

function expectEvent(cursor: TraceCursor, type: number): void {
  const found = cursor.byte()
  if (found === type) return
  cursor.at--
  throw cursor.fault(`event ${found} in a list of events ${type}`)
}
