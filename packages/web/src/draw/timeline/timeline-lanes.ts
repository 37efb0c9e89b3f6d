// Computes the time that a thread spent in each role in any range, whatever the number of its events. For each thread and
// role it keeps the events by their start, with the sum of all lengths before each.
//
//   start    0    10   50        length  10  10  5       before  0  10  20
//   time spent until 53 = before[2] + (53 - 50) = 23, so a pixel costs two searches instead of a scan of its events
import type { TimelineEvents } from '../../timeline/events.ts'
import { MARK, ROLES, RUNNING } from '../../timeline/roles.ts'

const COUNT = ROLES.length
/** The number of events in a pixel that are visited one by one before a search is used. */
const STEPS = 24

export class Lanes {
  readonly events: TimelineEvents
  /** The index of the first event of a thread and role: thread * COUNT + role. */
  readonly #first: Uint32Array
  readonly #start: Float64Array
  readonly #length: Float64Array
  readonly #before: Float64Array
  readonly #event: Uint32Array

  /** `hides` returns whether a kind is skipped. */
  constructor(events: TimelineEvents, hides: (kind: number) => boolean = () => false) {
    this.events = events
    const { threads, first, start, duration, role, kind, kinds, coverage } = events
    const isHidden = Uint8Array.from(kinds, (_, k) => (hides(k) ? 1 : 0))
    const isCpu = Uint8Array.from(kinds, ({ clock }, k) => (clock === 'cpu' && isHidden[k] === 0 ? 1 : 0))
    // A CPU clock shows exactly when a thread ran. A wall clock beside it can only add time in which it did not.
    const isShown = (t: number): ((i: number) => boolean) => {
      let hasCpuClock = false
      for (let i = first[t]; i < first[t + 1] && !hasCpuClock; i++)
        hasCpuClock = role[i] === RUNNING && isCpu[kind[i]] === 1
      return i => isHidden[kind[i]] === 0 && !(hasCpuClock && role[i] === RUNNING && isCpu[kind[i]] === 0)
    }
    this.#first = new Uint32Array(threads.length * COUNT + 1)
    for (let t = 0; t < threads.length; t++) {
      const isShownEvent = isShown(t)
      for (let i = first[t]; i < first[t + 1]; i++) {
        if (isShownEvent(i)) this.#first[t * COUNT + role[i] + 1]++
      }
    }
    for (let k = 1; k < this.#first.length; k++) this.#first[k] += this.#first[k - 1]
    const shown = this.#first[threads.length * COUNT]
    this.#start = new Float64Array(shown)
    this.#length = new Float64Array(shown)
    this.#before = new Float64Array(shown)
    this.#event = new Uint32Array(shown)
    const next = this.#first.slice()
    for (let t = 0; t < threads.length; t++) {
      const isShownEvent = isShown(t)
      for (let i = first[t]; i < first[t + 1]; i++) {
        if (!isShownEvent(i)) continue
        const k = next[t * COUNT + role[i]]++
        this.#start[k] = start[i]
        this.#event[k] = i
        // A sampled event stands for `every` events, except for long ones, which are all kept.
        const stands =
          coverage.every > 1 && !(coverage.longest > 0 && duration[i] >= coverage.longest) ? coverage.every : 1
        this.#length[k] = duration[i] * stands
      }
    }
    this.#sum(coverage.every === 1)
  }

  /** An event that overlaps the next of its role ends there, unless it stands for others. */
  #sum(clips: boolean): void {
    for (let list = 0; list + 1 < this.#first.length; list++) {
      let sum = 0
      const end = this.#first[list + 1]
      for (let k = this.#first[list]; k < end; k++) {
        if (clips && k + 1 < end) this.#length[k] = Math.min(this.#length[k], this.#start[k + 1] - this.#start[k])
        this.#before[k] = sum
        sum += this.#length[k]
      }
    }
  }

  /** The number of shown events of a thread. */
  count(thread: number): number {
    return this.#first[(thread + 1) * COUNT] - this.#first[thread * COUNT]
  }

  hasRole(thread: number, role: number): boolean {
    const list = thread * COUNT + role
    return this.#first[list + 1] > this.#first[list]
  }

  /** The start of the first event; Infinity if there is none. */
  firstStart(thread: number): number {
    let min = Infinity
    for (let role = 0; role < COUNT; role++) {
      const k = this.#first[thread * COUNT + role]
      if (k < this.#first[thread * COUNT + role + 1]) min = Math.min(min, this.#start[k])
    }
    return min
  }

  /** Total time spent in a role, in nanoseconds. */
  total(thread: number, role = RUNNING): number {
    const k = this.#first[thread * COUNT + role + 1] - 1
    return k < this.#first[thread * COUNT + role] ? 0 : this.#before[k] + this.#length[k]
  }

  /** Time spent between two times. */
  spent(thread: number, role: number, from: number, until: number): number {
    const list = thread * COUNT + role
    const [first, end] = [this.#first[list], this.#first[list + 1]]
    return (
      this.#until(this.#last(first - 1, end, until), first, until) -
      this.#until(this.#last(first - 1, end, from), first, from)
    )
  }

  /**
   * Writes the part of each pixel's time, 0 to 1, to `parts`, or the number of events without a duration. Returns
   * whether there is any.
   */
  fill(thread: number, role: number, from: number, until: number, parts: Float32Array): boolean {
    const list = thread * COUNT + role
    const [first, end] = [this.#first[list], this.#first[list + 1]]
    if (first === end || this.#start[first] >= until) return false
    const before = this.#last(first - 1, end, from)
    const last = this.#last(before, end, until)
    // Iterates over the smaller set: the events in the range or the pixels.
    if (2 * (last - before) < parts.length)
      return this.#fillByEvents(Math.max(first, before), last, from, until, role, parts)
    return this.#fillByPixels(before, first, end, from, until, role, parts)
  }

  #fillByEvents(k: number, last: number, from: number, until: number, role: number, parts: Float32Array): boolean {
    parts.fill(0)
    const start = this.#start
    const length = this.#length
    const pixels = parts.length
    const scale = pixels / (until - from)
    const isMoment = role === MARK
    let isAny = false
    for (let at = k; at <= last; at++) {
      const left = (start[at] - from) * scale
      if (isMoment) {
        if (left < 0) continue
        parts[left | 0]++
        isAny = true
        continue
      }
      const wide = length[at] * scale
      let right = left + wide
      if (right <= 0 || wide <= 0) continue
      if (right > pixels) right = pixels
      const begin = left < 0 ? 0 : left
      isAny = true
      const a = begin | 0
      const b = right | 0
      if (a === b) {
        parts[a] += right - begin
        continue
      }
      parts[a] += a + 1 - begin
      if (b - a > 1) parts.fill(1, a + 1, b)
      if (b < pixels) parts[b] += right - b
    }
    return isAny
  }

  #fillByPixels(
    before: number,
    first: number,
    end: number,
    from: number,
    until: number,
    role: number,
    parts: Float32Array,
  ): boolean {
    // Allocates nothing: with a million events, every frame visits a quarter of them.
    const start = this.#start
    const length = this.#length
    const sums = this.#before
    const pixels = parts.length
    const wide = (until - from) / pixels
    const isMoment = role === MARK
    let k = before
    let spent = isMoment ? k : this.#until(k, first, from)
    const spentBefore = spent
    for (let x = 0; x < pixels; x++) {
      const edge = from + (x + 1) * wide
      const max = k + STEPS
      while (k < max && k + 1 < end && start[k + 1] < edge) k++
      if (k === max) k = this.#last(k, end, edge)
      let now = k
      if (!isMoment) {
        const since = k < first ? 0 : edge - start[k]
        now = k < first ? 0 : sums[k] + (since < length[k] ? since : length[k])
      }
      parts[x] = isMoment ? now - spent : (now - spent) / wide
      spent = now
    }
    return spent > spentBefore
  }

  /** The event of a thread at a time, or the event with the nearest start within `slack`; -1 if there is none. */
  eventAt(thread: number, time: number, slack: number): number {
    let found = -1
    let nearest = slack
    for (let role = COUNT - 1; role >= 0; role--) {
      const list = thread * COUNT + role
      const [first, end] = [this.#first[list], this.#first[list + 1]]
      const k = this.#last(first - 1, end, time + Number.MIN_VALUE)
      for (const each of [k, k + 1]) {
        if (each < first || each >= end) continue
        const start = this.#start[each]
        const isIn = start <= time && time < start + this.#length[each]
        const distance = isIn ? 0 : start > time ? start - time : time - start - this.#length[each]
        if (distance < nearest || (distance === 0 && nearest === 0 && found < 0)) {
          nearest = distance
          found = this.#event[each]
        }
      }
    }
    return found
  }

  /** The next shown event of a thread in a direction; -1 if there is none. */
  beside(thread: number, event: number, direction: 1 | -1): number {
    const { start } = this.events
    let found = -1
    for (let role = 0; role < COUNT; role++) {
      const list = thread * COUNT + role
      const [first, end] = [this.#first[list], this.#first[list + 1]]
      let k = this.#last(first - 1, end, start[event])
      if (direction === 1) {
        k++
        while (k < end && this.#event[k] <= event) k++
        if (k < end && (found < 0 || this.#event[k] < found)) found = this.#event[k]
      } else {
        while (k + 1 < end && this.#event[k + 1] < event) k++
        while (k >= first && this.#event[k] >= event) k--
        if (k >= first && this.#event[k] > found) found = this.#event[k]
      }
    }
    return found
  }

  /** Time spent in the list until a time. The k-th event is the last that starts before it. */
  #until(k: number, first: number, time: number): number {
    return k < first ? 0 : this.#before[k] + Math.min(this.#length[k], time - this.#start[k])
  }

  /**
   * The last event that starts before a time, from the k-th on; k if there is none. The steps double, because it is
   * usually near.
   */
  #last(k: number, end: number, time: number): number {
    const start = this.#start
    let low = k
    let step = 1
    let high = k + 1
    while (high < end && start[high] < time) {
      low = high
      high += step
      step *= 2
    }
    if (high > end) high = end
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (start[middle] < time) low = middle
      else high = middle
    }
    return low
  }
}
