// What the runtime does that stops the application: collections of garbage, and turns of the event loop that kept others
// waiting. Events with their begin and duration, as columns; those of the last minutes, however many there are.
import { PerformanceObserver, constants, performance } from 'node:perf_hooks'
import { steadyZero } from './steady-zero.ts'

export const GC_TYPES = ['', 'major', 'minor', 'incremental', 'weakcb'] as const

/** Row: index into GC_TYPES, or 0 for a delay of the event loop. */
export interface RuntimeEvents {
  /** Unix microseconds, of the begin. */
  readonly time: Float64Array
  readonly nanos: Float64Array
  readonly type: Uint8Array
}

/** A turn is noticed when a timer of this many milliseconds is late. Waking up takes 50 to 100 µs, so 0.5 % of a CPU. */
const TICK_MILLIS = 20
/** The same while the thread mostly waits, when waking up would be all that it does. Short delays may be missed then. */
const QUIET_TICK_MILLIS = 100
/** Of one CPU. The event loop's own utilization says nothing here: every sample wakes it up. */
const QUIET_SHARE = 0.05
/** Timers are exact to a millisecond or so; lateness below this says nothing. */
const MIN_DELAY_MILLIS = 10
/** 17 bytes each. A busy service has about 20 a second. */
const CAPACITY = 16_384

export class RuntimeEventLog {
  readonly #time = new Float64Array(CAPACITY)
  readonly #nanos = new Float64Array(CAPACITY)
  readonly #type = new Uint8Array(CAPACITY)
  /** How many there were ever; the log is a ring. */
  #count = 0
  #observer: PerformanceObserver | undefined
  #timer: NodeJS.Timeout | undefined
  #expected = 0
  #cpuMicros = 0
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

  /** How many there were ever: `since` of the next reading. */
  get count(): number {
    return this.#count
  }

  /** Those from the `since`-th on that begin in the range (unix µs). */
  read(since: number, from = -Infinity, until = Infinity): RuntimeEvents {
    // Those that Node has not delivered yet are there too.
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
    const { user, system } = process.cpuUsage()
    const share = (user + system - this.#cpuMicros) / 1000 / (now - this.#looked)
    this.#cpuMicros = user + system
    this.#looked = now
    this.#await(share < QUIET_SHARE ? QUIET_TICK_MILLIS : TICK_MILLIS)
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
    // Asked each time, as the clocks drift from each other.
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
