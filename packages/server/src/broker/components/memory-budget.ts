// Counts the bytes of all events that wait in the Broker. Above the limit, senders wait until memory is free again. The
// total may exceed the limit by the events that were being read at that moment, one per sender.

export class MemoryBudget {
  readonly #limit: number
  readonly #waiting = new Set<() => void>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  get isFull(): boolean {
    return this.#used >= this.#limit
  }

  add(bytes: number): void {
    this.#used += bytes
  }

  release(bytes: number): void {
    this.#used -= bytes
    if (this.isFull || this.#waiting.size === 0) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const callback of waiting) callback()
  }

  /** Calls back once when memory is free again. A second call with the same function has no effect. */
  whenFree(callback: () => void): void {
    this.#waiting.add(callback)
  }

  forget(callback: () => void): void {
    this.#waiting.delete(callback)
  }
}
