// Records one thread: CPU and wall time, heap, and runtime events, as profiles in OpenTelemetry's model.
// Each thread (main and workers) has its own recorder. A worker does not export: it sends its profiles to the main thread
// (worker-channel.ts), so that a process has one exporter, one queue and one connection. `mainThreadReceives()` says in a
// worker whether the main thread listens. If not, the worker must export.
import { setImmediate as turn } from 'node:timers/promises'
import type { Profiles } from '@hearth/profile/recording'
import type { Origin, Recorded } from './profiles/build-profiles.ts'
import { buildProfiles, profileSteps } from './profiles/build-profiles.ts'
import { FrameTable } from './samples/frame-table.ts'
import type { HeapSnapshot } from './sources/heap-source.ts'
import { reasonOf } from './reason-of.ts'
import { VERSION } from './version.ts'
import type { NativeModule } from './sources/native-module.ts'
import { loadNativeModule } from './sources/native-module.ts'
import type { Sources } from './sources/open-sources.ts'
import { openSources } from './sources/open-sources.ts'
import type { SampleBatch } from './samples/sample-batch.ts'
import { SampleStore } from './samples/sample-store.ts'
import { FrameMapper } from './profiles/source-maps.ts'
import type { Thread, ThreadPart } from './profiles/thread-part.ts'
import type { ProfileKind, RecorderOptions } from './recorder-options.ts'

export interface CaptureStart {
  /** Either one heap kind, which has no timestamps, or any of the others. */
  readonly kinds: readonly ProfileKind[]
  /** Samples per second until the end of the capture. Undefined keeps the current rate. */
  readonly frequencyHz?: number | undefined
}

/** A capture of this thread. Its samples go to `collect` as well. */
export interface ThreadCapture {
  /** Resolves when the recorder is set up for the capture. Never rejects. */
  readonly begun: Promise<unknown>
  /** Returns the kept samples of the range (Unix µs). For the heap: the live objects, or the allocations since the start. */
  read(from: number, until: number): Promise<ThreadPart | undefined>
  end(): void
}

/** Samples are fetched at least this often, so that the profiler's buffer of 60 s never overflows. */
const PULL_MILLIS = 30_000

let running: Recorder | undefined

export class Recorder {
  /** Identifies the source of the profiles. */
  readonly origin: Origin
  readonly #options: RecorderOptions
  readonly #sources: Sources
  readonly #mapper: FrameMapper | undefined
  readonly #samples: SampleStore
  readonly #timer: NodeJS.Timeout
  #frames = new FrameTable()
  #rateHz: number
  /** Allocations that were read and wait for `collect`. Each capture of allocations keeps those since its start as well. */
  #allocations: HeapSnapshot[] = []
  readonly #allocationCaptures = new Set<HeapSnapshot[]>()
  #collectedUntil: number
  #collectedEvents = 0
  #collectedWaits = 0
  #queue: Promise<unknown> = Promise.resolve()
  #wasPulled = false
  #isStopped = false
  #isTimeStopped = false

  /** Tests pass `loadNative`. Throws if this thread has a recorder already. */
  static async start(options: RecorderOptions, loadNative: () => NativeModule = loadNativeModule): Promise<Recorder> {
    if (running !== undefined) throw new Error('this thread is already recorded; stop the other recorder first')
    running = new Recorder(options, loadNative)
    return running
  }

  private constructor(options: RecorderOptions, loadNative: () => NativeModule) {
    this.#options = options
    this.origin = {
      resource: options.resource,
      scope: { name: '@hearth/agent', version: VERSION },
      heapIntervalBytes: options.heapIntervalBytes,
    }
    this.#sources = openSources(options, loadNative)
    this.#rateHz = options.sampleRateHz
    this.#samples = new SampleStore(options.ringSeconds)
    this.#mapper = options.sourceMaps ? new FrameMapper(options.onProblem) : undefined
    this.#collectedUntil = Date.now() * 1000
    this.#timer = setInterval(() => {
      // Skipped if `collect` has just fetched the samples.
      if (!this.#wasPulled) void this.#alone(() => this.#pullUnasked())
      this.#wasPulled = false
    }, PULL_MILLIS / 2)
    this.#timer.unref()
    process.once('exit', this.#onExit)
  }

  /** The kinds that cannot be recorded here, each with the reason. */
  get missing(): readonly string[] {
    return this.#sources.missing
  }

  /** True if the native profiler is used, false if node:inspector is. */
  get isNative(): boolean {
    return this.#sources.isNative
  }

  /** The recorded kinds. */
  get kinds(): readonly ProfileKind[] {
    return [...this.#sources.kinds]
  }

  get thread(): Thread {
    return this.#sources.thread
  }

  /**
   * Returns everything since the last call as one payload, or undefined if nothing was sampled. Works in small steps, so that
   * the application is not held up, unless it is urgent, as at the exit of the process.
   */
  async collect(isUrgent = false): Promise<Profiles | undefined> {
    return this.#alone(() => this.#collect(isUrgent))
  }

  begin(start: CaptureStart): ThreadCapture {
    const heap = start.kinds.find(kind => kind === 'heap' || kind === 'allocations')
    return heap === undefined ? this.#beginTimed(start) : this.#beginHeap(heap)
  }

  /** Returns the samples and events that are still kept. Called when this thread ends, for captures that ask for it later. */
  remaining(): ThreadPart | undefined {
    return this.#guard(() => {
      if (this.#isStopped || !this.#samples.hasRing) return undefined
      this.#stopTime()
      const part = this.#partOf()
      for (const { frames } of this.#samples.ring) this.#mapper?.applyNow(frames)
      return part
    })
  }

  /** Returns the last profiles and releases all resources. */
  async stop(): Promise<Profiles | undefined> {
    return this.#alone(async () => {
      await this.#pull()
      await this.#mapPending()
      return this.#finish()
    })
  }

  /** The synchronous `stop`, for handlers of 'exit'. Returns undefined if `stop` was called before. */
  stopNow(): Profiles | undefined {
    return this.#guard(() => (this.#isStopped ? undefined : this.#finish()))
  }

  /** Stops sampling: a process that exits while V8's thread sends it signals may crash. `stopNow` gets the samples. */
  readonly #onExit = (): void => {
    this.#guard(() => this.#stopTime())
  }

  #beginTimed({ frequencyHz }: CaptureStart): ThreadCapture {
    const release = this.#samples.hold()
    const { earliest } = this.#samples
    // Samples that were taken at another rate are not part of the capture.
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
        // Earlier allocations are for `collect` only.
        this.#readAllocations()
        this.#allocationCaptures.add(snapshots)
      }),
      read: () =>
        this.#alone(async () => {
          if (kind === 'allocations') this.#readAllocations()
          else snapshots.push(heap.snapshot(this.#frames))
          for (const { frames } of snapshots) await this.#mapper?.apply(frames)
          return { thread: this.thread, from, batches: [], heap: [...snapshots] }
        }),
      end: () => void this.#allocationCaptures.delete(snapshots),
    }
  }

  /** Returns the last batch at the previous rate, or undefined if the rate did not change. */
  async #changeRate(sampleRateHz: number): Promise<SampleBatch | undefined> {
    const { time } = this.#sources
    if (time === undefined || sampleRateHz === this.#rateHz || this.#isTimeStopped) return undefined
    await time.ready()
    // The profiler may have stopped meanwhile.
    if (this.#isTimeStopped) return undefined
    const last = time.changeRate(sampleRateHz, this.#openFrames())
    this.#samples.add(last)
    this.#rateHz = sampleRateHz
    return last
  }

  async #collect(isUrgent: boolean): Promise<Profiles | undefined> {
    // Each part takes some milliseconds. The application continues in between.
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
    const { recorded, take } = this.#pending(heap)
    try {
      const steps = profileSteps(recorded, this.origin)
      let step = steps.next()
      while (step.done !== true) {
        await pause()
        step = steps.next()
      }
      // If the process has exited meanwhile, `stopNow` has returned the profiles.
      return this.#isStopped ? undefined : step.value
    } finally {
      // Only now, so that `stopNow` still finds them. Also after a failure, because it would fail again.
      take()
    }
  }

  #finish(): Profiles | undefined {
    // The heap is read while it is still recorded.
    const heap = this.#takeHeap()
    this.#release()
    const { recorded, take } = this.#pending(heap)
    for (const { frames } of [...this.#samples.pending, ...(heap ?? [])]) this.#mapper?.applyNow(frames)
    take()
    return buildProfiles(recorded, this.origin)
  }

  /** The heap snapshots for `collect`. */
  #takeHeap(): readonly HeapSnapshot[] | undefined {
    const { heap, kinds } = this.#sources
    if (heap === undefined) return undefined
    if (!kinds.has('allocations')) return [heap.snapshot(this.#frames)]
    this.#readAllocations()
    return this.#allocations.splice(0)
  }

  /** Reading allocations resets them, so every waiting capture gets a copy. */
  #readAllocations(): void {
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

  /** The data that waits for `collect`, and a function that removes it. */
  #pending(heap: ThreadPart['heap']): { readonly recorded: Recorded; readonly take: () => void } {
    const batches: readonly SampleBatch[] = this.#samples.pending
    const log = this.#sources.events
    const events = log?.read(this.#collectedEvents)
    const eventCount = log?.count ?? 0
    const waits = this.#sources.waits?.read(this.#collectedWaits)
    const waitCount = this.#sources.waits?.count ?? 0
    let until = batches.at(-1)?.until ?? Date.now() * 1000
    let from = Math.min(this.#collectedUntil, batches[0]?.from ?? Infinity)
    for (const time of [...(events?.time ?? []), ...(waits?.time ?? [])]) {
      until = Math.max(until, time)
      // An event that began before the last collection may have ended after it.
      from = Math.min(from, time)
    }
    const take = (): void => {
      this.#samples.collected(batches)
      this.#collectedEvents = eventCount
      this.#collectedWaits = waitCount
      this.#collectedUntil = until
    }
    const part = { thread: this.thread, from, batches, events, waits, heap }
    const { kinds, timestamps } = this.#options
    return { recorded: { kinds, timestamps, from, until, parts: [part] }, take }
  }

  /** The samples and events of a time range (Unix µs) for captures, from the batches after `before`. */
  #partOf(before?: SampleBatch, from = -Infinity, until = Infinity): ThreadPart {
    const { ring } = this.#samples
    // By order: a profiler takes its first samples while those of the previous one are still being read.
    const later = before === undefined ? ring : ring.slice(ring.indexOf(before) + 1)
    const batches = later.filter(batch => batch.until >= from && batch.from <= until)
    const events = this.#sources.events?.read(0, from, until)
    const waits = this.#sources.waits?.read(0, from, until)
    return { thread: this.thread, from: Math.max(this.#samples.from, before?.until ?? 0), batches, events, waits }
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
    this.#sources.waits?.stop()
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

  /** Runs work one after another. Never rejects. */
  #alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const result = this.#queue.then(async () => {
      try {
        return this.#isStopped ? undefined : await work()
      } catch (error) {
        this.#options.onProblem(`recording: ${reasonOf(error)}`)
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
      this.#options.onProblem(`recording: ${reasonOf(error)}`)
      return undefined
    }
  }
}
