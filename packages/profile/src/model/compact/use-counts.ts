// Counts how often each row of a table is referenced.

export class UseCounts {
  counts: Int32Array
  length: number

  constructor(length = 0) {
    this.counts = new Int32Array(length)
    this.length = length
  }

  reset(length: number): void {
    if (length > this.counts.length) this.counts = new Int32Array(length)
    else this.counts.fill(0, 0, length)
    this.length = length
  }

  copy(other: UseCounts): void {
    const { length } = other
    if (length > this.counts.length) this.counts = new Int32Array(length)
    for (let i = 0; i < length; i++) this.counts[i] = other.counts[i]
    this.length = length
  }

  /** Counts all indexes of a list. */
  addAll(indexes: Int32Array, from: number, to: number): void {
    const { counts } = this
    for (let i = from; i < to; i++) counts[indexes[i]]++
  }

  /** Adds counts by rows of another dictionary. `rows` maps those rows to rows of this one. */
  addCarried(uses: UseCounts, rows: Int32Array): void {
    const { counts } = this
    const source = uses.counts
    for (let i = 0; i < uses.length; i++) if (source[i] !== 0) counts[rows[i]] += source[i]
  }
}
