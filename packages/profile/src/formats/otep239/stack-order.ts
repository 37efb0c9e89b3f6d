// Determines which end of a slice of location_indices is the leaf. The document defines an order only for the deprecated form
// (location_index: leaf first). Its examples have the root first in slices, and slices of stacks with a common start begin at
// the same position:
//
//   location_indices  foo bar baz abc def        foo;bar;baz = (0, 3)   abc;def = (3, 2)   foo;bar = (0, 2)
//
// Producers of the released form had the leaf first. A shorter stack shares its root with another one, so slices with a common
// start mean "root first", and slices with a common end mean "leaf first". Otherwise the examples are followed.

export type StackOrder = 'root-first' | 'leaf-first'

export class OrderEvidence {
  /** Whether there are any slices. */
  hasSlices = false
  sharesStarts = false
  sharesEnds = false
  /** The length of the first slice that starts, or ends, at a position. */
  readonly #starts = new Map<number, number>()
  readonly #ends = new Map<number, number>()

  add(start: number, length: number): void {
    if (length === 0) return
    this.hasSlices = true
    if (this.sharesStarts) return
    if ((this.#starts.get(start) ?? length) !== length) this.sharesStarts = true
    if ((this.#ends.get(start + length) ?? length) !== length) this.sharesEnds = true
    this.#starts.set(start, length)
    this.#ends.set(start + length, length)
  }

  /** Returns undefined if nothing indicates the order. */
  order(): StackOrder | undefined {
    if (this.sharesStarts) return 'root-first'
    return this.sharesEnds ? 'leaf-first' : undefined
  }
}
