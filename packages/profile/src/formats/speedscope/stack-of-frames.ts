// The current stack while samples or events are read. Files have stacks root first, the dictionary leaf first. The row
// is looked up once per state, because most events of a trace change only the top.
import type { DictionaryBuilder } from '../../model/build/dictionary-builder.ts'

const UNKNOWN = -1

export class StackOfFrames {
  readonly #dictionary: DictionaryBuilder
  /** Filled from its end, so that the used part is leaf first. */
  #locations = new Int32Array(64)
  #length = 0
  #row = UNKNOWN

  constructor(dictionary: DictionaryBuilder) {
    this.#dictionary = dictionary
  }

  get length(): number {
    return this.#length
  }

  /** The number of frames above the topmost one of this location, or -1 if there is none. */
  framesAbove(location: number): number {
    const from = this.#locations.length - this.#length
    const at = this.#locations.indexOf(location, from)
    return at < 0 ? -1 : at - from
  }

  clear(): void {
    this.#length = 0
    this.#row = UNKNOWN
  }

  push(location: number): void {
    const { length } = this.#locations
    if (this.#length === length) {
      const grown = new Int32Array(2 * length)
      grown.set(this.#locations, length)
      this.#locations = grown
    }
    this.#length++
    this.#locations[this.#locations.length - this.#length] = location
    this.#row = UNKNOWN
  }

  pop(count: number): void {
    this.#length -= count
    this.#row = UNKNOWN
  }

  /** Row 0 if the stack is empty. */
  row(): number {
    if (this.#row === UNKNOWN) {
      const { length } = this.#locations
      this.#row = this.#dictionary.stack(this.#locations, length - this.#length, length)
    }
    return this.#row
  }
}
