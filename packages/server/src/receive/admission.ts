// Bounds the memory of requests between their first byte and their response. A request is admitted with its announced size,
// which is corrected when the actual size is known, and released after the response.
import { busy } from './refusal.ts'

export class Admission {
  readonly #limit: number
  #inFlight = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get inFlightBytes(): number {
    return this.#inFlight
  }

  /** Throws Refusal. A request that is alone may have any size, because other limits bound it. */
  admit(bytes: number): Admitted {
    return new Admitted(bytes, (before, after) => this.#change(before, after))
  }

  /** Throws Refusal if not even one byte would be admitted. For requests without an announced size. */
  check(): void {
    this.admit(1).release()
  }

  #change(before: number, after: number): void {
    const others = this.#inFlight - before
    if (after > before && others > 0 && others + after > this.#limit)
      throw busy('in-flight', 'too many concurrent requests; retry in 1 s', 1)
    this.#inFlight = others + after
  }
}

export class Admitted {
  #bytes = 0
  #released = false
  readonly #change: (before: number, after: number) => void

  constructor(bytes: number, change: (before: number, after: number) => void) {
    this.#change = change
    this.resize(bytes)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Sets the actual size. Throws Refusal if the difference does not fit. */
  resize(bytes: number): void {
    if (this.#released) return
    this.#change(this.#bytes, bytes)
    this.#bytes = bytes
  }

  /** May be called more than once. Later changes of the size have no effect. */
  release(): void {
    this.resize(0)
    this.#released = true
  }
}
