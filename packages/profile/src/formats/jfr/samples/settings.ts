// The recorder's settings from its jdk.ActiveSetting events: what it sampled, and how often. Settings apply to all following
// chunks, because async-profiler writes them only into the first one.
import { parseDuration } from '../../../model/text/duration.ts'

/** Eleven days. A larger value is not a sampling period. */
const MAX_PERIOD = 10n ** 15n

/** The events that async-profiler samples by time. It counts other events, and then its interval is a number of events. */
const CLOCKS: ReadonlySet<string> = new Set(['cpu', 'itimer', 'ctimer', 'wall', 'cpu-clock', 'task-clock'])

/** The sampling rate of an event. */
export interface Sampling {
  /** 0 if it is unknown. */
  readonly period: bigint
  readonly unit: 'nanoseconds' | 'count'
}

const UNKNOWN: Sampling = { period: 0n, unit: 'count' }
/** The defaults of async-profiler. */
const CPU: Sampling = { period: 10_000_000n, unit: 'nanoseconds' }
const WALL: Sampling = { period: 50_000_000n, unit: 'nanoseconds' }

export class Settings {
  readonly #byEvent = new Map<string, string>()
  readonly #any = new Map<string, string>()

  /** `event` is the type to which the setting applies. */
  set(event: string, name: string, value: string): void {
    this.#byEvent.set(`${event}#${name}`, value)
    this.#any.set(name, value)
  }

  /** The event that async-profiler samples: `cpu`, `wall`, a hardware counter, a method. Empty for other recorders. */
  get event(): string {
    return this.#isAsyncProfiler ? (this.#any.get('event') ?? '') : ''
  }

  get isClock(): boolean {
    return this.event === '' || CLOCKS.has(this.event)
  }

  /** The version of async-profiler. */
  get version(): string {
    return this.#isAsyncProfiler ? (this.#any.get('version') ?? '') : ''
  }

  /** The sampling of async-profiler's additional wall clock mode; undefined if it was off. */
  get wallSampling(): Sampling | undefined {
    const period = this.#isAsyncProfiler ? wholeOf(this.#any.get('wall') ?? '') : 0n
    return period > 0n ? { period, unit: 'nanoseconds' } : undefined
  }

  /** The sampling of a sampled event. */
  samplingOf(eventType: string): Sampling {
    const period = durationOf(this.#byEvent.get(`${eventType}#period`) ?? '')
    if (period > 0n) return { period, unit: 'nanoseconds' }
    if (eventType === 'profiler.WallClockSample' && this.event !== 'wall') {
      return this.wallSampling ?? (this.#isAsyncProfiler ? WALL : UNKNOWN)
    }
    const interval = wholeOf(this.#byEvent.get(`${eventType}#interval`) ?? this.#globalInterval)
    if (interval > 0n) return { period: interval, unit: this.isClock ? 'nanoseconds' : 'count' }
    if (!this.#isAsyncProfiler || !this.isClock) return UNKNOWN
    return this.event === 'wall' ? WALL : CPU
  }

  /** The number of allocated bytes between two samples of async-profiler; 0 if it is unknown. */
  get allocationInterval(): bigint {
    return this.#isAsyncProfiler ? wholeOf(this.#any.get('alloc') ?? '') : 0n
  }

  /** The JDK has no setting with this name. */
  get #isAsyncProfiler(): boolean {
    return this.#any.has('event')
  }

  get #globalInterval(): string {
    return this.#isAsyncProfiler ? (this.#any.get('interval') ?? '') : ''
  }
}

/** Parses `20 ms`. Returns 0 for other texts, such as `everyChunk`. */
function durationOf(text: string): bigint {
  const nanos = parseDuration(text) ?? 0n
  return nanos <= MAX_PERIOD ? nanos : 0n
}

function wholeOf(text: string): bigint {
  return /^\d{1,15}$/.test(text) ? BigInt(text) : 0n
}
