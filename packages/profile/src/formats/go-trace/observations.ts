// What a trace says about goroutines, as profiles: CPU samples, and states with the time that each lasted.
import type { AttributeIndex } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import { highHalf, lowHalf } from '../../model/int64.ts'
import { SequenceInterner } from '../../model/intern.ts'
import { ATTRIBUTES } from '../../model/semantic-conventions.ts'
import { EventSamples } from '../event-samples.ts'
import type { TraceClock } from './trace-clock.ts'

export const GO_TRACE_ATTRIBUTES = {
  /** Sample: why a goroutine stopped, as `chan receive`; for what the world was stopped. */
  reason: 'go.goroutine.reason',
  /** Profile: the clock of the timestamps, where they don't count from 1970. */
  clock: 'go.trace.clock',
} as const

/** Types of profiles, in the order in which they are written. */
const SERIES = {
  samples: 'count',
  off_cpu: 'nanoseconds',
  syscall: 'nanoseconds',
  runnable: 'nanoseconds',
  gc: 'nanoseconds',
  gc_mark_assist: 'nanoseconds',
  gc_sweep: 'nanoseconds',
  stop_the_world: 'nanoseconds',
} as const

export type SeriesName = keyof typeof SERIES

/** What was observed where; -1 where there is none. */
export interface Context {
  readonly goroutine: number
  readonly proc: number
  readonly thread: number
  readonly state: string
  readonly reason: string
}

const TWO_32 = 0x1_0000_0000

export class Observations {
  readonly #builder: ProfilesBuilder
  readonly #clock: TraceClock
  readonly #series = new Map<SeriesName, EventSamples>()
  readonly #sets = new SequenceInterner()
  readonly #key = new Int32Array(5)
  /** Attributes by key, then by value. */
  readonly #attributes = new Map<string, Map<number | string, AttributeIndex>>()
  #base = 0n
  #baseLo = 0
  #baseHi = 0
  /** Nanoseconds since the base of the clock. */
  #first = Infinity
  #last = -Infinity

  constructor(builder: ProfilesBuilder, clock: TraceClock) {
    this.#builder = builder
    this.#clock = clock
  }

  /** When the last event was, as far as is known. */
  get last(): number {
    return this.#last
  }

  see(nanos: number): void {
    if (nanos < this.#first) this.#first = nanos
    if (nanos > this.#last) this.#last = nanos
  }

  sample(stack: number, nanos: number, context: Context): void {
    this.#add('samples', stack, nanos, 1, context)
  }

  /** A state that lasted from `since` to `until`. Clocks of threads differ a little: none lasted less than nothing. */
  lasted(series: SeriesName, stack: number, since: number, until: number, context: Context): void {
    this.#add(series, stack, since, Math.max(0, until - since), context)
  }

  #add(name: SeriesName, stack: number, nanos: number, value: number, context: Context): void {
    let samples = this.#series.get(name)
    if (samples === undefined) this.#series.set(name, (samples = new EventSamples(SERIES[name] !== 'count', true)))
    // 64-bit sums in doubles: bigints would take a third of the time that reading takes in all.
    const base = this.#clock.base ?? 0n
    if (base !== this.#base) {
      this.#base = base
      this.#baseLo = lowHalf(base) >>> 0
      this.#baseHi = highHalf(base)
    }
    const high = Math.floor(nanos / TWO_32)
    const low = this.#baseLo + (nanos - high * TWO_32)
    const timeHi = (this.#baseHi + high + (low >= TWO_32 ? 1 : 0)) | 0
    samples.add(stack, this.#set(context), value | 0, Math.floor(value / TWO_32), low | 0, timeHi)
  }

  #set({ goroutine, proc, thread, state, reason }: Context): number {
    const key = this.#key
    let count = 0
    if (goroutine >= 0) key[count++] = this.#attribute(ATTRIBUTES.goroutineId, goroutine)
    if (proc >= 0) key[count++] = this.#attribute(ATTRIBUTES.goProcId, proc)
    if (thread >= 0) key[count++] = this.#attribute(ATTRIBUTES.threadId, thread)
    if (state !== '') key[count++] = this.#attribute(ATTRIBUTES.goroutineState, state)
    if (reason !== '') key[count++] = this.#attribute(GO_TRACE_ATTRIBUTES.reason, reason)
    return this.#sets.intern(key, 0, count)
  }

  #attribute(key: string, value: number | string): AttributeIndex {
    let known = this.#attributes.get(key)
    if (known === undefined) this.#attributes.set(key, (known = new Map<number | string, AttributeIndex>()))
    let row = known.get(value)
    if (row === undefined) {
      row = this.#builder.attribute(key, typeof value === 'number' ? BigInt(value) : value)
      known.set(value, row)
    }
    return row
  }

  /** All profiles; one without samples if nothing was observed. */
  writeTo(builder: ProfilesBuilder): void {
    const base = this.#clock.base ?? 0n
    const start = this.#first === Infinity ? base : base + BigInt(this.#first)
    const time = {
      timeUnixNano: start < 0n ? 0n : start,
      durationNano: this.#first === Infinity ? 0n : BigInt(this.#last - this.#first + 1),
    }
    const attributes = this.#clock.isUnix ? [] : [builder.attribute(GO_TRACE_ATTRIBUTES.clock, 'runtime')]
    const names = (Object.keys(SERIES) as SeriesName[]).filter(name => this.#series.has(name))
    for (const name of names.length === 0 ? (['off_cpu'] as const) : names) {
      builder.profile({ type: name, unit: SERIES[name], ...time, attributes })
      this.#series.get(name)?.writeTo(builder, this.#sets)
    }
  }
}
