// What the recorder was asked to do, by its jdk.ActiveSetting events: how often it sampled, and what. Settings hold for all
// chunks that follow, since async-profiler writes them into the first one only.

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
}

/** Eleven days; whatever says more is no sampling period. */
const MAX_PERIOD = 10n ** 15n

/** What async-profiler samples by time; other events are counted, and its interval is a number of them. */
const CLOCKS: ReadonlySet<string> = new Set(['cpu', 'itimer', 'ctimer', 'wall', 'cpu-clock', 'task-clock'])

/** How often something was sampled. */
export interface Sampling {
  /** 0 where it is not known. */
  readonly period: bigint
  readonly unit: 'nanoseconds' | 'count'
}

const UNKNOWN: Sampling = { period: 0n, unit: 'count' }
/** What async-profiler does where no interval was asked for. */
const CPU: Sampling = { period: 10_000_000n, unit: 'nanoseconds' }
const WALL: Sampling = { period: 50_000_000n, unit: 'nanoseconds' }

export class Settings {
  readonly #byEvent = new Map<string, string>()
  readonly #any = new Map<string, string>()

  /** `event` is the type that the setting is about. */
  set(event: string, name: string, value: string): void {
    this.#byEvent.set(`${event}#${name}`, value)
    this.#any.set(name, value)
  }

  /** What async-profiler samples: `cpu`, `wall`, a hardware counter, a method. Empty for other recorders. */
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

  /** How often async-profiler looked at all threads, beside what else it did; undefined where it did not. */
  get wallSampling(): Sampling | undefined {
    const period = this.#isAsyncProfiler ? wholeOf(this.#any.get('wall') ?? '') : 0n
    return period > 0n ? { period, unit: 'nanoseconds' } : undefined
  }

  /** How often a sampled event was taken. */
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

  /** Between how many bytes of allocation async-profiler takes a sample; 0 where that is not known. */
  get allocationInterval(): bigint {
    return this.#isAsyncProfiler ? wholeOf(this.#any.get('alloc') ?? '') : 0n
  }

  /** The JDK has no setting of that name. */
  get #isAsyncProfiler(): boolean {
    return this.#any.has('event')
  }

  get #globalInterval(): string {
    return this.#isAsyncProfiler ? (this.#any.get('interval') ?? '') : ''
  }
}

/** `20 ms`; 0 for what is no duration, as `everyChunk`. */
function durationOf(text: string): bigint {
  const [, number, unit] = /^(\d{1,15}) ?(ns|us|ms|s|m|h|d)$/.exec(text) ?? []
  const nanos = number === undefined ? 0n : BigInt(number) * UNITS[unit]
  return nanos <= MAX_PERIOD ? nanos : 0n
}

function wholeOf(text: string): bigint {
  return /^\d{1,15}$/.test(text) ? BigInt(text) : 0n
}
