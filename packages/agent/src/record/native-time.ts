// Samples by the native profiler: V8's CPU profiler, with the time, the CPU time and the span of each sample.
import { AsyncLocalStorage } from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'
import type { FrameTable } from './frame-table.ts'
import { IDLE, PROGRAM } from './frame-table.ts'
import type { NativeModule, TimeNode, TimeProfiler, TimeTree } from './native-module.ts'
import type { SampleBatch } from './sample-batch.ts'
import { BatchDraft } from './sample-batch.ts'
import type { LabelChoice } from './span-context.ts'
import { SpanContext } from './span-context.ts'
import { SpanTracker } from './span-tracker.ts'
import type { TimeSource } from './time-source.ts'

/** How much time fits into the profiler's buffer of samples; older ones are overwritten. The recorder pulls far sooner. */
const BUFFER_MILLIS = 60_000
/** The clocks of spans and of the profiler differ by up to a millisecond, and a sample may be late. */
const END_TOLERANCE_MICROS = 1000

export class NativeTime implements TimeSource {
  readonly missing: readonly string[] = []
  readonly #profiler: TimeProfiler
  readonly #storage: AsyncLocalStorage<object> | undefined
  readonly #tracker: SpanTracker
  readonly #periodNanos: number
  #from: number
  #lastSample: number

  constructor(native: NativeModule, sampleRateHz: number, choice: LabelChoice) {
    const intervalMicros = Math.max(1, Math.round(1e6 / sampleRateHz))
    this.#periodNanos = intervalMicros * 1000
    this.#storage = native.isAsyncContextFrameActive() ? new AsyncLocalStorage() : undefined
    this.#profiler = new native.TimeProfiler({
      intervalMicros,
      durationMillis: BUFFER_MILLIS,
      lineNumbers: false, // excludes contexts
      withContexts: true,
      // A pull then waits for one or two periods, idle. Without, V8's own thread may get stuck and take a whole CPU.
      workaroundV8Bug: true,
      collectCpuTime: true,
      collectAsyncId: false,
      useCPED: this.#storage !== undefined,
      CPEDKey: this.#storage,
      isMainThread,
    })
    this.#profiler.start()
    this.#from = this.#lastSample = Date.now() * 1000
    const profiler = this.#profiler
    this.#tracker = new SpanTracker(
      choice,
      this.#storage === undefined
        ? { kind: 'set', set: context => (profiler.context = context) }
        : { kind: 'carried', storage: this.#storage, hold: context => profiler.createContextHolder(context) },
    )
  }

  pull(frames: FrameTable): SampleBatch {
    this.#tracker.refresh()
    const tree = this.#profiler.stop(true)
    // V8 may get stuck in a loop that takes a whole CPU and records nothing; a new start helps.
    if (this.#profiler.v8ProfilerStuckEventLoopDetected() > 0) {
      this.#profiler.stop(false)
      this.#profiler.start()
    }
    return this.#batchOf(tree, frames)
  }

  stop(frames: FrameTable): SampleBatch {
    this.#tracker.stop()
    const tree = this.#profiler.stop(false)
    this.#profiler.dispose()
    this.#storage?.disable()
    return this.#batchOf(tree, frames)
  }

  #batchOf(tree: TimeTree, frames: FrameTable): SampleBatch {
    const draft = new BatchDraft(frames)
    const labels = new LabelRows(draft)
    const program = frames.special(PROGRAM)
    const idle = frames.special(IDLE)
    const nodes: TimeNode[] = [...tree.topDownRoot.children]
    const parents: number[] = nodes.map(() => -1)
    // By a list instead of recursion: stacks may be as deep as V8 allows.
    while (nodes.length > 0) {
      const node = nodes.pop()!
      const frame = frames.rowOf(node)
      const row = draft.addNode(parents.pop()!, frame)
      for (const { context, timestamp, cpuTime } of node.contexts ?? []) {
        const time = Number(timestamp)
        // Between callbacks the runtime works, or waits, on behalf of none of them, though the last one's context still stands.
        const label = frame === program || frame === idle ? 0 : labels.rowOf(context, time)
        draft.addSample(time, row, label, cpuTime ?? 0)
      }
      for (const child of node.children) {
        nodes.push(child)
        parents.push(row)
      }
    }
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

/** Rows of a batch's contexts; a context's attributes are read once for all of its samples. */
class LabelRows {
  readonly #draft: BatchDraft
  readonly #rows = new Map<object, { readonly ended: number; readonly during: number; after: number }>()

  constructor(draft: BatchDraft) {
    this.#draft = draft
  }

  rowOf(context: object | undefined, time: number): number {
    if (!(context instanceof SpanContext)) return 0
    let rows = this.#rows.get(context)
    if (rows === undefined) {
      rows = {
        ended: context.ended + END_TOLERANCE_MICROS,
        during: this.#draft.contexts.push(context.labels()) - 1,
        after: -1,
      }
      this.#rows.set(context, rows)
    }
    if (time <= rows.ended) return rows.during
    if (rows.after < 0) rows.after = this.#draft.contexts.push(context.labelsAfterEnd()) - 1
    return rows.after
  }
}
