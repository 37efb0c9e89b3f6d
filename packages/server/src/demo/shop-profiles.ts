// Profiles of the demo's processes, as their profilers would record them: samples every 10 ms with thread and span, waits, garbage
// collections, allocations and the live heap.
import type { LinkIndex, StackIndex } from '@hearth/profile'
import { ProfilesBuilder, encodeOtlp, writePprof } from '@hearth/profile'
import type { Random } from './random.ts'
import { LANGUAGES } from './shop.ts'
import type { Service } from './shop.ts'
import { CHECKOUT, COLLECTORS, IDLE } from './shop-code.ts'
import { resourceOf } from './shop-resource.ts'
import type { Frame, Interval, Process, Span, Stack, SimulatedThread } from './simulation.ts'

const PERIOD_MS = 10
const NANOS_PER_MS = 1e6
const PERIOD = BigInt(PERIOD_MS * NANOS_PER_MS)
const SAMPLED = { unit: 'nanoseconds', periodUnit: 'nanoseconds', period: PERIOD } as const
const LIVE_BYTES: Readonly<Record<Service, number>> = {
  storefront: 90e6,
  checkout: 40e6,
  payments: 220e6,
  recommendations: 310e6,
}
const SCOPES: Readonly<Record<Service, string>> = {
  storefront: '@hearth/agent',
  checkout: 'pyroscope-go',
  payments: 'async-profiler',
  recommendations: 'py-spy',
}
const FRAME_TYPES: Readonly<Record<Service, string>> = {
  storefront: 'v8js',
  checkout: 'go',
  payments: 'jvm',
  recommendations: 'cpython',
}

/** A sample per stack, thread and span, with its timestamps. */
interface Collected {
  readonly stack: Stack
  readonly thread: SimulatedThread | undefined
  readonly span: Span | undefined
  readonly times: number[]
  readonly values: bigint[]
}

export interface LookBack {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly until: number
  /** Only samples of this trace, and of this span in it. Empty for all. */
  readonly traceId: string
  readonly spanId: string
}

export interface LookedBack {
  /** OTLP. */
  readonly content: Uint8Array
  readonly samples: number
}

/** Returns an OTLP payload of the time from `from` to `to`. Intervals that end later stay in the process. */
export function drainProfiles(processes: readonly Process[], from: number, to: number, random: Random): Uint8Array {
  const builder = new ProfilesBuilder()
  for (const process of processes) new ProcessProfiles(builder, process, from, to, random).write()
  return encodeOtlp(builder.build())
}

/** Returns a pprof file of what the goroutines of a Go process do. */
export function goroutinesOf(process: Process, at: number): Uint8Array {
  const builder = new ProfilesBuilder()
  builder.resource({})
  builder.scope({})
  builder.profile({
    type: 'goroutine',
    unit: 'count',
    periodType: 'goroutine',
    periodUnit: 'count',
    period: 1,
    timeUnixNano: nanos(at),
  })
  const counts = new Map<Stack, number>()
  for (const { isTaken, waitsAt } of process.threads) {
    const stack = waitsAt ?? (isTaken ? CHECKOUT.running : CHECKOUT.idle)
    counts.set(stack, (counts.get(stack) ?? 0) + 1)
  }
  for (const [stack, count] of counts) {
    const locations = stack.map(each => locationOf(builder, each, 'go')).toReversed()
    builder.sample({ stack: builder.stack(locations), values: [BigInt(count)] })
  }
  return writePprof(builder.build()).bytes
}

/** Returns the CPU samples of a process in earlier intervals, as a profiler that looks back does. Undefined without samples. */
export function lookBackAt(
  process: Process,
  intervals: readonly Process['cpu'][number][],
  { from, until, traceId, spanId }: LookBack,
  random: Random,
): LookedBack | undefined {
  const cpu = intervals.filter(
    ({ thread, span }) =>
      thread.process === process &&
      (traceId === '' || span?.traceId === traceId) &&
      (spanId === '' || span?.spanId === spanId),
  )
  const builder = new ProfilesBuilder()
  const samples = new ProcessProfiles(builder, process, from, until, random).writeCpu(cpu)
  return samples === 0 ? undefined : { content: encodeOtlp(builder.build()), samples }
}

class ProcessProfiles {
  readonly #builder: ProfilesBuilder
  readonly #process: Process
  readonly #service: Service
  readonly #from: number
  readonly #to: number
  readonly #random: Random
  readonly #stacks = new Map<Stack, StackIndex>()
  readonly #locations = new Map<Frame, ReturnType<ProfilesBuilder['location']>>()

  constructor(builder: ProfilesBuilder, process: Process, from: number, to: number, random: Random) {
    this.#builder = builder
    this.#process = process
    this.#service = process.service as Service
    this.#from = from
    this.#to = to
    this.#random = random
  }

  write(): void {
    const process = this.#process
    const to = this.#to
    this.#builder.resource({ attributes: resourceOf(process) })
    this.#builder.scope({ name: SCOPES[this.#service] })
    const running = this.#running()
    this.#profile('cpu', running)
    if (LANGUAGES[this.#service] === 'nodejs') {
      this.#profile('wall', [...running, ...this.#idle(running)])
      this.#intervals('async_wait', process.waits)
    } else this.#intervals('off_cpu', process.waits)
    // A pause at the end of a long stretch of CPU time can be later than this export.
    const isOver = ({ from }: { readonly from: number }): boolean => from < to
    const pauses = process.pauses
      .filter(isOver)
      .map(each => ({ ...each, stack: COLLECTORS[this.#service], span: undefined }))
    this.#intervals(pauses.some(({ thread }) => thread === undefined) ? 'gc_pause_time' : 'gc', pauses)
    this.#allocations()
    this.#liveHeap()
    process.cpu = process.cpu.filter(each => each.to > to)
    process.active = process.active.filter(each => each.to > to)
    process.waits = []
    process.pauses = process.pauses.filter(each => !isOver(each))
    process.allocations = new Map()
  }

  /** Returns the number of samples. */
  writeCpu(cpu: Process['cpu']): number {
    this.#builder.resource({ attributes: resourceOf(this.#process) })
    this.#builder.scope({ name: SCOPES[this.#service] })
    const running = this.#running(cpu)
    this.#profile('cpu', running)
    return running.reduce((sum, { times }) => sum + times.length, 0)
  }

  /** The samples of running code: one for each 10 ms on the clock of the profiler. */
  #running(cpu = this.#process.cpu): Collected[] {
    const found = new Map<string, Collected>()
    for (const { thread, span, from, to, mix } of cpu)
      for (const time of ticks(Math.max(from, this.#from), Math.min(to, this.#to))) {
        const [, stack] = this.#random.weighted(mix)
        this.#add(found, { stack, thread, span }, time, PERIOD)
      }
    return [...found.values()]
  }

  /** The samples of an event loop that waits while there are requests. */
  #idle(running: readonly Collected[]): Collected[] {
    const busy = new Set(running.flatMap(({ times }) => times))
    const thread = this.#process.threads[0]
    const found = new Map<string, Collected>()
    for (const { from, to } of this.#process.active)
      for (const time of ticks(Math.max(from, this.#from), Math.min(to + PERIOD_MS, this.#to)))
        if (!busy.has(time)) this.#add(found, { stack: IDLE, thread, span: undefined }, time, PERIOD)
    return [...found.values()]
  }

  #add(found: Map<string, Collected>, sample: Omit<Collected, 'times' | 'values'>, time: number, value: bigint): void {
    const { stack, thread, span } = sample
    const key = `${this.#stack(stack)} ${thread?.id ?? 0} ${span?.spanId ?? ''}`
    let collected = found.get(key)
    if (collected === undefined) found.set(key, (collected = { ...sample, times: [], values: [] }))
    collected.times.push(time)
    collected.values.push(value)
  }

  #profile(type: string, samples: readonly Collected[]): void {
    this.#builder.profile({ type, periodType: type, ...SAMPLED, ...this.#times() })
    for (const sample of samples) this.#sample(sample)
  }

  #intervals(
    type: string,
    intervals: readonly (Omit<Interval, 'thread'> & {
      readonly thread: SimulatedThread | undefined
      readonly stack: Stack
    })[],
  ): void {
    if (intervals.length === 0) return
    this.#builder.profile({
      type,
      unit: 'nanoseconds',
      periodType: type,
      periodUnit: 'nanoseconds',
      period: 1,
      // A wait may have begun before the last export.
      ...this.#times(Math.min(this.#from, ...intervals.map(({ from }) => from))),
    })
    const found = new Map<string, Collected>()
    for (const { from, to, ...sample } of intervals)
      this.#add(found, sample, from, BigInt(Math.round((to - from) * NANOS_PER_MS)))
    for (const sample of found.values()) this.#sample(sample)
  }

  #sample({ stack, thread, span, times, values }: Collected): void {
    const builder = this.#builder
    const attributes =
      thread === undefined
        ? []
        : [builder.attribute('thread.id', BigInt(thread.id)), builder.attribute('thread.name', thread.name)]
    const link = span === undefined ? undefined : this.#link(span)
    builder.sample({
      stack: this.#stack(stack),
      attributes,
      values,
      timestamps: times.map(nanos),
      ...(link === undefined ? {} : { link }),
    })
  }

  #allocations(): void {
    const { allocations } = this.#process
    if (allocations.size === 0) return
    this.#builder.profile({
      type: 'alloc_space',
      unit: 'bytes',
      periodType: 'space',
      periodUnit: 'bytes',
      period: 524_288,
      ...this.#times(),
    })
    for (const [stack, bytes] of allocations)
      this.#builder.sample({ stack: this.#stack(stack), values: [BigInt(Math.round(bytes))] })
  }

  /** Grows until the next collection. */
  #liveHeap(): void {
    const { allocations, garbage } = this.#process
    const total = [...allocations.values()].reduce((sum, bytes) => sum + bytes, 0)
    if (total === 0) return
    this.#builder.profile({
      type: 'inuse_space',
      unit: 'bytes',
      periodType: 'space',
      periodUnit: 'bytes',
      period: 524_288,
      ...this.#times(),
    })
    for (const [stack, bytes] of allocations) {
      const share = bytes / total
      const live = share * (LIVE_BYTES[this.#service] + garbage)
      this.#builder.sample({ stack: this.#stack(stack), values: [BigInt(Math.round(live))] })
    }
  }

  #times(from = this.#from): { readonly timeUnixNano: bigint; readonly durationNano: bigint; readonly id: Uint8Array } {
    const start = nanos(from)
    const id = Uint8Array.from({ length: 16 }, () => Math.floor(256 * this.#random.next()))
    return { timeUnixNano: start, durationNano: nanos(this.#to) - start, id }
  }

  #stack(stack: Stack): StackIndex {
    let row = this.#stacks.get(stack)
    if (row === undefined) {
      row = this.#builder.stack(stack.map(each => this.#location(each)).toReversed())
      this.#stacks.set(stack, row)
    }
    return row
  }

  #location(each: Frame): ReturnType<ProfilesBuilder['location']> {
    let row = this.#locations.get(each)
    if (row === undefined) {
      row = locationOf(this.#builder, each, FRAME_TYPES[this.#service])
      this.#locations.set(each, row)
    }
    return row
  }

  #link({ traceId, spanId }: Span): LinkIndex {
    return this.#builder.link(Buffer.from(traceId, 'hex'), Buffer.from(spanId, 'hex'))
  }
}

function locationOf(
  builder: ProfilesBuilder,
  { name, file: filename, line, binary, address = 0 }: Frame,
  type: string,
): ReturnType<ProfilesBuilder['location']> {
  const lines = name === '' ? [] : [{ function: builder.function({ name, filename }), line }]
  if (binary === undefined)
    return builder.location({ lines, attributes: [builder.attribute('profile.frame.type', type)] })
  const mapping = builder.mapping({
    memoryStart: 0,
    memoryLimit: 0x100_0000,
    filename: binary.file,
    attributes: [builder.attribute('process.executable.build_id.gnu', binary.buildId)],
  })
  return builder.location({
    mapping,
    address,
    lines,
    attributes: [builder.attribute('profile.frame.type', 'native')],
  })
}

/** The moments of the sampling clock in a time, the end not included. */
function ticks(from: number, to: number): number[] {
  const first = Math.ceil(from / PERIOD_MS)
  const last = Math.ceil(to / PERIOD_MS) - 1
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * PERIOD_MS)
}

/** Exact to a hundred nanoseconds. */
export function nanos(ms: number): bigint {
  const whole = Math.floor(ms)
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e4)) * 100n
}
