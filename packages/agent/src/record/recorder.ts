// Records one thread: CPU and wall time, heap, and events of the runtime, as profiles in OpenTelemetry's model.
// Each thread (main and workers) runs a recorder of its own. A worker doesn't export: it hands its profiles to the main
// thread (worker-channel.ts: `handToMain` there, `receiveFromWorkers` here), so a process has one exporter, one queue
// and one connection. `mainThreadReceives()` says in a worker whether anybody listens; if not, the worker must export.
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import * as workerThreads from 'node:worker_threads'
import type { KeyValue, Profiles } from '@hearth/profile/recording'
import type { Detail, Origin, Recorded } from './build-profiles.ts'
import { buildProfiles, profileSteps } from './build-profiles.ts'
import { FrameTable } from './frame-table.ts'
import type { HeapSnapshot, HeapSource } from './heap-source.ts'
import { NativeHeap, ONE_OF_TWO } from './heap-source.ts'
import { InspectorAllocations, InspectorHeap, InspectorTime } from './inspector-source.ts'
import type { NativeModule } from './native-module.ts'
import { loadNativeModule } from './native-module.ts'
import { NativeTime } from './native-time.ts'
import { RuntimeEventLog } from './runtime-events.ts'
import type { SampleBatch } from './sample-batch.ts'
import { FrameMapper } from './source-maps.ts'
import type { TimeSource } from './time-source.ts'

/** Of `heap` (what is alive) and `allocations` (everything) a thread can record one; if both are asked for, `heap`. */
export type ProfileKind = 'cpu' | 'wall' | 'heap' | 'allocations' | 'events'

export type Attribute = KeyValue

export interface RecorderOptions {
  readonly kinds: readonly ProfileKind[]
  /** Default 100. */
  readonly sampleRateHz: number
  /** Average bytes between two sampled allocations; default 512 KiB. */
  readonly heapIntervalBytes: number
  /** Look-back buffer of timestamped samples, default 60; 0 turns it off. */
  readonly ringSeconds: number
  readonly sourceMaps: boolean
  /** Attributes of the active span that are copied to samples. */
  readonly spanAttributes: readonly string[]
  /** Baggage entries that are copied to samples. */
  readonly baggageKeys: readonly string[]
  readonly resource: readonly Attribute[]
  /** What goes wrong is told here; nothing is ever thrown into the application. */
  readonly onProblem: (problem: string) => void
}

export interface CaptureRange extends Detail {
  /** Unix nanoseconds, both ends included. */
  readonly from: bigint
  readonly until: bigint
  readonly kinds?: readonly ProfileKind[]
  /** Hex, as spans spell them. */
  readonly traceId?: string
  readonly spanId?: string
}

/** Of the heap; what was noted is kept once it was read, so that it can be told again with less detail. */
export interface HeapCapture {
  read(detail: Detail): Promise<Profiles | undefined>
  cancel(): void
}

/** Samples are fetched at least this often, so that the profiler's own buffer never overflows (60 s). */
const PULL_MILLIS = 30_000
/** What nobody collects is dropped after this: at 100 Hz some 3 MB. */
const MAX_PENDING_MICROS = 600e6

let running: Recorder | undefined

export class Recorder {
  /** What can't be recorded here, and why. */
  readonly missing: readonly string[]
  /** Whether the native profiler is in use, not node:inspector. */
  readonly isNative: boolean
  readonly #options: RecorderOptions
  readonly #origin: Origin
  readonly #time: TimeSource | undefined
  readonly #heap: HeapSource | undefined
  readonly #events: RuntimeEventLog | undefined
  readonly #mapper: FrameMapper | undefined
  readonly #kinds: ReadonlySet<ProfileKind>
  readonly #timer: NodeJS.Timeout
  #frames = new FrameTable()
  #pending: SampleBatch[] = []
  #ring: SampleBatch[] = []
  /** Since when batches stay in the ring, however old, for those who wait for them. */
  readonly #holds = new Set<{ readonly since: number }>()
  /** Allocations that were looked at and wait for `collect`; and, for each capture of them, those since its begin. */
  #allocations: HeapSnapshot[] = []
  readonly #allocationCaptures = new Set<HeapSnapshot[]>()
  #collectedUntil: number
  #collectedEvents = 0
  #queue: Promise<unknown> = Promise.resolve()
  #wasPulled = false
  #isStopped = false
  #isTimeStopped = false

  /** `loadNative` is given by tests. Throws if this thread has a recorder already. */
  static async start(options: RecorderOptions, loadNative: () => NativeModule = loadNativeModule): Promise<Recorder> {
    if (running !== undefined) throw new Error('this thread is recorded already')
    running = new Recorder(options, loadNative)
    return running
  }

  private constructor(options: RecorderOptions, loadNative: () => NativeModule) {
    this.#options = options
    const missing: string[] = []
    const native = nativeOf(loadNative, missing)
    this.isNative = native !== undefined
    this.#origin = {
      resource: options.resource,
      scope: { name: '@hearth/agent', version: versionOfAgent() },
      threadId: BigInt(native?.getNativeThreadId() ?? (threadId === 0 ? process.pid : threadId)),
      threadName: threadName(),
      periodNanos: Math.round(1e9 / options.sampleRateHz),
      heapIntervalBytes: options.heapIntervalBytes,
    }
    this.#time = attempt('cpu, wall', missing, () => startTime(options, native))
    this.#heap = attempt('heap', missing, () => startHeap(options, native))
    this.#events = attempt('events', missing, () => startEvents(options))
    if (options.kinds.includes('heap') && options.kinds.includes('allocations'))
      missing.push(`allocations: ${ONE_OF_TWO}`)
    missing.push(...(this.#time?.missing ?? []), ...(this.#heap?.missing ?? []))
    this.missing = missing
    this.#kinds = new Set(
      options.kinds.filter(kind => {
        if (kind === 'events') return this.#events !== undefined
        if (kind === 'cpu' || kind === 'wall') return this.#time !== undefined
        return this.#heap !== undefined && (kind === 'heap' || !options.kinds.includes('heap'))
      }),
    )
    this.#mapper = options.sourceMaps ? new FrameMapper(options.onProblem) : undefined
    this.#collectedUntil = Date.now() * 1000
    this.#timer = setInterval(() => {
      // Not where `collect` came by.
      if (!this.#wasPulled) void this.#alone(() => this.#pullUnasked())
      this.#wasPulled = false
    }, PULL_MILLIS / 2)
    this.#timer.unref()
    process.once('exit', this.#onExit)
  }

  /**
   * Everything since the last call as one payload; undefined when nothing was sampled. Takes its time, so as not to hold up
   * the application, unless it is urgent, as at the end of the process.
   */
  async collect(isUrgent = false): Promise<Profiles | undefined> {
    return this.#alone(() => this.#collect(isUrgent))
  }

  /**
   * What ran in a stretch of the last `ringSeconds`, of this thread: also what was collected already, and what comes with
   * the next `collect` too. Heap profiles have no times, so they are never part of it.
   */
  async capture(range: CaptureRange): Promise<Profiles | undefined> {
    return this.#alone(async () => {
      if (this.#options.ringSeconds <= 0 && this.#holds.size === 0) return undefined
      await this.#pull()
      await this.#mapPending()
      return buildProfiles(this.#recordedIn(range), this.#origin)
    })
  }

  /** From now on all samples stay for `capture`, until the returned function is called, longer than `ringSeconds` too. */
  hold(): () => void {
    const hold = { since: Date.now() * 1000 }
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      this.#trimRing(Date.now() * 1000)
    }
  }

  /** What there is besides time: what is alive when it is read, or what is allocated from now on. Undefined for neither. */
  captureHeap(kind: 'heap' | 'allocations'): HeapCapture | undefined {
    const isRecorded = kind === 'heap' ? this.#kinds.has('heap') : this.#kinds.has('allocations')
    if (!isRecorded || this.#heap === undefined) return undefined
    const from = Date.now() * 1000
    const parts: HeapSnapshot[] = []
    // What was allocated before is for `collect` alone.
    void this.#alone(async () => {
      if (kind === 'allocations') this.#lookAtAllocations()
      this.#allocationCaptures.add(parts)
      return undefined
    })
    let taken: { readonly until: number; readonly heap: readonly HeapSnapshot[] } | undefined
    return {
      read: detail =>
        this.#alone(async () => {
          if (taken === undefined) {
            if (kind === 'allocations') this.#lookAtAllocations()
            else parts.push(this.#heap!.snapshot(this.#frames))
            this.#allocationCaptures.delete(parts)
            taken = { until: Date.now() * 1000, heap: parts }
          }
          await this.#mapPending()
          for (const { frames } of parts) await this.#mapper?.apply(frames)
          return buildProfiles({ ...detail, kinds: [kind], from, batches: [], ...taken }, this.#origin)
        }),
      cancel: () => void this.#allocationCaptures.delete(parts),
    }
  }

  /** The kinds that are recorded here. */
  get kinds(): readonly ProfileKind[] {
    return [...this.#kinds]
  }

  get threadId(): bigint {
    return this.#origin.threadId
  }

  /** The last `collect`; everything is released. */
  async stop(): Promise<Profiles | undefined> {
    return this.#alone(async () => {
      await this.#pull()
      await this.#mapPending()
      return this.#finish()
    })
  }

  /** The same at once, for handlers of 'exit', which can't wait. Undefined if `stop` was done before. */
  stopNow(): Profiles | undefined {
    return this.#guard(() => (this.#isStopped ? undefined : this.#finish()))
  }

  /** A process that ends while V8's thread sends signals to it may crash. What was recorded waits for `stopNow`. */
  readonly #onExit = (): void => {
    this.#guard(() => this.#stopTime())
  }

  async #collect(isUrgent: boolean): Promise<Profiles | undefined> {
    // Each part takes some milliseconds, and the application goes on in between.
    const pause = async (): Promise<void> => {
      if (!isUrgent) await turn()
    }
    if (isUrgent) this.#pullNow()
    else await this.#pull()
    await pause()
    const heap = this.#isStopped ? undefined : this.#takeHeap()
    await pause()
    await this.#mapPending()
    if (this.#isStopped) return undefined
    const { recorded, take } = this.#lookAtPending()
    try {
      const steps = profileSteps({ ...recorded, heap }, this.#origin)
      let step = steps.next()
      while (step.done !== true) {
        await pause()
        step = steps.next()
      }
      // If the process ended meanwhile, `stopNow` has given it.
      return this.#isStopped ? undefined : step.value
    } finally {
      // Only now, for `stopNow`; and also if it failed, as it would fail again.
      take()
    }
  }

  #finish(): Profiles | undefined {
    // The heap is looked at while it is still recorded.
    const heap = this.#takeHeap()
    this.#release()
    const pending = this.#lookAtPending()
    pending.take()
    const recorded = { ...pending.recorded, heap }
    for (const frames of framesOf(recorded)) this.#mapper?.applyNow(frames)
    return buildProfiles(recorded, this.#origin)
  }

  /** For `collect`. */
  #takeHeap(): readonly HeapSnapshot[] | undefined {
    if (this.#heap === undefined) return undefined
    if (!this.#kinds.has('allocations')) return [this.#heap.snapshot(this.#frames)]
    this.#lookAtAllocations()
    return this.#allocations.splice(0)
  }

  /** Looking at allocations forgets them, so everybody who waits for some gets them. */
  #lookAtAllocations(): void {
    if (this.#heap === undefined || this.#isStopped) return
    const snapshot = this.#heap.snapshot(this.#frames)
    this.#allocations.push(snapshot)
    for (const parts of this.#allocationCaptures) parts.push(snapshot)
  }

  async #pullUnasked(): Promise<undefined> {
    await this.#pull()
    this.#wasPulled = false
  }

  async #pull(): Promise<void> {
    await this.#time?.ready()
    this.#pullNow()
  }

  #pullNow(): void {
    if (this.#time === undefined || this.#isTimeStopped) return
    if (this.#frames.isFull) this.#frames = new FrameTable()
    this.#wasPulled = true
    this.#keep(this.#time.pull(this.#frames))
  }

  #keep(batch: SampleBatch): void {
    this.#pending.push(batch)
    while (this.#pending[0].until < batch.until - MAX_PENDING_MICROS) this.#pending.shift()
    this.#ring.push(batch)
    this.#trimRing(batch.until)
  }

  #trimRing(until: number): void {
    let oldest = until - this.#options.ringSeconds * 1e6
    for (const { since } of this.#holds) oldest = Math.min(oldest, since)
    while (this.#ring.length > 0 && this.#ring[0].until < oldest) this.#ring.shift()
    if (this.#options.ringSeconds <= 0 && this.#holds.size === 0) this.#ring = []
  }

  /** What waits for `collect`, and what takes it away. */
  #lookAtPending(): { readonly recorded: Recorded; readonly take: () => void } {
    const batches = [...this.#pending]
    const events = this.#events?.read(this.#collectedEvents)
    const eventCount = this.#events?.count ?? 0
    let until = batches.at(-1)?.until ?? Date.now() * 1000
    let from = Math.min(this.#collectedUntil, batches[0]?.from ?? Infinity)
    for (const time of events?.time ?? []) {
      until = Math.max(until, time)
      // What began before the last collection may have ended, and so been noticed, after it.
      from = Math.min(from, time)
    }
    const take = (): void => {
      this.#pending = this.#pending.filter(batch => !batches.includes(batch))
      this.#collectedEvents = eventCount
      this.#collectedUntil = until
    }
    return { recorded: { kinds: this.#options.kinds, from, until, batches, events }, take }
  }

  #recordedIn({ from, until, kinds = this.#options.kinds, traceId, spanId, ...detail }: CaptureRange): Recorded {
    const oldest = this.#ring[0]?.from ?? Date.now() * 1000 - this.#options.ringSeconds * 1e6
    const first = Math.max(Number(from / 1000n), oldest)
    const last = Math.max(first, Math.min(Number((until + 999n) / 1000n), Date.now() * 1000))
    const batches = this.#ring.filter(batch => batch.until >= first && batch.from <= last)
    const isOfSpan = traceId !== undefined || spanId !== undefined
    const events = isOfSpan || !kinds.includes('events') ? undefined : this.#events?.read(0, first, last)
    return { ...detail, kinds, from: first, until: last, traceId, spanId, batches, events }
  }

  #release(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (running === this) running = undefined
    clearInterval(this.#timer)
    process.removeListener('exit', this.#onExit)
    this.#stopTime()
    this.#heap?.stop()
    this.#events?.stop()
    this.#holds.clear()
    this.#allocationCaptures.clear()
    this.#ring = []
  }

  #stopTime(): void {
    if (this.#time === undefined || this.#isTimeStopped) return
    this.#isTimeStopped = true
    this.#keep(this.#time.stop(this.#frames))
  }

  async #mapPending(): Promise<void> {
    for (const { frames } of this.#pending) await this.#mapper?.apply(frames)
    await this.#mapper?.apply(this.#frames)
  }

  /** One after the other, and never a rejection. */
  #alone(work: () => Promise<Profiles | undefined>): Promise<Profiles | undefined> {
    const result = this.#queue.then(async () => {
      try {
        return this.#isStopped ? undefined : await work()
      } catch (error) {
        this.#options.onProblem(`recording: ${messageOf(error)}`)
        return undefined
      }
    })
    this.#queue = result
    return result
  }

  #guard<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#options.onProblem(`recording: ${messageOf(error)}`)
      return undefined
    }
  }
}

function framesOf({ batches, heap }: Recorded): ReadonlySet<FrameTable> {
  return new Set([...batches, ...(heap ?? [])].map(({ frames }) => frames))
}

function startTime(options: RecorderOptions, native: NativeModule | undefined): TimeSource | undefined {
  const { kinds, sampleRateHz } = options
  if (!kinds.includes('cpu') && !kinds.includes('wall')) return undefined
  return native === undefined ? new InspectorTime(sampleRateHz) : new NativeTime(native, sampleRateHz, options)
}

function startHeap(
  { kinds, heapIntervalBytes }: RecorderOptions,
  native: NativeModule | undefined,
): HeapSource | undefined {
  if (kinds.includes('heap'))
    return native === undefined ? new InspectorHeap(heapIntervalBytes) : new NativeHeap(native, heapIntervalBytes)
  return kinds.includes('allocations') ? new InspectorAllocations(heapIntervalBytes) : undefined
}

function startEvents({ kinds }: RecorderOptions): RuntimeEventLog | undefined {
  if (!kinds.includes('events')) return undefined
  const log = new RuntimeEventLog()
  log.start()
  return log
}

/** Undefined if it fails, with the reason among what is missing. */
function attempt<T>(what: string, missing: string[], start: () => T | undefined): T | undefined {
  try {
    return start()
  } catch (error) {
    missing.push(`${what}: ${messageOf(error)}`)
    return undefined
  }
}

function nativeOf(loadNative: () => NativeModule, missing: string[]): NativeModule | undefined {
  try {
    return loadNative()
  } catch (error) {
    missing.push(`the native profiler can't be loaded, node:inspector is used: ${messageOf(error)}`)
    return undefined
  }
}

function threadName(): string {
  // Newer Nodes tell a worker the name that it was given.
  const { threadName: given } = workerThreads as { readonly threadName?: unknown }
  if (typeof given === 'string' && given !== '' && given !== 'WorkerThread') return given
  return threadId === 0 ? 'main' : `worker ${threadId}`
}

function versionOfAgent(): string {
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
  return version
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
