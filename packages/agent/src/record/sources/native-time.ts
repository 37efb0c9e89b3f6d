// Samples of the native profiler: V8's CPU profiler, with the time, the CPU time and the span of each sample.
import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import type { FrameTable } from '../samples/frame-table.ts'
import { IDLE, PROGRAM } from '../samples/frame-table.ts'
import type { NativeModule, TimeNode, TimeProfiler, TimeTree } from './native-module.ts'
import type { SampleBatch } from '../samples/sample-batch.ts'
import { BatchDraft } from '../samples/sample-batch.ts'
import { NO_LABELS } from '../samples/sample-labels.ts'
import type { LabelChoice, OtelContext } from '../spans/span-context.ts'
import { spanContextOf } from '../spans/span-context.ts'
import { ContextHolder, SpanTracker } from '../spans/span-tracker.ts'
import { steadyZero } from './steady-zero.ts'
import type { TimeSource } from './time-source.ts'

/** The capacity of the profiler's sample buffer. Older samples are overwritten. The recorder reads far more often. */
const BUFFER_MILLIS = 60_000
/** The wall clock has a resolution of 1 ms, and a sample may be late. */
const END_TOLERANCE_MICROS = 1000

/** How many periods `ready` waits at most. While callbacks are long, no check comes soon after another. */
const MAX_PERIODS = 3
/** How long `ready` waits at most, for low sample rates. */
const MAX_READY_MILLIS = 1000
/** Periods up to this length are waited for synchronously: a timer would miss them. */
const SHORT_MILLIS = 4

/** With fewer samples since the last read, all of them may still be on their way. */
const MIN_SAMPLES = 10

export class NativeTime implements TimeSource {
  readonly missing: readonly string[] = []
  readonly #native: NativeModule
  readonly #storage: AsyncLocalStorage<object> | undefined
  /**
   * Creates the objects that carry contexts, and never starts. Everything that a profiler created is gone when it is disposed,
   * but the application continues to carry it, and another rate needs another profiler.
   */
  readonly #holders: TimeProfiler | undefined
  readonly #tracker: SpanTracker
  readonly #choice: LabelChoice
  #profiler: TimeProfiler
  /** The number of samples that it has taken. */
  #state: Uint32Array
  #periodNanos: number
  #from: number
  #lastSample: number

  constructor(native: NativeModule, sampleRateHz: number, choice: LabelChoice) {
    this.#native = native
    this.#choice = choice
    this.#storage = native.isAsyncContextFrameActive() ? new AsyncLocalStorage() : undefined
    this.#holders = this.#storage && this.#open(BUFFER_MILLIS * 1000)
    const micros = microsOf(sampleRateHz)
    this.#periodNanos = micros * 1000
    this.#profiler = this.#open(micros)
    this.#profiler.start()
    this.#state = this.#profiler.state
    this.#from = this.#lastSample = Date.now() * 1000
    this.#tracker = new SpanTracker(
      choice,
      this.#storage === undefined || this.#holders === undefined
        ? { kind: 'set', set: holder => (this.#profiler.context = holder), samples: () => this.#state[0] }
        : { kind: 'carried', storage: this.#storage, hold: holdBy(this.#holders) },
    )
  }

  #open(intervalMicros: number): TimeProfiler {
    return new this.#native.TimeProfiler({
      intervalMicros,
      durationMillis: BUFFER_MILLIS,
      lineNumbers: false, // excludes contexts
      withContexts: true,
      // It would delay the application by two periods at every read. See `ready`.
      workaroundV8Bug: false,
      collectCpuTime: true,
      collectAsyncId: false,
      useCPED: this.#storage !== undefined,
      CPEDKey: this.#storage,
      isMainThread,
    })
  }

  /**
   * Resolves when a sample has just been taken. If a sample comes while V8 starts the next profile, V8's thread may get stuck in
   * a loop that uses a whole CPU and records nothing. Right after a sample, the next one is most of a period away.
   */
  async ready(): Promise<void> {
    // Not through the profiler, which may be disposed meanwhile.
    const state = this.#state
    const periodMillis = this.#periodNanos / 1e6
    let samples = state[0]
    let looked = performance.now()
    if (periodMillis <= SHORT_MILLIS) {
      while (state[0] === samples && performance.now() - looked < 2 * periodMillis);
      return
    }
    const until = looked + Math.min(MAX_PERIODS * periodMillis, MAX_READY_MILLIS)
    while (looked < until) {
      await sleep(1)
      const now = performance.now()
      if (state[0] !== samples && now - looked < periodMillis / 2) return
      samples = state[0]
      looked = now
    }
  }

  pull(frames: FrameTable): SampleBatch {
    const samples = this.#state[0]
    const tree = this.#profiler.stop(true)
    this.#tracker.refresh()
    // V8 got stuck anyway: a restart helps. The detection finds no samples, so there must have been some before. V8 then scans
    // all code again, so the restart must be necessary.
    if (samples >= MIN_SAMPLES && this.#profiler.v8ProfilerStuckEventLoopDetected() > 0) {
      this.#profiler.stop(false)
      this.#profiler.start()
    }
    return this.#batchOf(tree, frames)
  }

  changeRate(sampleRateHz: number, frames: FrameTable): SampleBatch {
    const micros = microsOf(sampleRateHz)
    // Created first, so that a failure changes nothing.
    const next = this.#open(micros)
    const tree = this.#profiler.stop(false)
    this.#profiler.dispose()
    next.start()
    this.#profiler = next
    this.#state = next.state
    this.#tracker.renew()
    // The switch itself has no samples.
    const batch = this.#batchOf(tree, frames, Date.now() * 1000)
    this.#periodNanos = micros * 1000
    return batch
  }

  stop(frames: FrameTable): SampleBatch {
    this.#tracker.stop()
    const tree = this.#profiler.stop(false)
    this.#profiler.dispose()
    this.#holders?.dispose()
    this.#storage?.disable()
    return this.#batchOf(tree, frames)
  }

  /** `busyUntil` is the time until which the runtime did something else. */
  #batchOf(tree: TimeTree, frames: FrameTable, busyUntil?: number): SampleBatch {
    const draft = new BatchDraft(frames)
    const labels = new ContextRows(draft, this.#choice)
    const program = frames.special(PROGRAM)
    const idle = frames.special(IDLE)
    const nodes: TimeNode[] = [...tree.topDownRoot.children]
    const parents: number[] = nodes.map(() => -1)
    // With a list instead of recursion: stacks may be as deep as V8 allows.
    while (nodes.length > 0) {
      const node = nodes.pop()!
      const frame = frames.rowOf(node)
      const row = draft.addNode(parents.pop()!, frame)
      for (const { context, timestamp, cpuTime } of node.contexts ?? []) {
        const time = Number(timestamp)
        // Between callbacks the runtime works or waits for none of them, although the last context is still set.
        const label = frame === program || frame === idle ? 0 : labels.rowOf(context, time)
        draft.addSample(time, row, label, cpuTime ?? 0)
      }
      for (const child of node.children) {
        nodes.push(child)
        parents.push(row)
      }
    }
    if (busyUntil !== undefined) draft.addSample(busyUntil, draft.addNode(-1, program), 0, 0)
    draft.otherThreadsCpu = Math.max(0, Math.round(tree.nonJSThreadsCpuTime ?? 0))
    const until = Date.now() * 1000
    const batch = draft.finish({
      from: this.#from,
      until,
      lastSample: this.#lastSample,
      periodNanos: this.#periodNanos,
    })
    this.#from = batch.until
    if (batch.time.length > 0) this.#lastSample = batch.time[batch.time.length - 1]
    return batch
  }
}

function microsOf(sampleRateHz: number): number {
  return Math.max(1, Math.round(1e6 / sampleRateHz))
}

function holdBy(profiler: TimeProfiler): (context: object) => object {
  return context => profiler.createContextHolder(context)
}

/** Rows of a batch's contexts. A context is read once for all of its samples. */
class ContextRows {
  readonly #draft: BatchDraft
  readonly #choice: LabelChoice
  readonly #steadyZero = steadyZero()
  readonly #rows = new Map<object, ContextRow>()

  constructor(draft: BatchDraft, choice: LabelChoice) {
    this.#draft = draft
    this.#choice = choice
  }

  rowOf(held: object | undefined, time: number): number {
    const context = held instanceof ContextHolder ? held.context : (held as OtelContext | undefined)
    if (context === undefined) return 0
    let row = this.#rows.get(context)
    if (row === undefined) this.#rows.set(context, (row = this.#add(context)))
    return time <= row.ended ? row.during : row.after
  }

  #add(context: OtelContext): ContextRow {
    const found = spanContextOf(context, this.#choice)
    if (found === undefined) return NO_ROW
    const ended = found.endedAt(this.#steadyZero)
    const { contexts } = this.#draft
    const during = contexts.push(found.labels()) - 1
    if (ended === Infinity) return { ended, during, after: 0 }
    const after = found.labelsAfterEnd()
    return {
      ended: ended + END_TOLERANCE_MICROS,
      during,
      after: after === NO_LABELS ? 0 : contexts.push(after) - 1,
    }
  }
}

interface ContextRow {
  /** Unix microseconds. */
  readonly ended: number
  readonly during: number
  readonly after: number
}

const NO_ROW: ContextRow = { ended: Infinity, during: 0, after: 0 }
