// A simulation of processes, threads and locks. Requests are generators that yield what takes time:
//
//   yield { cpu: 12, at, mix }      12 ms of CPU time on the thread of `at`, after everything that the thread runs already
//   yield { sleep: 40 }             40 ms without a CPU
//   yield { lock: stock }           until the lock is free; `release` frees it
//
// The code between two yields runs at one moment, `now`. All times are in milliseconds since 1970.
import type { Random } from './random.ts'

export interface Frame {
  readonly name: string
  readonly file: string
  readonly line: number
  /** The binary of native code. */
  readonly binary?: SimulatedBinary
  /** The place in the binary. Profilers without debug information send only this. */
  readonly address?: number
}

export interface SimulatedBinary {
  readonly file: string
  /** The GNU build id. */
  readonly buildId: string
}

/** Root first. */
export type Stack = readonly Frame[]
/** The stacks of a stretch of CPU time, by weight. */
export type Mix = readonly (readonly [weight: number, stack: Stack])[]

export interface SimulatedThread {
  readonly id: number
  readonly name: string
  readonly process: Process
  /** The end of everything that the thread has to run. */
  freeAt: number
  isTaken: boolean
  /** The stack of the wait that has begun last and not ended. */
  waitsAt: Stack | undefined
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  /** As in OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly at: Place
  readonly start: number
  end: number
  readonly attributes: Record<string, string | number>
  /** The message of an error. */
  error: string
}

/** The thread and the span in which a request runs. */
export interface Place {
  readonly thread: SimulatedThread
  /** Undefined for work without a span. */
  readonly span: Span | undefined
}

export interface Interval {
  readonly thread: SimulatedThread
  readonly span: Span | undefined
  readonly from: number
  readonly to: number
}

export interface LogRecord {
  readonly process: Process
  readonly time: number
  /** As in OTLP: 9 information, 13 warning, 17 error. */
  readonly severity: number
  readonly body: string
  readonly span: Span | undefined
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Everything that happened in a process since the last export. */
export class Process {
  readonly service: string
  readonly version: string
  readonly instance: number
  readonly pid: number
  readonly start: number
  readonly threads: SimulatedThread[] = []
  cpu: (Interval & { readonly mix: Mix })[] = []
  waits: (Interval & { readonly stack: Stack; readonly isAsync: boolean })[] = []
  pauses: { readonly thread: SimulatedThread | undefined; readonly from: number; readonly to: number }[] = []
  /** Times with requests. The last one may have no end. */
  active: { readonly from: number; to: number }[] = []
  spans: Span[] = []
  logs: LogRecord[] = []
  allocations = new Map<Stack, number>()
  requests = 0
  /** Bytes since the last garbage collection. */
  garbage = 0
  /** The program stands still until then. */
  pausedUntil = 0

  constructor(service: string, version: string, instance: number, start: number) {
    this.service = service
    this.version = version
    this.instance = instance
    this.start = start
    this.pid = 1 + (Math.floor(start / 1000) % 30_000)
  }

  /** A thread that serves no request; a new one if all do. */
  take(name: string): SimulatedThread {
    let thread = this.threads.find(({ isTaken }) => !isTaken)
    if (thread === undefined) {
      const id = this.threads.length + 1
      thread = { id, name: `${name}-${id}`, process: this, freeAt: 0, isTaken: false, waitsAt: undefined }
      this.threads.push(thread)
    }
    thread.isTaken = true
    return thread
  }

  /** The thread of an event loop, which all requests share. */
  loop(): SimulatedThread {
    const known = this.threads[0]
    if (known !== undefined) return known
    const thread = { id: 1, name: 'main', process: this, freeAt: 0, isTaken: true, waitsAt: undefined }
    this.threads.push(thread)
    return thread
  }

  enter(now: number): void {
    if (this.requests++ === 0) this.active.push({ from: now, to: Infinity })
  }

  leave(now: number): void {
    const last = this.active.at(-1)
    if (--this.requests === 0 && last !== undefined) last.to = now
  }
}

export class Lock {
  isTaken = false
  readonly waiting: (() => void)[] = []
}

export interface CpuStep {
  readonly cpu: number
  readonly at: Place
  readonly mix: Mix
  /** The bytes that the code allocates. */
  readonly bytes?: number
}

export type Step = CpuStep | { readonly sleep: number } | { readonly lock: Lock }
export type Work = Generator<Step, void, void>

interface Event {
  readonly at: number
  readonly run: () => void
}

export interface SimulationOptions {
  readonly now: number
  readonly random: Random
  /** The garbage after which a process of the service collects, the length of the pause, and whether all threads stand still. */
  readonly collections: Readonly<
    Record<string, { readonly bytes: number; readonly pause: readonly [number, number]; readonly isWide: boolean }>
  >
}

export class Simulation {
  now: number
  readonly random: Random
  readonly #collections: SimulationOptions['collections']
  /** The latest first. */
  readonly #events: Event[] = []

  constructor({ now, random, collections }: SimulationOptions) {
    this.now = now
    this.random = random
    this.#collections = collections
  }

  start(at: number, work: Work): void {
    this.#schedule(at, () => this.#step(work))
  }

  /** Runs everything that happens before the time. */
  advance(until: number): void {
    for (let last = this.#events.at(-1); last !== undefined && last.at < until; last = this.#events.at(-1)) {
      this.#events.pop()
      this.now = last.at
      last.run()
    }
    this.now = until
  }

  release(lock: Lock): void {
    const next = lock.waiting.shift()
    if (next === undefined) lock.isTaken = false
    else this.#schedule(this.now, next)
  }

  #step(work: Work): void {
    const { value, done } = work.next()
    if (done === true) return
    const resume = (): void => this.#step(work)
    if ('sleep' in value) this.#schedule(this.now + value.sleep, resume)
    else if ('cpu' in value) this.#schedule(this.#runOn(value), resume)
    else if (value.lock.isTaken) value.lock.waiting.push(resume)
    else {
      value.lock.isTaken = true
      resume()
    }
  }

  /** Returns the end. */
  #runOn({ cpu, at, mix, bytes = 0 }: CpuStep): number {
    const { thread, span } = at
    const { process } = thread
    const from = Math.max(this.now, thread.freeAt, process.pausedUntil)
    const to = from + cpu
    thread.freeAt = to
    process.cpu.push({ thread, span, from, to, mix })
    if (bytes > 0) {
      const [, stack] = this.random.weighted(mix)
      process.allocations.set(stack, (process.allocations.get(stack) ?? 0) + bytes)
      this.#collect(thread, bytes, to)
    }
    return thread.freeAt
  }

  #collect(thread: SimulatedThread, bytes: number, at: number): void {
    const { process } = thread
    const collection = this.#collections[process.service]
    process.garbage += bytes
    if (process.garbage < collection.bytes) return
    process.garbage = 0
    const to = at + this.random.between(...collection.pause)
    process.pauses.push({ thread: collection.isWide ? undefined : thread, from: at, to })
    if (collection.isWide) process.pausedUntil = to
    thread.freeAt = to
  }

  #schedule(at: number, run: () => void): void {
    let [from, to] = [0, this.#events.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#events[middle].at > at) from = middle + 1
      else to = middle
    }
    this.#events.splice(from, 0, { at, run })
  }
}
