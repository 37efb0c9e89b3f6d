// A log of 64-bit numbers that belong to rows, appended in any order and read row by row. A counting sort by row keeps
// the order of each row's numbers.
import { GrowingInts } from '../columns/growing-columns.ts'
import { int64 } from '../columns/int64.ts'
import type { LongPool } from '../columns/profiles.ts'

export class ObservationLog {
  readonly #rows = new GrowingInts()
  /** Low and high halves. */
  readonly #longs = new GrowingInts()

  /** Adds the numbers [from, to) of the pool to a row. */
  add(row: number, pool: LongPool, from: number, to: number): void {
    if (from === to) return
    this.#longs.pushAll(pool.ints, pool.base + 2 * from, pool.base + 2 * to)
    const rows = this.#rows.reserve(to - from)
    const start = this.#rows.length
    for (let i = start; i < start + to - from; i++) rows[i] = row
    this.#rows.length += to - from
  }

  byRow(rowCount: number): RowObservations {
    const starts = new Int32Array(rowCount + 1)
    const rows = this.#rows.array
    const longs = this.#longs.array
    const { length } = this.#rows
    for (let i = 0; i < length; i++) starts[rows[i] + 1]++
    for (let row = 0; row < rowCount; row++) starts[row + 1] += starts[row]
    const next = starts.slice()
    const sorted = new Int32Array(2 * length)
    for (let i = 0; i < length; i++) {
      const to = 2 * next[rows[i]]++
      sorted[to] = longs[2 * i]
      sorted[to + 1] = longs[2 * i + 1]
    }
    return new RowObservations(starts, sorted)
  }
}

class RowObservations {
  /** Row r has the numbers [starts[r], starts[r + 1]). */
  readonly #starts: Int32Array
  readonly #longs: Int32Array

  constructor(starts: Int32Array, longs: Int32Array) {
    this.#starts = starts
    this.#longs = longs
  }

  write(row: number, column: GrowingInts): void {
    column.pushAll(this.#longs, 2 * this.#starts[row], 2 * this.#starts[row + 1])
  }

  count(row: number): number {
    return this.#starts[row + 1] - this.#starts[row]
  }

  /** The sum of the numbers of the row as signed. Undefined if it has none. */
  sum(row: number): bigint | undefined {
    if (this.count(row) === 0) return undefined
    let sum = 0n
    for (let i = this.#starts[row]; i < this.#starts[row + 1]; i++) {
      sum += int64(this.#longs[2 * i], this.#longs[2 * i + 1])
    }
    return sum
  }

  /** Sorts the numbers of the row as unsigned, stably, and reorders those of `along` in the same way. */
  sortByTime(row: number, along?: RowObservations): void {
    const from = this.#starts[row]
    const to = this.#starts[row + 1]
    if (this.#isSorted(from, to)) return
    const longs = this.#longs
    const order = Array.from({ length: to - from }, (_, i) => from + i)
    // Numbers from several inputs mostly consist of sorted runs, which this sort exploits.
    order.sort(
      (a, b) => (longs[2 * a + 1] >>> 0) - (longs[2 * b + 1] >>> 0) || (longs[2 * a] >>> 0) - (longs[2 * b] >>> 0),
    )
    permute(longs, from, order, from)
    if (along !== undefined) permute(along.#longs, along.#starts[row], order, from)
  }

  #isSorted(from: number, to: number): boolean {
    const longs = this.#longs
    for (let i = from + 1; i < to; i++) {
      const hi = longs[2 * i + 1] >>> 0
      const before = longs[2 * i - 1] >>> 0
      if (hi < before || (hi === before && longs[2 * i] >>> 0 < longs[2 * i - 2] >>> 0)) return false
    }
    return true
  }
}

/** Moves number `order[i] - base` of the run at `start` to position i. */
function permute(longs: Int32Array, start: number, order: readonly number[], base: number): void {
  const copy = longs.slice(2 * start, 2 * (start + order.length))
  for (let i = 0; i < order.length; i++) {
    longs[2 * (start + i)] = copy[2 * (order[i] - base)]
    longs[2 * (start + i) + 1] = copy[2 * (order[i] - base) + 1]
  }
}
