// Bounds the memory that requests take between their first byte and their answer. A request is let in with the size it
// announces, corrected when its real size is known, and let out once answered.
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

  /** Throws Refusal. A single request may be as large as it likes when it is alone: other limits hold it. */
  admit(bytes: number): Admitted {
    return new Admitted(bytes, (before, after) => this.#change(before, after))
  }

  /** Throws Refusal where not even a byte would be let in: for requests whose size is not announced. */
  check(): void {
    this.admit(1).release()
  }

  #change(before: number, after: number): void {
    const others = this.#inFlight - before
    if (after > before && others > 0 && others + after > this.#limit)
      throw busy('in-flight', 'too many requests are being handled at once: try again', 1)
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

  /** The request turned out to be this large. Throws Refusal where there is no room for the difference. */
  resize(bytes: number): void {
    if (this.#released) return
    this.#change(this.#bytes, bytes)
    this.#bytes = bytes
  }

  /** Once, or more often without harm; what is resized afterwards stays out. */
  release(): void {
    this.resize(0)
    this.#released = true
  }
}
