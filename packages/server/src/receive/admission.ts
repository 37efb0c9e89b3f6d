// Bounds the memory of requests between their first byte and their response. A request is admitted with its announced size,
// which is corrected when the actual size is known, and released after the response. The memory that decoding it takes is
// admitted before it is decoded.
import { Code, Refusal, busy } from './refusal.ts'

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

  /** Throws Refusal. No request may take more than the limit, even if it is alone. */
  admitDecoding(bytes: number): Admitted {
    if (bytes > this.#limit) throw takesTooMuch(this.#limit)
    return this.admit(bytes)
  }

  /** The maximum of the sum of all requests. */
  get limit(): number {
    return this.#limit
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

/** A request that takes more than the limit by itself. */
export const takesTooMuch = (limit: number): Refusal =>
  new Refusal(
    413,
    Code.resourceExhausted,
    'too-large',
    `decoding the request takes more than ${limit} bytes of memory, which is the limit (max-in-flight); send smaller batches`,
  )

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
