// Records one thread: CPU and wall time, heap, and events of the runtime, as profiles in OpenTelemetry's model.
// Each thread (main and workers) runs a recorder of its own. A worker doesn't export: it hands its profiles to the main
// thread (worker-channel.ts: `handToMain` there, `receiveFromWorkers` here), so a process has one exporter, one queue
// and one connection. `mainThreadReceives()` says in a worker whether anybody listens; if not, the worker must export.
import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import type { KeyValue, Profiles } from '@hearth/profile/recording'
import type { Origin, Recorded } from './profiles/build-profiles.ts'
import { buildProfiles, profileSteps } from './profiles/build-profiles.ts'
import { FrameTable } from './samples/frame-table.ts'
import type { HeapSnapshot } from './sources/heap-source.ts'
import { messageOf } from './message-of.ts'
import type { NativeModule } from './sources/native-module.ts'
import { loadNativeModule } from './sources/native-module.ts'
import type { Sources } from './sources/open-sources.ts'
import { openSources } from './sources/open-sources.ts'
import type { SampleBatch } from './samples/sample-batch.ts'
import { SampleStore } from './samples/sample-store.ts'
import { FrameMapper } from './profiles/source-maps.ts'
import type { Thread, ThreadPart } from './profiles/thread-part.ts'

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

export interface CaptureStart {
  /** Heap profiles have no times: one of them, or any of the others. */
  readonly kinds: readonly ProfileKind[]
  /** Samples a second until the end of the capture; as ever, if not given. */
  readonly frequencyHz?: number | undefined
}

/** A capture, as far as this thread is concerned. What is recorded for it goes to `collect` as well. */
export interface ThreadCapture {
  /** When everything is as the capture wants it. Never rejects. */
  readonly begun: Promise<unknown>
  /** What was recorded between the two (unix µs) as far as it is still known; of the heap, what is there or came since. */
  read(from: number, until: number): Promise<ThreadPart | undefined>
  end(): void
}

/** Samples are fetched at least this often, so that the profiler's own buffer never overflows (60 s). */
const PULL_MILLIS = 30_000

let running: Recorder | undefined

export class Recorder {
  /** By which profiles are known. */
  readonly origin: Origin
  readonly #options: RecorderOptions
  readonly #sources: Sources
  readonly #mapper: FrameMapper | undefined
  readonly #samples: SampleStore
  readonly #timer: NodeJS.Timeout
  #frames = new FrameTable()
  #rateHz: number
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
    this.origin = {
      resource: options.resource,
      scope: { name: '@hearth/agent', version: versionOfAgent() },
      heapIntervalBytes: options.heapIntervalBytes,
    }
    this.#sources = openSources(options, loadNative)
    this.#rateHz = options.sampleRateHz
    this.#samples = new SampleStore(options.ringSeconds)
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

  /** What can't be recorded here, and why. */
  get missing(): readonly string[] {
    return this.#sources.missing
  }

  /** Whether the native profiler is in use, not node:inspector. */
  get isNative(): boolean {
    return this.#sources.isNative
  }

  /** The kinds that are recorded here. */
  get kinds(): readonly ProfileKind[] {
    return [...this.#sources.kinds]
  }

  get thread(): Thread {
    return this.#sources.thread
  }

  /**
   * Everything since the last call as one payload; undefined when nothing was sampled. Takes its time, so as not to hold up
   * the application, unless it is urgent, as at the end of the process.
   */
  async collect(isUrgent = false): Promise<Profiles | undefined> {
    return this.#alone(() => this.#collect(isUrgent))
  }

  begin(start: CaptureStart): ThreadCapture {
    const heap = start.kinds.find(kind => kind === 'heap' || kind === 'allocations')
    return heap === undefined ? this.#beginTimed(start) : this.#beginHeap(heap)
  }

  /** The samples and events that are still known, for somebody who asks when this thread is gone: at its very end. */
  lastWords(): ThreadPart | undefined {
    return this.#guard(() => {
      if (this.#isStopped || !this.#samples.hasRing) return undefined
      this.#stopTime()
      const part = this.#partOf()
      for (const { frames } of this.#samples.ring) this.#mapper?.applyNow(frames)
      return part
    })
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

  #beginTimed({ frequencyHz }: CaptureStart): ThreadCapture {
    const release = this.#samples.hold()
    const { earliest } = this.#samples
    // Samples that were taken at another rate are not those that were asked for.
    let before: SampleBatch | undefined
    const begun = this.#alone(async () => {
      if (frequencyHz !== undefined) before = await this.#changeRate(frequencyHz)
    })
    return {
      begun,
      read: (from, until) =>
        this.#alone(async () => {
          await this.#pull()
          await this.#mapPending()
          const part = this.#partOf(before, from, until)
          return { ...part, from: Math.max(part.from, earliest) }
        }),
      end: () => {
        release()
        if (frequencyHz !== undefined) void this.#alone(() => this.#changeRate(this.#options.sampleRateHz))
      },
    }
  }

  #beginHeap(kind: 'heap' | 'allocations'): ThreadCapture {
    const { heap, kinds } = this.#sources
    if (heap === undefined || !kinds.has(kind))
      return { begun: Promise.resolve(), read: () => Promise.resolve(undefined), end: () => {} }
    const from = Date.now() * 1000
    const snapshots: HeapSnapshot[] = []
    return {
      begun: this.#alone(async () => {
        if (kind === 'heap') return
        // What was allocated before is for `collect` alone.
        this.#lookAtAllocations()
        this.#allocationCaptures.add(snapshots)
      }),
      read: () =>
        this.#alone(async () => {
          if (kind === 'allocations') this.#lookAtAllocations()
          else snapshots.push(heap.snapshot(this.#frames))
          for (const { frames } of snapshots) await this.#mapper?.apply(frames)
          return { thread: this.thread, from, batches: [], heap: [...snapshots] }
        }),
      end: () => void this.#allocationCaptures.delete(snapshots),
    }
  }

  /** The last batch at the rate before; undefined where nothing had to be changed. */
  async #changeRate(sampleRateHz: number): Promise<SampleBatch | undefined> {
    const { time } = this.#sources
    if (time === undefined || sampleRateHz === this.#rateHz || this.#isTimeStopped) return undefined
    await time.ready()
    // It may have come to its end meanwhile.
    if (this.#isTimeStopped) return undefined
    const last = time.changeRate(sampleRateHz, this.#openFrames())
    this.#samples.add(last)
    this.#rateHz = sampleRateHz
    return last
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
    const { recorded, take } = this.#lookAtPending(heap)
    try {
      const steps = profileSteps(recorded, this.origin)
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
    const { recorded, take } = this.#lookAtPending(heap)
    for (const { frames } of [...this.#samples.pending, ...(heap ?? [])]) this.#mapper?.applyNow(frames)
    take()
    return buildProfiles(recorded, this.origin)
  }

  /** For `collect`. */
  #takeHeap(): readonly HeapSnapshot[] | undefined {
    const { heap, kinds } = this.#sources
    if (heap === undefined) return undefined
    if (!kinds.has('allocations')) return [heap.snapshot(this.#frames)]
    this.#lookAtAllocations()
    return this.#allocations.splice(0)
  }

  /** Looking at allocations forgets them, so everybody who waits for some gets them. */
  #lookAtAllocations(): void {
    if (this.#sources.heap === undefined || this.#isStopped) return
    const snapshot = this.#sources.heap.snapshot(this.#frames)
    this.#allocations.push(snapshot)
    for (const parts of this.#allocationCaptures) parts.push(snapshot)
  }

  async #pullUnasked(): Promise<void> {
    await this.#pull()
    this.#wasPulled = false
  }

  async #pull(): Promise<void> {
    if (!this.#isTimeStopped) await this.#sources.time?.ready()
    this.#pullNow()
  }

  #pullNow(): void {
    const { time } = this.#sources
    if (time === undefined || this.#isTimeStopped) return
    this.#wasPulled = true
    this.#samples.add(time.pull(this.#openFrames()))
  }

  #openFrames(): FrameTable {
    if (this.#frames.isFull) this.#frames = new FrameTable()
    return this.#frames
  }

  /** What waits for `collect`, and what takes it away. */
  #lookAtPending(heap: ThreadPart['heap']): { readonly recorded: Recorded; readonly take: () => void } {
    const batches: readonly SampleBatch[] = this.#samples.pending
    const log = this.#sources.events
    const events = log?.read(this.#collectedEvents)
    const eventCount = log?.count ?? 0
    let until = batches.at(-1)?.until ?? Date.now() * 1000
    let from = Math.min(this.#collectedUntil, batches[0]?.from ?? Infinity)
    for (const time of events?.time ?? []) {
      until = Math.max(until, time)
      // What began before the last collection may have ended, and so been noticed, after it.
      from = Math.min(from, time)
    }
    const take = (): void => {
      this.#samples.collected(batches)
      this.#collectedEvents = eventCount
      this.#collectedUntil = until
    }
    const part = { thread: this.thread, from, batches, events, heap }
    return { recorded: { kinds: this.#options.kinds, from, until, parts: [part] }, take }
  }

  /** What captures may have of a stretch of time (unix µs), of the batches after one. */
  #partOf(before?: SampleBatch, from = -Infinity, until = Infinity): ThreadPart {
    const { ring } = this.#samples
    // By their order: a profiler takes its first samples while what the one before it has seen is still being read.
    const later = before === undefined ? ring : ring.slice(ring.indexOf(before) + 1)
    const batches = later.filter(batch => batch.until >= from && batch.from <= until)
    const events = this.#sources.events?.read(0, from, until)
    return { thread: this.thread, from: Math.max(this.#samples.from, before?.until ?? 0), batches, events }
  }

  #release(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (running === this) running = undefined
    clearInterval(this.#timer)
    process.removeListener('exit', this.#onExit)
    this.#stopTime()
    this.#sources.heap?.stop()
    this.#sources.events?.stop()
    this.#samples.clear()
    this.#allocationCaptures.clear()
  }

  #stopTime(): void {
    const { time } = this.#sources
    if (time === undefined || this.#isTimeStopped) return
    this.#isTimeStopped = true
    this.#samples.add(time.stop(this.#frames))
  }

  async #mapPending(): Promise<void> {
    for (const { frames } of this.#samples.pending) await this.#mapper?.apply(frames)
    await this.#mapper?.apply(this.#frames)
  }

  /** One after the other, and never a rejection. */
  #alone<T>(work: () => Promise<T>): Promise<T | undefined> {
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

function versionOfAgent(): string {
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
  return version
}
