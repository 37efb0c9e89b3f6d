// What a thread did, in the order of time: its observations as calls that last as long as the stacks around them stay.
//
//   observations   main run gc | main run | main run gc          | main idle
//   from, until    0        10   10    20   20        30           70      80
//   calls          main 0-30, run 0-30, gc 0-10, gc 20-30, main 70-80, idle 70-80     period 10, and 40 is a gap
//
// Intervals know their length. A sample stands for the time until the next, but no longer than the period, and a gap of
// at most another period is a sample that was missed: calls go on across it.
import type { FrameTable, Profiles, StackIndex } from '@hearth/profile'
import { canonicalUnit, sortedBy, topTable } from '@hearth/profile'
import { NO_FRAMES, framesOfTable } from '../tree/frames.ts'
import type { ThreadSummary, TimelineAnswer } from './answers.ts'
import { CallRecorder } from './call-recorder.ts'
import { threadsOf } from './threads.ts'

const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12 }

interface Observations {
  readonly origin: bigint
  /** From the origin. */
  readonly from: Float64Array
  /** NaN where only the next observation tells. */
  readonly length: Float64Array
  readonly stack: Int32Array
  /** The longest period of the profiles; 0 where it is not known. */
  readonly period: number
}

/** Of the thread with that key, or of the busiest. */
export function timeline(profiles: Profiles, rows: readonly number[], key: string): TimelineAnswer {
  const { list, ofSample } = threadsOf(profiles, rows)
  const threads = list.toSorted((a, b) => b.observations - a.observations)
  const chosen = list.find(each => each.key === key) ?? threads.at(0)
  if (chosen === undefined) {
    return { threads, thread: '', tree: new CallRecorder().tree(NO_FRAMES, 0), origin: 0n, leftOut: 0 }
  }
  const thread = list.indexOf(chosen)
  const { origin, whole } = timesOf(profiles, rows)
  const seen = observationsOf(profiles, rows, ofSample, thread, chosen, origin)
  const { frames } = topTable(profiles, rows)
  const calls = new CallRecorder()
  const leftOut = record(calls, profiles, frames, seen)
  return { threads, thread: chosen.key, tree: calls.tree(framesOfTable(frames), whole), origin, leftOut }
}

/** Of all threads, so that they have one clock. */
function timesOf({ samples, profiles }: Profiles, rows: readonly number[]): { origin: bigint; whole: number } {
  const times = samples.timestamps.unsigned()
  let first: bigint | undefined
  let last = 0n
  for (const row of rows) {
    const [from, to] = [profiles.samplesFrom(row), profiles.samplesTo(row)]
    if (from === to) continue
    for (let k = samples.timestampsFrom(from), end = samples.timestampsTo(to - 1); k < end; k++) {
      const time = times[k]
      if (first === undefined || time < first) first = time
      if (time > last) last = time
    }
  }
  return { origin: first ?? 0n, whole: first === undefined ? 0 : Number(last - first) }
}

function observationsOf(
  { dictionary: { strings }, samples, profiles: table }: Profiles,
  rows: readonly number[],
  ofSample: Int32Array,
  thread: number,
  { observations }: ThreadSummary,
  origin: bigint,
): Observations {
  const from = new Float64Array(observations)
  const length = new Float64Array(observations)
  const stack = new Int32Array(observations)
  const { timestamps } = samples
  const values = samples.values.signed()
  const [lo, hi] = [Number(origin & 0xffffffffn), Number(origin >> 32n)]
  let period = 0
  let count = 0
  for (const row of rows) {
    const scale = NANOSECONDS[canonicalUnit(strings.text(table.unit(row)))]
    const periodScale = NANOSECONDS[canonicalUnit(strings.text(table.periodUnit(row)))] ?? 0
    period = Math.max(period, Number(table.period(row)) * periodScale)
    for (let i = table.samplesFrom(row), to = table.samplesTo(row); i < to; i++) {
      if (ofSample[i] !== thread) continue
      const first = samples.timestampsFrom(i)
      const value = samples.valuesFrom(i)
      const isInterval = scale !== undefined && samples.valuesTo(i) > value
      for (let k = first, end = samples.timestampsTo(i); k < end; k++) {
        from[count] = ((timestamps.hi(k) >>> 0) - hi) * 2 ** 32 + (timestamps.lo(k) >>> 0) - lo
        length[count] = isInterval ? Number(values[value + k - first]) * scale : Number.NaN
        stack[count++] = samples.stack(i)
      }
    }
  }
  return { origin, from, length, stack, period }
}

/** Returns how many observations found no room. */
function record(calls: CallRecorder, profiles: Profiles, frames: FrameTable, seen: Observations): number {
  const { from, length, stack } = seen
  const order = sortedBy(from)
  const period = seen.period > 0 ? seen.period : guessedPeriod(from, order, length)
  const path = new Path(profiles, frames)
  for (let at = 0; at < order.length; at++) {
    const i = order[at]
    const next = at + 1 < order.length ? from[order[at + 1]] : Infinity
    const wanted = Number.isNaN(length[i]) ? period : length[i]
    const until = Math.min(from[i] + wanted, next)
    if (!(until > from[i])) continue
    path.read(stack[i] as StackIndex)
    if (!calls.observe(path.frames, path.length, from[i], until, period)) return order.length - at
  }
  calls.end()
  return 0
}

/** The middle one of the distances; 0 where all observations know how long they are, so that every gap is one. */
function guessedPeriod(from: Float64Array, order: Int32Array, length: Float64Array): number {
  if (length.every(each => !Number.isNaN(each)) || order.length < 2) return order.length === 1 ? 1e6 : 0
  const gaps = new Float64Array(order.length - 1)
  for (let at = 1; at < order.length; at++) gaps[at - 1] = from[order[at]] - from[order[at - 1]]
  gaps.sort()
  return gaps.find((gap, i) => i >= gaps.length >> 1 && gap > 0) ?? 1e6
}

/** The frames of a stack, outermost first. */
class Path {
  frames = new Uint32Array(256)
  length = 0
  readonly #profiles: Profiles
  readonly #table: FrameTable
  #last = -1

  constructor(profiles: Profiles, table: FrameTable) {
    this.#profiles = profiles
    this.#table = table
  }

  read(stack: StackIndex): void {
    if (stack === this.#last) return
    this.#last = stack
    const { stacks } = this.#profiles.dictionary
    const { end, frames } = this.#table
    this.length = 0
    // Stacks are leaf first, and so are the frames of a location.
    for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--) {
      const location = stacks.locations.at(k)
      const first = location === 0 ? 0 : end[location - 1]
      for (let f = end[location] - 1; f >= first; f--) this.#push(frames[f])
    }
  }

  #push(frame: number): void {
    if (this.length === this.frames.length) {
      const grown = new Uint32Array(this.length * 2)
      grown.set(this.frames)
      this.frames = grown
    }
    this.frames[this.length++] = frame
  }
}
