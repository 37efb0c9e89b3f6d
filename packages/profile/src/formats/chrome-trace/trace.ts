// Content of a trace, collected event by event: by process and thread, in the order of first appearance.
import { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'
import type { V8Profile } from './v8-profile.ts'
import type { Id } from './event-id.ts'

/** Columns: kind of event, row of its location, row of its name. Times are in a separate list. */
export const EVENT_STRIDE = 3
export const BEGIN = 0
export const END = 1
export const COMPLETE = 2

export class TraceThread {
  readonly id: Id
  name = ''
  events = new GrowingInts()
  times = new GrowingLongs()
  durations = new GrowingLongs()

  constructor(id: Id) {
    this.id = id
  }

  add(kind: number, location: number, name: number, time: bigint, duration: bigint): void {
    this.events.push(kind)
    this.events.push(location)
    this.events.push(name)
    this.times.push(time)
    this.durations.push(duration)
  }

  /** Frees the events, because their results need the memory. */
  forgetEvents(): void {
    this.events = new GrowingInts()
    this.times = new GrowingLongs()
    this.durations = new GrowingLongs()
  }
}

/** An event with a part of a V8 profile. Its args are read once all events are known. */
export interface V8Event {
  readonly kind: 'Profile' | 'ProfileChunk' | 'CpuProfile'
  readonly id: Id
  readonly thread: Id
  readonly time: bigint
  /** The offset of its args, or -1. */
  readonly argsAt: number
}

export class TraceProcess {
  readonly id: Id
  name = ''
  readonly #threads = new Map<Id, TraceThread>()
  readonly v8Events: V8Event[] = []
  /** Filled from `v8Events`. */
  v8Profiles: readonly V8Profile[] = []

  constructor(id: Id) {
    this.id = id
  }

  get threads(): Iterable<TraceThread> {
    return this.#threads.values()
  }

  thread(id: Id): TraceThread {
    let thread = this.#threads.get(id)
    if (thread === undefined) this.#threads.set(id, (thread = new TraceThread(id)))
    return thread
  }
}

/** An entry of the trace's own `samples`, or a P event. */
export interface FrameSample {
  readonly process: TraceProcess
  readonly thread: TraceThread
  readonly time: bigint
  readonly weight: bigint
  /** The id of a stack frame. */
  readonly frame: string
}

export interface StackFrame {
  readonly location: number
  readonly parent: string | undefined
}

export class Trace {
  readonly #processes = new Map<Id, TraceProcess>()
  readonly samples: FrameSample[] = []
  readonly frames = new Map<string, StackFrame>()

  get processes(): Iterable<TraceProcess> {
    return this.#processes.values()
  }

  process(id: Id): TraceProcess {
    let process = this.#processes.get(id)
    if (process === undefined) this.#processes.set(id, (process = new TraceProcess(id)))
    return process
  }
}
