// The observations of all samples in output order: by time, then by the text of their lines, so that the same content always
// yields the same text.
import type { StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { BytesInterner } from '../../model/build/intern.ts'
import type { LongPool, Profiles } from '../../model/columns/profiles.ts'
import { sortedBy } from '../recordings/sorted-by.ts'
import type { PerfStackTexts } from './stack-texts.ts'

/** Columns: texts of thread and event, stack, indexes of the value and the timestamp or NONE. */
const STRIDE = 5

export class PerfObservations {
  /** The number of samples whose timestamps were not sorted. */
  unordered = 0
  readonly #payload: Profiles
  readonly #threads: BytesInterner
  readonly #events: BytesInterner
  readonly #stacks: PerfStackTexts
  readonly #rows = new GrowingInts(STRIDE * 256)

  constructor(payload: Profiles, threads: BytesInterner, events: BytesInterner, stacks: PerfStackTexts) {
    this.#payload = payload
    this.#threads = threads
    this.#events = events
    this.#stacks = stacks
  }

  get length(): number {
    return this.#rows.length / STRIDE
  }

  /** Adds all observations of a sample. */
  add(sample: number, thread: number, event: number, withValues: boolean): void {
    const { samples } = this.#payload
    const values = samples.valuesFrom(sample)
    const valueCount = samples.valuesTo(sample) - values
    const times = samples.timestampsFrom(sample)
    const timeCount = samples.timestampsTo(sample) - times
    if (!isAscending(samples.timestamps, times, times + timeCount)) this.unordered++
    for (let k = 0; k < Math.max(valueCount, timeCount); k++) {
      const array = this.#rows.reserve(STRIDE)
      const row = this.#rows.length
      array[row] = thread
      array[row + 1] = event
      array[row + 2] = samples.stack(sample)
      array[row + 3] = withValues && k < valueCount ? values + k : NONE
      array[row + 4] = k < timeCount ? times + k : NONE
      this.#rows.length += STRIDE
    }
  }

  thread(i: number): number {
    return this.#rows.array[STRIDE * i]
  }

  event(i: number): number {
    return this.#rows.array[STRIDE * i + 1]
  }

  stack(i: number): StackIndex {
    return this.#rows.array[STRIDE * i + 2] as StackIndex
  }

  value(i: number): number {
    return this.#rows.array[STRIDE * i + 3]
  }

  time(i: number): number {
    return this.#rows.array[STRIDE * i + 4]
  }

  /** Returns whether two lines have no times and differ only in their values, so that one line with the sum is equivalent. */
  canJoin(i: number, k: number): boolean {
    if (this.time(i) !== NONE || this.time(k) !== NONE) return false
    return this.thread(i) === this.thread(k) && this.event(i) === this.event(k) && this.#compareStacks(i, k) === 0
  }

  inOrder(): Int32Array {
    const keys = this.#keys()
    const order = sortedBy(keys)
    for (let from = 0; from < order.length;) {
      let to = from + 1
      while (to < order.length && keys[order[to]] === keys[order[from]]) to++
      if (to - from > 1)
        order.set(
          Array.from(order.subarray(from, to)).sort((a, b) => this.#compare(a, b)),
          from,
        )
      from = to
    }
    return order
  }

  /** Times since the first one, as doubles. Observations without a time come first. */
  #keys(): Float64Array {
    const { timestamps } = this.#payload.samples
    const keys = new Float64Array(this.length).fill(-Infinity)
    let start = NONE
    for (let i = 0; i < keys.length; i++) {
      const time = this.time(i)
      if (time === NONE) continue
      if (start === NONE) start = time
      const high = (timestamps.hi(time) >>> 0) - (timestamps.hi(start) >>> 0)
      keys[i] = high * 0x1_0000_0000 + ((timestamps.lo(time) >>> 0) - (timestamps.lo(start) >>> 0))
    }
    return keys
  }

  #compare(a: number, b: number): number {
    return (
      this.#compareTimes(a, b) ||
      compareTexts(this.#threads, this.thread(a), this.thread(b)) ||
      compareTexts(this.#events, this.event(a), this.event(b)) ||
      this.#compareStacks(a, b) ||
      a - b
    )
  }

  #compareTimes(a: number, b: number): number {
    const { timestamps } = this.#payload.samples
    const x = this.time(a)
    const y = this.time(b)
    if (x === NONE || y === NONE) return 0
    return (timestamps.hi(x) >>> 0) - (timestamps.hi(y) >>> 0) || (timestamps.lo(x) >>> 0) - (timestamps.lo(y) >>> 0)
  }

  #compareStacks(a: number, b: number): number {
    const x = this.stack(a)
    const y = this.stack(b)
    if (x === y) return 0
    const from = this.#stacks.start(x)
    const other = this.#stacks.start(y)
    return compareBytes(this.#stacks.bytes, from, this.#stacks.end(x), this.#stacks.bytes, other, this.#stacks.end(y))
  }
}

function isAscending(times: LongPool, from: number, to: number): boolean {
  for (let k = from + 1; k < to; k++) {
    const high = (times.hi(k) >>> 0) - (times.hi(k - 1) >>> 0)
    if (high < 0 || (high === 0 && times.lo(k) >>> 0 < times.lo(k - 1) >>> 0)) return false
  }
  return true
}

function compareTexts({ rows, pool }: BytesInterner, a: number, b: number): number {
  if (a === b) return 0
  const [from, length] = [rows.array[2 * a], rows.array[2 * a + 1]]
  const [other, otherLength] = [rows.array[2 * b], rows.array[2 * b + 1]]
  return compareBytes(pool.array, from, from + length, pool.array, other, other + otherLength)
}

function compareBytes(a: Uint8Array, from: number, to: number, b: Uint8Array, other: number, otherTo: number): number {
  const length = Math.min(to - from, otherTo - other)
  for (let i = 0; i < length; i++) if (a[from + i] !== b[other + i]) return a[from + i] - b[other + i]
  return to - from - (otherTo - other)
}
