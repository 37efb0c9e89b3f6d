// Which end of a slice of location_indices is the leaf. The document states an order only for the form that it deprecates
// (location_index: the leaf is first); its examples have the root first in slices, and let slices of stacks that begin
// alike begin at the same place:
//
//   location_indices  foo bar baz abc def        foo;bar;baz = (0, 3)   abc;def = (3, 2)   foo;bar = (0, 2)
//
// Producers of the released form had the leaf first. A stack that ends early shares its root with another one, so slices that
// share a start say "root first" and slices that share an end say "leaf first". Where none do, the examples are followed.

export type StackOrder = 'root-first' | 'leaf-first'

export class OrderEvidence {
  /** Whether there are slices at all. */
  hasSlices = false
  sharesStarts = false
  sharesEnds = false
  /** The length of the first slice that starts, or ends, at a place. */
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

  /** Undefined where nothing tells. */
  order(): StackOrder | undefined {
    if (this.sharesStarts) return 'root-first'
    return this.sharesEnds ? 'leaf-first' : undefined
  }
}
