// Brings the events of all threads into one order. Threads read the clock each for themselves, so time alone is not it: an
// event that changes a goroutine from outside carries a number, and comes when the goroutine is at the number before and in the
// state that it needs. A thread whose next event is not due waits for that, apart from the others, so that each event is looked
// at only twice however many threads a file makes up.
import type { Goroutine, Goroutines } from './goroutines.ts'
import type { ThreadEvents } from './thread-events.ts'

export class EventMerge {
  /** A heap, the earliest event first. */
  readonly #heap: ThreadEvents[] = []
  /** Threads that wait, by what they wait for. */
  readonly #waiting = new Map<string, ThreadEvents[]>()
  #waitingCount = 0
  readonly #goroutines: Goroutines

  constructor(goroutines: Goroutines) {
    this.#goroutines = goroutines
  }

  get waitingCount(): number {
    return this.#waitingCount
  }

  /** `events` stands on its first event. */
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

  /** The thread whose event comes next; it is taken out, to be added again. Undefined if there is none that is due. */
  take(): ThreadEvents | undefined {
    for (;;) {
      const events = this.#pop()
      if (events === undefined) return undefined
      const needed = this.#goroutines.neededBy(events)
      if (needed === undefined) return events
      const others = this.#waiting.get(needed)
      if (others === undefined) this.#waiting.set(needed, [events])
      else others.push(events)
      this.#waitingCount++
    }
  }

  /** Lets a thread go on that waited for what the goroutine has become. */
  wake(goroutine: Goroutine): void {
    if (this.#waitingCount === 0) return
    const key = this.#goroutines.stateKey(goroutine)
    const waiting = this.#waiting.get(key)
    const events = waiting?.pop()
    if (events === undefined) return
    if (waiting?.length === 0) this.#waiting.delete(key)
    this.#waitingCount--
    this.add(events)
  }

  /** Threads whose events were never due. */
  takeWaiting(): ThreadEvents[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#waitingCount = 0
    return all
  }

  #pop(): ThreadEvents | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1].ticks < heap[child].ticks) child++
      if (heap[child].ticks >= last.ticks) break
      heap[i] = heap[child]
      i = child
    }
    heap[i] = last
    return first
  }
}
