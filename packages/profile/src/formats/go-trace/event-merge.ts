// Merges the events of all threads into one order. Each thread reads the clock on its own, so time alone does not
// define the order. An event that changes a goroutine from outside carries a number. It is due when the goroutine is at
// the number before and in the required state. A thread whose next event is not due waits in a separate list, so each
// event is visited only twice, however many threads a file has.
import type { Goroutines } from './goroutines.ts'
import type { Goroutine } from './thread-state.ts'
import type { ThreadEvents } from './thread-events.ts'

export class EventMerge {
  /** A heap, the earliest event first. */
  readonly #heap: ThreadEvents[] = []
  /** Threads that no longer wait. They enter the heap when its first thread is not in use. */
  readonly #woken: ThreadEvents[] = []
  /** Waiting threads, by the state that they wait for. */
  readonly #waiting = new Map<string, ThreadEvents[]>()
  #waitingCount = 0
  readonly #goroutines: Goroutines

  constructor(goroutines: Goroutines) {
    this.#goroutines = goroutines
  }

  /** `events` is at its first event. */
  add(events: ThreadEvents): void {
    const heap = this.#heap
    let i = heap.length
    heap.push(events)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (heap[parent].ticks <= events.ticks) break
      heap[i] = heap[parent]
      i = parent
    }
    heap[i] = events
  }

  /** The thread with the next event. It stays first until `advance` or `drop`. Undefined if no event is due. */
  first(): ThreadEvents | undefined {
    for (let events = this.#woken.pop(); events !== undefined; events = this.#woken.pop()) this.add(events)
    for (;;) {
      const events = this.#heap[0]
      if (events === undefined) return undefined
      const needed = this.#goroutines.neededBy(events)
      if (needed === undefined) return events
      this.drop()
      const others = this.#waiting.get(needed)
      if (others === undefined) this.#waiting.set(needed, [events])
      else others.push(events)
      this.#waitingCount++
    }
  }

  /** The first thread has advanced to its next event. */
  advance(): void {
    this.#sink(this.#heap[0])
  }

  /** Removes the first thread. */
  drop(): void {
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) this.#sink(last)
  }

  /** Releases threads that waited for the new state of the goroutine. */
  wake(goroutine: Goroutine): void {
    if (this.#waitingCount === 0) return
    const key = this.#goroutines.stateKey(goroutine)
    const waiting = this.#waiting.get(key)
    const events = waiting?.pop()
    if (events === undefined) return
    if (waiting?.length === 0) this.#waiting.delete(key)
    this.#waitingCount--
    this.#woken.push(events)
  }

  /** Returns the threads whose events were never due. */
  takeWaiting(): ThreadEvents[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#waitingCount = 0
    return all
  }

  /** Puts a thread in the place of the first one and restores the heap. */
  #sink(events: ThreadEvents): void {
    const heap = this.#heap
    const { length } = heap
    const { ticks } = events
    let i = 0
    for (let child = 1; child < length; child = 2 * i + 1) {
      if (child + 1 < length && heap[child + 1].ticks < heap[child].ticks) child++
      if (heap[child].ticks >= ticks) break
      heap[i] = heap[child]
      i = child
    }
    heap[i] = events
  }
}
