// The samples of one read from the profiler, as columns in order of time. A batch never changes: it waits for the next
// `collect` and, in the ring, for captures. 32 bytes per sample: at 100 Hz, 200 KB per minute.
//
//   time  (unix µs)  …100  …110  …120        parent  -1   0   1
//   node             2     2     1           frame   run  f   g      (rows of the frame table)
//   context          1     0     0           contexts  [none, { trace, span, attributes }]
import type { Frames, FrameTable } from './frame-table.ts'
import { IDLE } from './frame-table.ts'
import type { SampleLabels } from './sample-labels.ts'
import { NO_LABELS } from './sample-labels.ts'

export interface SampleBatch<F extends Frames = FrameTable> {
  /** Unix microseconds. */
  readonly from: number
  readonly until: number
  readonly frames: F
  /** Nanoseconds between two samples. */
  readonly periodNanos: number
  /** The call tree: a node's parent always comes before it. */
  readonly parent: Int32Array
  readonly frame: Int32Array
  readonly time: Float64Array
  readonly node: Int32Array
  /** Row of `contexts`. 0 means none. */
  readonly context: Int32Array
  /** The nanoseconds that the sample covers. */
  readonly wall: Float64Array
  readonly cpu: Float64Array
  readonly contexts: readonly SampleLabels[]
  /** Nanoseconds of CPU of this thread that belong to no sample. */
  readonly unseenCpu: number
  /** Nanoseconds of CPU of threads without JavaScript. */
  readonly otherThreadsCpu: number
}

export interface BatchTimes {
  readonly from: number
  readonly until: number
  /** The time of the sample before the first. Each sample covers the time since the one before it. */
  readonly lastSample: number
  readonly periodNanos: number
}

/** How many idle samples are merged into one: one second at the usual rate. */
const IDLE_RUN = 100

/** Samples in any order, as sources add them. */
export class BatchDraft {
  readonly frames: FrameTable
  readonly parent: number[] = []
  readonly frame: number[] = []
  readonly time: number[] = []
  readonly node: number[] = []
  readonly context: number[] = []
  readonly cpu: number[] = []
  readonly contexts: SampleLabels[] = [NO_LABELS]
  otherThreadsCpu = 0

  constructor(frames: FrameTable) {
    this.frames = frames
  }

  addNode(parent: number, frame: number): number {
    this.parent.push(parent)
    return this.frame.push(frame) - 1
  }

  addSample(time: number, node: number, context: number, cpu: number): void {
    this.time.push(time)
    this.node.push(node)
    this.context.push(context)
    this.cpu.push(cpu)
  }

  finish(times: BatchTimes): SampleBatch {
    const count = this.time.length
    const order = Uint32Array.from(this.time.keys()).sort((a, b) => this.time[a] - this.time[b])
    const time = new Float64Array(count)
    const node = new Int32Array(count)
    const context = new Int32Array(count)
    const wall = new Float64Array(count)
    const cpu = new Float64Array(count)
    const idle = this.frames.special(IDLE)
    let idleCpu = 0
    let last = times.lastSample
    let length = 0
    let idleRun = 0
    for (const i of order) {
      const isIdle = this.frame[this.node[i]] === idle
      if (isIdle) idleCpu += this.cpu[i]
      // Otherwise an idle process would fill its profiles with idle samples.
      const isSameRun = isIdle && idleRun > 0 && idleRun < IDLE_RUN
      if (isSameRun) length--
      idleRun = isIdle ? (isSameRun ? idleRun + 1 : 1) : 0
      time[length] = this.time[i]
      node[length] = this.node[i]
      context[length] = isIdle ? 0 : this.context[i]
      wall[length] += Math.max(0, this.time[i] - last) * 1000
      cpu[length] = isIdle ? 0 : this.cpu[i]
      last = this.time[i]
      length++
    }
    const unseenCpu = spreadCpu(idleCpu, cpu.subarray(0, length), times.periodNanos)
    return {
      from: Math.min(times.from, length === 0 ? times.from : time[0]),
      until: Math.max(times.until, last),
      frames: this.frames,
      periodNanos: times.periodNanos,
      parent: Int32Array.from(this.parent),
      frame: Int32Array.from(this.frame),
      time: time.slice(0, length),
      node: node.slice(0, length),
      context: context.slice(0, length),
      wall: wall.slice(0, length),
      cpu: cpu.slice(0, length),
      contexts: this.contexts,
      unseenCpu,
      otherThreadsCpu: this.otherThreadsCpu,
    }
  }
}

/**
 * An idle sample still has CPU time, of code that ran and ended since the sample before. On a server that works 2 ms of every
 * 10 ms, that is 80 % of all. This function gives that time to the running samples in proportion to their own time, so that
 * calls that only wait get none. Each sample gets at most a period, as in any sampling profiler. Returns the rest.
 */
export function spreadCpu(idleCpu: number, cpu: Float64Array, periodNanos: number): number {
  let rest = idleCpu
  // Samples that reach their period get no more, so the others get more in the next round. 4 rounds leave almost nothing.
  for (let round = 0; round < 4 && rest >= 1; round++) {
    let weight = 0
    for (const own of cpu) if (own < periodNanos) weight += own
    if (weight === 0) break
    const share = rest / weight
    for (let i = 0; i < cpu.length; i++) {
      if (cpu[i] >= periodNanos) continue
      const more = Math.min(Math.round(cpu[i] * share), periodNanos - cpu[i], rest)
      cpu[i] += more
      rest -= more
    }
  }
  return rest
}
