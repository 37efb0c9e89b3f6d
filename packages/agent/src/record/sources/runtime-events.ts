// Runtime events that pause the application: garbage collections, and long turns of the event loop. Stored as columns with their
// start and duration, in a ring of fixed size.
import { PerformanceObserver, constants, performance } from 'node:perf_hooks'
import { steadyZero } from './steady-zero.ts'

export const GC_TYPES = ['', 'major', 'minor', 'incremental', 'weakcb'] as const

/** Row: index into GC_TYPES, or 0 for an event loop delay. */
export interface RuntimeEvents {
  /** The start, in Unix microseconds. */
  readonly time: Float64Array
  readonly nanos: Float64Array
  readonly type: Uint8Array
}

/** A long turn is detected when a timer of this many milliseconds is late. Waking up takes 50 to 100 µs, so 0.5 % of a CPU. */
const TICK_MILLIS = 20
/** The interval while the thread mostly waits, when the wakeups would be its only work. It may miss short delays. */
const QUIET_TICK_MILLIS = 100
/** The CPU share below which a thread is quiet. The event loop's own utilization does not help: every sample wakes it up. */
const QUIET_SHARE = 0.05
/** Turns of a busy thread between two looks at its CPU time, because each takes up to 50 µs in a process with many threads. */
const LOOK_TICKS = 25
/** Timers are exact to about a millisecond. A smaller delay means nothing. */
const MIN_DELAY_MILLIS = 10
/** 17 bytes each. A busy service has about 20 per second. */
const CAPACITY = 16_384

export class RuntimeEventLog {
  readonly #time = new Float64Array(CAPACITY)
  readonly #nanos = new Float64Array(CAPACITY)
  readonly #type = new Uint8Array(CAPACITY)
  /** The number of events so far. The log is a ring. */
  #count = 0
  #observer: PerformanceObserver | undefined
  #timer: NodeJS.Timeout | undefined
  #expected = 0
  #cpuMicros = 0
  #isQuiet = false
  #ticksUntilLook = 0
  #looked = 0

  start(): void {
    this.#observer = new PerformanceObserver(list => {
      for (const entry of list.getEntries()) this.#addCollection(entry)
    })
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#await(TICK_MILLIS)
  }

  stop(): void {
    for (const entry of this.#observer?.takeRecords() ?? []) this.#addCollection(entry)
    this.#observer?.disconnect()
    clearTimeout(this.#timer)
  }

  /** The number of events so far: `since` of the next read. */
  get count(): number {
    return this.#count
  }

  /** Returns the events from the `since`-th on that start in the range (Unix µs). */
  read(since: number, from = -Infinity, until = Infinity): RuntimeEvents {
    // Includes those that Node has not delivered yet.
    for (const entry of this.#observer?.takeRecords() ?? []) this.#addCollection(entry)
    const rows: number[] = []
    for (let i = Math.max(since, this.#count - CAPACITY); i < this.#count; i++) {
      const at = i % CAPACITY
      if (this.#time[at] >= from && this.#time[at] <= until) rows.push(at)
    }
    return {
      time: Float64Array.from(rows, at => this.#time[at]),
      nanos: Float64Array.from(rows, at => this.#nanos[at]),
      type: Uint8Array.from(rows, at => this.#type[at]),
    }
  }

  #tick(): void {
    const now = performance.now()
    const late = now - this.#expected
    if (late >= MIN_DELAY_MILLIS) this.#add(this.#expected, late, 0)
    if (this.#ticksUntilLook-- <= 0) this.#look(now)
    this.#await(this.#isQuiet ? QUIET_TICK_MILLIS : TICK_MILLIS)
  }

  #look(now: number): void {
    const { user, system } = process.cpuUsage()
    const share = (user + system - this.#cpuMicros) / 1000 / (now - this.#looked)
    this.#cpuMicros = user + system
    this.#looked = now
    this.#isQuiet = share < QUIET_SHARE
    this.#ticksUntilLook = this.#isQuiet ? 0 : LOOK_TICKS
  }

  #await(millis: number): void {
    this.#expected = performance.now() + millis
    this.#timer = setTimeout(() => this.#tick(), millis)
    this.#timer.unref()
  }

  #addCollection(entry: { readonly startTime: number; readonly duration: number; readonly detail?: unknown }): void {
    const { kind } = entry.detail as { readonly kind: number }
    this.#add(entry.startTime, entry.duration, gcType(kind))
  }

  #add(millis: number, duration: number, type: number): void {
    const at = this.#count++ % CAPACITY
    // Read each time, because the clocks drift.
    this.#time[at] = Math.round(steadyZero() + millis * 1000)
    this.#nanos[at] = Math.round(duration * 1e6)
    this.#type[at] = type
  }
}

function gcType(kind: number): number {
  switch (kind) {
    case constants.NODE_PERFORMANCE_GC_MAJOR:
      return 1
    case constants.NODE_PERFORMANCE_GC_MINOR:
      return 2
    case constants.NODE_PERFORMANCE_GC_INCREMENTAL:
      return 3
    default:
      return 4
  }
}
