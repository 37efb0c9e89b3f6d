// The profiles of a trace: CPU samples, and states of goroutines with their durations.
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import type { TraceClock } from './trace-clock.ts'

const GO_TRACE_ATTRIBUTES = {
  /** Sample: the reason why a goroutine stopped, for example `chan receive`, or why the world was stopped. */
  reason: 'go.goroutine.reason',
  /** Profile: the clock of the timestamps, if they do not count from 1970. */
  clock: 'go.trace.clock',
} as const

/** Types of profiles, in the order in which they are written. */
export const GoSeries = {
  samples: 0,
  offCpu: 1,
  syscall: 2,
  runnable: 3,
  gc: 4,
  gcMarkAssist: 5,
  gcSweep: 6,
  stopTheWorld: 7,
  span: 8,
} as const

const TYPES: readonly (readonly [type: string, unit: string])[] = [
  ['samples', 'count'],
  ['off_cpu', 'nanoseconds'],
  ['syscall', 'nanoseconds'],
  ['runnable', 'nanoseconds'],
  ['gc', 'nanoseconds'],
  ['gc_mark_assist', 'nanoseconds'],
  ['gc_sweep', 'nanoseconds'],
  ['stop_the_world', 'nanoseconds'],
  ['span', 'nanoseconds'],
]

export const State = { none: 0, running: 1, waiting: 2, syscall: 3, runnable: 4 } as const
const STATES = ['', 'running', 'waiting', 'syscall', 'runnable']

const NO_BYTES = new Uint8Array(0)
const TWO_32 = 0x1_0000_0000
/** Ids below this take one int in a key. */
const TWO_31 = 0x8000_0000

export class GoObservations {
  readonly #builder: ProfilesBuilder
  readonly #clock: TraceClock
  readonly #series: (EventSamples | undefined)[] = TYPES.map(() => undefined)
  /** The observed contexts as numbers, and for each row the resulting set of attributes. */
  readonly #contexts = new SequenceInterner()
  readonly #setOfContext = new GrowingInts()
  readonly #sets = new SequenceInterner()
  readonly #reasons = ['']
  readonly #reasonRows = new Map([['', 0]])
  readonly #stateAttributes: AttributeIndex[] = []
  readonly #reasonAttributes: AttributeIndex[] = []
  readonly #nameAttributes: AttributeIndex[] = []
  /** Nanoseconds since the base of the clock. */
  #first = Infinity
  #last = -Infinity

  constructor(builder: ProfilesBuilder, clock: TraceClock) {
    this.#builder = builder
    this.#clock = clock
  }

  /** The time of the last known event. */
  get last(): number {
    return this.#last
  }

  see(nanos: number): void {
    if (nanos < this.#first) this.#first = nanos
    if (nanos > this.#last) this.#last = nanos
  }

  /** The number of a reason. */
  reason(text: string): number {
    let row = this.#reasonRows.get(text)
    if (row === undefined) this.#reasonRows.set(text, (row = this.#reasons.push(text) - 1))
    return row
  }

  /** The row of a context, for `add`. Ids are -1 if there is none. */
  context(goroutine: number, proc: number, thread: number, state: number, reason: number): number {
    const { pool } = this.#contexts
    const key = pool.reserve(8)
    const at = pool.length
    key[at] = goroutine
    key[at + 1] = proc
    key[at + 2] = thread
    key[at + 3] = state
    key[at + 4] = reason
    let length = 5
    if (goroutine >= TWO_31 || proc >= TWO_31 || thread >= TWO_31) {
      key[at + 5] = Math.floor(goroutine / TWO_32)
      key[at + 6] = Math.floor(proc / TWO_32)
      key[at + 7] = Math.floor(thread / TWO_32)
      length = 8
    }
    const row = this.#contexts.internTail(length)
    if (row === this.#setOfContext.length) this.#setOfContext.push(this.#set(goroutine, proc, thread, state, reason))
    return this.#setOfContext.array[row]
  }

  /** The row of a context for `add`: a region of a goroutine, or a task, which has a parent. Ids are -1 if there is none. */
  spanContext(goroutine: number, name: number, task: number, parent: number): number {
    const attributes = [this.#text(this.#nameAttributes, ATTRIBUTES.spanName, this.#reasons, name)]
    if (goroutine >= 0) attributes.push(this.#id(ATTRIBUTES.goroutineId, goroutine))
    if (task > 0) attributes.push(this.#id(ATTRIBUTES.goTaskId, task))
    if (parent >= 0) attributes.push(this.#id(ATTRIBUTES.goTaskParentId, parent))
    return this.#sets.intern(Int32Array.from(attributes), 0, attributes.length)
  }

  /**
   * Adds a state that begins at `nanos` and lasts for `value`. Clocks of threads differ slightly, so negative durations
   * become 0.
   */
  add(series: number, stack: number, nanos: number, value: number, context: number): void {
    const samples = (this.#series[series] ??= new EventSamples(series !== GoSeries.samples, true))
    const span = value > 0 ? value : 0
    // 64-bit sums in doubles. Bigints would take a third of the reading time.
    const high = Math.floor(nanos / TWO_32)
    const low = this.#clock.baseLo + (nanos - high * TWO_32)
    const timeHi = (this.#clock.baseHi + high + (low >= TWO_32 ? 1 : 0)) | 0
    samples.add(stack, context, span | 0, Math.floor(span / TWO_32), low | 0, timeHi)
  }

  #set(goroutine: number, proc: number, thread: number, state: number, reason: number): number {
    const attributes: AttributeIndex[] = []
    if (goroutine >= 0) attributes.push(this.#id(ATTRIBUTES.goroutineId, goroutine))
    if (proc >= 0) attributes.push(this.#id(ATTRIBUTES.goProcId, proc))
    if (thread >= 0) attributes.push(this.#id(ATTRIBUTES.threadId, thread))
    if (state !== State.none)
      attributes.push(this.#text(this.#stateAttributes, ATTRIBUTES.goroutineState, STATES, state))
    if (reason !== 0)
      attributes.push(this.#text(this.#reasonAttributes, GO_TRACE_ATTRIBUTES.reason, this.#reasons, reason))
    return this.#sets.intern(Int32Array.from(attributes), 0, attributes.length)
  }

  #text(known: AttributeIndex[], key: string, texts: readonly string[], row: number): AttributeIndex {
    return (known[row] ??= this.#builder.attribute(key, texts[row]))
  }

  #id(key: string, id: number): AttributeIndex {
    const { dictionary } = this.#builder
    const row = this.#builder.string(key)
    return dictionary.attribute(row, 0 as StringIndex, ValueKind.int, id | 0, Math.floor(id / TWO_32), NO_BYTES)
  }

  /** Writes all profiles, or one without samples if there are no observations. */
  writeTo(builder: ProfilesBuilder): void {
    const base = this.#clock.base ?? 0n
    const start = this.#first === Infinity ? base : base + BigInt(this.#first)
    const time = {
      timeUnixNano: start < 0n ? 0n : start,
      durationNano: this.#first === Infinity ? 0n : BigInt(this.#last - this.#first + 1),
    }
    const attributes = this.#clock.isUnix ? [] : [builder.attribute(GO_TRACE_ATTRIBUTES.clock, 'runtime')]
    const all = this.#series
      .map((samples, series) => ({ samples, series }))
      .filter(({ samples }) => samples !== undefined)
    for (const { samples, series } of all.length === 0 ? [{ samples: undefined, series: GoSeries.offCpu }] : all) {
      const [type, unit] = TYPES[series]
      builder.profile({ type, unit, ...time, attributes })
      samples?.writeTo(builder, this.#sets)
    }
  }
}
